import type { Clock } from '../ports/time.js';

/** From so many requests under way on, background work in the same thread gives way. */
const BUSY_REQUESTS = 16;
/** While it is busy, so many background steps are taken for each pause of a millisecond. */
const STEPS_PER_PAUSE = 4;
/** Background work that has waited longer than this no longer gives way: the backlog of a burst stays bounded in time. */
const PATIENCE_MS = 15_000;

/**
 * Shares the serving thread between requests and the policies that run in it: a burst of requests is answered first,
 * and what follows from it (bookings) is caught up with after the burst, or in spite of it when that takes too long.
 */
export class Pace {
  private requests = 0;
  private steps = 0;

  constructor(private readonly clock: Clock) {}

  requestBegins(): void {
    this.requests += 1;
  }

  requestEnds(): void {
    this.requests -= 1;
  }

  /** Resolves when a background step may be taken for something that happened at `sinceMs` (wall clock). */
  async turn(sinceMs: number): Promise<void> {
    if (this.requests < BUSY_REQUESTS || this.clock.nowMs() - sinceMs > PATIENCE_MS) return;
    this.steps += 1;
    if (this.steps % STEPS_PER_PAUSE === 0) await this.clock.sleep(1);
  }
}
