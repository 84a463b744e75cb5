import { account, type AccountType, type PresentAccount } from '../aggregates/account.aggregate.js';
import { categorized } from '../aggregates/categorization.js';
import { ensureGivable } from '../aggregates/category.aggregate.js';
import { customer } from '../aggregates/customer.aggregate.js';
import type { Direction } from '../aggregates/fields.js';
import type { ReplacementTransaction } from '../aggregates/ledger-trail.js';
import {
  collection,
  correction,
  type EntryFacts,
  imbalanceOf,
  journal,
  type LedgerTransaction,
  type Payee,
  payment,
  type Posting,
  transfer,
} from '../aggregates/ledger.js';
import { amountIn, ensureCurrency, isZero, negated } from '../aggregates/money.js';
import { ensureOpen } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { type CreateTransaction, ensureForm, type JournalLine } from '../aggregates/transaction-input.js';
import { conflict, invalid, notFoundAt } from '../eventsourcing/domain-error.js';
import type { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { Categorizer } from '../queries/category.queries.js';
import { ensureActiveBranch } from './branch-check.js';
import { categoryNamed } from './category.commands.js';

type AccountField = 'accountId' | 'counterAccountId' | 'expenseItemId';

/** Account types that can receive and pay money. */
const MONEY: readonly AccountType[] = ['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'OTHER'];

/** Account types that a field accepts. A field without an entry accepts any type. */
const TYPES: Readonly<Partial<Record<string, readonly AccountType[]>>> = {
  'COLLECTION accountId': MONEY,
  'PAYMENT accountId': MONEY,
  'PAYMENT counterAccountId': ['SUPPLIER', 'EMPLOYEE'],
  'PAYMENT expenseItemId': ['EXPENSE'],
};

/** Returns the direction in which the money moves; null for transfers and journal entries. */
const directionOf = ({ type, direction }: CreateTransaction): Direction | null => {
  if (type === 'COLLECTION') return 'IN';
  if (type === 'PAYMENT') return 'OUT';
  return direction ?? null;
};

/** The customer of an entry, if there is exactly one. Category rules match the `name`. */
export type EntryCustomer = { readonly id: string; readonly name: string } | null;

/**
 * Checks that the records referenced by a new transaction exist and accept new transactions. Returns the data that the
 * transaction needs from these records.
 * @throws DomainError not_found, conflict CUSTOMER_PASSIVE, ACCOUNT_INACTIVE, BRANCH_INACTIVE, CATEGORY_ARCHIVED,
 * CATEGORY_DIRECTION, SAME_ACCOUNT; invalid for an account of a type that the field does not accept
 */
export async function ensureReferences(
  reader: RecordReader,
  tenantId: string,
  input: CreateTransaction,
): Promise<{ readonly customer: EntryCustomer }> {
  const { type, accountId, counterAccountId, branchId, categoryId, customerId, lines } = input;
  if (accountId && accountId === counterAccountId) throw sameAccount();
  for (const field of ['accountId', 'counterAccountId', 'expenseItemId'] as const)
    await ensureAccount(reader, tenantId, input, field);
  const ofLines = await ensureLines(reader, tenantId, lines ?? []);
  if (branchId) await ensureActiveBranch(reader, tenantId, branchId);
  if (categoryId)
    ensureGivable(await categoryNamed(reader, tenantId, categoryId), { type, direction: directionOf(input) });
  return { customer: customerId ? await activeCustomer(reader, tenantId, customerId, 'customerId') : ofLines };
}

const sameAccount = () => conflict('SAME_ACCOUNT', 'The two accounts of a transaction must differ.');

async function ensureAccount(
  reader: RecordReader,
  tenantId: string,
  input: CreateTransaction,
  field: AccountField,
): Promise<void> {
  const id = input[field];
  if (!id) return;
  const { type, isActive } = await accountOf(reader, tenantId, id, field);
  const allowed = TYPES[`${input.type} ${field}`];
  if (allowed && !allowed.includes(type))
    throw invalid([{ path: field, message: `Must be an account of type ${allowed.join(' or ')}.` }]);
  if (!isActive) throw inactive();
}

const inactive = () => conflict('ACCOUNT_INACTIVE', 'The account is inactive. Activate it, or choose another one.');

async function accountOf(reader: RecordReader, tenantId: string, id: string, path: string): Promise<PresentAccount> {
  const { state } = await reader.read(account, tenantId, id);
  if (state.status === 'present') return { ...state, status: 'present' };
  const owner = await reader.read(customer, tenantId, id);
  if (owner.state.status === 'present')
    throw invalid([{ path, message: 'This is the id of a customer. Send it as customerId.' }]);
  throw notFoundAt(path, 'account');
}

/** Checks the accounts to which the lines post. If exactly one of them belongs to a customer, returns that customer. */
async function ensureLines(
  reader: RecordReader,
  tenantId: string,
  lines: readonly JournalLine[],
): Promise<EntryCustomer> {
  const ids = [...new Set(lines.map(({ accountId }) => accountId))];
  if (ids.length === 1) throw sameAccount();
  const owners = await Promise.all(
    ids.map(async (id) => {
      const { state } = await reader.read(account, tenantId, id);
      if (state.status === 'present' && !state.isActive) throw inactive();
      const path = `lines[${lines.findIndex(({ accountId }) => accountId === id)}].accountId`;
      return state.status === 'present' ? null : activeCustomer(reader, tenantId, id, path, 'account');
    }),
  );
  const [customerOfLines = null, ...others] = owners.filter((owner) => owner !== null);
  return others.length === 0 ? customerOfLines : null;
}

async function activeCustomer(reader: RecordReader, tenantId: string, id: string, path: string, what = 'customer') {
  const { state } = await reader.read(customer, tenantId, id);
  if (state.status !== 'present') throw notFoundAt(path, what);
  if (!state.isActive)
    throw conflict('CUSTOMER_PASSIVE', 'The customer is inactive. Activate the customer, or choose another one.');
  return { id, name: state.name };
}

/** Creates a transaction from a validated request. Journal entries are not supported. */
function entryOf(input: CreateTransaction, facts: EntryFacts, balancingAccountId: string): LedgerTransaction {
  const { type, direction } = input;
  const amount = amountIn(facts.currency, input.amount ?? '');
  const [customerId, accountId, counterAccountId] = [input.customerId, input.accountId, input.counterAccountId].map(
    (id) => id ?? '',
  ) as [string, string, string];
  switch (type) {
    case 'COLLECTION':
      return collection(facts, { customerId, accountId, amount });
    case 'PAYMENT':
      return payment(facts, { payee: payeeOf(input), accountId, amount });
    case 'ADJUSTMENT':
    case 'OPENING_BALANCE': {
      const subject = input.customerId ? { customerId } : { accountId };
      return correction(facts, { type, subject, direction: direction ?? 'IN', amount, balancingAccountId });
    }
    default:
      return transfer(facts, { accountId, counterAccountId, amount });
  }
}

/** @throws DomainError invalid UNBALANCED; invalid for an amount that the currency cannot represent */
function postingsOf(lines: readonly JournalLine[], currency: string): Posting[] {
  const postings = lines.map(({ accountId, debit, credit, description }, at): Posting => {
    const side = debit === undefined ? 'credit' : 'debit';
    const amount = amountIn(currency, debit ?? credit ?? '', `lines[${at}].${side}`);
    return { accountId, amount: side === 'debit' ? amount : negated(amount), ...(description && { description }) };
  });
  const difference = imbalanceOf(postings, currency);
  if (isZero(difference)) return postings;
  const [more, less, by] = difference.startsWith('-')
    ? ['credits', 'debits', negated(difference)]
    : ['debits', 'credits', difference];
  const message = `The ${more} exceed the ${less} by ${by} ${currency}.`;
  throw invalid([{ path: 'lines', message }], 'UNBALANCED');
}

function factsOf(id: string, currency: string, input: CreateTransaction): EntryFacts {
  const { date, branchId = null, categoryId = null, description = null, reference = null } = input;
  return { id, date, currency, branchId, categoryId, description, reference };
}

function payeeOf({ customerId, counterAccountId, expenseItemId }: CreateTransaction): Payee {
  if (customerId) return { customerId };
  return counterAccountId ? { counterAccountId } : { expenseItemId: expenseItemId ?? '' };
}

/** Returns the balancing account for an entry that specifies only one account. The two accounts must differ. */
function balancingAccount(
  { type, accountId }: CreateTransaction,
  { openingBalances, adjustments }: { readonly openingBalances: string; readonly adjustments: string },
): string {
  const isBalanced = type === 'ADJUSTMENT' || type === 'OPENING_BALANCE';
  const balancing = type === 'ADJUSTMENT' ? adjustments : openingBalances;
  if (isBalanced && accountId === balancing) throw sameAccount();
  return balancing;
}

/** A transaction to record, and the rule that assigned its category. */
export type PreparedEntry = Omit<ReplacementTransaction, 'correctionOf'>;

/** Checks the request for a new transaction and prepares the transaction. @throws DomainError */
export async function preparedEntry(
  reader: RecordReader,
  categorizer: Categorizer,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  input: CreateTransaction,
): Promise<PreparedEntry> {
  ensureForm(input);
  const found = presentTenant((await reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
  const { currency, seeds } = found;
  ensureCurrency(input.currency, currency);
  ensureOpen(found, input.date);
  const facts = factsOf(id, currency, input);
  const entry = input.lines
    ? journal(facts, postingsOf(input.lines, currency))
    : entryOf(input, facts, balancingAccount(input, seeds.accounts));
  const { customer: owner } = await ensureReferences(reader, tenantId, input);
  const rules = await categorizer.rulesOf(tenantId);
  const booked = { ...entry, customerId: owner?.id ?? null };
  const { transactions, categorizedBy } = categorized([booked], owner?.name ?? null, rules);
  return { transaction: transactions[0] ?? booked, categorizedBy: categorizedBy[id] ?? null };
}
