import { Inject, Injectable } from '@nestjs/common';
import type { Failure } from '../aggregates/dead-letter.aggregate.js';
import { awaitedBy, causes, SaleRejection } from '../aggregates/rejection-causes.js';
import type { Rejection, SaleEvent } from '../aggregates/sale-events.js';
import { MANUAL_SOURCE } from '../aggregates/sale-payload.js';
import {
  acceptedSale,
  awaitSale,
  holderIdOf,
  isBookedOn,
  rejectionOn,
  rejectRelated,
  rejectSale,
  sale,
  type AcceptedSale,
  type Sale,
} from '../aggregates/sale.aggregate.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { BOOKING, BookingFacts } from './booking-facts.js';
import { type BookingPlan, BookingPlans } from './booking-plan.js';

type Accepted = Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>;

/**
 * Maximum time for which this policy waits until a sale is booked before it books the sale's return or cancellation, or
 * until a request has booked its manual document.
 */
const BOOKING_WAIT_MS = 2_000;
const BOOKING_LOOK_MS = 50;
const RELATED_SALE_UNKNOWN = 'RELATED_SALE_UNKNOWN';

/**
 * `attempts`: number of attempts to book the document, including this one. If `isQuiet` is set, a failure for the same
 * reason as the recorded failure is not recorded again.
 */
export type BookingAttempt = { readonly attempts: number; readonly isQuiet?: boolean };

/**
 * Books the accepted sales that the intake has not booked (ADR 0065). Appends either one event with all transactions or
 * SaleRejected with the reason. A SALE is booked in its own stream, a RETURN or CANCELLATION in its sale's stream. The
 * state of that stream lists the booked documents, so a redelivered event changes nothing.
 */
