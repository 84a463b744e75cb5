import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { conflict, DomainError, notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';
import { RuleSource } from './category-rule.aggregate.js';
import { LedgerTransaction, reversal } from './ledger.js';
import { differingFields } from './sale-payload.js';

/** The rule that gave a transaction its category. */
export const CategorizedBy = z.object({ ruleId: z.string(), source: RuleSource });
export type CategorizedBy = z.output<typeof CategorizedBy>;

const TransactionRecorded = z.object({
  transaction: LedgerTransaction,
  categorizedBy: CategorizedBy.nullable(),
  /** Digests of the request's members where it came with an Idempotency-Key. */
  fieldHashes: z.record(z.string(), z.string()).nullable(),
});

export const transactionEvents = {
  TransactionRecorded: domain('CREATE', 'transaction', TransactionRecorded),
  TransactionCancelled: domain('UPDATE', 'transaction', z.object({ reversal: LedgerTransaction, reason: z.string() })),
};
export type TransactionEvent = EventOf<typeof transactionEvents>;

type Recorded = z.output<typeof TransactionRecorded>;
export type RecordedTransaction = Recorded & { readonly status: 'recorded' | 'cancelled' };
export type Transaction = { readonly status: 'absent' } | RecordedTransaction;

export const transactionAggregate: Aggregate<Transaction, TransactionEvent> = {
  name: 'transaction',
  events: transactionEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'TransactionRecorded') return { status: 'recorded', ...event.data };
    return state.status === 'absent' ? state : { ...state, status: 'cancelled' };
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
  const differing = differingFields(state.fieldHashes ?? {}, data.fieldHashes ?? {});
  if (differing.length === 0) return [];
  throw new DomainError('conflict', 'IDEMPOTENCY_CONFLICT', 'This key was used with a different payload.', {
    errors: differing.map((path) => ({ path, message: 'Differs from the first request with this key.' })),
  });
}

export type Cancellation = { readonly reversalId: string; readonly date: string; readonly reason: string };

export function cancelTransaction(state: Transaction, data: Cancellation): TransactionEvent[] {
  const { status, transaction } = recordedTransaction(state);
  if (status === 'cancelled') throw conflict('ALREADY_CANCELLED', 'The transaction is cancelled already.');
  const { reversalId: id, date, reason } = data;
  return [{ type: 'TransactionCancelled', data: { reversal: reversal(transaction, { id, date }), reason } }];
}
