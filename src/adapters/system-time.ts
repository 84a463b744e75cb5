import { performance } from 'node:perf_hooks';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports/time.js';

/** Maximum timer delay: Node's timers fire immediately for longer ones. */
const LONGEST_TIMER_MS = 2_147_483_647;

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !signal?.aborted; left -= LONGEST_TIMER_MS)
      await timer(Math.min(left, LONGEST_TIMER_MS), signal);
  }
}

/** Unlike Node's promised timer it resolves on abort, because creating an error takes longer than the timer. */
const timer = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timeout = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });

/** The library keeps ids increasing within a process even if the wall clock is set back. */
export class Uuid7Ids implements Ids {
  next(): string {
    return v7();
  }
}