@Injectable()
export class BookingPolicy implements Policy {
  readonly name = BOOKING;
  readonly types = ['SaleAccepted'];
  readonly letters = 'SALE';

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(BookingFacts) private readonly facts: BookingFacts,
    @Inject(BookingPlans) private readonly plans: BookingPlans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns true if the intake has booked the sale, which applies to nearly all sales. */
  isSettled({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): boolean {
    return type === 'SaleAccepted' && (data as { readonly isBooked?: boolean }).isBooked === true;
  }

  async react(event: Accepted): Promise<void> {
    if (this.isSettled(event)) return;
    const { tenantId, recordId: id } = event;
    const target = { tenantId, id };
    const state = await this.anyStateOf(target);
    if (state.status === 'absent' || state.booking) return;
    // The request that records a manual document also books it. This policy takes over only if the request fails.
    if (state.sourceId === MANUAL_SOURCE && (await this.isBookedSoon(target, state))) return;
    const rejection = state.rejection
      ? await this.standing(target, state)
      : await inReactionTo(event, this.name, async () => {
          if (state.type !== 'SALE') await this.relatedBooking(target, state);
          return this.bookOrReject(target, state, { attempts: 1 });
        });
    // The rejection has been recorded. Throwing it also parks a dead letter, which the healing policy resolves once the
    // sale can be booked.
    if (rejection) throw new SaleRejection(rejection, state.externalId);
  }

  /** Retries the booking of a rejected document on behalf of the policy. Returns the reason if the booking fails. */
  retry(event: Accepted, attempt: BookingAttempt): Promise<Failure | undefined> {
    const { tenantId, recordId: id } = event;
    return inReactionTo(event, this.name, () => this.tryAgain({ tenantId, id }, attempt));
  }

  /** Like `retry`, but in the current context. */
  async tryAgain(target: Target, attempt: BookingAttempt): Promise<Failure | undefined> {
    const { state } = await this.reader.read(sale, target.tenantId, target.id);
    const found = acceptedSale(state);
    return found.booking ? undefined : this.bookOrReject(target, found, attempt);
  }

  /**
   * Returns a cached state of any age, because bookings are never undone and all other decisions use a fresh state. A
   * cached absent state is not used, because the sale may have been read before another process accepted it.
   */
  private async anyStateOf({ tenantId, id }: Target): Promise<Sale> {
    const cached = this.reader.cached(sale, tenantId, id)?.state;
    if (cached && cached.status !== 'absent') return cached;
    return (await this.reader.read(sale, tenantId, id)).state;
  }

  /** Returns the recorded rejection; undefined if the document has since been booked. */
  private async standing(target: Target, state: AcceptedSale): Promise<Failure | undefined> {
    return (await this.isBooked(target, state)) ? undefined : (state.rejection ?? undefined);
  }

  private async bookOrReject(
    target: Target,
    state: AcceptedSale,
    { attempts, isQuiet = false }: BookingAttempt,
  ): Promise<Failure | undefined> {
    try {
      // If the event is redelivered, later changes must not cause the rejection of a booked document.
      if (state.type !== 'SALE' && (await this.isBooked(target, state))) return undefined;
      await this.book(target, await this.plans.of(target, state));
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      const failure = failureOf(target, state, error);
      return isQuiet && isSame(failure, state.rejection) ? failure : this.reject(target, state, failure, attempts);
    }
  }

  /**
   * Books a document. If another process has decided to reject the document, but has not stored the rejection yet, this
   * method stores it first. Otherwise, the rejection would follow the booking.
   */
  async book(target: Target, { holder, decide }: BookingPlan): Promise<void> {
    for (let stored = 0; ;) {
      const found: { rejection?: Rejection | undefined } = {};
      await this.runner.execute(sale, holder, {}, (state) => {
        found.rejection = rejectionOn(state, target.id);
        return found.rejection && found.rejection.attempts > stored ? [] : decide(state);
      });
      const { rejection } = found;
      if (!rejection || rejection.attempts <= stored) return;
      await this.runner.execute(sale, target, rejection, rejectSale);
      stored = rejection.attempts;
    }
  }

  /** Returns undefined if the document has been booked in the meantime. */
  private async reject(
    target: Target,
    state: AcceptedSale,
    failure: Failure,
    attempts: number,
  ): Promise<Failure | undefined> {
    const { tenantId, id } = target;
    const rejection = { ...failure, attempts };
    if (state.type !== 'SALE') {
      const holder = { tenantId, id: holderIdOf(tenantId, id, state) };
      const { state: related } = await this.runner.execute(sale, holder, { ...rejection, saleId: id }, (sold, data) => [
        ...(failure.code === RELATED_SALE_UNKNOWN ? awaitSale(sold) : []),
        ...rejectRelated(sold, data),
      ]);
      if (isBookedOn(related, id, state)) return undefined;
    }
    await this.runner.execute(sale, target, rejection, rejectSale);
    return failure;
  }

  /** Whether the document is booked, either in its own stream or in the related sale's stream. */
  async isBooked({ tenantId, id }: Target, state: AcceptedSale): Promise<boolean> {
    const { state: holder } = await this.reader.read(sale, tenantId, holderIdOf(tenantId, id, state));
    return isBookedOn(holder, id, state);
  }

  private async isBookedSoon(target: Target, state: AcceptedSale): Promise<boolean> {
    return this.until(() => this.isBooked(target, state));
  }

  /**
   * Waits for the related sale's booking. It may still be in progress, because a partner may send both documents at
   * once.
   */
  private async relatedBooking({ tenantId, id }: Target, document: AcceptedSale): Promise<void> {
    const holderId = holderIdOf(tenantId, id, document);
    await this.until(async () => {
      const { state } = await this.reader.read(sale, tenantId, holderId);
      return state.status !== 'absent' && (state.booking !== null || state.rejection !== null);
    });
  }

  /** Waits until `look` returns true, for a limited time. */
  private async until(look: () => Promise<boolean>): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += BOOKING_LOOK_MS) {
      if (await look()) return true;
      if (waitedMs >= BOOKING_WAIT_MS) return false;
      await this.clock.sleep(BOOKING_LOOK_MS);
    }
  }
}

function failureOf({ tenantId, id }: Target, state: AcceptedSale, error: DomainError): Failure {
  const { code, message } = error;
  const awaits = code === RELATED_SALE_UNKNOWN ? causes.sale(holderIdOf(tenantId, id, state)) : awaitedBy(error);
  return { code, message, ...(awaits !== undefined && { awaits }) };
}

const isSame = (failure: Failure, recorded: Failure | null): boolean =>
  recorded?.code === failure.code && recorded.awaits === failure.awaits;
