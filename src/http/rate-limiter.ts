import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { DomainError } from '../eventsourcing/domain-error.js';
import { atMost } from '../ports/entry-limit.js';
import { LOGGER, type Logger } from '../ports/log.js';
import type { PartnerPrincipal, RateLimiter, RateStatus } from '../security/principal.js';
import { CACHE, type Cache, type WindowCount } from '../ports/cache.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { rateLimited } from './refusals.js';

const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const WARN_EVERY_MS = 1_000;

/**
 * Limits requests in fixed windows. A bucket's window starts with its first hit. Hits are counted in the shared cache.
 * While the cache is unavailable, every request passes, and the headers report this process's own count.
 */
@Injectable()
export class CacheRateLimiter implements RateLimiter {
  private readonly local = new LRUCache<string, WindowCount>(atMost(10_000));
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(CACHE) private readonly cache: Cache,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async hit(bucket: string, limit: number, by = 1): Promise<RateStatus> {
    try {
      const { count, resetAtMs } = await this.cache.hit(`rate:${bucket}`, WINDOW_MS, by);
      return status(limit, count, resetAtMs, { admitted: Math.max(0, Math.min(by, limit - count + by)), by });
    } catch (error) {
      this.warn(error);
      const { count, resetAtMs } = this.countHere(bucket, by);
      return status(limit, count, resetAtMs, { admitted: by, by });
    }
  }

  private countHere(bucket: string, by: number): WindowCount {
    const nowMs = this.clock.nowMs();
    const known = this.local.get(bucket);
    const current = known && known.resetAtMs > nowMs ? known : { count: 0, resetAtMs: nowMs + WINDOW_MS };
    const counted = { ...current, count: current.count + by };
    this.local.set(bucket, counted);
    return counted;
  }

  private warn(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({ err: error }, 'the cache is unavailable: rate limits are not enforced');
  }
}

type Hits = { readonly admitted: number; readonly by: number };
const status = (limit: number, count: number, resetAtMs: number, { admitted, by }: Hits): RateStatus => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetAtMs,
  windowSeconds: WINDOW_SECONDS,
  allowed: admitted === by,
  admitted,
});

/**
 * A limit on requests per window. `policy` is the name of the limit in headers. Callers with the same `bucket` share
 * the limit.
 */
export type Quota = { readonly policy: string; readonly bucket: string; readonly limit: number };
/** Returns the quota for a partner's key. */
export const partnerQuota = ({ keyId, rateLimit: limit }: PartnerPrincipal): Quota => ({
  ...{ policy: 'key', bucket: `partner-key:${keyId}`, limit },
});
type Further = {
  readonly headers: Readonly<Record<string, string>>;
  readonly admitted: number;
  readonly refusal: DomainError | undefined;
};

/** Counts requests against quotas and reports the counts in headers. */
export class RateGate {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts the request against each quota. A rejected request counts only against the exhausted ones, so that one
   * caller cannot use up the quota of others.
   * @throws DomainError limited RATE_LIMITED
   */
  async count(reply: FastifyReply, quotas: readonly Quota[]): Promise<void> {
    const { tightest, counts } = await this.report(reply, quotas);
    if (tightest.allowed) return;
    const passed = quotas.filter((_, at) => counts[at]?.allowed);
    await Promise.all(passed.map(({ bucket, limit }) => this.rateLimiter.hit(bucket, limit, -1)));
    throw this.refusal(tightest);
  }

  /**
   * Counts `by` additional requests that one HTTP request contains. The caller rejects all requests beyond the first
   * `admitted` with `refusal`.
   */
  async countFurther(quota: Quota, by: number): Promise<Further> {
    if (by === 0) return { headers: {}, admitted: 0, refusal: undefined };
    const count = await this.rateLimiter.hit(quota.bucket, quota.limit, by);
    return { headers: this.headersOf([quota], [count], count), admitted: count.admitted, refusal: this.refusal(count) };
  }

  private refusal(count: RateStatus): DomainError {
    return rateLimited(Math.max(1, this.secondsUntil(count)));
  }

  /** Reports the counts without enforcing them. Returns them, and the one with the fewest requests left. */
  async report(
    reply: FastifyReply,
    quotas: readonly Quota[],
  ): Promise<{ readonly tightest: RateStatus; readonly counts: readonly RateStatus[] }> {
    const counts = await Promise.all(quotas.map(({ bucket, limit }) => this.rateLimiter.hit(bucket, limit)));
    const tightest = counts.reduce(tighter);
    reply.headers(this.headersOf(quotas, counts, tightest));
    return { tightest, counts };
  }

  /** `counts` contains one count for each quota, in the same order. */
  private headersOf(
    quotas: readonly Quota[],
    counts: readonly RateStatus[],
    tightest: RateStatus,
  ): Record<string, string> {
    const policies = quotas.map(({ policy, limit }) => `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
    const states = counts.map(
      (count, at) => `"${quotas[at]?.policy ?? ''}";r=${left(count)};t=${this.secondsUntil(count)}`,
    );
    return {
      'x-ratelimit-limit': String(tightest.limit),
      'x-ratelimit-remaining': String(left(tightest)),
      'x-ratelimit-reset': String(Math.ceil(tightest.resetAtMs / 1000)),
      'x-ratelimit-window': `${tightest.windowSeconds}s`,
      // draft-ietf-httpapi-ratelimit-headers-10
      'ratelimit-policy': policies.join(', '),
      ratelimit: states.join(', '),
    };
  }

  private secondsUntil({ resetAtMs }: RateStatus): number {
    return Math.max(0, Math.ceil((resetAtMs - this.clock.nowMs()) / 1000));
  }
}

const left = ({ allowed, remaining }: RateStatus): number => (allowed ? remaining : 0);

/** Of two exhausted quotas, returns the one that resets later. */
function tighter(a: RateStatus, b: RateStatus): RateStatus {
  if (a.allowed !== b.allowed) return a.allowed ? b : a;
  if (!a.allowed) return a.resetAtMs >= b.resetAtMs ? a : b;
  return a.remaining <= b.remaining ? a : b;
}
