import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports/time.js';
import type { Backoff } from './backoff.js';

/** What a push service is said to be asked to wait at most. */
const MAX_PAUSE_MS = 5 * 60_000;
/** So long without a success, and it is taken for down. */
const DOWN_AFTER_MS = 10 * 60_000;
/** One failure alone may be about one browser. */
const FAILURES_TO_PAUSE = 2;
const MAX_ORIGINS = 1_000;

type Trouble = { failures: number; readonly sinceMs: number; untilMs: number };

/** How push services are doing, by their origins: one that fails is left alone for a while, for all its browsers. */
export class PushOrigins {
  private readonly troubles = new LRUCache<string, Trouble>({ max: MAX_ORIGINS });

  constructor(
    private readonly clock: Clock,
    private readonly backoff: Backoff,
  ) {}

  /** How long it is to be left alone from now on; 0 where it may be asked. */
  pauseMs(origin: string): number {
    const trouble = this.troubles.get(origin);
    return trouble ? Math.max(0, trouble.untilMs - this.clock.monotonicMs()) : 0;
  }

  /** Whether it has failed for so long that nobody should wait for it. After each pause one more may try. */
  isDown(origin: string): boolean {
    const trouble = this.troubles.get(origin);
    return trouble !== undefined && this.clock.monotonicMs() - trouble.sinceMs > DOWN_AFTER_MS;
  }

  worked(origin: string): void {
    this.troubles.delete(origin);
  }

  /** `afterMs`: as it said itself. */
  failed(origin: string, afterMs: number | undefined): void {
    const nowMs = this.clock.monotonicMs();
    const trouble = this.troubles.get(origin) ?? { failures: 0, sinceMs: nowMs, untilMs: nowMs };
    trouble.failures += 1;
    const own = trouble.failures < FAILURES_TO_PAUSE ? 0 : this.backoff.pauseMs(trouble.failures);
    trouble.untilMs = Math.max(trouble.untilMs, nowMs + Math.min(MAX_PAUSE_MS, Math.max(own, afterMs ?? 0)));
    this.troubles.set(origin, trouble);
  }
}
