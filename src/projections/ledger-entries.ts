import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { CategorizedBy, CategorizedBys } from '../aggregates/categorized-by.js';
import type { CategoryChoice } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';
import type { SaleEvent } from '../aggregates/sale.aggregate.js';

/** Events of the streams that carry ledger transactions. */
export type LedgerEvent = SaleEvent | CustomerEvent | TransactionEvent;
export const ledgerSources = ['sale', 'customer', 'transaction'] as const;

/** The transactions that an event carries, in order; empty if it moves no money. */
export function entriesOf(event: LedgerEvent): readonly LedgerTransaction[] {
  switch (event.type) {
    case 'SaleBooked':
    case 'ReturnBooked':
    case 'SaleCancelled':
      return event.data.transactions;
    case 'CustomerCreated':
      return event.data.openingTransaction ? [event.data.openingTransaction] : [];
    case 'TransactionRecorded':
      return [event.data.transaction];
    case 'TransactionCancelled':
    case 'OpeningBalanceCancelled':
      return [event.data.reversal];
    default:
      return [];
  }
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
