import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BOOKING, policy } from '../aggregates/policy.aggregate.js';
import { bookSale } from '../aggregates/sale-booking.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import type { AcceptedSale, Sale } from '../aggregates/sale.aggregate.js';
import type { Target } from '../eventsourcing/command-runner.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { BookingFacts } from '../policies/booking-facts.js';
import { CLOCK, type Clock } from '../ports/time.js';

/**
 * Maximum time for which accepting a sale waits for facts. If no server is involved, facts arrive in far less than a
 * millisecond.
 */
export const PATIENCE_MS = 90;
/**
 * Additional time for facts that may have arrived while the process itself could not run. Otherwise, a busy replica
 * would leave its sales to the policy, at several times the cost, and become even busier.
 */
export const GRACE_MS = 20;
/** Period during which sales do not wait for facts after reading them has taken longer than PATIENCE_MS. */
const HASTE_MS = 2_000;
/**
 * Maximum age of the facts. A change within this time is treated as if it were made after the sale. With an embedded
 * history, facts are always current.
 */
const FACTS_MAX_AGE_MS = 1_000;
/** Sales whose acceptance begins within this interval share a deadline. */
const SHARED_MS = 10;
const LATE = Symbol('late');

/**
 * Decides how to book a sale that is about to be accepted, so that accepting and booking it require only one append.
 * Leaves the sale to the booking policy if that policy is paused, or if the facts cannot be read promptly
 * (docs/adr/0065). Also leaves it to that policy if the sale would be rejected, or if its customer must be created or
 * linked. After a slow read operation, uses only facts in memory for HASTE_MS. Never fails.
 */
@Injectable()
export class AcceptingBooking {
  private hastyUntilMs = Number.NEGATIVE_INFINITY;
  private deadlineUntilMs = Number.NEGATIVE_INFINITY;
  /**
   * Callbacks to run at the current deadline. A promise instead would keep every decided booking in memory until then.
   */
  private late = new Set<() => void>();

  constructor(
    @Inject(BookingFacts) private readonly facts: BookingFacts,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `state` is the sale as it will be accepted. Returns no events if the booking policy must book the sale. */
  bookingOf(target: Target, state: Sale): readonly SaleEvent[] | Promise<readonly SaleEvent[]> {
    if (state.status === 'absent' || state.type !== 'SALE') return [];
    return this.decidedAtOnce(target, state) ?? this.decidedSoon(target, state);
  }

  /**
   * Decides from facts in memory. Returns undefined if a fact is missing or the policy is paused, and no events if the
   * sale cannot be booked.
   */
  private decidedAtOnce(target: Target, state: AcceptedSale): readonly SaleEvent[] | undefined {
    try {
      const control = this.reader.recent(policy, PLATFORM_TENANT, BOOKING, { maxAgeMs: FACTS_MAX_AGE_MS });
      if (!control || control.state.pausedAt !== null) return undefined;
      const data = this.facts.atHand(target, state, FACTS_MAX_AGE_MS);
      return data && bookSale(state, data);
    } catch {
      return [];
    }
  }

  private async decidedSoon(target: Target, state: AcceptedSale): Promise<readonly SaleEvent[]> {
    if (!this.reader.isPrompt(FACTS_MAX_AGE_MS)) return [];
    const isHasty = this.clock.monotonicMs() < this.hastyUntilMs;
    const decided = this.decided(target, state);
    // Decisions that need only facts in memory complete before `setImmediate` does.
    const booked = await (isHasty ? Promise.race([decided, setImmediate(LATE)]) : this.inTime(decided));
    if (booked === LATE && !isHasty) this.hastyUntilMs = this.clock.monotonicMs() + HASTE_MS;
    return booked === LATE || booked === undefined ? [] : booked;
  }

  private async decided(target: Target, state: AcceptedSale): Promise<readonly SaleEvent[] | undefined> {
    try {
      const { state: control } = await this.reader.read(policy, PLATFORM_TENANT, BOOKING, {
        maxAgeMs: FACTS_MAX_AGE_MS,
      });
      if (control.pausedAt !== null) return undefined;
      const data = await this.facts.known(target, state, FACTS_MAX_AGE_MS);
      return data && bookSale(state, data);
    } catch {
      return undefined;
    }
  }

  private inTime<T>(decided: Promise<T>): Promise<T | typeof LATE> {
    const late = this.deadline();
    return new Promise((resolve) => {
      const end = (): void => {
        resolve(LATE);
      };
      late.add(end);
      void decided.then((booked) => {
        late.delete(end);
        resolve(booked);
      });
    });
  }

  /**
   * Sales whose acceptance begins within the same 10 ms share a timer. A separate timer for each sale would take more
   * time than the decision.
   */
  private deadline(): Set<() => void> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs >= this.deadlineUntilMs) {
      this.deadlineUntilMs = nowMs + SHARED_MS;
      const late = (this.late = new Set<() => void>());
      // The second sleep is separate, so that facts that arrived while the process could not run are processed first.
      void this.clock
        .sleep(PATIENCE_MS)
        .then(() => this.clock.sleep(GRACE_MS))
        .then(() => {
          for (const end of late) end();
        });
    }
    return this.late;
  }
}
