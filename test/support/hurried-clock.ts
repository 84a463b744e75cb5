import { SystemClock } from '../../src/adapters/system-time.js';

/** A clock that runs faster than real time by a given factor, so that waits of minutes take seconds. */
export class HurriedClock extends SystemClock {
  private readonly beganMs = super.nowMs();
  private readonly beganMonotonicMs = super.monotonicMs();

  constructor(private readonly rate: number) {
    super();
  }

  override nowMs(): number {
    return Math.floor(this.beganMs + this.passedMs());
  }

  override monotonicMs(): number {
    return this.beganMonotonicMs + this.passedMs();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms / this.rate, signal);
  }

  private passedMs(): number {
    return (super.monotonicMs() - this.beganMonotonicMs) * this.rate;
  }
}
