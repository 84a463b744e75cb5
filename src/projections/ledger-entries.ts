import type { CustomerEvent } from '../aggregates/customer.aggregate.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { TransactionEvent } from '../aggregates/transaction.aggregate.js';
import type { SaleEvent } from '../aggregates/sale.aggregate.js';

/** Events of the streams in which ledger transactions ride. */
export type LedgerEvent = SaleEvent | CustomerEvent | TransactionEvent;
export const ledgerSources = ['sale', 'customer', 'transaction'] as const;

/** The transactions that an event carries, in their order; none for an event that moves no money. */
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
      return [event.data.reversal];
    default:
      return [];
  }
}
