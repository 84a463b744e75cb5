import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { Recorded } from '../platform/event-catalogue.js';
import type { Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { entriesOf, ledgerSources, type LedgerEvent } from './ledger-entries.js';

/** A transaction as it is kept; the names of other records are joined when it is read. */
export type TransactionView = LedgerTransaction & {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Of the last event that concerns this transaction, in the stream that carries it. */
  readonly revision: number;
  /** Place among the transactions of its event: orders those of one instant. */
  readonly ordinal: number;
  readonly isCancelled: boolean;
  readonly categorizedBy: { readonly ruleId: string; readonly source: string } | null;
  /** The user who recorded it; null for what the service made. */
  readonly createdBy: string | null;
};

export const transactions: ReadModel<TransactionView> = {
  name: 'transactions',
  version: 1,
  fields: {
    date: { type: 'text', of: ({ date }) => date },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    ordinal: { type: 'integer', of: ({ ordinal }) => ordinal },
    type: { type: 'text', of: ({ type }) => type },
    documentEffect: { type: 'text', of: ({ documentEffect }) => documentEffect },
    direction: { type: 'text', of: ({ direction }) => direction },
    customerId: { type: 'text', of: ({ customerId }) => customerId },
    categoryId: { type: 'text', of: ({ categoryId }) => categoryId },
    expenseItemId: { type: 'text', of: ({ expenseItemId }) => expenseItemId },
    branchId: { type: 'text', of: ({ branchId }) => branchId },
    systemGenerated: { type: 'boolean', of: ({ systemGenerated }) => systemGenerated },
    account: {
      type: 'text',
      of: ({ accountId, counterAccountId }) => [accountId, counterAccountId].filter((id) => id !== null),
    },
  },
  filters: [
    'type',
    'documentEffect',
    'direction',
    'customerId',
    'categoryId',
    'expenseItemId',
    'branchId',
    'systemGenerated',
    'account',
  ],
  order: { fields: ['date', 'createdAt', 'ordinal'], direction: 'descending' },
  search: {
    description: ({ description }) => description,
    reference: ({ reference }) => reference,
    externalId: ({ externalId }) => externalId,
  },
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};

export const transactionProjection: Projection<TransactionView, LedgerEvent> = {
  model: transactions,
  sources: ledgerSources,
  documents: (event) => entriesOf(event).map(({ id }) => id),
  evolve: (view, event, id) => {
    const ordinal = entriesOf(event).findIndex((entry) => entry.id === id);
    const entry = entriesOf(event)[ordinal];
    return entry ? viewOf(entry, event, ordinal) : view;
  },
};

function viewOf(entry: LedgerTransaction, event: Recorded<LedgerEvent>, ordinal: number): TransactionView {
  const { timestamp, userId } = event.metadata;
  return {
    ...entry,
    createdAt: timestamp,
    updatedAt: timestamp,
    revision: event.revision,
    ordinal,
    isCancelled: false,
    categorizedBy: null,
    createdBy: userId ?? null,
  };
}
