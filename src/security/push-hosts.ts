import { LRUCache } from 'lru-cache';
import { atMost } from '../ports/entry-limit.js';
import type { Clock } from '../ports/time.js';
import type { Backoff } from '../eventsourcing/backoff.js';

/** Maximum pause, even if the push service requests a longer one. */
const MAX_PAUSE_MS = 5 * 60_000;
/** A host is considered to be down if no push has succeeded for this long since its first failure. */
const DOWN_AFTER_MS = 10 * 60_000;
/** Number of failures after which a host is paused. A single failure may affect only one browser. */
const FAILURES_TO_PAUSE = 2;
const MAX_HOSTS = 10_000;

type Trouble = { failures: number; readonly sinceMs: number; untilMs: number };

/** Health of push services by host. A failing host is paused for all its browsers. */
export class PushHosts {
  private readonly troubles = new LRUCache<string, Trouble>(atMost(MAX_HOSTS));

  constructor(
    private readonly clock: Clock,
    private readonly backoff: Backoff,
  ) {}

  /** Remaining pause of a host, or 0 if the host may be used. */
  pauseMs(host: string): number {
    const trouble = this.troubles.get(host);
    return trouble ? Math.max(0, trouble.untilMs - this.clock.monotonicMs()) : 0;
  }

  /**
   * Whether the host has been failing for so long that pushes do not wait for it. After each pause, one more request is
   * attempted.
   */
  isDown(host: string): boolean {
    const trouble = this.troubles.get(host);
    return trouble !== undefined && this.clock.monotonicMs() - trouble.sinceMs > DOWN_AFTER_MS;
  }

  /** Whether the last request failed or timed out. */
  isTroubled(host: string): boolean {
    return this.troubles.has(host);
  }

  worked(host: string): void {
    this.troubles.delete(host);
  }

  /** `afterMs` is the delay requested by the push service. */
  failed(host: string, afterMs: number | undefined): void {
    const nowMs = this.clock.monotonicMs();
    const trouble = this.troubles.get(host) ?? { failures: 0, sinceMs: nowMs, untilMs: nowMs };
    trouble.failures += 1;
    const own = trouble.failures < FAILURES_TO_PAUSE ? 0 : this.backoff.pauseMs(trouble.failures);
    trouble.untilMs = Math.max(trouble.untilMs, nowMs + Math.min(MAX_PAUSE_MS, Math.max(own, afterMs ?? 0)));
    this.troubles.set(host, trouble);
  }
}
