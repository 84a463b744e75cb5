import { randomFillSync } from 'node:crypto';
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

const POOLED_IDS = 512;

/** Increases within a process even if the wall clock goes back. Draws randomness for many ids at once. */
export class Uuid7Ids implements Ids {
  private readonly pool = Buffer.alloc(POOLED_IDS * 16);
  private used = POOLED_IDS;
  private lastMs = 0;
  private sequence = 0;

  next(): string {
    if (this.used === POOLED_IDS) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const random = this.pool.subarray(this.used * 16, this.used * 16 + 16);
    this.used += 1;
    this.advance(random);
    return v7({ random, msecs: this.lastMs, seq: this.sequence });
  }

  /** RFC 9562, 6.2, method 1: a counter with a random start in each millisecond and room to grow. */
  private advance(random: Buffer): void {
    const nowMs = Date.now();
    if (nowMs > this.lastMs) {
      this.lastMs = nowMs;
      this.sequence = random.readUInt32BE(6) & 0x7fffffff;
    } else if (this.sequence < 0xffffffff) this.sequence += 1;
    else {
      this.lastMs += 1;
      this.sequence = 0;
    }
  }
}
