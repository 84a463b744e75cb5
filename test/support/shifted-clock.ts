import { SystemClock } from '../../src/adapters/system-time.js';

/** Real time, which a test may move forward. Sleeps take their stated time, so nothing under test stands still. */
export class ShiftedClock extends SystemClock {
  private passedMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.passedMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.passedMs;
  }

  /** Advances both clocks together. */
  pass(ms: number): void {
    this.passedMs += ms;
  }
}
