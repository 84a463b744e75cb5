import type { Clock } from '../ports/time.js';

/** From so many requests under way on, background work in the same thread gives way, if the thread has no time left. */
const BUSY_REQUESTS = 16;
/** Share of its time that a thread without any left is busy: requests that wait for engines elsewhere leave some. */
const BUSY_SHARE = 0.9;
/** While it is busy, one background step is taken in so much time: a few percent of it. */
const STEP_EVERY_MS = 10;
/** Background work that has waited longer than this no longer gives way: the backlog of a burst stays bounded in time. */
const PATIENCE_MS = 15_000;

/**
 * Shares the serving thread between requests and the policies that run in it: a burst of requests is answered first,
 * and what follows from it (bookings) is caught up with after the burst, or in spite of it when that takes too long.
 */
export class Pace {
  private requests = 0;
  private nextStepMs = Number.NEGATIVE_INFINITY;

  /** @param busyShare of its time the thread was busy lately, 0 to 1; asked before every step in a burst */
  constructor(
    private readonly clock: Clock,
    private readonly busyShare: () => number,
  ) {}

  requestBegins(): void {
    this.requests += 1;
  }

  requestEnds(): void {
    this.requests -= 1;
  }

  /** Resolves when a background step may be taken for something that happened at `sinceMs` (wall clock). */
  async turn(sinceMs: number): Promise<void> {
    while (this.givesWay(sinceMs)) {
      const nowMs = this.clock.monotonicMs();
      if (nowMs >= this.nextStepMs) {
        this.nextStepMs = nowMs + STEP_EVERY_MS;
        return;
      }
      await this.clock.sleep(this.nextStepMs - nowMs);
    }
  }

  private givesWay(sinceMs: number): boolean {
    if (this.requests < BUSY_REQUESTS || this.clock.nowMs() - sinceMs > PATIENCE_MS) return false;
    return this.busyShare() >= BUSY_SHARE;
  }
}
