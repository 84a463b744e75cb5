import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
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
  /** Digests of the request's members if it had an Idempotency-Key, otherwise null. */
  fieldHashes: z.record(z.string(), z.string()).nullable(),
});

export const transactionEvents = {
  TransactionRecorded: domain('CREATE', 'transaction', TransactionRecorded, {
    label: ({ transaction: { type, amount, currency } }) => `${type ?? ''} ${amount} ${currency}`.trim(),
  }),
  TransactionCancelled: domain('UPDATE', 'transaction', z.object({ reversal: LedgerTransaction, reason: z.string() })),
  /** Category of the transaction or its reversal. */
  TransactionCategorized: domain('UPDATE', 'transaction', CategoryChoice, { subject: chosenFor }),
};
export type TransactionEvent = EventOf<typeof transactionEvents>;

type Recorded = z.output<typeof TransactionRecorded>;
export type RecordedTransaction = Recorded & {
  readonly status: 'recorded' | 'cancelled';
  readonly trail: LedgerTrail;
};
export type Transaction = { readonly status: 'absent' } | RecordedTransaction;

const recorded = (data: Recorded): RecordedTransaction => {
  const { transaction, categorizedBy } = data;
  // A category not assigned by a rule came with the request.
  const isChosen = transaction.categoryId !== null && categorizedBy === null;
  return { status: 'recorded', ...data, trail: extended({}, [transaction], isChosen) };
};

export const transactionAggregate: Aggregate<Transaction, TransactionEvent> = {
  name: 'transaction',
  events: transactionEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'TransactionRecorded') return recorded(event.data);
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'TransactionCancelled':
        return { ...state, status: 'cancelled', trail: extended(state.trail, [event.data.reversal]) };
      case 'TransactionCategorized':
        return { ...state, trail: withChoice(state.trail, event.data) };
    }
  },
};

/** @throws DomainError not_found */
export function recordedTransaction(state: Transaction): RecordedTransaction {
  if (state.status === 'absent') throw notFound('transaction');
  return state;
}

/** Deterministic per tenant and Idempotency-Key, so a key records at most one transaction. */
export const keyedTransactionId = (tenantId: string, key: string): string => nameUuid(`transaction/${key}`, tenantId);

/** Returns `[]` if the same request already recorded it. @throws DomainError conflict IDEMPOTENCY_CONFLICT */
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
