import { z } from 'zod';
import { domain, type Aggregate, type Claim, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { changesTo, codeKey, line, someOf } from './fields.js';
import type { TenantSeeds } from './tenant.aggregate.js';

const storedTypes = [
  'SUPPLIER',
  'EMPLOYEE',
  'CASH',
  'BANK',
  'POS',
  'CREDIT_CARD',
  'EXPENSE',
  'INCOME',
  'TAX',
  'EQUITY',
  'OTHER',
] as const;
/** Types of the accounts that have a stream of their own; those of type CUSTOMER are customers. */
export const StoredAccountType = z.enum(storedTypes);
export type StoredAccountType = z.output<typeof StoredAccountType>;
export const AccountType = z.enum(['CUSTOMER', ...storedTypes]);
export type AccountType = z.output<typeof AccountType>;

export const CreateAccount = z
  .strictObject({
    type: z.string().trim().toUpperCase().pipe(AccountType),
    name: line(200),
    isActive: z.boolean().default(true),
    isDefault: z.boolean().default(false),
    code: z.exactOptional(line(40).nullable()),
  })
  .meta({ id: 'CreateAccountDto' });
export type CreateAccount = z.output<typeof CreateAccount>;

export const UpdateAccount = z
  .strictObject(
    someOf({ name: line(200), code: line(40).nullable(), isActive: z.boolean(), isDefault: z.boolean() }).shape,
  )
  .meta({ id: 'UpdateAccountDto' });
export type UpdateAccount = z.output<typeof UpdateAccount>;

const Details = z.object({ code: z.string().nullable(), name: z.string() });
type Details = z.output<typeof Details>;

const AccountCreated = Details.extend({
  type: StoredAccountType,
  currency: z.string(),
  isActive: z.boolean(),
  isSystem: z.boolean(),
});
export type NewAccount = z.output<typeof AccountCreated>;

export const accountEvents = {
  AccountCreated: domain('CREATE', 'account', AccountCreated),
  AccountUpdated: domain('UPDATE', 'account', z.object({ changes: someOf(Details.shape) })),
  AccountDeactivated: domain('UPDATE', 'account', z.object({})),
  AccountReactivated: domain('UPDATE', 'account', z.object({})),
  AccountDeleted: domain('DELETE', 'account', z.object({})),
  /** A transaction reached the deleted record: it is there again, with its code if that is still free. */
  AccountRestored: domain('UPDATE', 'account', z.object({ code: z.string().nullable(), causedBy: z.string() })),
};
export type AccountEvent = EventOf<typeof accountEvents>;

type Facts = NewAccount & { restoredBy: readonly string[] };
export type Account = { status: 'absent' } | ({ status: 'present' | 'deleted' } & Facts);
export type PresentAccount = { status: 'present' } & Facts;

type Recorded = Exclude<Account, { status: 'absent' }>;

function evolveRecorded(state: Recorded, event: Exclude<AccountEvent, { type: 'AccountCreated' }>): Recorded {
  switch (event.type) {
    case 'AccountUpdated':
      return { ...state, ...event.data.changes };
    case 'AccountDeactivated':
      return { ...state, isActive: false };
    case 'AccountReactivated':
      return { ...state, isActive: true };
    case 'AccountDeleted':
      return { ...state, status: 'deleted' };
    case 'AccountRestored': {
      const { code, causedBy } = event.data;
      return { ...state, status: 'present', code, restoredBy: [...state.restoredBy, causedBy] };
    }
  }
}

export const account: Aggregate<Account, AccountEvent> = {
  name: 'account',
  events: accountEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'AccountCreated') return { status: 'present', restoredBy: [], ...event.data };
    return state.status === 'absent' ? state : evolveRecorded(state, event);
  },
  claims: (state, tenantId) =>
    state.status !== 'present' || state.code === null ? [] : [accountCodeClaim(tenantId, state.code)],
};

export const accountCodeClaim = (tenantId: string, code: string): Claim => ({
  scope: tenantId,
  kind: 'account-code',
  value: codeKey(code),
  refusal: { code: 'ACCOUNT_CODE_TAKEN', message: 'Another account has this code.' },
});

/** The account, unless there is none (any more). @throws DomainError not_found */
export function presentAccount(state: Account): PresentAccount {
  if (state.status !== 'present') throw notFound('account');
  return { ...state, status: 'present' };
}

export const createAccount = (state: Account, data: NewAccount): AccountEvent[] =>
  state.status === 'absent' ? [{ type: 'AccountCreated', data }] : [];

const systemAccount = () => conflict('SYSTEM_ACCOUNT', 'The books need this account: it cannot be closed or deleted.');

/** Which account is the default of its type is decided apart: account-defaults.aggregate.ts. */
export function updateAccount(state: Account, input: Omit<UpdateAccount, 'isDefault'>): AccountEvent[] {
  const found = presentAccount(state);
  const { isActive = found.isActive, ...patch } = input;
  if (found.isSystem && !isActive) throw systemAccount();
  const events: AccountEvent[] = [];
  const changes = changesTo<Details>(found, patch);
  if (changes) events.push({ type: 'AccountUpdated', data: { changes } });
  if (isActive !== found.isActive) {
    events.push({ type: isActive ? 'AccountReactivated' : 'AccountDeactivated', data: {} });
  }
  return events;
}

/** Whether it has transactions is the handler's to check first. */
export function deleteAccount(state: Account): AccountEvent[] {
  if (presentAccount(state).isSystem) throw systemAccount();
  return [{ type: 'AccountDeleted', data: {} }];
}

export function restoreAccount(
  state: Account,
  { causedBy, code }: { readonly causedBy: string; readonly code: string | null },
): AccountEvent[] {
  if (state.status !== 'deleted' || state.restoredBy.includes(causedBy)) return [];
  return [{ type: 'AccountRestored', data: { causedBy, code } }];
}

/** The accounts that a new tenant's books start with. */
export function seedAccounts(ids: TenantSeeds['accounts'], currency: string): readonly (NewAccount & { id: string })[] {
  const money = { currency, isActive: true, isSystem: false };
  const system = { currency, isActive: true, isSystem: true };
  return [
    { id: ids.cash, code: '100', name: 'Cash', type: 'CASH', ...money },
    { id: ids.bank, code: '102', name: 'Bank', type: 'BANK', ...money },
    { id: ids.card, code: '108', name: 'Card terminal', type: 'POS', ...money },
    { id: ids.tax, code: '360', name: 'Tax payable', type: 'TAX', ...system },
    { id: ids.openingBalances, code: '500', name: 'Opening balances', type: 'EQUITY', ...system },
    { id: ids.sales, code: '600', name: 'Sales', type: 'INCOME', ...system },
    { id: ids.adjustments, code: '690', name: 'Adjustments', type: 'EQUITY', ...system },
  ];
}
