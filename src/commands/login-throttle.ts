import { hash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Refusal, refuseLogin, session } from '../aggregates/session.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { FairQueue, type Visitor } from '../eventsourcing/fair-queue.js';
import { CACHE, type Cache, type WindowCount } from '../ports/cache.js';
import { atMost } from '../ports/entry-limit.js';
import { LOGGER, type Logger } from '../ports/log.js';
import { CLOCK, type Clock, IDS, type Ids } from '../ports/time.js';
import { clientNetwork } from '../security/addresses.js';
import type { Account } from './session-accounts.js';

const WINDOW_MS = 15 * 60_000;
const MAX_PER_ACCOUNT = 10;
const MAX_PER_ADDRESS = 100;
const WARN_EVERY_MS = 1_000;
/**
 * Number of failed sign-ins to an account, from any address, after which unknown addresses must pause between attempts.
 */
const FREE_FAILURES = 10;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 16_000;
/**
 * Limit on failures for an account, regardless of the address. `max` applies only to unknown addresses. If several
 * tenants have the account, `tenant` is the one that the attempt names. An address is known only for attempts that name
 * the same tenant.
 */
type AccountLimit = { readonly windowMs: number; readonly max: number; readonly tenant?: string | undefined };
export const SIGN_INS: AccountLimit = { windowMs: WINDOW_MS, max: Number.POSITIVE_INFINITY };
/**
 * A code has only six digits, so guesses must be limited over a longer period. An attempt requires the password or a
 * session, so others cannot use up this limit.
 */
export const SECOND_FACTORS: AccountLimit = { windowMs: 24 * 3_600_000, max: 30 };
/** Period during which an address counts as known to the account after a sign-in. */
const KNOWN_MS = 30 * 24 * 3_600_000;
/**
 * Queue limits. The queue allows slightly more concurrent attempts than concurrent password verifications. A full queue
 * takes about five seconds to drain.
 */
const QUEUE = { atOnce: 4, maxWaiting: 400, maxPerGroup: 100, maxPerMember: 25 };

/** An attempt in progress. */
export type Attempt = {
  /** Number of failures for the account in the current window, from all addresses, including this attempt. */
  readonly count: number;
  /** Counts the attempt as a failure, even if it returns a result. */
  readonly fail: () => void;
};

/** Hits that were counted before the attempt, and the counters that they incremented. */
type Reservation = readonly {
  readonly key: string;
  readonly isLocal: boolean;
  readonly count: number;
  /** End of the window whose limit the hit exceeds; undefined if it does not exceed any limit. */
  readonly isOver: number | undefined;
}[];

/**
 * Limits password guessing. In 15 minutes, an address may cause 10 failures for one account and 100 failures in total.
 * An IPv6 network counts as one address. After 10 failures for an account, regardless of the address, attempts must be
 * 1 to 16 seconds apart. After 30 wrong second factors for an account in 24 hours, no further ones are checked. If an
 * address is known from an earlier sign-in to the account, only the first limit applies, so that others cannot lock out
 * the owner.
 *
 * An attempt is counted before it is made, so that concurrent attempts cannot exceed a limit. The count is reverted
 * unless the attempt fails. Addresses take turns, as do the accounts of one address. If the shared cache is
 * unavailable, each process counts independently.
 */
@Injectable()
export class LoginThrottle {
  private readonly local = new LRUCache<string, WindowCount>(atMost(10_000));
  private readonly gate = new FairQueue(QUEUE, tooManyAtOnce);
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(CACHE) private readonly cache: Cache,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Makes an attempt to sign in to `account`, an e-mail address or another identifier. Stores only the digest of the
   * account. `attempt` returns undefined for a wrong password. Nothing else counts as a failure, unless it calls `fail`.
   * @throws DomainError limited RATE_LIMITED or unavailable, in which case no attempt was made; any error from
   * `attempt`
   */
  guard<T>(
    account: string,
    address: string,
    attempt: (current: Attempt) => Promise<T | undefined>,
    limit = SIGN_INS,
  ): Promise<T | undefined> {
    const visitor = { group: clientNetwork(address), member: account };
    return this.gate.run(visitor, () => this.reserveAndMake(visitor, attempt, limit));
  }

