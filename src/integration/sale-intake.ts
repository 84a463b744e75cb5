import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  claimIdempotencyKey,
  idempotencyKey,
  idempotencyKeyId,
  type KeyClaim,
} from '../aggregates/idempotency-key.aggregate.js';
import { ensureCurrency } from '../aggregates/money.js';
import { fieldHashes } from '../aggregates/request-digest.js';
import { priceSale, saleId, type SalePayload } from '../aggregates/sale-payload.js';
import { acceptedSale, acceptSale, sale, type AcceptedSale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { fold, type Aggregate, type DomainEvent } from '../platform/aggregate.js';
import { Appender } from '../platform/appender.js';
import { DomainError } from '../platform/domain-error.js';
import { expectedAt, RecordReader, type Loaded } from '../platform/record-reader.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { WrongExpectedRevision, type Append } from '../ports/event-store.js';
import { CLOCK, type Clock } from '../ports/time.js';

export type Intake = {
  readonly tenantId: string;
  readonly sourceId: string;
  readonly idempotencyKey: string | undefined;
  readonly payload: SalePayload;
  /** The body as it came, before defaults: what an idempotency key is bound to. */
  readonly received: object;
};

/** The body of the answer, the same bytes for the acceptance and for every replay. */
export type SaleReceipt = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly status: 'ACCEPTED';
  readonly acceptedAt: string;
};
export type IntakeAnswer = { readonly receipt: SaleReceipt; readonly replayed: boolean; readonly position: number };

export class TakeSale extends Command<IntakeAnswer> {
  constructor(readonly intake: Intake) {
    super();
  }
}

type Step<State> = { readonly loaded: Loaded<State>; readonly append: Append; readonly after: State };

const MAX_ATTEMPTS = 10;
/** A currency never changes, so what is known of the tenant may be old. */
const TENANT_MAX_AGE_MS = 60_000;

/**
 * Accepts a partner's sale: the idempotency key is claimed, then the sale's stream begins; both are appended as new
 * streams without looking first, since that is nearly always right, and what stands in the way is read only when the
 * append is refused. Every step may be repeated, so a crash between them is healed by the partner's retry.
 */
@CommandHandler(TakeSale)
export class TakeSaleHandler implements ICommandHandler<TakeSale, IntakeAnswer> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Appender) private readonly appender: Appender,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ intake }: TakeSale): Promise<IntakeAnswer> {
    const { tenantId, sourceId, payload } = intake;
    await this.checkCurrency(intake);
    const acceptance = { sourceId, sale: priceSale(payload) };
    const id = saleId(tenantId, sourceId, payload.externalId);
    const claim = this.claimOf(intake, id);
    let key = this.unread(idempotencyKey, tenantId, claim.streamId);
    let known = this.unread(sale, tenantId, id);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const now = new Date(this.clock.nowMs());
      const bound = claim.data ? claimIdempotencyKey(key.state, claim.data, now) : [];
      const accepted = acceptSale(known.state, acceptance, now);
      const steps = [...this.step(key, idempotencyKey, bound), ...this.step(known, sale, accepted)];
      const { refusedBy, position } = await this.append(steps);
      if (refusedBy === undefined) {
        const state = acceptedSale(fold(sale, accepted, known.state, known.revision));
        return { receipt: receiptOf(id, state), replayed: accepted.length === 0, position: position ?? known.position };
      }
      if (refusedBy === key.stream) key = await this.reader.read(idempotencyKey, tenantId, claim.streamId);
      else known = await this.reader.read(sale, tenantId, id);
    }
    throw new DomainError('unavailable', 'UNAVAILABLE', 'Too many requests at once use this key. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  private async checkCurrency({ tenantId, payload }: Intake): Promise<void> {
    const { state } = await this.reader.read(tenant, PLATFORM_TENANT, tenantId, { maxAgeMs: TENANT_MAX_AGE_MS });
    ensureCurrency(payload.currency, presentTenant(state).currency);
  }

  private claimOf(
    { sourceId, idempotencyKey: given, payload, received }: Intake,
    id: string,
  ): { streamId: string; data: KeyClaim | undefined } {
    if (given === undefined) return { streamId: '', data: undefined };
    const data = { saleId: id, externalId: payload.externalId, sourceId, fieldHashes: fieldHashes(received) };
    return { streamId: idempotencyKeyId(sourceId, given), data };
  }

  /** The record as it is believed to be before anybody looked: what the cache holds, else nothing. */
  private unread<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> {
    return this.reader.cached(aggregate, tenantId, id) ?? this.reader.absent(aggregate, tenantId, id);
  }

  private step<S, E extends DomainEvent>(
    loaded: Loaded<S>,
    aggregate: Aggregate<S, E>,
    events: readonly E[],
  ): Step<S>[] {
    if (events.length === 0) return [];
    const expected = expectedAt(loaded.revision);
    const prepared = this.appender.prepare(loaded.stream, expected, events);
    const append = { stream: loaded.stream, expected, events: prepared };
    return [{ loaded, append, after: fold(aggregate, events, loaded.state, loaded.revision) }];
  }

  /** `refusedBy`: the stream that was not as believed; the steps before it stay. */
  private async append(steps: readonly Step<unknown>[]): Promise<{ refusedBy?: string; position?: number }> {
    if (steps.length === 0) return {};
    try {
      const appended = await this.appender.append(steps.map(({ append }) => append));
      for (const [index, { loaded, after }] of steps.entries()) {
        const at = appended[index];
        if (at) this.reader.remember({ stream: loaded.stream, state: after, ...at });
      }
      return { position: Math.max(...appended.map(({ position }) => position)) };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return { refusedBy: error.stream };
      throw error;
    }
  }
}

const receiptOf = (id: string, { externalId, sourceId, acceptedAt }: AcceptedSale): SaleReceipt => ({
  saleId: id,
  externalId,
  sourceId,
  status: 'ACCEPTED',
  acceptedAt,
});
