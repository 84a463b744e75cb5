import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { CategorizedBy } from './categorized-by.js';
import {
  CategoryChoice,
  choiceOn,
  chosenFor,
  currentOf,
  extended,
  withChoice,
  type CategoryRequest,
  type LedgerTrail,
} from './ledger-trail.js';
import { LedgerTransaction, reversal, type Cancellation } from './ledger.js';
import { ensureSameRequest } from './request-digest.js';

const TransactionRecorded = z.object({
  transaction: LedgerTransaction,
  categorizedBy: CategorizedBy.nullable(),
  /** Digests of the request's members where it came with an Idempotency-Key. */
  fieldHashes: z.record(z.string(), z.string()).nullable(),
});

export const transactionEvents = {
  TransactionRecorded: domain('CREATE', 'transaction', TransactionRecorded, {
    label: ({ transaction: { type, amount, currency } }) => `${type ?? ''} ${amount} ${currency}`.trim(),
  }),
  TransactionCancelled: domain('UPDATE', 'transaction', z.object({ reversal: LedgerTransaction, reason: z.string() })),
  /** Of the transaction or its reversal. */
  TransactionCategorized: domain('UPDATE', 'transaction', CategoryChoice, { subject: chosenFor }),
};
export type TransactionEvent = EventOf<typeof transactionEvents>;

type Recorded = z.output<typeof TransactionRecorded>;
export type RecordedTransaction = Recorded & {
  readonly status: 'recorded' | 'cancelled';
  readonly trail: LedgerTrail;
};
export type Transaction = { readonly status: 'absent' } | RecordedTransaction;

const recorded = (data: Recorded, revision: number): RecordedTransaction => {
  const { transaction, categorizedBy } = data;
  // A category that no rule gave came with the request.
  const isChosen = transaction.categoryId !== null && categorizedBy === null;
  return { status: 'recorded', ...data, trail: extended({}, [transaction], revision, isChosen) };
};

export const transactionAggregate: Aggregate<Transaction, TransactionEvent> = {
  name: 'transaction',
  events: transactionEvents,
  initial: { status: 'absent' },
  evolve: (state, event, revision) => {
    if (event.type === 'TransactionRecorded') return recorded(event.data, revision);
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'TransactionCancelled':
        return { ...state, status: 'cancelled', trail: extended(state.trail, [event.data.reversal], revision) };
      case 'TransactionCategorized':
        return { ...state, trail: withChoice(state.trail, event.data, revision) };
    }
  },
};

/** @throws DomainError not_found */
export function recordedTransaction(state: Transaction): RecordedTransaction {
  if (state.status === 'absent') throw notFound('transaction');
  return state;
}

/**
 * The stream of a transaction that is recorded under an Idempotency-Key: the same for the same key of the same tenant, so
 * that a key can only ever record one.
 */
export const keyedTransactionId = (tenantId: string, key: string): string => nameUuid(`transaction/${key}`, tenantId);

/** `[]` where the same request has recorded it already. @throws DomainError conflict IDEMPOTENCY_CONFLICT */
export function recordTransaction(state: Transaction, data: Recorded): TransactionEvent[] {
  if (state.status === 'absent') return [{ type: 'TransactionRecorded', data }];
  ensureSameRequest(state.fieldHashes ?? {}, data.fieldHashes ?? {});
  return [];
}

export function cancelTransaction(state: Transaction, data: Cancellation): TransactionEvent[] {
  const { status, transaction, trail } = recordedTransaction(state);
  if (status === 'cancelled') throw conflict('ALREADY_CANCELLED', 'The transaction is cancelled already.');
  const { reversalId: id, date, reason } = data;
  return [
    { type: 'TransactionCancelled', data: { reversal: reversal(currentOf(trail, transaction), { id, date }), reason } },
  ];
}

export function categorizeTransaction(state: Transaction, request: CategoryRequest): TransactionEvent[] {
  const data = choiceOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionCategorized', data }] : [];
}
