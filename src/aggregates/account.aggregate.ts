import { z } from 'zod';
import {
  domain,
  type Aggregate,
  type Decision,
  type EventOf,
  type MembershipRule,
} from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { accountCodeClaims } from './code-claims.js';
import { changesTo, CurrencyText, line, someOf } from './fields.js';
import { derived, field, input, optionalText, record, system, text, value, type ChangesTo } from './record.js';
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
/** Types of accounts that are stored in account streams. A CUSTOMER account is stored in the customer's stream. */
export const StoredAccountType = z.enum(storedTypes);
export type StoredAccountType = z.output<typeof StoredAccountType>;
export const AccountType = z.enum(['CUSTOMER', ...storedTypes]);
export type AccountType = z.output<typeof AccountType>;

export const accountRecord = record({
  code: optionalText(line(40), { published: true }),
  name: text(line(200), { published: true }),
  type: field(z.string().trim().toUpperCase().pipe(AccountType), StoredAccountType, {
    fixed: true,
    published: true,
    shown: AccountType,
  }),
  currency: system(z.string(), { published: CurrencyText }),
  isActive: value(z.boolean().default(true), { apart: true, published: true }),
  isDefault: derived(z.boolean()),
  isSystem: system(z.boolean(), { published: true }),
  customerId: derived(z.string().nullable()),
});
export const CreateAccount = input('CreateAccountDto', {
  ...accountRecord.create,
  isDefault: z.boolean().default(false),
});
export type CreateAccount = z.output<typeof CreateAccount>;
export const UpdateAccount = input('UpdateAccountDto', {
  ...accountRecord.update,
  isDefault: z.exactOptional(z.boolean()),
});
export type UpdateAccount = z.output<typeof UpdateAccount>;

const AccountCreated = z.object(accountRecord.stored);
export type NewAccount = z.output<typeof AccountCreated>;

export const accountEvents = {
  AccountCreated: domain('CREATE', 'account', AccountCreated),
  AccountUpdated: domain('UPDATE', 'account', z.object({ changes: someOf(accountRecord.changes) })),
  AccountDeactivated: domain('UPDATE', 'account', z.object({})),
  AccountReactivated: domain('UPDATE', 'account', z.object({})),
  AccountDeleted: domain('DELETE', 'account', z.object({})),
  /**
   * Appended when a transaction refers to the deleted account. The account regains its code if the code is still free.
   */
  AccountRestored: domain('UPDATE', 'account', z.object({ code: z.string().nullable(), causedBy: z.string() })),
};
export type AccountEvent = EventOf<typeof accountEvents>;

type Facts = NewAccount & {
  restoredBy: readonly string[];
  /**
   * Number of events since creation. Excludes changes to `isDefault`, which are in the stream of
   * account-defaults.aggregate.ts.
   */
  changes: number;
};
export type Account = { status: 'absent' } | ({ status: 'present' | 'deleted' } & Facts);
export type PresentAccount = { status: 'present' } & Facts;

type Recorded = Exclude<Account, { status: 'absent' }>;

function evolveRecorded(before: Recorded, event: Exclude<AccountEvent, { type: 'AccountCreated' }>): Recorded {
  const state = { ...before, changes: before.changes + 1 };
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

/**
 * An account referenced by a category rule cannot be deleted. A rule's account id identifies either an account or a
 * customer, so one of the two streams is always absent. Therefore, a deleted record blocks the rule, but an absent
 * record does not.
 */
export const namedByRules: MembershipRule<{ readonly status: 'absent' | 'present' | 'deleted' }> = {
  of: ({ status }) => ({ keeps: status !== 'deleted', uses: [] }),
  staysWhile: 'used',
  refusal: {
    code: 'ACCOUNT_IN_RULE',
    message: 'Category rules refer to this account. Change or delete those rules first.',
  },
};

/** Name of the membership rule that requires a default account to remain active; see account-defaults.aggregate.ts. */
export const DEFAULT_OF_TYPE = 'default-account';
const keptAsDefault: MembershipRule<Account> = {
  name: DEFAULT_OF_TYPE,
  of: (state) => ({ keeps: state.status === 'present' && state.isActive, uses: [] }),
  staysWhile: 'used',
  refusal: {
    code: 'DEFAULT_ACCOUNT',
    message: 'The account is the default for its type. Make another account the default first.',
  },
};

/**
 * Wraps a decision so that it rejects the deactivation or deletion of an account that is the default for its type.
 * @throws DomainError conflict DEFAULT_ACCOUNT
 */
export const asDefault =
  <D>(decide: Decision<Account, D, AccountEvent>): Decision<Account, D, AccountEvent> =>
  (...given) => {
    const events = decide(...given);
    const { code, message } = keptAsDefault.refusal;
    if (events.some(({ type }) => type === 'AccountDeactivated' || type === 'AccountDeleted'))
      throw conflict(code, message);
    return events;
  };

export const account: Aggregate<Account, AccountEvent> = {
  name: 'account',
  events: accountEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'AccountCreated') return { status: 'present', restoredBy: [], changes: 0, ...event.data };
    return state.status === 'absent' ? state : evolveRecorded(state, event);
  },
  claims: (state, tenantId) =>
    state.status !== 'present' || state.code === null ? [] : accountCodeClaims(tenantId, state.code),
  memberships: [keptAsDefault, namedByRules],
};

/** Returns the account. @throws DomainError not_found if it is absent or deleted */
export function presentAccount(state: Account): PresentAccount {
  if (state.status !== 'present') throw notFound('account');
  return { ...state, status: 'present' };
}

export const createAccount = (state: Account, data: NewAccount): AccountEvent[] =>
  state.status === 'absent' ? [{ type: 'AccountCreated', data }] : [];

const systemAccount = () =>
  conflict('SYSTEM_ACCOUNT', 'The books require this account, so it cannot be deactivated or deleted.');

/** Does not change `isDefault`; see account-defaults.aggregate.ts. */
export function updateAccount(state: Account, input: Omit<UpdateAccount, 'isDefault'>): AccountEvent[] {
  const found = presentAccount(state);
  const { isActive = found.isActive, ...patch } = input;
  if (found.isSystem && !isActive) throw systemAccount();
  const events: AccountEvent[] = [];
  const changes = changesTo<ChangesTo<typeof accountRecord>>(found, patch);
  if (changes) events.push({ type: 'AccountUpdated', data: { changes } });
  if (isActive !== found.isActive) {
    events.push({ type: isActive ? 'AccountReactivated' : 'AccountDeactivated', data: {} });
  }
  return events;
}

/** The caller must first check that the account has no transactions. */
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

/** Returns the accounts to create for a new tenant. */
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
