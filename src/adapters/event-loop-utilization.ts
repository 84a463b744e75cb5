import { performance } from 'node:perf_hooks';

/** Minimum interval between measurements. Shorter intervals would not produce meaningful values. */
const LOOK_EVERY_MS = 50;

/**
 * Utilization of this thread's event loop (0 to 1), measured from one call to the next if they are at least 50 ms
 * apart. It is 0 until the first measurement.
 */
export class EventLoopUtilization {
  private last = performance.eventLoopUtilization();
  private share = 0;

  readonly read = (): number => {
    const now = performance.eventLoopUtilization();
    const since = performance.eventLoopUtilization(now, this.last);
    if (since.active + since.idle < LOOK_EVERY_MS) return this.share;
    this.last = now;
    this.share = since.utilization;
    return this.share;
  };
}
