import { Inject, Injectable } from '@nestjs/common';
import type { Reason } from '../aggregates/dead-letter.aggregate.js';
import { bookCancellation, bookReturn, bookSale } from '../aggregates/sale-booking.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import {
  acceptedSale,
  hasBooked,
  holderIdOf,
  isBookedOn,
  rejectSale,
  sale,
  type AcceptedSale,
  type Sale,
} from '../aggregates/sale.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { conflict, DomainError } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { BOOKING, BookingFacts } from './booking-facts.js';

type Accepted = Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>;

/** Maximum wait of a return or cancellation for the booking of its sale. */
const RELATED_WAIT_MS = 2_000;
const RELATED_LOOK_MS = 50;

/**
 * Books the accepted sales that the intake has not booked (ADR 0065). Appends one event with all transactions, or
 * SaleRejected with the reason. A SALE is booked on its own stream, a RETURN or CANCELLATION on the stream of its sale.
 * The state of that stream lists the documents that are already booked, so a redelivered event changes nothing.
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
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async react(event: Accepted): Promise<void> {
    const { tenantId, recordId: saleId } = event;
    if (this.facts.bookedWithAcceptance.has(saleId)) return;
    const state = await this.anyStateOf(tenantId, saleId);
    if (state.status === 'absent' || state.booking) return;
    const rejection = state.rejection
      ? await this.standing(tenantId, saleId, state)
      : await inReactionTo(event, this.name, () => this.bookOrReject(tenantId, saleId, state, 1));
    // The rejection is recorded. Throwing also parks a dead letter, which waits until its cause is removed.
    if (rejection) throw conflict(rejection.code, rejection.message);
  }

  /** Retries a rejected document as attempt number `attempts`. Returns the reason if it is rejected again. */
  async retry(event: Accepted, attempts: number): Promise<Reason | undefined> {
    const { tenantId, recordId: saleId } = event;
    const { state } = await this.reader.read(sale, tenantId, saleId);
    const found = acceptedSale(state);
    if (found.booking) return undefined;
    return inReactionTo(event, this.name, () => this.bookOrReject(tenantId, saleId, found, attempts));
  }

  /**
   * A cached state of any age is sufficient, because a booking is never undone and all other decisions use a fresh
   * state. Only a cached absent state must not be used: the sale may have been read before another process accepted it.
   */
  private async anyStateOf(tenantId: string, saleId: string): Promise<Sale> {
    const cached = this.reader.cached(sale, tenantId, saleId)?.state;
    if (cached && cached.status !== 'absent') return cached;
    return (await this.reader.read(sale, tenantId, saleId)).state;
  }

  /** The recorded rejection, or undefined if the document has been booked since. */
  private async standing(tenantId: string, saleId: string, state: AcceptedSale): Promise<Reason | undefined> {
    const { state: holder } = await this.reader.read(sale, tenantId, holderIdOf(tenantId, saleId, state));
    return isBookedOn(holder, saleId, state) ? undefined : (state.rejection ?? undefined);
  }

  private async bookOrReject(
    tenantId: string,
    saleId: string,
    state: AcceptedSale,
    attempts: number,
  ): Promise<Reason | undefined> {
    try {
      if (state.type === 'SALE') await this.book(tenantId, saleId, state);
      else await this.bookOnRelated(tenantId, saleId, state);
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unavailable') throw error;
      const { code, message } = error;
      await this.runner.execute(sale, { tenantId, id: saleId }, { code, message, attempts }, rejectSale);
      return { code, message };
    }
  }

  private async book(tenantId: string, saleId: string, state: AcceptedSale): Promise<void> {
    const data = await this.facts.of(tenantId, saleId, state);
    await this.runner.execute(sale, { tenantId, id: saleId }, data, bookSale);
  }

  private async bookOnRelated(tenantId: string, saleId: string, state: AcceptedSale): Promise<void> {
    const id = holderIdOf(tenantId, saleId, state);
    const related = await this.waitForBooking(tenantId, id);
    // On redelivery, a booked document must not be rejected because of later changes.
    if (related && hasBooked(related, saleId)) return;
    const { accounts, ...facts } = await this.facts.ofDocument(tenantId, state);
    const { externalId } = state;
    if (state.type === 'CANCELLATION')
      await this.runner.execute(sale, { tenantId, id }, { saleId, externalId, ...facts }, bookCancellation);
    else {
      const categories = await this.facts.categoriesFor(tenantId, related?.booking?.customerId);
      const data = { saleId, accounts, document: state, ...facts, ...categories };
      await this.runner.execute(sale, { tenantId, id }, data, bookReturn);
    }
  }

  /** A partner may send both documents at once, so the booking of the sale may still be in progress. */
  private async waitForBooking(tenantId: string, id: string): Promise<AcceptedSale | undefined> {
    for (let waitedMs = 0; ; waitedMs += RELATED_LOOK_MS) {
      const { state } = await this.reader.read(sale, tenantId, id);
      const known = state.status === 'absent' ? undefined : state;
      if (known?.booking || known?.rejection || waitedMs >= RELATED_WAIT_MS) return known;
      await this.clock.sleep(RELATED_LOOK_MS);
    }
  }
}
