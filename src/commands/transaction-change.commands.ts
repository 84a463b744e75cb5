import { Inject } from '@nestjs/common';
import { z } from 'zod';
import { cancelOpeningBalance, categorizeOpeningBalance, customer } from '../aggregates/customer.aggregate.js';
import { line, RecordId } from '../aggregates/fields.js';
import { revisionIn, type CategoryRequest, type LedgerTrail } from '../aggregates/ledger-trail.js';
import type { Cancellation } from '../aggregates/ledger.js';
import type { Carrier } from '../aggregates/ledger-trail.js';
import { LedgerUse } from '../queries/ledger-use.js';
import { categorizeSaleTransaction, sale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { cancelTransaction, categorizeTransaction, transactionAggregate } from '../aggregates/transaction.aggregate.js';
import type { Aggregate, Decision, DomainEvent } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, type Receipt, type Target } from '../eventsourcing/command.js';
import { handles } from '../eventsourcing/handler.js';
import { conflict, notFound } from '../eventsourcing/domain-error.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK, IDS } from '../ports/time.js';
import { categoryNamed } from './category-check.js';

const CancelTransactionInput = z.strictObject({ reason: line(500) }).meta({ id: 'CancelTransactionDto' });
export class CancelTransaction extends command(CancelTransactionInput) {}

const CategorizeTransactionInput = z
  .strictObject({ categoryId: RecordId.nullable() })
  .meta({ id: 'CategorizeTransactionDto' });
export class CategorizeTransaction extends command(CategorizeTransactionInput) {}

/** State of a stream that contains transactions. */
type Carrying = { readonly status: string; readonly trail?: LedgerTrail };
type Place = { readonly carrier: Carrier; readonly isReversal: boolean };

/** Finds the streams that contain transactions, and changes a transaction on its stream. */
export class TransactionCarriers {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LedgerUse) private readonly ledger: LedgerUse,
  ) {}

  /** @throws DomainError not_found; unavailable READ_MODEL_BEHIND */
  async find({ tenantId, id }: Target): Promise<Place> {
    const { state } = await this.reader.read(transactionAggregate, tenantId, id);
    if (state.status !== 'absent') return { carrier: { entity: 'transaction', recordId: id }, isReversal: false };
    const found = await this.ledger.find(tenantId, id);
    if (!found) throw notFound('transaction');
    return found;
  }

  /** The receipt and If-Match use the transaction's revision, not that of its stream. */
  async change<S extends Carrying, E extends DomainEvent, D>(
    aggregate: Aggregate<S, E>,
    { tenantId, id, recordId }: Target & { readonly recordId: string },
    data: D,
    decide: Decision<S, D, E>,
  ): Promise<Receipt> {
    const target = { tenantId, id: recordId };
    const revisionOf = ({ trail }: S) => (trail ? revisionIn(trail, id) : -1);
    const { revision, position } = await this.runner.execute(aggregate, target, data, decide, revisionOf);
    return { id, revision, position };
  }
}

function cancel(
  carriers: TransactionCarriers,
  target: Target & { readonly recordId: string },
  entity: Carrier['entity'],
  data: Cancellation,
): Promise<Receipt> {
  switch (entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, target, data, cancelTransaction);
    case 'customer':
      return carriers.change(customer, target, data, cancelOpeningBalance);
    case 'sale':
      throw conflict('SYSTEM_GENERATED', 'A sale made it: it is undone where it came from.');
  }
}

function choose(
  carriers: TransactionCarriers,
  target: Target & { readonly recordId: string },
  entity: Carrier['entity'],
  request: CategoryRequest,
): Promise<Receipt> {
  switch (entity) {
    case 'transaction':
      return carriers.change(transactionAggregate, target, request, categorizeTransaction);
    case 'customer':
      return carriers.change(customer, target, request, categorizeOpeningBalance);
    case 'sale':
      return carriers.change(sale, target, request, categorizeSaleTransaction);
  }
}

export const transactionChangeHandlers = [
  TransactionCarriers,
  handles(
    CancelTransaction,
    [RecordReader, TransactionCarriers, CLOCK, IDS],
    async (reader, carriers, clock, ids, { target, data: { reason } }) => {
      const { carrier, isReversal } = await carriers.find(target);
      if (isReversal) throw conflict('IS_REVERSAL', 'A reversal cannot be cancelled.');
      const { timeZone } = presentTenant((await reader.read(tenant, PLATFORM_TENANT, target.tenantId)).state);
      const cancellation = { reversalId: ids.next(), date: calendarDate(clock.nowMs(), timeZone), reason };
      return cancel(carriers, { ...target, recordId: carrier.recordId }, carrier.entity, cancellation);
    },
  ),
  handles(
    CategorizeTransaction,
    [RecordReader, TransactionCarriers],
    async (reader, carriers, { target, data: { categoryId } }) => {
      const { carrier } = await carriers.find(target);
      const category = categoryId === null ? null : await categoryNamed(reader, target.tenantId, categoryId);
      const request = { transactionId: target.id, categoryId, category };
      return choose(carriers, { ...target, recordId: carrier.recordId }, carrier.entity, request);
    },
  ),
];