  private async reserveAndMake<T>(
    { group: network, member: account }: Required<Visitor>,
    attempt: (current: Attempt) => Promise<T | undefined>,
    { windowMs, max, tenant }: AccountLimit,
  ): Promise<T | undefined> {
    const key = digest(`${account}\n${network}`);
    const reserved = await Promise.all([
      this.hit(`login:account:${key}`, MAX_PER_ACCOUNT),
      this.hit(`login:address:${digest(network)}`, MAX_PER_ADDRESS),
      this.hit(`login:everywhere:${digest(account)}`, max, windowMs),
    ]);
    const known = knownKey(account, network, tenant);
    let failed = false;
    const fail = (): void => {
      failed = true;
    };
    try {
      const [forAccount, forAddress, everywhere] = reserved;
      if (forAccount.isOver !== undefined) throw this.tooMany(forAccount.isOver);
      const isOver = forAddress.isOver ?? everywhere.isOver;
      const isSuspicious = isOver !== undefined || everywhere.count > FREE_FAILURES;
      if (isSuspicious && (await this.cache.get(known)) === undefined) {
        if (isOver !== undefined) throw this.tooMany(isOver);
        await this.pause(account, everywhere.count);
      }
      const result = await attempt({ count: everywhere.count, fail });
      failed ||= result === undefined;
      if (!failed) await this.cache.set(known, 'yes', KNOWN_MS);
      return result;
    } finally {
      if (!failed) await this.takeBack(reserved);
    }
  }

  /**
   * @throws DomainError limited if the previous attempt by an unknown address to sign in to the account was too recent
   */
  private async pause(account: string, failures: number): Promise<void> {
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - FREE_FAILURES - 1));
    const { isOver } = await this.hit(`login:pause:${digest(account)}`, 1, pauseMs);
    if (isOver !== undefined) throw this.tooMany(isOver);
  }

  private async hit(key: string, limit: number, windowMs = WINDOW_MS): Promise<Reservation[number]> {
    try {
      return { key, isLocal: false, ...over(await this.cache.hit(key, windowMs), limit) };
    } catch (error) {
      this.warn(error);
      return { key, isLocal: true, ...over(this.countHere(key, 1, windowMs), limit) };
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

  private countHere(key: string, by: number, windowMs = WINDOW_MS): WindowCount {
    const nowMs = this.clock.nowMs();
    const known = this.local.get(key);
    const current = known && known.resetAtMs > nowMs ? known : { count: 0, resetAtMs: nowMs + windowMs };
    const counted = { ...current, count: Math.max(0, current.count + by) };
    this.local.set(key, counted);
    return counted;
  }

  private tooMany(untilMs: number): DomainError {
    return new DomainError('limited', 'RATE_LIMITED', 'Too many failed sign-ins. Try again later.', {
      retryAfterSeconds: Math.max(1, Math.ceil((untilMs - this.clock.nowMs()) / 1_000)),
    });
  }

  private warn(error: unknown): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({ err: error }, 'the cache is unavailable; each process counts failed sign-ins separately');
  }
}

const over = ({ count, resetAtMs }: WindowCount, limit: number) => ({
  count,
  isOver: count > limit ? resetAtMs : undefined,
});

const knownKey = (account: string, network: string, tenant?: string): string =>
  `login:known:${digest([account, tenant, network].filter((part) => part !== undefined).join('\n'))}`;
const digest = (text: string): string => hash('sha256', text, 'base64url');

const tooManyAtOnce = (): DomainError =>
  new DomainError('unavailable', 'UNAVAILABLE', 'Too many concurrent sign-ins. Try again.', { retryAfterSeconds: 1 });

/** Maximum number of pending writes. Further failures are only logged. */
const MAX_UNDER_WAY = 1_000;
/**
 * Delay before the write. It ensures that the response is sent first, even if the event store writes on this thread.
 */
const DELAY_MS = 100;

/**
 * Records rejected sign-ins after the response, so that the response time does not reveal whether the account exists.
 */
@Injectable()
export class LoginFailures implements OnApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  record({ tenantId, owner: { userId } }: Pick<Account, 'tenantId' | 'owner'>, reason: Refusal): void {
    if (this.underWay.size >= MAX_UNDER_WAY) {
      this.logger.warn({ tenantId, userId, reason }, 'a rejected sign-in was not recorded: too many are waiting');
      return;
    }
    const target = { tenantId, id: this.ids.next() };
    const context = { ...currentContext(), tenantId };
    const writing = this.clock
      .sleep(DELAY_MS, this.ending.signal)
      .then(() => inContext(context, () => this.runner.execute(session, target, { userId, reason }, refuseLogin)))
      .then(
        () => undefined,
        (error: unknown) => {
          this.logger.error({ err: error, tenantId, userId, reason }, 'a rejected sign-in could not be recorded');
        },
      )
      .finally(() => this.underWay.delete(writing));
    this.underWay.add(writing);
  }

  async onApplicationShutdown(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.underWay);
  }
}
