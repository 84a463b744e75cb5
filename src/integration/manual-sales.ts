import { Inject, Injectable, type Type } from '@nestjs/common';
import type { ICommandHandler } from '@nestjs/cqrs';
import { customer } from '../aggregates/customer.aggregate.js';
import { deadLetter, deadLetterId, settleReplay } from '../aggregates/dead-letter.aggregate.js';
import { ensureCurrency } from '../aggregates/money.js';
import { numberSequence } from '../aggregates/number-sequence.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import {
  differingFields,
  ManualSalePayload,
  MANUAL_SOURCE,
  priceSale,
  saleId,
  type PricedSale,
} from '../aggregates/sale-payload.js';
import {
  acceptedSale,
  acceptSale,
  changesOf,
  chooseCustomer,
  holderIdOf,
  isBookedOn,
  sale,
  type Sale,
} from '../aggregates/sale.aggregate.js';
import { ensureOpen } from '../aggregates/tenant-periods.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { NumberSeries } from '../commands/number-series.js';
import { fold } from '../eventsourcing/aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { CommandRunner, type Target } from '../eventsourcing/command-runner.js';
import { command, type Receipt } from '../eventsourcing/command.js';
import { conflict, notFoundAt } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type Recorded } from '../eventsourcing/event-catalogue.js';
import { handles } from '../eventsourcing/handler.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { firstOf } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { BOOKING } from '../policies/booking-facts.js';
import { BookingPlans } from '../policies/booking-plan.js';
import { BookingPolicy } from '../policies/booking.policy.js';
import { EVENT_STORE, EventTooLarge, type EventStore } from '../ports/event-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { z } from 'zod';

/**
 * Records a sale, return or cancellation that a user enters. The document is either booked immediately, or rejected and
 * not stored. Exception: a return or cancellation is stored as rejected if a partner or another replica changes its sale
 * between the check and the booking.
 */
export class CreateSale extends command(ManualSalePayload) {}
/** Retries the booking of a rejected sale. */
export class RetrySale extends command(z.object({})) {}

/** An external id, and the state of the sale with this id, which may be absent. */
type Found = { readonly externalId: string; readonly target: Target; readonly known: Sale };
type Acceptance = Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>;

/** Generates the external ids of manual sales: S-000001, S-000002 and so on. */
@Injectable()
export class SaleNumbers extends NumberSeries {
  constructor(@Inject(CommandRunner) runner: CommandRunner, @Inject(IDS) ids: Ids) {
    super(runner, ids, { id: 'sale-numbers', prefix: 'S' });
  }
}

