import fc from 'fast-check';
import { ensureMayChangeUser, ensureMayGrant, type Standing, type UserChange } from '../../src/aggregates/authority.js';
import { ALL_PERMISSIONS, SYSTEM_ROLE_PERMISSIONS, type SystemRole } from '../../src/platform/permissions.js';
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
  /** Changes users, and may do nothing else. */
  bare: { role: 'USER', permissions: new Set<string>(['users.write']) },
};
type Caller = keyof typeof callers;

const user = (...roleIds: string[]): Standing => ({ role: 'USER', roleIds, isActive: true });
const admin: Standing = { role: 'ADMIN', roleIds: [], isActive: true };
const owner: Standing = { role: 'OWNER', roleIds: [], isActive: true };
const inactive = (standing: Standing): Standing => ({ ...standing, isActive: false });

const same = (standing: Standing): UserChange => ({ before: standing, after: standing });
const takenOver = (standing: Standing): UserChange => ({ ...same(standing), takesOver: true });
const changed = (before: Standing, after: Standing): UserChange => ({ before, after });
const made = (after: Standing): UserChange => ({ before: null, after });
const removed = (before: Standing): UserChange => ({ before, after: null });

describe('Who may change a user', () => {
  test.each<[string, UserChange, Caller[]]>([
    ['make an owner', made(owner), ['owner']],
    ['make an inactive owner', made(inactive(owner)), ['owner']],
    ['make an admin', made(admin), ['owner', 'admin']],
    ['make an inactive admin', made(inactive(admin)), ['owner', 'admin']],
    ['make a user', made(user()), ['owner', 'admin', 'clerk']],
    ['make a user with a role that the clerk has', made(user('hr')), ['owner', 'admin', 'clerk']],
    ['make a user with a role beyond the clerk', made(user('hr', 'keys')), ['owner', 'admin']],
    ['make a user with an unknown role', made(user('unknown')), ['owner', 'admin']],

    ['leave an owner as they are', same(owner), ['owner']],
    ['leave an admin as they are', same(admin), ['owner', 'admin', 'clerk', 'bare']],
    ['promote a user to admin', changed(user(), admin), ['owner', 'admin']],
    ['promote an admin to owner', changed(admin, owner), ['owner']],
    ['demote an owner', changed(owner, user()), ['owner']],
    ['demote an admin', changed(admin, user()), ['owner', 'admin', 'clerk', 'bare']],
    ['add a role', changed(user(), user('reports')), ['owner', 'admin', 'clerk']],
    ['add a role without permissions', changed(user(), user('none')), ['owner', 'admin', 'clerk', 'bare']],
    ['add a role beyond the clerk', changed(user(), user('keys')), ['owner', 'admin']],
    ['add a role to who has all of it already', changed(admin, { ...admin, roleIds: ['keys'] }), ['owner', 'admin']],
    ['take a role away', changed(user('keys'), user()), ['owner', 'admin', 'clerk', 'bare']],
    ['change one role for another', changed(user('keys'), user('hr')), ['owner', 'admin', 'clerk']],
    ['keep a role beyond the clerk', changed(user('keys'), user('hr', 'keys')), ['owner', 'admin', 'clerk']],

    ['deactivate an owner', changed(owner, inactive(owner)), ['owner']],
    ['deactivate an admin', changed(admin, inactive(admin)), ['owner', 'admin', 'clerk', 'bare']],
    ['activate an admin', changed(inactive(admin), admin), ['owner', 'admin']],
    ['activate a user', changed(inactive(user()), user()), ['owner', 'admin', 'clerk']],
    ['activate a user with a role beyond the clerk', changed(inactive(user('keys')), user('keys')), ['owner', 'admin']],
    ['activate an admin as a user', changed(inactive(admin), user()), ['owner', 'admin', 'clerk']],
    ['promote an inactive user', changed(inactive(user()), inactive(admin)), ['owner', 'admin']],

    ['take over an owner', takenOver(owner), ['owner']],
    ['take over an admin', takenOver(admin), ['owner', 'admin']],
    ['take over an inactive admin', takenOver(inactive(admin)), ['owner', 'admin']],
    ['take over a user', takenOver(user()), ['owner', 'admin', 'clerk']],
    ['take over a user with a role beyond the clerk', takenOver(user('keys')), ['owner', 'admin']],
    ['take over a user with an unknown role', takenOver(user('unknown')), ['owner', 'admin']],
    ['take over an admin who becomes a user', { ...changed(admin, user()), takesOver: true }, ['owner', 'admin']],

    ['remove an owner', removed(owner), ['owner']],
    ['remove an admin', removed(admin), ['owner', 'admin', 'clerk', 'bare']],
    ['remove a user', removed(user('keys')), ['owner', 'admin', 'clerk', 'bare']],
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
    isActive: fc.boolean(),
  });
  const held = ({ role, roleIds }: Standing): Set<string> => withRoles(role, ...roleIds).permissions;

  test('is never somebody who lacks what the user newly gets, nor somebody who would get more by it', () => {
    fc.assert(
      fc.property(
        fc.record({ by: standing, before: fc.option(standing), after: standing, takesOver: fc.boolean() }),
        ({ by, ...change }) => {
          const own = held(by);
          const told = refusal(() => {
            ensureMayChangeUser({ role: by.role, permissions: own }, change, roles);
          });
          if (told !== 'not refused') return;
          const { before, after, takesOver } = change;
          if (before?.role === 'OWNER' || after.role === 'OWNER') expect(by.role).toBe('OWNER');
          const had = before?.isActive === true ? held(before) : new Set<string>();
          for (const code of after.isActive ? held(after) : []) expect(had.has(code) || own.has(code)).toBe(true);
          if (before && takesOver) for (const code of held(before)) expect(own).toContain(code);
        },
      ),
    );
  });
});

describe('Who may give a role permissions', () => {
  const by = { role: 'USER', permissions: new Set(['reports.read', 'users.read']) };
  test.each<[readonly string[], readonly string[], string]>([
    [[], [], 'not refused'],
    [['reports.read', 'users.read'], [], 'not refused'],
    [['reports.read', 'users.write'], [], 'forbidden FORBIDDEN'],
    [['users.write'], ['users.write'], 'not refused'],
    [['users.write', 'roles.write'], ['users.write'], 'forbidden FORBIDDEN'],
    [[...ALL_PERMISSIONS], [...ALL_PERMISSIONS], 'not refused'],
  ])('%j where it has %j: %s', (given, already, told) => {
    expect(
      refusal(() => {
        ensureMayGrant(by, given, already);
      }),
    ).toBe(told);
  });

  test('is told which one is lacking', () => {
    expect(() => {
      ensureMayGrant(by, ['users.write']);
    }).toThrow('Nobody grants a permission that they lack: users.write.');
  });
});
