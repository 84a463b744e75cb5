import { Inject } from '@nestjs/common';
import { z } from 'zod';
import {
  cancelOpeningBalance,
  categorizeOpeningBalance,
  correctOpeningBalance,
  customer,
} from '../aggregates/customer.aggregate.js';
import { EntryDate, line, RecordId } from '../aggregates/fields.js';
import {
  type Cancellation,
  type Carrier,
  type CategoryRequest,
  type CorrectionRequest,
  isReversedBy,
  type LedgerTrail,
  revisionIn,
} from '../aggregates/ledger-trail.js';
import { ensureSameRequest } from '../aggregates/request-key.aggregate.js';
import { categorizeSaleTransaction, sale } from '../aggregates/sale.aggregate.js';
import {
  cancelTransaction,
  categorizeTransaction,
  correctTransaction,
  recordTransaction,
  transactionAggregate,
} from '../aggregates/transaction.aggregate.js';
import { CreateTransaction as CreateInput } from '../aggregates/transaction-input.js';
import type { Aggregate, Decision, DomainEvent } from '../eventsourcing/aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, type Receipt, type Target } from '../eventsourcing/command.js';
import { conflict, notFound, withinPath } from '../eventsourcing/domain-error.js';
import { handles } from '../eventsourcing/handler.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { CLOCK } from '../ports/time.js';
import { Categorizer } from '../queries/category.queries.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { categoryNamed } from './category.commands.js';
import { preparedEntry } from './entry-preparation.js';
import { reversalDate } from './reversal-date.js';

/** `isReplay` is true if an earlier attempt at the request had recorded the transaction. */
export type RecordedReceipt = Receipt & { readonly isReplay: boolean };

export class CreateTransaction extends command<typeof CreateInput, RecordedReceipt>(CreateInput) {
  /** Digests of the request's members; null if the request had no idempotency key. */
  fieldHashes: Readonly<Record<string, string>> | null = null;
}

/** Base class for a command that changes the target and records a new transaction. */
const recordingCommand = <S extends z.ZodType>(schema: S) =>
  class extends command(schema) {
    constructor(
      target: Target,
      data: z.output<S>,
      /** Id of the new transaction. A retried request uses the same id. */
      readonly newId: string,
    ) {
      super(target, data);
    }
  };

const cancellation = { reason: line(500), date: z.exactOptional(EntryDate) };
const CancelTransactionInput = z.strictObject(cancellation).meta({ id: 'CancelTransactionDto' });
/** `newId` is the id of the reversal. */
export class CancelTransaction extends recordingCommand(CancelTransactionInput) {}

const CorrectTransactionInput = z
  .strictObject({ ...cancellation, replacement: CreateInput })
  .meta({ id: 'CorrectTransactionDto' });
/** `newId` is the id of the replacement. */
export class CorrectTransaction extends recordingCommand(CorrectTransactionInput) {}

const CategorizeTransactionInput = z
  .strictObject({ categoryId: RecordId.nullable() })
  .meta({ id: 'CategorizeTransactionDto' });
export class CategorizeTransaction extends command(CategorizeTransactionInput) {}

/** State of a stream that contains transactions. */
type Carrying = { readonly status: string; readonly trail?: LedgerTrail };
type Place = { readonly carrier: Carrier; readonly isReversal: boolean; readonly date: string };
/** A transaction, and the record whose stream contains it. */
type Carried = Target & { readonly recordId: string; readonly entity: Carrier['entity'] };

/** Finds the streams that contain transactions, and changes transactions in these streams. */
export class TransactionCarriers {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LedgerUse) private readonly ledger: LedgerUse,
  ) {}

  /** @throws DomainError not_found; unavailable READ_MODEL_BEHIND */
  async find({ tenantId, id }: Target): Promise<Place> {
    const { state } = await this.reader.read(transactionAggregate, tenantId, id);
    if (state.status !== 'absent')
      return { carrier: { entity: 'transaction', recordId: id }, isReversal: false, date: state.transaction.date };
    const found = await this.ledger.find(tenantId, id);
    if (!found) throw notFound('transaction');
    return found;
  }

  /**
   * Returns the receipt if an earlier attempt at the request has recorded the reversal. The retry then succeeds even if
   * its `If-Match` value is outdated by the first attempt, or if the period has been closed since.
   */
  async recorded({ tenantId, id, recordId, entity }: Carried, reversalId: string): Promise<Receipt | undefined> {
    const { state, position } =
      entity === 'customer'
        ? await this.reader.read(customer, tenantId, recordId)
        : await this.reader.read(transactionAggregate, tenantId, recordId);
    if (!('trail' in state) || !isReversedBy(state.trail, id, reversalId)) return undefined;
    return { id, revision: revisionIn(state.trail, id), position };
  }

  /** Changes a transaction. The receipt and If-Match use the revision of the transaction, not of its stream. */
  async change<S extends Carrying, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    { tenantId, id, recordId }: Carried,
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<Receipt> {
    const target = { tenantId, id: recordId };
    const revisionOf = ({ trail }: S) => (trail ? revisionIn(trail, id) : -1);
    const { revision, position } = await this.runner.execute(aggregate, target, data, decide, revisionOf);
    return { id, revision, position };
  }
}

