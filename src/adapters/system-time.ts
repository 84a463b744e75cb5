import { performance } from 'node:perf_hooks';
import { setTimeout as timer } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports/time.js';

/** Node's timers fire immediately for longer delays. */
const LONGEST_TIMER_MS = 2_147_483_647;

export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    let left = ms;
    while (left > 0 && !signal?.aborted) {
      const stretch = Math.min(left, LONGEST_TIMER_MS);
      await timer(stretch, undefined, signal ? { signal } : undefined).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      });
      left -= stretch;
    }
  }
}

/** The library keeps ids increasing within a process even if the wall clock goes back. */
export class Uuid7Ids implements Ids {
  next(): string {
    return v7();
  }
}
