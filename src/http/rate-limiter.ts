import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../ports/log.js';
import { LOGGER } from '../ports/log.js';
import type { RateLimiter, RateStatus } from '../platform/principal.js';
import { CACHE, type Cache, type WindowCount } from '../ports/cache.js';
import { CLOCK, type Clock } from '../ports/time.js';

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const WARN_EVERY_MS = 1_000;

/**
 * A fixed window that begins with the bucket's first hit, counted in the shared cache. Where that is away every request
 * passes; the headers then show this process's own count.
 */
@Injectable()
export class CacheRateLimiter implements RateLimiter {
  private readonly local = new LRUCache<string, WindowCount>({ max: 10_000 });
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(CACHE) private readonly cache: Cache,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async hit(bucket: string, limit: number): Promise<RateStatus> {
    try {
      const { count, resetAtMs } = await this.cache.hit(`rate:${bucket}`, WINDOW_MS);
      return status(limit, count, resetAtMs, count <= limit);
    } catch (error) {
      this.warn(error);
      const { count, resetAtMs } = this.countHere(bucket);
      return status(limit, count, resetAtMs, true);
    }
  }

  private countHere(bucket: string): WindowCount {
    const nowMs = this.clock.nowMs();
    const known = this.local.get(bucket);
    const current = known && known.resetAtMs > nowMs ? known : { count: 0, resetAtMs: nowMs + WINDOW_MS };
    const counted = { ...current, count: current.count + 1 };
    this.local.set(bucket, counted);
    return counted;
  }

  private warn(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({ err: error }, 'the cache is away: rate limits are not enforced');
  }
}

const status = (limit: number, count: number, resetAtMs: number, allowed: boolean): RateStatus => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetAtMs,
  windowSeconds: WINDOW_SECONDS,
  allowed,
});