/** Records manual sales and retries rejected ones. */
@Injectable()
export class SaleDesk {
  private readonly turns = new KeyedQueue();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
    @Inject(EventCatalogue) private readonly catalogue: EventCatalogue,
    @Inject(BookingPlans) private readonly plans: BookingPlans,
    @Inject(BookingPolicy) private readonly booking: BookingPolicy,
    @Inject(SaleNumbers) private readonly numbers: SaleNumbers,
  ) {}

  /**
   * Returns and cancellations of the same sale take turns, so that each is checked against those already booked.
   * @throws DomainError with the codes of the partner intake, PERIOD_CLOSED or EXTERNAL_ID_TAKEN; not_found
   */
  create(received: CreateSale): Promise<Receipt> {
    const { target, data } = received;
    if (data.type === 'SALE') return this.recorded(received);
    return this.turns.run(`${target.tenantId}/${data.relatedExternalId ?? ''}`, () => this.recorded(received));
  }

  private async recorded({ target: request, data: { customerId, ...given } }: CreateSale): Promise<Receipt> {
    const { tenantId } = request;
    const { state: owner } = await this.reader.read(tenant, PLATFORM_TENANT, tenantId);
    const { currency, timeZone, ...closing } = presentTenant(owner);
    ensureCurrency(given.currency, currency);
    const named = await this.named(request, given.externalId);
    // Repeating a booked sale posts nothing, so the request succeeds even if the sale's period has been closed since.
    if (!(named && (await this.isBooked(named))))
      ensureOpen(closing, calendarDate(Date.parse(given.occurredAt), timeZone));
    const priced = priceSale({ ...given, currency, externalId: given.externalId ?? '', customer: null });
    if (customerId !== null) await this.ensureCustomer(tenantId, customerId);
    const isBookable = () => this.ensureBookable(request, priced, customerId);
    const { externalId, target, known } =
      named ?? (await this.find(tenantId, await this.numberFor(request, isBookable)));
    const numbered = { ...priced, externalId };
    const isNew = known.status === 'absent' && (await this.record(target, numbered, customerId));
    if (!isNew) await this.resume(target, numbered, { ...given, currency, customerId });
    return this.receiptOf(target);
  }

  /** @throws DomainError not_found; conflict with the code of the problem that prevents the booking */
  async retry(target: Target): Promise<Receipt> {
    const { tenantId } = target;
    const found = acceptedSale((await this.reader.read(sale, tenantId, target.id)).state);
    if (await this.booking.isBooked(target, found)) return this.receiptOf(target);
    const accepted = await this.acceptanceOf(target);
    const id = deadLetterId({ origin: 'SALE', subscriber: BOOKING, eventId: accepted.id });
    const { state: letter } = await this.reader.read(deadLetter, tenantId, id);
    const attempts = Math.max(found.rejection?.attempts ?? 0, letter.status === 'absent' ? 0 : letter.attempts) + 1;
    const failure = (await this.booking.tryAgain(target, { attempts })) ?? null;
    // Healing or a replay may have resolved the letter in the meantime.
    const settle: typeof settleReplay = (state, outcome, now) =>
      state.status === 'PARKED' ? settleReplay(state, outcome, now) : [];
    const settled = await this.runner.execute(deadLetter, { tenantId, id }, { attempt: attempts, failure }, settle);
    if (failure) throw conflict(failure.code, failure.message);
    const receipt = await this.receiptOf(target);
    return { ...receipt, position: Math.max(receipt.position, settled.position) };
  }

  private async find(tenantId: string, externalId: string): Promise<Found> {
    const target = { tenantId, id: saleId(tenantId, MANUAL_SOURCE, externalId) };
    return { externalId, target, known: (await this.reader.read(sale, tenantId, target.id)).state };
  }

  /** Without an external id, returns the sale with the number that an earlier attempt of the request has reserved. */
  private async named({ tenantId, id }: Target, externalId: string | null | undefined): Promise<Found | undefined> {
    if (externalId) return this.find(tenantId, externalId);
    const { upTo } = (await this.reader.read(numberSequence, tenantId, id)).state;
    return upTo > 0 ? this.find(tenantId, this.numbers.numbered(upTo)) : undefined;
  }

  private async isBooked({ target, known }: Found): Promise<boolean> {
    return known.status !== 'absent' && this.booking.isBooked(target, known);
  }

  private async ensureCustomer(tenantId: string, id: string): Promise<void> {
    const { state } = await this.reader.read(customer, tenantId, id);
    if (state.status !== 'present') throw notFoundAt('customerId', 'customer');
  }

  /**
   * Returns the same number for all attempts of a request that has an idempotency key. A document that cannot be booked
   * does not use up a number.
   */
  private async numberFor({ tenantId, id }: Target, ensureBookable: () => Promise<void>): Promise<string> {
    await ensureBookable();
    const externalId = await this.freeNumber(tenantId);
    const upTo = Number(externalId.replace(/\D/g, ''));
    const noted = await this.runner.execute(numberSequence, { tenantId, id }, {}, (known) =>
      known.upTo > 0 ? [] : [{ type: 'NumbersReserved' as const, data: { upTo } }],
    );
    return this.numbers.numbered(noted.state.upTo);
  }

  private async freeNumber(tenantId: string): Promise<string> {
    for (let tried = 1; ; tried += 1) {
      const externalId = await this.numbers.next(tenantId);
      const { known } = await this.find(tenantId, externalId);
      if (known.status === 'absent') return externalId;
      if (!(await this.numbers.afterTaken(tenantId, tried))) throw externalIdTaken(externalId);
    }
  }

  /** @throws DomainError if the document, which has no number yet, cannot be booked now */
  private async ensureBookable({ tenantId, id }: Target, priced: PricedSale, customerId: string | null): Promise<void> {
    const target = { tenantId, id: saleId(tenantId, MANUAL_SOURCE, id) };
    await this.preparation(target, { ...priced, externalId: id }, customerId);
  }

  /** Decides how to accept and book the document. @throws DomainError if it cannot be booked now */
  private async preparation(target: Target, priced: PricedSale, customerId: string | null) {
    const accepting = (state: Sale, _: object, now: Date): SaleEvent[] => {
      const accepted = acceptSale(state, { sourceId: MANUAL_SOURCE, sale: priced }, now);
      if (accepted.length === 0 || customerId === null || priced.type !== 'SALE') return accepted;
      return [...accepted, ...chooseCustomer(fold(sale, accepted, state), { customerId })];
    };
    const draft = fold(sale, accepting(sale.initial, {}, new Date(priced.occurredAt)));
    const plan = await this.plans.of(target, acceptedSale(draft));
    const { holder, decide } = plan;
    decide(priced.type === 'SALE' ? draft : (await this.reader.read(sale, holder.tenantId, holder.id)).state);
    return { accepting, plan };
  }

  /**
   * Stores nothing unless the document can be booked. Returns false if another request has recorded a document with
   * this external id in the meantime.
   */
  private async record(target: Target, priced: PricedSale, customerId: string | null): Promise<boolean> {
    const { accepting, plan } = await this.preparation(target, priced, customerId);
    const accept = async (): Promise<boolean> =>
      (await this.runner.execute(sale, target, {}, accepting)).events.length > 0;
    if (priced.type !== 'SALE') {
      if (!(await accept())) return false;
      await this.booking.book(target, plan);
      return true;
    }
    const { decide } = plan;
    try {
      const { events } = await this.runner.execute(sale, target, {}, (state, data, now) => {
        const accepted = accepting(state, data, now);
        return accepted.length === 0 ? [] : [...accepted, ...decide(fold(sale, accepted, state))];
      });
      return events.length > 0;
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      if (!(await accept())) return false;
      await this.runner.execute(sale, target, {}, decide);
      return true;
    }
  }

  /** Completes a sale that has already been recorded, provided that its data matches the request. */
  private async resume(
    target: Target,
    priced: PricedSale,
    { customerId, ...given }: ManualSalePayload & { readonly currency: string },
  ): Promise<void> {
    const known = acceptedSale((await this.reader.read(sale, target.tenantId, target.id)).state);
    const { data } = await this.acceptanceOf(target);
    const payload = { ...given, externalId: priced.externalId, customer: null };
    const isSame = differingFields(data, priced, payload).length === 0;
    const isFor = customerId === null || priced.type !== 'SALE' || known.customerId === customerId;
    if (!isSame || !isFor) throw externalIdTaken(priced.externalId);
    if (await this.booking.isBooked(target, known)) return;
    await this.booking.book(target, await this.plans.of(target, known));
  }

  private async acceptanceOf({ tenantId, id }: Target): Promise<Acceptance> {
    const stream = streamName(sale.name, tenantId, id);
    const accepted = await firstOf(this.events, stream, 'SaleAccepted');
    if (!accepted) throw new Error(`${stream} does not contain the sale`);
    return this.catalogue.decode(accepted) as Acceptance;
  }

  private async receiptOf({ tenantId, id }: Target): Promise<Receipt> {
    const own = await this.reader.read(sale, tenantId, id);
    const state = acceptedSale(own.state);
    const holder = await this.reader.read(sale, tenantId, holderIdOf(tenantId, id, state));
    const revision = changesOf(state, isBookedOn(holder.state, id, state));
    return { id, revision, position: Math.max(own.position, holder.position) };
  }
}

const externalIdTaken = (externalId: string) =>
  conflict('EXTERNAL_ID_TAKEN', `Another sale already has the external id ${externalId}.`);

export const manualSaleProviders: readonly Type[] = [
  SaleNumbers,
  SaleDesk,
  handles(CreateSale, [SaleDesk], (desk, received) => desk.create(received)),
  handles(RetrySale, [SaleDesk], (desk, { target }) => desk.retry(target)),
] satisfies readonly (Type | Type<ICommandHandler>)[];
