import type { CategorizedBy, CategorizedBys } from '../aggregates/categorized-by.js';
import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CategoryChoice } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { SaleEvent } from '../aggregates/sale.aggregate.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';

/** Events of the streams that contain ledger transactions. */
export type LedgerEvent = SaleEvent | CustomerEvent | TransactionEvent;
export const ledgerSources = ['sale', 'customer', 'transaction'] as const;

const NO_ENTRIES: readonly LedgerTransaction[] = [];

/** The transactions that an event contains, in order; empty if it moves no money. */
export function entriesOf({ data }: LedgerEvent): readonly LedgerTransaction[] {
  if ('transactions' in data) return data.transactions;
  if ('transaction' in data) return [data.transaction];
  if ('reversal' in data) return [data.reversal];
  return 'openingTransaction' in data && data.openingTransaction ? [data.openingTransaction] : NO_ENTRIES;
}

const NONE: CategorizedBys = {};

/** The rules that categorized an event's transactions, by transaction id. */
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

/** One hit per transaction that a rule categorized. */
export const ruleHitsOf = (event: LedgerEvent): readonly CategorizedBy[] => Object.values(categorizedBysOf(event));

/** A user's choice of category for an already recorded transaction; undefined for other events. */
export function choiceOf(event: LedgerEvent): CategoryChoice | undefined {
  switch (event.type) {
    case 'TransactionCategorized':
    case 'SaleTransactionCategorized':
    case 'OpeningBalanceCategorized':
      return event.data;
    default:
      return undefined;
  }
}