const carriedBy = (target: Target, { entity, recordId }: Carrier): Carried => ({ ...target, entity, recordId });
const systemGenerated = () => conflict('SYSTEM_GENERATED', 'A sale created this transaction. Cancel the sale instead.');

function cancel(carriers: TransactionCarriers, carried: Carried, data: Cancellation): Promise<Receipt> {
  switch (carried.entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, carried, data, cancelTransaction);
    case 'customer':
      return carriers.change(customer, carried, data, cancelOpeningBalance);
    case 'sale':
      throw systemGenerated();
  }
}

function correct(carriers: TransactionCarriers, carried: Carried, data: CorrectionRequest): Promise<Receipt> {
  switch (carried.entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, carried, data, correctTransaction);
    case 'customer':
      return carriers.change(customer, carried, data, correctOpeningBalance);
    case 'sale':
      throw systemGenerated();
  }
}

function choose(carriers: TransactionCarriers, carried: Carried, request: CategoryRequest): Promise<Receipt> {
  switch (carried.entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, carried, request, categorizeTransaction);
    case 'customer':
      return carriers.change(customer, carried, request, categorizeOpeningBalance);
    case 'sale':
      return carriers.change(sale, carried, request, categorizeSaleTransaction);
  }
}

/** Finds the transaction to cancel. @throws DomainError not_found; conflict IS_REVERSAL */
async function cancellable(
  carriers: TransactionCarriers,
  target: Target,
): Promise<Carried & { readonly date: string }> {
  const { carrier, isReversal, date } = await carriers.find(target);
  if (isReversal)
    throw conflict('IS_REVERSAL', 'A reversal cannot be cancelled. Record the transaction again instead.');
  return { ...carriedBy(target, carrier), date };
}

export const transactionCommandHandlers = [
  handles(
    CreateTransaction,
    [CommandRunner, RecordReader, Categorizer],
    async (runner, reader, categorizer, { target, data, fieldHashes }) => {
      const { tenantId, id } = target;
      const known = fieldHashes && (await reader.read(transactionAggregate, tenantId, id));
      if (known && known.state.status !== 'absent') {
        ensureSameRequest(known.state.fieldHashes ?? {}, fieldHashes);
        // Repeats the first response, with revision 0 regardless of later changes.
        return { id, revision: 0, position: known.position, isReplay: true };
      }
      const prepared = await preparedEntry(reader, categorizer, target, data);
      const recorded = { ...prepared, fieldHashes: fieldHashes && { ...fieldHashes } };
      const made = await runner.execute(transactionAggregate, target, recorded, recordTransaction);
      return { id, revision: 0, position: made.position, isReplay: made.events.length === 0 };
    },
  ),
  TransactionCarriers,
  handles(
    CancelTransaction,
    [RecordReader, TransactionCarriers, CLOCK],
    async (reader, carriers, clock, { target, data, newId }) => {
      const { date: reversed, ...carried } = await cancellable(carriers, target);
      const recorded = await carriers.recorded(carried, newId);
      if (recorded) return recorded;
      const date = await reversalDate(reader, clock, { tenantId: target.tenantId, requested: data.date, reversed });
      return cancel(carriers, carried, { transactionId: target.id, reversalId: newId, date, reason: data.reason });
    },
  ),
  handles(
    CorrectTransaction,
    [RecordReader, TransactionCarriers, Categorizer, CLOCK],
    async (reader, carriers, categorizer, clock, { target, data, newId: id }) => {
      const { date: reversed, ...carried } = await cancellable(carriers, target);
      const { tenantId, id: transactionId } = target;
      const reversalId = nameUuid('reversal', id);
      const recorded = await carriers.recorded(carried, reversalId);
      if (recorded) return { ...recorded, id, revision: 0 };
      const date = await reversalDate(reader, clock, { tenantId, requested: data.date, reversed });
      const prepared = await withinPath('replacement', () =>
        preparedEntry(reader, categorizer, { tenantId, id }, data.replacement),
      );
      const request = { transactionId, reversalId, date, reason: data.reason, ...prepared };
      const { position } = await correct(carriers, carried, request);
      return { id, revision: 0, position };
    },
  ),
  handles(
    CategorizeTransaction,
    [RecordReader, TransactionCarriers],
    async (reader, carriers, { target, data: { categoryId } }) => {
      const { carrier } = await carriers.find(target);
      const category = categoryId === null ? null : await categoryNamed(reader, target.tenantId, categoryId);
      return choose(carriers, carriedBy(target, carrier), { transactionId: target.id, categoryId, category });
    },
  ),
];
