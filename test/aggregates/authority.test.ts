import fc from 'fast-check';
import {
  ensureMayChangeRole,
  ensureMayChangeUser,
  ensureMayGrant,
  type Standing,
  type UserChange,
} from '../../src/aggregates/authority.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../../src/security/permissions.js';
import { refusal } from './given.js';

const roles = new Map<string, readonly string[]>([
  ['reports', ['reports.read']],
  ['hr', ['users.read', 'users.write']],
  ['keys', ['reports.read', 'integrations.manage']],
  ['none', []],
]);
const withRoles = (role: SystemRole, ...roleIds: string[]) => ({
  role,
  permissions: new Set<string>([...SYSTEM_ROLE_PERMISSIONS[role], ...roleIds.flatMap((id) => roles.get(id) ?? [])]),
});
const callers = {
  owner: withRoles('OWNER'),
  admin: withRoles('ADMIN'),
  clerk: withRoles('USER', 'hr'),
  /** A caller who may change users but has no other permission. */
  bare: { role: 'USER', permissions: new Set<string>(['users.write']) },
};
type Caller = keyof typeof callers;

const user = (...roleIds: string[]): Standing => ({ role: 'USER', roleIds });
const admin: Standing = { role: 'ADMIN', roleIds: [] };
const owner: Standing = { role: 'OWNER', roleIds: [] };

/** Changes that do not affect the user's permissions: another name, a suspension, and a new password. */
const touched = (standing: Standing): UserChange => ({ before: standing, after: standing });
const changed = (before: Standing, after: Standing): UserChange => ({ before, after });
const made = (after: Standing): UserChange => ({ before: null, after });
const removed = (before: Standing): UserChange => ({ before, after: null });

describe('Who may change a user', () => {
  test.each<[string, UserChange, Caller[]]>([
    ['make an owner', made(owner), ['owner']],
    ['make an admin', made(admin), ['owner', 'admin']],
    ['make a user', made(user()), ['owner', 'admin', 'clerk']],
    ['make a user with a role that the clerk has', made(user('hr')), ['owner', 'admin', 'clerk']],
    ['make a user with a role beyond the clerk', made(user('hr', 'keys')), ['owner', 'admin']],
    ['make a user with an unknown role', made(user('unknown')), ['owner', 'admin']],

    ['touch an owner', touched(owner), ['owner']],
    ['touch an admin', touched(admin), ['owner', 'admin']],
    ['touch a user', touched(user()), ['owner', 'admin', 'clerk']],
    ['touch a user with a role that the clerk has', touched(user('hr')), ['owner', 'admin', 'clerk']],
    ['touch a user with a role beyond the clerk', touched(user('keys')), ['owner', 'admin']],
    ['touch a user with an unknown role', touched(user('unknown')), ['owner', 'admin']],

    ['promote a user to admin', changed(user(), admin), ['owner', 'admin']],
    ['promote an admin to owner', changed(admin, owner), ['owner']],
    ['demote an owner', changed(owner, user()), ['owner']],
    ['demote an admin', changed(admin, user()), ['owner', 'admin']],
    ['add a role', changed(user(), user('reports')), ['owner', 'admin', 'clerk']],
    ['add a role without permissions', changed(user(), user('none')), ['owner', 'admin', 'clerk']],
    ['add a role beyond the clerk', changed(user(), user('keys')), ['owner', 'admin']],
    [
      'add a role to a user who already has all of it',
      changed(admin, { ...admin, roleIds: ['keys'] }),
      ['owner', 'admin'],
    ],
    ['take a role away', changed(user('hr'), user()), ['owner', 'admin', 'clerk']],
    ['take a role beyond the clerk away', changed(user('keys'), user()), ['owner', 'admin']],
    ['keep a role beyond the clerk', changed(user('keys'), user('hr', 'keys')), ['owner', 'admin']],

    ['remove an owner', removed(owner), ['owner']],
    ['remove an admin', removed(admin), ['owner', 'admin']],
    ['remove a user', removed(user('hr')), ['owner', 'admin', 'clerk']],
    ['remove a user with a role beyond the clerk', removed(user('keys')), ['owner', 'admin']],
  ])('to %s', (_, change, who) => {
    const allowed = (Object.keys(callers) as Caller[]).filter((caller) => {
      const told = refusal(() => {
        ensureMayChangeUser(callers[caller], change, roles);
      });
      expect(['not refused', 'forbidden FORBIDDEN']).toContain(told);
      return told === 'not refused';
    });
    expect(allowed).toEqual(who);
  });

  const standing = fc.record({
    role: fc.constantFrom<SystemRole>('OWNER', 'ADMIN', 'USER'),
    roleIds: fc.uniqueArray(fc.constantFrom(...roles.keys())),
  });
  const held = ({ role, roleIds }: Standing): Set<string> => withRoles(role, ...roleIds).permissions;
  const within = (some: Set<string>, all: Set<string>): boolean => [...some].every((code) => all.has(code));

  test('is every caller with all permissions that the user has and receives, if no owner is affected, and nobody else', () => {
    fc.assert(
      fc.property(
        fc.record({ by: standing, before: fc.option(standing), after: fc.option(standing) }),
        ({ by, before, after }) => {
          const own = held(by);
          const told = refusal(() => {
            ensureMayChangeUser({ role: by.role, permissions: own }, { before, after }, roles);
          });
          const touchesOwner = before?.role === 'OWNER' || after?.role === 'OWNER';
          const isWithin = [before, after].every((one) => !one || within(held(one), own));
          const isAllowed = isWithin && (!touchesOwner || by.role === 'OWNER');
          expect(told).toBe(isAllowed ? 'not refused' : 'forbidden FORBIDDEN');
        },
      ),
    );
  });
});

describe('Who may grant permissions to a role, or revoke them', () => {
  const by = { role: 'USER', permissions: new Set(['reports.read', 'users.read']) };
  test.each<[readonly string[], readonly string[], string]>([
    [[], [], 'not refused'],
    [[], ['reports.read', 'users.read'], 'not refused'],
    [[], ['reports.read', 'users.write'], 'forbidden FORBIDDEN'],
    [['users.write'], ['users.write'], 'not refused'],
    [['users.write'], ['users.write', 'users.read'], 'not refused'],
    [['users.write', 'users.read'], ['users.write'], 'not refused'],
    [['users.write', 'users.read'], ['users.read'], 'forbidden FORBIDDEN'],
    [['users.write'], ['users.write', 'roles.write'], 'forbidden FORBIDDEN'],
    [['users.write'], [], 'forbidden FORBIDDEN'],
    [[...ALL_PERMISSIONS], [...ALL_PERMISSIONS], 'not refused'],
  ])('from %j to %j: %s', (before, after, told) => {
    expect(
      refusal(() => {
        ensureMayChangeRole(by, before, after);
      }),
    ).toBe(told);
  });

  test('others get an error that names the missing permission', () => {
    const refused = (work: () => void): string => {
      try {
        work();
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const bare = { role: 'USER', permissions: new Set<string>() };
    expect([
      refused(() => {
        ensureMayGrant(by, ['users.write']);
      }),
      refused(() => {
        ensureMayChangeRole(by, ['users.write'], []);
      }),
      refused(() => {
        ensureMayChangeUser(bare, touched({ role: 'ADMIN', roleIds: [] }), roles);
      }),
    ]).toEqual([
      'You cannot grant permissions that you do not have: users.write.',
      'You cannot remove permissions that you do not have: users.write.',
      expect.stringMatching(/^You cannot change a user who has permissions that you do not have: \w+\.\w+\.$/),
    ]);
  });
});
