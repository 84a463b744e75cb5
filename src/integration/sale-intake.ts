import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  claimIdempotencyKey,
  fieldHashes,
  idempotencyKey,
  idempotencyKeyId,
  isBound,
  type IdempotencyKey,
  type IdempotencyKeyEvent,
  type SaleKeyClaim,
} from '../aggregates/request-key.aggregate.js';
import { ensureCurrency } from '../aggregates/money.js';
import type { SaleAccepted } from '../aggregates/sale-events.js';
import { differingFields, priceSale, saleId, type SalePayload } from '../aggregates/sale-payload.js';
import {
  acceptedSale,
  acceptSale,
  sale,
  type AcceptedSale,
  type Acceptance,
  type Sale,
  type SaleEvent,
  withBooking,
} from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { fold, type Aggregate, type DomainEvent } from '../eventsourcing/aggregate.js';
import { Appender } from '../eventsourcing/appender.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type EventMetadata } from '../eventsourcing/event-catalogue.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { commandOf } from '../eventsourcing/handler.js';
import { inReactionTo } from '../eventsourcing/policy.js';
import { expectedAt, RecordReader, type Loaded } from '../eventsourcing/record-reader.js';
import { firstOf } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { BOOKING } from '../policies/booking-facts.js';
import {
  EVENT_STORE,
  EventTooLarge,
  WrongExpectedRevision,
  type Append,
  type EventStore,
  type EventToAppend,
} from '../ports/event-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { AcceptingBooking } from './accepting-booking.js';
import { RecordedKeys } from './recorded-keys.js';

export type Intake = {
  readonly tenantId: string;
  readonly sourceId: string;
  readonly idempotencyKey: string | undefined;
  readonly payload: SalePayload;
  /** The request body before defaults are applied, to which the idempotency key is bound. */
  readonly received: object;
  /** Whether to respond without storing anything. */
  readonly isOnlyValidated: boolean;
};

/** Response body, byte-identical for the acceptance and every replay. */
export type SaleReceipt = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly status: 'ACCEPTED';
  readonly acceptedAt: string;
};
/** Response body for a sale that would be accepted now. */
export type ValidSale = Omit<SaleReceipt, 'status' | 'acceptedAt'> & { readonly status: 'VALID' };
export type IntakeAnswer = {
  readonly receipt: SaleReceipt | ValidSale;
  readonly replayed: boolean;
  readonly position: number;
  /** For a replay: the top-level fields in which the payload differs from the accepted sale. */
  readonly differing: readonly string[];
};

export class TakeSale extends commandOf<IntakeAnswer, [intake: Intake]>() {}

/** The key state of a sale without an idempotency key. No stream has an empty name. */
const NO_KEY: Loaded<IdempotencyKey> = { stream: '', state: idempotencyKey.initial, revision: -1, position: -1 };
type KeyClaim = { readonly streamId: string; readonly data: SaleKeyClaim | undefined };
/** `after`: the state to cache after the append, if any. */
type Step = { readonly append: Append; readonly after: unknown };
/**
 * The events that accept a sale, the resulting state, and the events that book the sale in the same append. For a sale
 * that is already known, there are no events.
 */
type Decided = { readonly accepted: readonly SaleEvent[]; readonly state: Sale; readonly booked: readonly SaleEvent[] };
/** `refusedBy`: the stream that was not at the expected revision, or whose events are too large for one append. */
type Outcome = { readonly refusedBy?: string; readonly isTooLarge?: true; readonly position?: number };

const MAX_ATTEMPTS = 10;
/** A tenant's currency never changes, so a cached tenant state may be old. */
const TENANT_FRESHNESS = { maxAgeMs: 60_000 };

/**
 * Accepts a partner's sale: claims the idempotency key, then starts the sale's stream. The same append books the sale
 * if the necessary facts are available; otherwise the booking policy books it later. The handler appends the key and
 * the sale as new streams without reading them first. It reads their state only if that append is rejected, which is
 * rare. Every step is repeatable, so a partner's retry completes a sale after a crash.
 */
