import type { CategorizedBy, CategorizedBys } from '../aggregates/categorized-by.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CategoryChoice, Recategorization } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { SaleEvent } from '../aggregates/sale.aggregate.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';

/** Events of the streams that contain ledger transactions. */
export type LedgerEvent = SaleEvent | CustomerEvent | TransactionEvent;
export const ledgerSources = ['sale', 'customer', 'transaction'] as const;

const NO_ENTRIES: readonly LedgerTransaction[] = [];

/** Returns the transactions that an event contains, in order; empty if it contains none. */
export function entriesOf({ data }: LedgerEvent): readonly LedgerTransaction[] {
  if ('transactions' in data) return data.transactions;
  if ('transaction' in data) return [data.transaction];
  if ('reversal' in data) return [data.reversal];
  return 'openingTransaction' in data && data.openingTransaction ? [data.openingTransaction] : NO_ENTRIES;
}

/** Returns the ids of the accounts with postings, without duplicates. */
export function accountsOf(entries: readonly LedgerTransaction[]): readonly string[] {
  const ids: string[] = [];
  for (const { postings } of entries)
    for (const { accountId } of postings) if (!ids.includes(accountId)) ids.push(accountId);
  return ids;
}

const NONE: CategorizedBys = {};

/** Returns the rules that categorized an event's transactions, by transaction id. */
export function categorizedBysOf(event: LedgerEvent): CategorizedBys {
  switch (event.type) {
    case 'SaleBooked':
    case 'ReturnBooked':
      return event.data.categorizedBy ?? NONE;
    case 'CustomerCreated':
      return named(event.data.openingTransaction, event.data.openingCategorizedBy);
    case 'TransactionRecorded':
    case 'TransactionReplacementRecorded':
    case 'OpeningBalanceReplacementRecorded':
      return named(event.data.transaction, event.data.categorizedBy);
    default:
      return NONE;
  }
}

const named = (transaction: LedgerTransaction | null, rule: CategorizedBy | null | undefined): CategorizedBys =>
  transaction && rule ? { [transaction.id]: rule } : NONE;

/** Returns one hit for each transaction that a rule categorized. */
export function ruleHitsOf(event: LedgerEvent): readonly CategorizedBy[] {
  const change = recategorizationOf(event);
  if (!change) return Object.values(categorizedBysOf(event));
  return change.categorizedBy && !change.isUndone ? [change.categorizedBy] : [];
}

/** A recorded transaction's new category, chosen by a user or assigned by a rule application. */
export type CategoryChange = Pick<CategoryChoice, 'transactionId' | 'categoryId'> & {
  readonly categorizedBy: CategorizedBy | null;
  readonly isChosen: boolean;
};

/** Returns the category change in an event; undefined if the event changes no category. */
export function categoryChangeOf(event: LedgerEvent): CategoryChange | undefined {
  switch (event.type) {
    case 'TransactionCategorized':
    case 'SaleTransactionCategorized':
    case 'OpeningBalanceCategorized':
      return { ...event.data, categorizedBy: null, isChosen: true };
    default: {
      const change = recategorizationOf(event);
      return change && { ...change, isChosen: false };
    }
  }
}

/** Returns the category change made by a rule application or by undoing one; undefined for other events. */
export function recategorizationOf(event: LedgerEvent): Recategorization | undefined {
  switch (event.type) {
    case 'TransactionRecategorized':
    case 'SaleTransactionRecategorized':
    case 'OpeningBalanceRecategorized':
      return event.data;
    default:
      return undefined;
  }
}
