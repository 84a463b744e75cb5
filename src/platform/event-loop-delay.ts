import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late the event loop came to its timers, milliseconds. */
export type LoopDelay = {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const RESOLUTION_MS = 20;
const HALF_WINDOW_MS = 30_000;
const NANOSECONDS_PER_MS = 1e6;

/**
 * The event loop's delay over the last 30 to 60 seconds. Of two histograms the older one tells, and begins anew when the
 * window is over; so everyone who asks gets the same, and nobody's question changes the next answer.
 */
export class EventLoopDelay {
  private older = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private younger = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private timer: NodeJS.Timeout | undefined;

  begin(): void {
    this.older.enable();
    this.younger.enable();
    this.timer = setInterval(() => {
      this.older.reset();
      [this.older, this.younger] = [this.younger, this.older];
    }, HALF_WINDOW_MS).unref();
  }

  read(): LoopDelay {
    const { older } = this;
    // Before the first sample a histogram's minimum and mean are no numbers.
    if (older.count === 0) return { meanMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 };
    const [meanMs = 0, p50Ms = 0, p99Ms = 0, maxMs = 0] = [
      older.mean,
      older.percentile(50),
      older.percentile(99),
      older.max,
    ].map(delayMs);
    return { meanMs, p50Ms, p99Ms, maxMs };
  }

  end(): void {
    clearInterval(this.timer);
    this.older.disable();
    this.younger.disable();
  }
}

/** The histogram holds the time between two samples, which includes the interval itself. */
const delayMs = (nanoseconds: number): number =>
  Math.max(0, Math.round((nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS) * 1_000) / 1_000);
