import { CreateTenant, createTenant, tenant, updateTenant } from '../../src/aggregates/tenant.aggregate.js';
import {
  changePassword,
  CreateUser,
  createUser,
  deleteUser,
  removeUserFactors,
  UpdateUser,
  updateUser,
  user,
} from '../../src/aggregates/user.aggregate.js';
import {
  createOperator,
  deleteOperator,
  operator,
  removeOperatorFactors,
} from '../../src/aggregates/operator.aggregate.js';
import { given } from './given.js';

const seeds = {
  branchId: 'b',
  customerId: 'c',
  accounts: { cash: '1', bank: '2', card: '3', sales: '4', tax: '5', openingBalances: '6', adjustments: '7' },
};
const acme = {
  name: 'Acme',
  slug: 'acme',
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  owner: { userId: 'u', fullName: 'Ada', email: 'ada@acme.test', passwordHash: '$argon2id$…' },
  seeds,
};

describe('a tenant', () => {
  const created = { type: 'TenantCreated', data: acme } as const;
  const deactivated = { type: 'TenantDeactivated', data: {} } as const;
  const asked = {
    ...acme,
    owner: { fullName: 'Ada', email: 'ada@acme.test', password: 'long enough' },
    seeds: undefined,
  };
  const { seeds: _, ...request } = asked;

  test('is created once, with its owner and the ids of its initial records', () => {
    given(tenant, []).when(createTenant, acme).then(created);
    given(tenant, [created]).when(createTenant, acme).changesNothing();
  });
  test('holds its slug across the whole platform once it exists', () => {
    given(tenant, [created]).holds('platform tenant-slug acme SLUG_TAKEN');
    given(tenant, []).holds();
  });
  test('keeps no secret of its owner in its state', () => {
    expect(JSON.stringify(given(tenant, [created]).state)).not.toContain('argon2id');
  });
  test('is renamed, deactivated and reactivated', () => {
    const acmeCreated = given(tenant, [created]);
    acmeCreated
      .when(updateTenant, { name: 'Acme AG' })
      .then({ type: 'TenantUpdated', data: { changes: { name: 'Acme AG' } } });
    acmeCreated.when(updateTenant, { isActive: false }).then(deactivated);
    acmeCreated.when(updateTenant, { name: 'Acme', isActive: true }).changesNothing();
    given(tenant, [created, deactivated])
      .when(updateTenant, { isActive: true })
      .then({ type: 'TenantReactivated', data: {} });
    given(tenant, []).when(updateTenant, {}).isRefused('not_found NOT_FOUND');
  });
  test('requires a slug, an existing currency and time zone, and a password that is long enough', () => {
    expect(CreateTenant.safeParse(request).success).toBe(true);
    for (const bad of [
      { slug: 'Acme' },
      { slug: '-acme' },
      { slug: '' },
      { currency: 'XAU' },
      { timeZone: 'Mars/Olympus' },
      { name: ' ' },
      { name: 'A\u0000B' },
      { tenantId: 'x' },
      { owner: { ...request.owner, password: 'too short' } },
      { owner: { ...request.owner, password: 'xy'.repeat(64) + 'x' } },
      { owner: { ...request.owner, email: 'nobody' } },
      { owner: { ...request.owner, role: 'OWNER' } },
    ])
      expect([bad, CreateTenant.safeParse({ ...request, ...bad }).success]).toEqual([bad, false]);
  });
  test('counts a password in characters, not in UTF-16 units', () => {
    const emoji = { ...request, owner: { ...request.owner, password: '🔑'.repeat(9) } };
    expect(CreateTenant.safeParse(emoji).success).toBe(false);
  });
});

