import { z } from 'zod';
import { type Aggregate, domain, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, type Fault, invalid, notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { CategorizedBy } from './categorized-by.js';
import { Direction, EntryDate, line, paragraph, RecordId, someOf } from './fields.js';
import {
  CategoryChoice,
  type CategoryRequest,
  choiceOn,
  chosenFor,
  currentOf,
  extended,
  type LedgerTrail,
  withChoice,
} from './ledger-trail.js';
import { type Cancellation, LedgerTransaction, reversal, TransactionType } from './ledger.js';
import { Currency, MoneyInput } from './money.js';
import { ensureSameRequest } from './request-key.aggregate.js';

const optional = {
  currency: Currency,
  customerId: RecordId.nullable(),
  accountId: RecordId.nullable(),
  counterAccountId: RecordId.nullable(),
  direction: Direction.nullable(),
  expenseItemId: RecordId.nullable(),
  categoryId: RecordId.nullable(),
  branchId: RecordId.nullable(),
  description: paragraph(1000).nullable(),
  reference: line(100).nullable(),
};

export const CreateTransaction = z
  .strictObject({
    type: TransactionType,
    date: EntryDate,
    amount: MoneyInput,
    ...someOf(optional).shape,
  })
  .meta({ id: 'CreateTransactionDto' });
export type CreateTransaction = z.output<typeof CreateTransaction>;

type Party = 'customerId' | 'accountId' | 'counterAccountId' | 'expenseItemId' | 'direction';
const PARTIES: readonly Party[] = ['customerId', 'accountId', 'counterAccountId', 'expenseItemId', 'direction'];

type Form = {
  readonly needs: readonly Party[];
  /** Exactly one of these is required. */
  readonly oneOf?: readonly Party[];
};

/** The fields of each transaction type. Any other field of PARTIES is rejected. */
const FORMS: Readonly<Record<z.output<typeof TransactionType>, Form>> = {
  COLLECTION: { needs: ['customerId', 'accountId'] },
  PAYMENT: { needs: ['accountId'], oneOf: ['customerId', 'counterAccountId', 'expenseItemId'] },
  TRANSFER: { needs: ['accountId', 'counterAccountId'] },
  ADJUSTMENT: { needs: ['direction'], oneOf: ['customerId', 'accountId'] },
  OPENING_BALANCE: { needs: ['direction'], oneOf: ['customerId', 'accountId'] },
};

const isGiven = (input: CreateTransaction, field: Party): boolean => (input[field] ?? null) !== null;

/** @throws DomainError invalid, with every missing or rejected field */
export function ensureForm(input: CreateTransaction): void {
  const { needs, oneOf = [] } = FORMS[input.type];
  const given = PARTIES.filter((field) => isGiven(input, field));
  const faults: Fault[] = [
    ...needs
      .filter((field) => !given.includes(field))
      .map((path) => ({ path, message: `Is required for a ${input.type}.` })),
    ...given
      .filter((field) => !needs.includes(field) && !oneOf.includes(field))
      .map((path) => ({ path, message: `Is not allowed for a ${input.type}.` })),
  ];
  const chosen = oneOf.filter((field) => given.includes(field));
  if (oneOf.length > 0 && chosen.length !== 1)
    faults.push(
      ...oneOf.map((path) => ({ path, message: `A ${input.type} requires exactly one of ${oneOf.join(', ')}.` })),
    );
  if (faults.length > 0) throw invalid(faults);
}

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
  /** A user changed the category of the transaction or of its reversal. */
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

/**
 * Returns `[]` if the same request already recorded the transaction. @throws DomainError conflict IDEMPOTENCY_CONFLICT
 */
export function recordTransaction(state: Transaction, data: Recorded): TransactionEvent[] {
  if (state.status === 'absent') return [{ type: 'TransactionRecorded', data }];
  ensureSameRequest(state.fieldHashes ?? {}, data.fieldHashes ?? {});
  return [];
}

export function cancelTransaction(state: Transaction, data: Cancellation): TransactionEvent[] {
  const { status, transaction, trail } = recordedTransaction(state);
  if (status === 'cancelled') throw conflict('ALREADY_CANCELLED', 'The transaction is already cancelled.');
  const { reversalId: id, date, reason } = data;
  return [
    { type: 'TransactionCancelled', data: { reversal: reversal(currentOf(trail, transaction), { id, date }), reason } },
  ];
}

export function categorizeTransaction(state: Transaction, request: CategoryRequest): TransactionEvent[] {
  const data = choiceOn(recordedTransaction(state).trail, request);
  return data ? [{ type: 'TransactionCategorized', data }] : [];
}
