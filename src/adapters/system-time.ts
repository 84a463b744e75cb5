import { randomFillSync } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { v7 } from 'uuid';
import type { Clock, Ids } from '../ports/time.js';

/** Maximum delay of a Node.js timer. With a longer delay, the timer would fire immediately. */
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

/**
 * Unlike the promise-based Node.js timer, this timer resolves on abort, because creating an error would take longer
 * than creating the timer.
 */
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

const ID_BYTES = 16;

/**
 * Ids increase within a process even if the wall clock is set back. Random bytes are generated for many ids at once.
 */
export class Uuid7Ids implements Ids {
  private readonly pool = new Uint8Array(256 * ID_BYTES);
  private used = this.pool.length;
  private msecs = Number.NEGATIVE_INFINITY;
  private seq = 0;

  next(): string {
    const random = this.random();
    const nowMs = Date.now();
    if (nowMs > this.msecs) {
      this.msecs = nowMs;
      // The upper half of the range remains free, so that the sequence cannot overflow within a millisecond.
      this.seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1;
    } else this.seq += 1;
    return v7({ random, msecs: this.msecs, seq: this.seq });
  }

  private random(): Uint8Array {
    if (this.used === this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    this.used += ID_BYTES;
    return this.pool.subarray(this.used - ID_BYTES, this.used);
  }
}
