import { SystemClock } from '../../src/adapters/system-time.js';

/**
 * A real-time clock that a test can move forward. Sleeps last for the requested real time, so nothing under test stands
 * still.
 */
export class ShiftedClock extends SystemClock {
  private passedMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.passedMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.passedMs;
  }

  /** Moves the wall clock and the monotonic clock forward by the same amount. */
  pass(ms: number): void {
    this.passedMs += ms;
  }
}