@CommandHandler(TakeSale)
export class TakeSaleHandler implements ICommandHandler<TakeSale, IntakeAnswer> {
  private readonly recordedKeys: RecordedKeys;

  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Appender) private readonly appender: Appender,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(EventCatalogue) private readonly catalogue: EventCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(AcceptingBooking) private readonly booking: AcceptingBooking,
  ) {
    this.recordedKeys = new RecordedKeys(clock);
  }

  async execute({ args: [intake] }: TakeSale): Promise<IntakeAnswer> {
    const { tenantId, sourceId, payload } = intake;
    const books =
      this.reader.recent(tenant, PLATFORM_TENANT, tenantId, TENANT_FRESHNESS) ??
      (await this.reader.read(tenant, PLATFORM_TENANT, tenantId, TENANT_FRESHNESS));
    ensureCurrency(payload.currency, presentTenant(books.state).currency);
    const acceptance = { sourceId, sale: priceSale(payload) };
    const id = saleId(tenantId, sourceId, payload.externalId);
    const claim = this.claimOf(intake, id);
    if (intake.isOnlyValidated) return this.validated(intake, id, claim);
    const isCounted = claim.data === undefined || this.recordedKeys.has(id, claim.streamId);
    try {
      return await this.take(intake, id, claim, acceptance);
    } catch (error) {
      // A failed request must neither count toward the limit on recorded keys nor free a recorded key's place.
      if (!isCounted) this.recordedKeys.release(id, claim.streamId);
      throw error;
    }
  }

  private async take(intake: Intake, id: string, claim: KeyClaim, acceptance: Acceptance): Promise<IntakeAnswer> {
    const { tenantId } = intake;
    let key = claim.data ? this.unread(idempotencyKey, tenantId, claim.streamId) : NO_KEY;
    let isRecorded = claim.data !== undefined;
    if (isRecorded && !this.recordedKeys.take(id, claim.streamId)) {
      key = await this.reader.read(idempotencyKey, tenantId, claim.streamId);
      isRecorded = isBound(key.state, new Date(this.clock.nowMs()));
    }
    let known = this.unread(sale, tenantId, id);
    let mayBook = true;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const now = new Date(this.clock.nowMs());
      const bound = isRecorded && claim.data ? claimIdempotencyKey(key.state, claim.data, now) : [];
      const decided = await this.decide({ tenantId, id }, known.state, acceptance, { now, mayBook });
      const steps = [...this.keyStep(key, bound), ...this.saleStep(known, decided)];
      const { refusedBy, isTooLarge, position } = await this.append(steps, decided);
      if (refusedBy === undefined) return this.answerOf(intake, id, known, decided, position);
      if (isTooLarge) mayBook = false;
      else if (refusedBy === key.stream) key = await this.reader.read(idempotencyKey, tenantId, claim.streamId);
      else known = await this.reader.read(sale, tenantId, id);
    }
    throw new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent requests use this key. Try again.', {
      retryAfterSeconds: 1,
    });
  }

  /** Returns the response that the sale would receive if it were submitted now. */
  private async validated(intake: Intake, id: string, { streamId, data }: KeyClaim): Promise<IntakeAnswer> {
    const { tenantId, sourceId, payload } = intake;
    if (data) {
      const { state } = await this.reader.read(idempotencyKey, tenantId, streamId);
      claimIdempotencyKey(state, data, new Date(this.clock.nowMs()));
    }
    const known = await this.reader.read(sale, tenantId, id);
    if (known.state.status !== 'absent') return this.answerOf(intake, id, known, { accepted: [], ...known });
    const receipt = { saleId: id, externalId: payload.externalId, sourceId, status: 'VALID' } as const;
    return { receipt, replayed: false, position: 0, differing: [] };
  }

  private answerOf(
    intake: Intake,
    id: string,
    known: Loaded<Sale>,
    { accepted, state }: Omit<Decided, 'booked'>,
    position = known.position,
  ): IntakeAnswer | Promise<IntakeAnswer> {
    const answer = { receipt: receiptOf(id, acceptedSale(state)), replayed: accepted.length === 0, position };
    if (!answer.replayed) return { ...answer, differing: [] };
    return this.differing(known.stream, intake).then((differing) => ({ ...answer, differing }));
  }

  /** Returns a promise only if facts for the booking must be read. */
  private decide(
    target: Target,
    before: Sale,
    acceptance: Acceptance,
    { now, mayBook }: { readonly now: Date; readonly mayBook: boolean },
  ): Decided | Promise<Decided> {
    const accepted = acceptSale(before, acceptance, now);
    const state = fold(sale, accepted, before);
    if (accepted.length === 0 || !mayBook) return { accepted, state, booked: [] };
    const booked = this.booking.bookingOf(target, state);
    if (booked instanceof Promise) return booked.then((events) => ({ accepted, state, booked: events }));
    return { accepted, state, booked };
  }

  /**
   * Compares the payload with the stored event. Every field of the payload affects the priced sale, so the payload
   * itself need not be stored.
   */
  private async differing(stream: string, { payload }: Intake): Promise<readonly string[]> {
    const accepted = await firstOf(this.events, stream, 'SaleAccepted');
    if (!accepted) return [];
    return differingFields(this.catalogue.decode(accepted).data as SaleAccepted, priceSale(payload), payload);
  }

  private claimOf({ sourceId, idempotencyKey: given, payload, received }: Intake, id: string): KeyClaim {
    if (given === undefined) return { streamId: '', data: undefined };
    const data = { saleId: id, externalId: payload.externalId, sourceId, fieldHashes: fieldHashes(received) };
    return { streamId: idempotencyKeyId(sourceId, given), data };
  }

  /** Returns the state assumed without reading the stream: the cached state, or the state of a nonexistent record. */
  private unread<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> {
    return this.reader.cached(aggregate, tenantId, id) ?? this.reader.absent(aggregate, tenantId, id);
  }

  private keyStep({ stream, revision, state }: Loaded<IdempotencyKey>, bound: readonly IdempotencyKeyEvent[]): Step[] {
    if (bound.length === 0) return [];
    const expected = expectedAt(revision);
    const events = this.appender.prepare(stream, expected, bound);
    return [{ append: { stream, expected, events }, after: fold(idempotencyKey, bound, state) }];
  }

  private saleStep({ stream, revision }: Loaded<Sale>, { accepted, state, booked }: Decided): Step[] {
    if (accepted.length === 0) return [];
    const expected = expectedAt(revision);
    const isBooked = booked.length > 0;
    const events = this.appender.prepare(stream, expected, isBooked ? withBooking(accepted) : accepted);
    const cause = events.at(-1);
    if (isBooked && cause) events.push(...this.bookingFor(stream, revision + events.length, cause, booked));
    // Caching the states of booked sales would take a tenth of a sale's CPU time, nearly all of it in garbage
    // collection.
    return [{ append: { stream, expected, events }, after: isBooked ? undefined : state }];
  }

  /** Prepares the booking exactly as the policy would in response to the acceptance, with the same event ids. */
  private bookingFor(stream: string, revision: number, accepted: EventToAppend, booked: readonly SaleEvent[]) {
    const metadata = accepted.metadata as EventMetadata;
    return inReactionTo({ id: accepted.id, tenantId: metadata.tenantId, metadata }, BOOKING, () =>
      this.appender.prepare(stream, revision, booked),
    );
  }

  /** Appends the steps in order. If one is rejected, the preceding ones remain appended. */
  private async append(steps: readonly Step[], { booked }: Decided): Promise<Outcome> {
    if (steps.length === 0) return {};
    try {
      const appended = await this.appender.append(steps.map(({ append }) => append));
      for (const [index, at] of appended.entries()) {
        const { append, after } = steps[index] as Step;
        if (after !== undefined) this.reader.remember({ stream: append.stream, state: after, ...at });
      }
      return { position: Math.max(...appended.map(({ position }) => position)) };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return { refusedBy: error.stream };
      if (error instanceof EventTooLarge && booked.length > 0) return { refusedBy: error.stream, isTooLarge: true };
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
