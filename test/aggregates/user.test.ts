import { operator, updateOperator } from '../../src/aggregates/operator.aggregate.js';
import { ResetPassword, UpdateProfile, updateUser, user, type UserEvent } from '../../src/aggregates/user.aggregate.js';
import { given } from './given.js';

const ada = {
  fullName: 'Ada',
  email: 'ada@acme.test',
  phone: null,
  role: 'OWNER' as const,
  roleIds: ['r'],
  branchId: null,
  branchIds: [],
  isActive: true,
  passwordHash: 'h1',
};
const created = { type: 'UserCreated', data: ada } as const;
const deactivated = { type: 'UserDeactivated', data: {} } as const;
const demoted: UserEvent = { type: 'UserUpdated', data: { changes: { role: 'ADMIN', roleIds: [] } } };
const deleted = { type: 'UserDeleted', data: {} } as const;

describe("a user's own profile", () => {
  test('is a name and a phone number', () => {
    expect(UpdateProfile.parse({ fullName: ' Ada ', phone: null })).toEqual({ fullName: 'Ada', phone: null });
    expect(UpdateProfile.parse({})).toEqual({});
    for (const bad of [{ email: 'a@b.test' }, { role: 'OWNER' }, { fullName: null }, { fullName: '' }, { phone: '' }])
      expect([bad, UpdateProfile.safeParse(bad).success]).toEqual([bad, false]);
  });
  test('is changed like any other field', () => {
    given(user, [created])
      .when(updateUser, { fullName: 'Ada L.', phone: '123' })
      .then({ type: 'UserUpdated', data: { changes: { fullName: 'Ada L.', phone: '123' } } });
  });
});

describe("a user's password", () => {
  test('can be changed by specifying only a new one', () => {
    expect(ResetPassword.parse({ newPassword: 'long enough' })).toEqual({ newPassword: 'long enough' });
    for (const bad of [{}, { newPassword: 'too short' }, { newPassword: 'long enough', currentPassword: 'x' }])
      expect([bad, ResetPassword.safeParse(bad).success]).toEqual([bad, false]);
  });
});

describe('among the others of the tenant a user', () => {
  const membershipAfter = (...history: UserEvent[]) => user.memberships?.[0]?.of(given(user, history).state, 't');

  test('is treated as an owner while active and in that role', () => {
    expect(membershipAfter(created)?.keeps).toBe(true);
    for (const later of [deactivated, demoted, deleted]) expect(membershipAfter(created, later)?.keeps).toBe(false);
    expect(membershipAfter()?.keeps).toBe(false);
  });
  test('uses custom roles until they are removed or the user is deleted', () => {
    expect(membershipAfter(created)?.uses).toEqual(['role-t_r']);
    expect(membershipAfter(created, deactivated)?.uses).toEqual(['role-t_r']);
    for (const later of [demoted, deleted]) expect(membershipAfter(created, later)?.uses).toEqual([]);
  });
});

describe("an operator's own profile", () => {
  const root = { fullName: 'Root', email: 'root@kontor.test', passwordHash: 'h1' };
  const made = { type: 'OperatorCreated', data: root } as const;
  const updated = { type: 'OperatorUpdated', data: { changes: { fullName: 'Ruth' } } } as const;

  test('is a name', () => {
    given(operator, [made]).when(updateOperator, { fullName: 'Ruth' }).then(updated);
    given(operator, [made]).when(updateOperator, { fullName: 'Root' }).changesNothing();
    given(operator, [made]).when(updateOperator, {}).changesNothing();
    expect(given(operator, [made, updated]).state).toMatchObject({ fullName: 'Ruth', email: root.email });
    given(operator, [made, { type: 'OperatorDeleted', data: {} }])
      .when(updateOperator, { fullName: 'Ruth' })
      .isRefused('not_found NOT_FOUND');
  });
});
