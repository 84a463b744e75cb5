import type { Clock } from '../ports/time.js';

/** Number of concurrent requests at which background work yields if the thread is saturated. */
const BUSY_REQUESTS = 16;
/**
 * Event loop utilization at which a thread counts as saturated. Requests that only wait for external engines do not
 * increase the utilization.
 */
const BUSY_SHARE = 0.9;
/** Minimum time between background steps on a saturated thread, so that they take a few percent of its time. */
const STEP_EVERY_MS = 10;
/** Maximum delay of background work. It limits the age of the backlog during a burst of requests. */
const PATIENCE_MS = 15_000;

/**
 * Shares the serving thread between requests and policies. During a burst, requests have priority. Background work,
 * such as bookings, catches up after the burst, or after `PATIENCE_MS` if the burst lasts longer.
 */
export class Backpressure {
  private requests = 0;
  private nextStepMs = Number.NEGATIVE_INFINITY;

  /**
   * @param eventLoopUtilization returns the thread's recent utilization, from 0 to 1; called before each background
   * step during a burst
   */
  constructor(
    private readonly clock: Clock,
    private readonly eventLoopUtilization: () => number,
  ) {}

  requestBegins(): void {
    this.requests += 1;
  }

  requestEnds(): void {
    this.requests -= 1;
  }

  /** Resolves when a background step may run for an event with the wall-clock timestamp `sinceMs`. */
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
    return this.eventLoopUtilization() >= BUSY_SHARE;
  }
}
