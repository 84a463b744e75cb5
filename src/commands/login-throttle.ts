import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { clientNetwork } from '../platform/client-network.js';
import { DomainError } from '../platform/domain-error.js';
import { Gate } from '../platform/gate.js';
import { KeyedQueue } from '../platform/keyed-queue.js';
import { CACHE, type Cache, type WindowCount } from '../ports/cache.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock } from '../ports/time.js';

const WINDOW_MS = 15 * 60_000;
const MAX_PER_ACCOUNT = 10;
const MAX_PER_ADDRESS = 100;
const WARN_EVERY_MS = 1_000;
/** Attempts under way, a few more than passwords that are hashed at once. */
const AT_ONCE = 4;
/** About three seconds' work. */
const MAX_WAITING = 200;

/** Hits that were counted, each where it was. */
type Reservation = readonly { readonly key: string; readonly isLocal: boolean; readonly isOver: number | undefined }[];

/**
 * How often a password may be guessed: 10 failures in 15 minutes for an account from one address, 100 from one address;
 * an IPv6 network is one address.
 * An attempt is counted before it is made, so that many at once cannot pass together, and taken back when it was none.
 * Lest those that are under way stand in each other's way, few are at once, and one for an account and address. Where the
 * shared cache is away this process counts for itself.
 */
@Injectable()
export class LoginThrottle {
  private readonly local = new LRUCache<string, WindowCount>({ max: 10_000 });
  private readonly gate = new Gate({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING }, tooManyAtOnce);
  private readonly queue = new KeyedQueue();
  private queued = 0;
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(CACHE) private readonly cache: Cache,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Makes an attempt that `account` (an e-mail address, or what else names it; kept as a digest) is meant with.
   * `attempt` answers undefined where the password was wrong; that alone counts as a failure.
   * @throws DomainError limited RATE_LIMITED, unavailable, both without making the attempt; what `attempt` throws
   */
  async guard<T>(account: string, address: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.queued >= MAX_WAITING) throw tooManyAtOnce();
    const network = clientNetwork(address);
    const key = digest(`${account}\n${network}`);
    this.queued += 1;
    try {
      return await this.queue.run(key, () => this.gate.run(() => this.reserveAndMake(key, network, attempt)));
    } finally {
      this.queued -= 1;
    }
  }

  private async reserveAndMake<T>(
    key: string,
    network: string,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const nowMs = this.clock.nowMs();
    const reserved = await Promise.all([
      this.hit(`login:account:${key}`, MAX_PER_ACCOUNT),
      this.hit(`login:address:${digest(network)}`, MAX_PER_ADDRESS),
    ]);
    let failed = false;
    try {
      const over = reserved.flatMap(({ isOver }) => isOver ?? []);
      if (over.length > 0) throw tooMany(Math.max(...over) - nowMs);
      const result = await attempt();
      failed = result === undefined;
      return result;
    } finally {
      if (!failed) await this.takeBack(reserved);
    }
  }

  private async hit(key: string, limit: number): Promise<Reservation[number]> {
    try {
      return { key, isLocal: false, ...over(await this.cache.hit(key, WINDOW_MS), limit) };
    } catch (error) {
      this.warn(error);
      return { key, isLocal: true, ...over(this.countHere(key, 1), limit) };
    }
  }

  private async takeBack(reserved: Reservation): Promise<void> {
    for (const { key, isLocal } of reserved) {
      if (isLocal) this.countHere(key, -1);
      else
        await this.cache.hit(key, WINDOW_MS, -1).catch((error: unknown) => {
          this.warn(error);
        });
    }
  }

  private countHere(key: string, by: number): WindowCount {
    const nowMs = this.clock.nowMs();
    const known = this.local.get(key);
    const current = known && known.resetAtMs > nowMs ? known : { count: 0, resetAtMs: nowMs + WINDOW_MS };
    const counted = { ...current, count: Math.max(0, current.count + by) };
    this.local.set(key, counted);
    return counted;
  }

  private warn(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({ err: error }, 'the cache is away: failed sign-ins are counted by each process for itself');
  }
}

const over = ({ count, resetAtMs }: WindowCount, limit: number) => ({ isOver: count > limit ? resetAtMs : undefined });

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const tooManyAtOnce = (): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many sign in at once. Try again.', { retryAfterSeconds: 1 });

const tooMany = (leftMs: number): DomainError =>
  new DomainError('limited', 'RATE_LIMITED', 'Too many failed sign-ins. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
  });
