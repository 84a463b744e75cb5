import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { idempotencyKey, idempotencyKeyId, isBound } from '../aggregates/idempotency-key.aggregate.js';
import { transactionIdsOf } from '../aggregates/sale-booking.js';
import { saleId } from '../aggregates/sale-payload.js';
import { acceptedSale, holderIdOf, isBookedOn, sale, type AcceptedSale } from '../aggregates/sale.aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { Progress } from '../platform/progress.js';
import { ReadModels } from '../platform/query.js';
import { RecordReader } from '../platform/record-reader.js';
import { ReadStoreUnavailable, tenantScope } from '../ports/read-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
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

/** A booking: where the stream ends that holds it, and what it made. */
type Booked = { readonly position: number; readonly transactionIds: readonly string[] };

/** From the sale's own stream; BOOKED is told only when its transactions can be read. */
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
    // A return that was rejected and then booked keeps its rejection in its own stream.
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

  /** Of a stream that the read model has not got to the end of, the booking may be long there: it is looked for. */
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
  /** ACCEPTED: the key answers for its payload; EXPIRED: it may be used anew. */
  readonly state: 'ACCEPTED' | 'EXPIRED';
  readonly saleId: string;
  readonly externalId: string;
  /** When the sale was accepted. */
  readonly acceptedAt: string;
  /** When the key expires, or did. */
  readonly expiresAt: string;
};

export class GetIdempotencyKeyStatus extends Query<IdempotencyKeyStatus> {
  constructor(
    readonly tenantId: string,
    readonly sourceId: string,
    readonly key: string,
  ) {
    super();
  }
}

/** From the streams of the key and of its sale: what a retry with the key would meet at this moment. */
@QueryHandler(GetIdempotencyKeyStatus)
export class GetIdempotencyKeyStatusHandler implements IQueryHandler<GetIdempotencyKeyStatus> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError not_found, also where a crash left a key whose sale was never accepted */
  async execute({ tenantId, sourceId, key }: GetIdempotencyKeyStatus): Promise<IdempotencyKeyStatus> {
    const { state: claim } = await this.reader.read(idempotencyKey, tenantId, idempotencyKeyId(sourceId, key));
    if (claim.status === 'unclaimed') throw notFound('idempotency key');
    const { state: accepted } = await this.reader.read(sale, tenantId, claim.saleId);
    if (accepted.status === 'absent') throw notFound('idempotency key');
    return {
      state: isBound(claim, new Date(this.clock.nowMs())) ? 'ACCEPTED' : 'EXPIRED',
      saleId: claim.saleId,
      externalId: claim.externalId,
      acceptedAt: accepted.acceptedAt,
      expiresAt: claim.expiresAt,
    };
  }
}

export const saleQueryHandlers = [GetSaleStatusHandler, GetIdempotencyKeyStatusHandler];
