import {
  accountDefaults,
  clearDefaultAccount,
  seedDefaultAccounts,
  setDefaultAccount,
} from '../../src/aggregates/account-defaults.aggregate.js';
import {
  branch,
  CreateBranch,
  createBranch,
  UpdateBranch,
  updateBranch,
} from '../../src/aggregates/branch.aggregate.js';
import {
  account,
  CreateAccount,
  createAccount,
  deleteAccount,
  restoreAccount,
  seedAccounts,
  UpdateAccount,
  updateAccount,
} from '../../src/aggregates/account.aggregate.js';
import {
  CreateIntegrationKey,
  createIntegrationKey,
  integrationKey,
  type IntegrationKeyEvent,
  recordedIntegrationKey,
  RotateIntegrationKey,
  secretHashesAt,
  revokeIntegrationKey,
  rotateIntegrationKey,
  UpdateIntegrationKey,
  updateIntegrationKey,
} from '../../src/aggregates/integration-key.aggregate.js';
import { fold } from '../../src/eventsourcing/aggregate.js';
import { given, NOW } from './given.js';

describe('a branch', () => {
  const main = { code: 'MAIN', name: 'Main', isActive: true };
  const nothing = { description: null, address: null, phone: null, email: null };
  const created = { type: 'BranchCreated', data: { ...nothing, ...main } } as const;
  const deactivated = { type: 'BranchDeactivated', data: {} } as const;

  test('is created once, and holds its code within the tenant', () => {
    given(branch, []).when(createBranch, main).then(created);
    given(branch, [created]).when(createBranch, main).changesNothing();
    given(branch, [created, deactivated]).holds('t branch-code MAIN BRANCH_CODE_TAKEN');
    given(branch, []).holds();
  });
  test('is updated with the changed fields only, closed and opened again', () => {
    const update = given(branch, [created]);
    update
      .when(updateBranch, { name: 'Main', phone: '1', isActive: false })
      .then({ type: 'BranchUpdated', data: { changes: { phone: '1' } } }, deactivated);
    update.when(updateBranch, {}).changesNothing();
    given(branch, [created, deactivated])
      .when(updateBranch, { isActive: true })
      .then({ type: 'BranchReactivated', data: {} });
    given(branch, []).when(updateBranch, {}).isRefused('not_found NOT_FOUND');
  });
  test('accepts a code in any case, with ASCII letters, digits and hyphens only', () => {
    expect(CreateBranch.parse({ code: 'izmir-1', name: ' Izmir ' })).toEqual({
      code: 'IZMIR-1',
      name: 'Izmir',
      isActive: true,
    });
    for (const code of ['', 'A'.repeat(21), 'A B', 'ızmir', 'straße', 'A_B', 5])
      expect([code, CreateBranch.safeParse({ code, name: 'x' }).success]).toEqual([code, false]);
  });
  test('never changes its code, and clears optional fields with null', () => {
    expect(UpdateBranch.safeParse({ code: 'X' }).success).toBe(false);
    expect(UpdateBranch.safeParse({ name: null }).success).toBe(false);
    expect(UpdateBranch.parse({ email: null })).toEqual({ email: null });
  });
});

