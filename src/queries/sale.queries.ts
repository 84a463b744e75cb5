import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { idempotencyKey, idempotencyKeyId, isBound } from '../aggregates/idempotency-key.aggregate.js';
import { transactionIdsOf } from '../aggregates/sale-booking.js';
import { saleId } from '../aggregates/sale-payload.js';
import { acceptedSale, holderIdOf, isBookedOn, sale, type AcceptedSale } from '../aggregates/sale.aggregate.js';
import { answers, query } from '../eventsourcing/handler.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { Progress } from '../projecting/progress.js';
import { ReadModels } from './query.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { ReadStoreUnavailable, tenantScope } from '../ports/read-store.js';
import { CLOCK } from '../ports/time.js';
import { transactions } from '../projections/transaction.projection.js';

export type SaleStatus = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly status: 'ACCEPTED' | 'BOOKED' | 'REJECTED';
  readonly acceptedAt: string;
  readonly rejection: { readonly code: string; readonly message: string } | null;
};

export class GetSaleStatus extends Query<SaleStatus> {
  constructor(
    readonly tenantId: string,
    readonly sourceId: string,
    readonly externalId: string,
  ) {
    super();
  }
}

/** A booking: the last position of its stream, and its transactions. */
type Booked = { readonly position: number; readonly transactionIds: readonly string[] };

/** Read from the sale's own stream. BOOKED is reported only once its transactions are readable. */
@QueryHandler(GetSaleStatus)
export class GetSaleStatusHandler implements IQueryHandler<GetSaleStatus> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(ReadModels) private readonly models: ReadModels,
  ) {}

  async execute({ tenantId, sourceId, externalId }: GetSaleStatus): Promise<SaleStatus> {
    const id = saleId(tenantId, sourceId, externalId);
    const found = acceptedSale((await this.reader.read(sale, tenantId, id)).state);
    const { acceptedAt } = found;
    const booking = await this.bookingOf(tenantId, id, found);
    const isReadable = booking !== undefined && (await this.isReadable(tenantId, booking));
    // A return that was rejected first and booked later keeps the rejection in its stream.
    const rejection = booking ? null : found.rejection;
    const outcome = rejection ? 'REJECTED' : 'ACCEPTED';
    return {
      saleId: id,
      externalId,
      sourceId,
      status: isReadable ? 'BOOKED' : outcome,
      acceptedAt,
      rejection: rejection && { code: rejection.code, message: rejection.message },
    };
  }

  private async bookingOf(tenantId: string, id: string, found: AcceptedSale): Promise<Booked | undefined> {
    const { state, position } = await this.reader.read(sale, tenantId, holderIdOf(tenantId, id, found));
    return isBookedOn(state, id, found) ? { position, transactionIds: transactionIdsOf(id, found, state) } : undefined;
  }

  /** The read model may have the booking before it reaches the end of the stream, so this looks for it. */
  private async isReadable(tenantId: string, { position, transactionIds }: Booked): Promise<boolean> {
    if (this.progress.position(transactions.name) >= position) return true;
    try {
      const there = await this.models.getMany(transactions, tenantScope(tenantId), transactionIds);
      return there.size === transactionIds.length;
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return false;
      throw error;
    }
  }
}

export type IdempotencyKeyStatus = {
  /** ACCEPTED: the key is bound to its payload. EXPIRED: it may be reused. */
  readonly state: 'ACCEPTED' | 'EXPIRED';
  readonly saleId: string;
  readonly externalId: string;
  /** When the sale was accepted. */
  readonly acceptedAt: string;
  /** When the key expires or expired. */
  readonly expiresAt: string;
};

export class GetIdempotencyKeyStatus extends query<
  IdempotencyKeyStatus,
  [tenantId: string, sourceId: string, key: string]
>() {}

export const saleQueryHandlers = [
  GetSaleStatusHandler,
  // What a retry with the key would find now. After a crash, a key may exist whose sale was never accepted.
  answers(GetIdempotencyKeyStatus, [RecordReader, CLOCK], async (reader, clock, tenantId, sourceId, key) => {
    const { state: claim } = await reader.read(idempotencyKey, tenantId, idempotencyKeyId(sourceId, key));
    if (claim.status === 'unclaimed') throw notFound('idempotency key');
    const { state: accepted } = await reader.read(sale, tenantId, claim.saleId);
    if (accepted.status === 'absent') throw notFound('idempotency key');
    return {
      state: isBound(claim, new Date(clock.nowMs())) ? 'ACCEPTED' : 'EXPIRED',
      saleId: claim.saleId,
      externalId: claim.externalId,
      acceptedAt: accepted.acceptedAt,
      expiresAt: claim.expiresAt,
    };
  }),
];
