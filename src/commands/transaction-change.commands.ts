import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import { cancelOpeningBalance, categorizeOpeningBalance, customer } from '../aggregates/customer.aggregate.js';
import { line, RecordId } from '../aggregates/fields.js';
import { revisionIn, type CategoryRequest, type LedgerTrail } from '../aggregates/ledger-trail.js';
import type { Cancellation } from '../aggregates/ledger.js';
import { LEDGER_DIRECTORY, type Carrier, type LedgerDirectory } from '../aggregates/ledger-use.js';
import { categorizeSaleTransaction, sale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { cancelTransaction, categorizeTransaction, transactionAggregate } from '../aggregates/transaction.aggregate.js';
import type { Aggregate, Decision, DomainEvent } from '../platform/aggregate.js';
import { calendarDate } from '../platform/calendar.js';
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt, type Target } from '../platform/command.js';
import { conflict, notFound } from '../platform/domain-error.js';
import { RecordReader } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { CLOCK, IDS, type Clock, type Ids } from '../ports/time.js';
import { categoryNamed } from './category-check.js';

const CancelTransactionInput = z.strictObject({ reason: line(500) }).meta({ id: 'CancelTransactionDto' });
export class CancelTransaction extends command(CancelTransactionInput) {}

const CategorizeTransactionInput = z
  .strictObject({ categoryId: RecordId.nullable() })
  .meta({ id: 'CategorizeTransactionDto' });
export class CategorizeTransaction extends command(CategorizeTransactionInput) {}

/** Of a stream that carries transactions. */
type Carrying = { readonly status: string; readonly trail?: LedgerTrail };
type Place = { readonly carrier: Carrier; readonly isReversal: boolean };

/** Finds the streams that carry transactions, and changes a transaction on its stream. */
export class TransactionCarriers {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(LEDGER_DIRECTORY) private readonly directory: LedgerDirectory,
  ) {}

  /** @throws DomainError not_found; unavailable READ_MODEL_BEHIND */
  async find({ tenantId, id }: Target): Promise<Place> {
    const { state } = await this.reader.read(transactionAggregate, tenantId, id);
    if (state.status !== 'absent') return { carrier: { entity: 'transaction', recordId: id }, isReversal: false };
    const found = await this.directory.find(tenantId, id);
    if (!found) throw notFound('transaction');
    return found;
  }

  /** The receipt and If-Match are about the transaction, whatever else its stream is about. */
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

@CommandHandler(CancelTransaction)
export class CancelTransactionHandler implements ICommandHandler<CancelTransaction, Receipt> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(TransactionCarriers) private readonly carriers: TransactionCarriers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ target, data: { reason } }: CancelTransaction): Promise<Receipt> {
    const { carrier, isReversal } = await this.carriers.find(target);
    if (isReversal) throw conflict('IS_REVERSAL', 'A reversal cannot be cancelled.');
    const cancellation = { reversalId: this.ids.next(), date: await this.today(target.tenantId), reason };
    return this.cancel({ ...target, recordId: carrier.recordId }, carrier.entity, cancellation);
  }

  private async today(tenantId: string): Promise<string> {
    const { timeZone } = presentTenant((await this.reader.read(tenant, PLATFORM_TENANT, tenantId)).state);
    return calendarDate(this.clock.nowMs(), timeZone);
  }

  private cancel(
    target: Target & { readonly recordId: string },
    entity: Carrier['entity'],
    data: Cancellation,
  ): Promise<Receipt> {
    switch (entity) {
      case 'transaction':
        return this.carriers.change(transactionAggregate, target, data, cancelTransaction);
      case 'customer':
        return this.carriers.change(customer, target, data, cancelOpeningBalance);
      case 'sale':
        throw conflict('SYSTEM_GENERATED', 'A sale made it: it is undone where it came from.');
    }
  }
}

@CommandHandler(CategorizeTransaction)
export class CategorizeTransactionHandler implements ICommandHandler<CategorizeTransaction, Receipt> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(TransactionCarriers) private readonly carriers: TransactionCarriers,
  ) {}

  async execute({ target, data: { categoryId } }: CategorizeTransaction): Promise<Receipt> {
    const { carrier } = await this.carriers.find(target);
    const chosen = categoryId === null ? null : await categoryNamed(this.reader, target.tenantId, categoryId);
    const request = { transactionId: target.id, categoryId, category: chosen };
    return this.choose({ ...target, recordId: carrier.recordId }, carrier.entity, request);
  }

  private choose(
    target: Target & { readonly recordId: string },
    entity: Carrier['entity'],
    request: CategoryRequest,
  ): Promise<Receipt> {
    switch (entity) {
      case 'transaction':
        return this.carriers.change(transactionAggregate, target, request, categorizeTransaction);
      case 'customer':
        return this.carriers.change(customer, target, request, categorizeOpeningBalance);
      case 'sale':
        return this.carriers.change(sale, target, request, categorizeSaleTransaction);
    }
  }
}

export const transactionChangeHandlers = [TransactionCarriers, CancelTransactionHandler, CategorizeTransactionHandler];