describe('an account', () => {
  const till = { code: 'k1', name: 'Till', type: 'CASH', currency: 'EUR', isActive: true } as const;
  const created = { type: 'AccountCreated', data: { ...till, isSystem: false } } as const;
  const system = { type: 'AccountCreated', data: { ...till, isSystem: true } } as const;
  const deleted = { type: 'AccountDeleted', data: {} } as const;
  const restored = { type: 'AccountRestored', data: { code: null, causedBy: 'e1' } } as const;
  const refused = 'conflict SYSTEM_ACCOUNT';

  test('is created, and holds its code in any case; without a code it holds nothing', () => {
    given(account, []).when(createAccount, created.data).then(created);
    given(account, [created]).when(createAccount, created.data).changesNothing();
    given(account, [created]).holds('t account-code K1 ACCOUNT_CODE_TAKEN', 't customer-code K1 ACCOUNT_CODE_TAKEN');
    given(account, [{ ...created, data: { ...created.data, code: null } }]).holds();
    given(account, [created, deleted]).holds();
  });
  test('is renamed, closed and opened by separate events', () => {
    const off = { type: 'AccountDeactivated', data: {} } as const;
    given(account, [created])
      .when(updateAccount, { name: 'Kasse', isActive: false })
      .then({ type: 'AccountUpdated', data: { changes: { name: 'Kasse' } } }, off);
    given(account, [created, off])
      .when(updateAccount, { isActive: true })
      .then({ type: 'AccountReactivated', data: {} });
    given(account, [created]).when(updateAccount, { code: 'k1', isActive: true }).changesNothing();
    given(account, [created, deleted]).when(updateAccount, {}).isRefused('not_found NOT_FOUND');
  });
  test('is the default of its type according to one record of all defaults, seeded once', () => {
    const seeded = { type: 'DefaultAccountsSeeded', data: { defaults: { CASH: 'a', BANK: 'b' } } } as const;
    const set = (accountId: string | null, previousId: string | null) =>
      ({ type: 'DefaultAccountSet', data: { type: 'CASH', accountId, previousId } }) as const;
    given(accountDefaults, []).when(seedDefaultAccounts, seeded.data).then(seeded);
    given(accountDefaults, [seeded, set(null, 'a')])
      .when(seedDefaultAccounts, seeded.data)
      .changesNothing();
    given(accountDefaults, [seeded]).when(setDefaultAccount, { type: 'CASH', accountId: 'c' }).then(set('c', 'a'));
    given(accountDefaults, [seeded]).when(setDefaultAccount, { type: 'CASH', accountId: 'a' }).changesNothing();
    given(accountDefaults, [seeded]).when(clearDefaultAccount, { type: 'CASH', accountId: 'a' }).then(set(null, 'a'));
    given(accountDefaults, [seeded, set('c', 'a')])
      .when(clearDefaultAccount, { type: 'CASH', accountId: 'a' })
      .changesNothing();
    expect(given(accountDefaults, [seeded, set('c', 'a')]).state.byType).toEqual({ BANK: 'b', CASH: 'c' });
  });
  test('required by the books can be renamed, but neither closed nor deleted', () => {
    given(account, [system]).when(updateAccount, { isActive: false }).isRefused(refused);
    given(account, [system]).when(deleteAccount, {}).isRefused(refused);
    given(account, [system])
      .when(updateAccount, { name: 'Verkäufe' })
      .then({ type: 'AccountUpdated', data: { changes: { name: 'Verkäufe' } } });
  });
  test('that is deleted is restored once for each transaction that reached it', () => {
    given(account, [created]).when(deleteAccount, {}).then(deleted);
    given(account, [created, deleted]).when(restoreAccount, restored.data).then(restored);
    given(account, [created]).when(restoreAccount, restored.data).changesNothing();
    given(account, [created, deleted, restored, deleted]).when(restoreAccount, restored.data).changesNothing();
    expect(given(account, [created, deleted, restored]).state).toMatchObject({ status: 'present', code: null });
  });
  test('accepts a type in any case', () => {
    expect(CreateAccount.parse({ type: 'supplier', name: 'ACME' })).toMatchObject({ type: 'SUPPLIER', isActive: true });
    expect(CreateAccount.parse({ type: 'Customer', name: 'ACME' }).type).toBe('CUSTOMER');
    for (const bad of [{ type: 'MAGIC' }, { type: null }, { isSystem: true }, { currency: 'EUR' }, { balance: '1' }])
      expect(CreateAccount.safeParse({ type: 'CASH', name: 'x', ...bad }).success).toBe(false);
    expect(UpdateAccount.safeParse({ type: 'BANK' }).success).toBe(false);
  });
  test('is one of seven at the start: three for payments, four required by the books', () => {
    const ids = { cash: '1', bank: '2', card: '3', sales: '4', tax: '5', openingBalances: '6', adjustments: '7' };
    const seeds = seedAccounts(ids, 'EUR');
    expect(seeds.map(({ id, type, isSystem }) => [id, type, isSystem])).toEqual([
      ['1', 'CASH', false],
      ['2', 'BANK', false],
      ['3', 'POS', false],
      ['5', 'TAX', true],
      ['6', 'EQUITY', true],
      ['4', 'INCOME', true],
      ['7', 'EQUITY', true],
    ]);
    expect(new Set(seeds.map(({ code }) => code)).size).toBe(7);
    for (const { id: _, ...data } of seeds)
      given(account, []).when(createAccount, data).then({ type: 'AccountCreated', data });
  });
});