describe('a user', () => {
  const ada = { fullName: 'Ada', email: 'Ada@Acme.test', role: 'ADMIN' as const, passwordHash: 'h1', isActive: true };
  const profile = { ...ada, phone: null, roleIds: [], branchId: null, branchIds: [] };
  const created = { type: 'UserCreated', data: profile } as const;
  const deactivated = { type: 'UserDeactivated', data: {} } as const;
  const deleted = { type: 'UserDeleted', data: {} } as const;

  test('is created active or inactive', () => {
    given(user, []).when(createUser, ada).then(created);
    given(user, [created]).when(createUser, ada).changesNothing();
    expect(given(user, [{ ...created, data: { ...profile, isActive: false } }]).state.status).toBe('inactive');
  });
  test('holds the e-mail address in any case, across the whole platform, until it is deleted', () => {
    given(user, [created]).holds('platform user-email ada@acme.test EMAIL_TAKEN');
    given(user, [created, deactivated]).holds('platform user-email ada@acme.test EMAIL_TAKEN');
    given(user, [created, deleted]).holds();
  });
  test('is updated with the changed fields only', () => {
    given(user, [created])
      .when(updateUser, { fullName: 'Ada', phone: '+90 212', roleIds: ['r1'], branchIds: [] })
      .then({ type: 'UserUpdated', data: { changes: { phone: '+90 212', roleIds: ['r1'] } } });
    given(user, [created]).when(updateUser, { roleIds: [], phone: null, isActive: true }).changesNothing();
    given(user, [created])
      .when(updateUser, { role: 'USER', isActive: false })
      .then({ type: 'UserUpdated', data: { changes: { role: 'USER' } } }, deactivated);
    given(user, [created, deactivated])
      .when(updateUser, { isActive: true })
      .then({ type: 'UserReactivated', data: {} });
  });
  test('gets a new password', () => {
    const changed = { type: 'UserPasswordChanged', data: { passwordHash: 'h2' } } as const;
    given(user, [created]).when(changePassword, { passwordHash: 'h2' }).then(changed);
    given(user, [created, changed]).when(changePassword, { passwordHash: 'h2' }).changesNothing();
    expect(given(user, [created, changed]).state).toMatchObject({ passwordHash: 'h2' });
  });
  test('loses its second factors and all sessions for a reason, even while it is inactive', () => {
    const removed = { type: 'UserFactorsRemoved', data: { reason: 'Lost.' } } as const;
    for (const history of [[created], [created, deactivated]])
      given(user, history).when(removeUserFactors, { reason: 'Lost.', count: 2 }).then(removed);
    given(user, [created]).when(removeUserFactors, { reason: 'Lost.', count: 0 }).isRefused('conflict NO_FACTORS');
    for (const history of [[], [created, deleted]])
      given(user, history).when(removeUserFactors, { reason: 'Lost.', count: 1 }).isRefused('not_found NOT_FOUND');
    expect(given(user, [created, removed]).state).toMatchObject({ epoch: 1, factorRemovalReason: 'Lost.' });
  });
  test('is not found after its deletion', () => {
    given(user, [created]).when(deleteUser, {}).then(deleted);
    for (const gone of [given(user, []), given(user, [created, deleted])]) {
      gone.when(deleteUser, {}).isRefused('not_found NOT_FOUND');
      gone.when(updateUser, {}).isRefused('not_found NOT_FOUND');
      gone.when(changePassword, { passwordHash: 'x' }).isRefused('not_found NOT_FOUND');
    }
  });
  test('cannot gain privileges through other fields', () => {
    const request = { fullName: 'Ada', email: 'a@b.test', password: 'long enough', role: 'USER' };
    expect(CreateUser.parse({ ...request, branchIds: ['b', 'b'] })).toMatchObject({ isActive: true, branchIds: ['b'] });
    for (const extra of [{ tenantId: 't' }, { passwordHash: 'h' }, { role: 'OPERATOR' }, { phone: 5 }])
      expect(CreateUser.safeParse({ ...request, ...extra }).success).toBe(false);
    for (const patch of [{ password: 'long enough' }, { fullName: null }, { email: null }, { isActive: 'false' }])
      expect(UpdateUser.safeParse(patch).success).toBe(false);
    expect(UpdateUser.parse({ phone: null, branchId: null })).toEqual({ phone: null, branchId: null });
  });
});

describe('an operator', () => {
  const root = { fullName: 'Root', email: 'root@kontor.test', passwordHash: 'h1' };
  const created = { type: 'OperatorCreated', data: root } as const;
  const deleted = { type: 'OperatorDeleted', data: {} } as const;

  test('is created and deleted', () => {
    given(operator, []).when(createOperator, root).then(created);
    given(operator, [created]).when(createOperator, root).changesNothing();
    given(operator, [created]).when(deleteOperator, {}).then(deleted);
    given(operator, [created, deleted]).when(deleteOperator, {}).isRefused('not_found NOT_FOUND');
  });
  test('loses its second factors and all sessions for a reason', () => {
    const removed = { type: 'OperatorFactorsRemoved', data: { reason: 'Lost.' } } as const;
    given(operator, [created]).when(removeOperatorFactors, { reason: 'Lost.', count: 1 }).then(removed);
    given(operator, [created])
      .when(removeOperatorFactors, { reason: 'Lost.', count: 0 })
      .isRefused('conflict NO_FACTORS');
    given(operator, [created, deleted])
      .when(removeOperatorFactors, { reason: 'Lost.', count: 1 })
      .isRefused('not_found NOT_FOUND');
    expect(given(operator, [created, removed]).state).toMatchObject({ epoch: 1, factorRemovalReason: 'Lost.' });
  });
  test('shares the space of e-mail addresses with all users', () => {
    given(operator, [created]).holds('platform user-email root@kontor.test EMAIL_TAKEN');
    given(operator, [created, deleted]).holds();
  });
});
