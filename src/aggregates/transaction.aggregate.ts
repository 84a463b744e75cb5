import { z } from 'zod';
import { type Aggregate, domain, type EventOf } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { CategorizedBy } from './categorized-by.js';
import {
  type Cancellation,
  cancellationOn,
  CancelledTransaction,
  cancelledIn,
  CategoryChoice,
  type CategoryRequest,
  choiceOn,
  chosenFor,
  correctionOn,
  type CorrectionRequest,
  followed,
  type LedgerTrail,
  recordedEntry,
  ReplacementTransaction,
  withRecorded,
  type AppliedTo,
  Recategorization,
  recategorizationOn,
  type RecategorizationRequest,
  restorationOn,
} from './ledger-trail.js';
import { LedgerTransaction } from './ledger.js';
import { ensureSameRequest } from './request-key.aggregate.js';

const TransactionRecorded = z.object({
  transaction: LedgerTransaction,
  categorizedBy: CategorizedBy.nullable(),
  /** Digests of the request's members; null if the request had no idempotency key. */
  fieldHashes: z.record(z.string(), z.string()).nullable(),
});

export const transactionEvents = {
  TransactionRecorded: domain('CREATE', 'transaction', TransactionRecorded, recordedEntry),
  // The following events concern the transaction, its reversal and its replacements.
  TransactionCancelled: domain('UPDATE', 'transaction', CancelledTransaction, { subject: cancelledIn }),
  TransactionReplacementRecorded: domain('CREATE', 'transaction', ReplacementTransaction, recordedEntry),
  /** A user changed the category of the transaction or its reversal. */
  TransactionCategorized: domain('UPDATE', 'transaction', CategoryChoice, { subject: chosenFor }),
  /** Applying a rule to past transactions, or undoing the application, changed the category. */
  TransactionRecategorized: domain('UPDATE', 'transaction', Recategorization, { subject: chosenFor }),
};
export type TransactionEvent = EventOf<typeof transactionEvents>;

type Recorded = z.output<typeof TransactionRecorded>;
export type RecordedTransaction = Recorded & { readonly status: 'recorded'; readonly trail: LedgerTrail };
export type Transaction = { readonly status: 'absent' } | RecordedTransaction;

export const transactionAggregate: Aggregate<Transaction, TransactionEvent> = {
  name: 'transaction',
  events: transactionEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'TransactionRecorded')
      return { status: 'recorded', ...event.data, trail: withRecorded({}, event.data) };
    return state.status === 'absent' ? state : { ...state, trail: followed(state.trail, event.data) };
  },
};

/** @throws DomainError not_found */
export function recordedTransaction(state: Transaction): RecordedTransaction {
  if (state.status === 'absent') throw notFound('transaction');
  return state;
}

/** Derives the id from the tenant and the idempotency key, so that at most one transaction is recorded for each key. */
export const keyedTransactionId = (tenantId: string, key: string): string => nameUuid(`transaction/${key}`, tenantId);

/**
 * Returns `[]` if the same request has already recorded the transaction.
 * @throws DomainError conflict IDEMPOTENCY_CONFLICT
 */
export function recordTransaction(state: Transaction, data: Recorded): TransactionEvent[] {
  if (state.status === 'absent') return [{ type: 'TransactionRecorded', data }];
  ensureSameRequest(state.fieldHashes ?? {}, data.fieldHashes ?? {});
  return [];
}

/** @throws DomainError not_found; conflict ALREADY_CANCELLED */
export function cancelTransaction(state: Transaction, request: Cancellation): TransactionEvent[] {
  const data = cancellationOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionCancelled', data }] : [];
}

/** @throws DomainError not_found; conflict ALREADY_CANCELLED */
export function correctTransaction(state: Transaction, request: CorrectionRequest): TransactionEvent[] {
  const correct = correctionOn(recordedTransaction(state).trail, request);
  if (!correct) return [];
  return [
    { type: 'TransactionCancelled', data: correct.cancelled },
    { type: 'TransactionReplacementRecorded', data: correct.replacement },
  ];
}

export function categorizeTransaction(state: Transaction, request: CategoryRequest): TransactionEvent[] {
  const data = choiceOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionCategorized', data }] : [];
}

export function recategorizeTransaction(state: Transaction, request: RecategorizationRequest): TransactionEvent[] {
  const data = recategorizationOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionRecategorized', data }] : [];
}

export function restoreTransactionCategory(state: Transaction, request: AppliedTo): TransactionEvent[] {
  const data = restorationOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionRecategorized', data }] : [];
}