describe('an integration key', () => {
  const till = { name: 'Till', sourceId: 'pos-1', rateLimit: 60, secretHash: 'h1' };
  const created = { type: 'IntegrationKeyCreated', data: { expiresAt: null, ...till } } as const;
  const revoked = { type: 'IntegrationKeyRevoked', data: { revokedAt: NOW.toISOString() } } as const;

  test('is created, rotated and revoked', () => {
    given(integrationKey, []).when(createIntegrationKey, till).then(created);
    given(integrationKey, [created]).when(createIntegrationKey, till).changesNothing();
    given(integrationKey, [created])
      .when(rotateIntegrationKey, { secretHash: 'h2', overlapHours: 0 })
      .then({ type: 'IntegrationKeyRotated', data: { secretHash: 'h2' } });
    given(integrationKey, [created]).when(rotateIntegrationKey, { secretHash: 'h1', overlapHours: 0 }).changesNothing();
    given(integrationKey, [created]).when(revokeIntegrationKey, {}).then(revoked);
    given(integrationKey, [created, revoked]).when(revokeIntegrationKey, {}).changesNothing();
  });
  test('that is rotated with an overlap has two secrets for that time, and never three', () => {
    const previousUntil = new Date(NOW.getTime() + 5 * 3_600_000).toISOString();
    const rotated = { type: 'IntegrationKeyRotated', data: { secretHash: 'h2', previousUntil } } as const;
    given(integrationKey, [created]).when(rotateIntegrationKey, { secretHash: 'h2', overlapHours: 5 }).then(rotated);
    const hashesAt = (atMs: number, ...events: IntegrationKeyEvent[]): string[] =>
      secretHashesAt(recordedIntegrationKey(fold(integrationKey, events)), atMs);
    const untilMs = Date.parse(previousUntil);
    expect(hashesAt(untilMs - 1, created, rotated)).toEqual(['h2', 'h1']);
    expect(hashesAt(untilMs, created, rotated)).toEqual(['h2']);
    const again = { type: 'IntegrationKeyRotated', data: { secretHash: 'h3', previousUntil } } as const;
    expect(hashesAt(untilMs - 1, created, rotated, again)).toEqual(['h3', 'h2']);
    const once = { type: 'IntegrationKeyRotated', data: { secretHash: 'h3' } } as const;
    expect(hashesAt(untilMs - 1, created, rotated, once)).toEqual(['h3']);
    for (const overlapHours of [-1, 169, 1.5, '1', null])
      expect(RotateIntegrationKey.safeParse({ overlapHours }).success).toBe(false);
    expect(RotateIntegrationKey.parse({})).toEqual({ overlapHours: 0 });
  });
  test('can have an expiry in the future, which an operator can change; an expired key cannot be rotated', () => {
    const at = (ms: number): string => new Date(NOW.getTime() + ms).toISOString();
    const ending = { ...created, data: { ...created.data, expiresAt: at(1) } };
    given(integrationKey, []).when(createIntegrationKey, ending.data).then(ending);
    for (const expiresAt of [at(0), at(-1)]) {
      const late = { ...till, expiresAt };
      given(integrationKey, []).when(createIntegrationKey, late).isRefused('invalid VALIDATION_FAILED expiresAt');
      given(integrationKey, [created])
        .when(updateIntegrationKey, { expiresAt, mayRaise: false })
        .isRefused('invalid VALIDATION_FAILED expiresAt');
    }
    const ended = { type: 'IntegrationKeyExpirySet', data: { expiresAt: at(0) } } as const;
    const expired = given(integrationKey, [created, ended]);
    expired.when(rotateIntegrationKey, { secretHash: 'h2', overlapHours: 0 }).isRefused('conflict KEY_EXPIRED');
    const endless = { type: 'IntegrationKeyExpirySet', data: { expiresAt: null } } as const;
    expired.when(updateIntegrationKey, { expiresAt: null, mayRaise: false }).then(endless);
    given(integrationKey, [created]).when(updateIntegrationKey, { expiresAt: null, mayRaise: false }).changesNothing();
    expect(CreateIntegrationKey.parse({ name: 'T', sourceId: 's', expiresAt: '2026-01-01T02:00:00+02:00' })).toEqual({
      ...{ name: 'T', sourceId: 's', rateLimit: 60 },
      expiresAt: '2026-01-01T00:00:00.000Z',
    });
  });
  test('that is revoked can only be replaced', () => {
    const gone = given(integrationKey, [created, revoked]);
    gone.when(rotateIntegrationKey, { secretHash: 'h2', overlapHours: 0 }).isRefused('conflict KEY_REVOKED');
    gone.when(updateIntegrationKey, { rateLimit: 5, mayRaise: true }).isRefused('conflict KEY_REVOKED');
    given(integrationKey, []).when(revokeIntegrationKey, {}).isRefused('not_found NOT_FOUND');
  });
  test('can be given up to 60 requests a minute by its tenant, and more by an operator', () => {
    expect(CreateIntegrationKey.parse({ name: 'Till', sourceId: 'pos-1' }).rateLimit).toBe(60);
    for (const rateLimit of [0, 61, 1.5, '60'])
      expect(CreateIntegrationKey.safeParse({ name: 'Till', sourceId: 'pos-1', rateLimit }).success).toBe(false);
    for (const sourceId of ['', '-x', 'a b', 'a/b', 'x'.repeat(65)])
      expect(CreateIntegrationKey.safeParse({ name: 'Till', sourceId }).success).toBe(false);
    expect(UpdateIntegrationKey.safeParse({ rateLimit: 6000 }).success).toBe(true);
    const set = { type: 'IntegrationKeyRateLimitSet', data: { rateLimit: 6000 } } as const;
    given(integrationKey, [created]).when(updateIntegrationKey, { rateLimit: 6000, mayRaise: true }).then(set);
    given(integrationKey, [created, set])
      .when(updateIntegrationKey, { rateLimit: 6000, mayRaise: true })
      .changesNothing();
  });
  test('can be given a higher limit only by a recently verified operator, and a lower one by any', () => {
    const raised = given(integrationKey, [created]);
    raised.when(updateIntegrationKey, { rateLimit: 6000, mayRaise: false }).isRefused('forbidden STEP_UP_REQUIRED');
    const lowered = { type: 'IntegrationKeyRateLimitSet', data: { rateLimit: 1 } } as const;
    raised.when(updateIntegrationKey, { rateLimit: 1, mayRaise: false }).then(lowered);
  });
});
