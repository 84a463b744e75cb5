import { performance } from 'node:perf_hooks';

/** Looked at no more often than this: a shorter stretch says little. */
const LOOK_EVERY_MS = 50;

/**
 * The share of this thread's time in which its event loop did not rest, over the last 50 ms or the time since somebody
 * last asked. 0 before the first look is over.
 */
export class BusyShare {
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
