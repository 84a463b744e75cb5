import type { Carrier } from '../aggregates/ledger-trail.js';
import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { categorizedBysOf, choiceOf, entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** A transaction. The names of other records are joined on reading. */
export type TransactionView = LedgerTransaction & {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Number of changes since it was recorded. */
  readonly revision: number;
  /** Orders transactions by the position of their event, then by their index within it. */
  readonly sequence: number;
  readonly isCancelled: boolean;
  readonly categorizedBy: { readonly ruleId: string; readonly source: string } | null;
  /** The user who recorded it; null if the service did. */
  readonly createdBy: string | null;
  /** The record whose stream carries the transaction. */
  readonly carrier: Carrier;
};

export const transactions: ReadModel<TransactionView> = {
  name: 'transactions',
  version: 5,
  fields: {
    date: { type: 'text', of: ({ date }) => date },
    sequence: { type: 'integer', of: ({ sequence }) => sequence },
    type: { type: 'text', of: ({ type }) => type },
    documentEffect: { type: 'text', of: ({ documentEffect }) => documentEffect },
    direction: { type: 'text', of: ({ direction }) => direction },
    customerId: { type: 'text', of: ({ customerId }) => customerId },
    categoryId: { type: 'text', of: ({ categoryId }) => categoryId },
    expenseItemId: { type: 'text', of: ({ expenseItemId }) => expenseItemId },
    branchId: { type: 'text', of: ({ branchId }) => branchId },
    // Queries filter only for manual transactions, so only those are indexed.
    manual: { type: 'boolean', of: ({ systemGenerated }) => (systemGenerated ? null : true) },
    /** Every account with a posting. `account` contains only those chosen by users. */
    posting: { type: 'text', of: ({ postings }) => postings.map(({ accountId }) => accountId) },
    account: {
      type: 'text',
      of: ({ accountId, counterAccountId }) => [accountId, counterAccountId].filter((id) => id !== null),
    },
  },
  filters: [
    'posting',
    'type',
    'documentEffect',
    'direction',
    'customerId',
    'categoryId',
    'expenseItemId',
    'branchId',
    'manual',
    'account',
  ],
  common: ['direction'],
  order: { fields: ['date', 'sequence'], direction: 'descending' },
  large: true,
  search: {
    description: ({ description }) => description,
    reference: ({ reference }) => reference,
    externalId: ({ externalId }) => externalId,
  },
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};

/**
 * Upper bound of transactions per event: a sale has at most 50 payments. The product is a safe integer for positions up
 * to nine trillion (bytes of an EventStoreDB log, events of an embedded history).
 */
const MAX_PER_EVENT = 1_000;

export const transactionProjection: Projection<TransactionView, LedgerEvent> = {
  model: transactions,
  sources: ledgerSources,
  documents: (event) => {
    const choice = choiceOf(event);
    if (choice) return [choice.transactionId];
    return entriesOf(event).flatMap(({ id, reversalOf }) => (reversalOf === null ? [id] : [id, reversalOf]));
  },
  evolve: (view, event, id) => {
    const entries = entriesOf(event);
    const ordinal = entries.findIndex((entry) => entry.id === id);
    const entry = entries[ordinal];
    if (entry) return viewOf(entry, event, ordinal);
    const choice = choiceOf(event);
    const change = choice ? { categoryId: choice.categoryId, categorizedBy: null } : { isCancelled: true };
    return view && { ...view, ...change, updatedAt: event.metadata.timestamp, revision: view.revision + 1 };
  },
};

function viewOf(entry: LedgerTransaction, event: Recorded<LedgerEvent>, ordinal: number): TransactionView {
  const { timestamp, userId } = event.metadata;
  return {
    ...entry,
    createdAt: timestamp,
    updatedAt: timestamp,
    revision: 0,
    sequence: event.position * MAX_PER_EVENT + ordinal,
    isCancelled: false,
    categorizedBy: categorizedBysOf(event)[entry.id] ?? null,
    createdBy: userId ?? null,
    carrier: { entity: event.entity as Carrier['entity'], recordId: event.recordId },
  };
}
