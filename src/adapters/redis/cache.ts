import { hash } from 'node:crypto';
import { type Cache, type CacheStatus, CacheUnavailable, type WindowCount } from '../../ports/cache.js';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { MAX_KEY_LENGTH, requireDuration, requireHits } from '../cache.input.js';
import { compileGlob } from '../../ports/glob-pattern.js';
import { type Client, RedisLink } from './cache.connection.js';

const PREFIX = 'kontor:';
/** Maximum length of a value. Entries with longer values are not stored. */
const MAX_VALUE_LENGTH = 2_097_152;
/** Number of keys scanned per step. */
const SCAN_COUNT = 1_000;
/** Maximum number of keys scanned to count entries. */
const MAX_COUNTED_KEYS = 100_000;

export type RedisCacheOptions = {
  /**
   * A `redis://` URL, or `rediss://` for an encrypted connection. It may contain a user, a password and a database
   * number.
   */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Key prefix, so that services can share a database. Default: `kontor:`. */
  readonly prefix?: string;
  /** Response timeout in milliseconds. Default: 500. */
  readonly commandTimeoutMs?: number;
};

/**
 * A cache on a Redis server that all replicas share. While the server is unavailable, lookups find nothing, writes are
 * lost, and all other calls fail immediately with CacheUnavailable. If the server hangs, calls are delayed by one
 * command timeout. Counter windows use the server's clock, so that replicas agree. Window end times are converted to
 * this process's wall clock.
 */
export class RedisCache implements Cache {
  private readonly link: RedisLink;
  private readonly clock: Clock;
  private readonly entries: string;
  private readonly counters: string;
  private hits = 0;
  private lookups = 0;

  private constructor({ url, clock, logger, prefix = PREFIX, commandTimeoutMs = 500 }: RedisCacheOptions) {
    this.clock = clock;
    this.entries = `${prefix}entry:`;
    this.counters = `${prefix}count:`;
    this.link = new RedisLink({ url, clock, logger, commandTimeoutMs });
  }

  /** Connects in the background and retries until closed. @throws Error for an invalid URL */
  static open(options: RedisCacheOptions): RedisCache {
    return new RedisCache(options);
  }

  get isReady(): boolean {
    return this.link.isReady;
  }

  async get(key: string): Promise<string | undefined> {
    this.lookups += 1;
    const value = await this.unlessAway(this.link.ask((client) => client.get(this.entryKey(key)), key.length));
    if (typeof value !== 'string') return undefined;
    this.hits += 1;
    return value;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    requireDuration('ttlMs', ttlMs);
    if (key.length > MAX_KEY_LENGTH) return;
    if (value.length > MAX_VALUE_LENGTH) {
      await this.unlessAway(this.link.ask((client) => client.unlink(this.entryKey(key)), key.length));
      return;
    }
    const bytes = key.length + 2 * value.length;
    await this.unlessAway(this.link.ask((client) => client.set(this.entryKey(key), value, 'PX', ttlMs), bytes));
  }

  /**
   * Removes matching entries. Entries that are set concurrently may remain. @throws RangeError for a pattern that is
   * too long; CacheUnavailable if the removal may be incomplete
   */
  async clear(pattern: string): Promise<number> {
    const matches = compileGlob(pattern);
    let cleared = 0;
    for await (const keys of this.scan()) {
      const matching = keys.filter((key) => matches(key.slice(this.entries.length)));
      if (matching.length > 0) cleared += await this.link.ask((client) => client.unlink(...matching));
    }
    return cleared;
  }

  async hit(key: string, windowMs: number, by = 1): Promise<WindowCount> {
    requireDuration('windowMs', windowMs);
    requireHits(by);
    const counter = this.counters + shortened(key);
    const [count, leftMs] = await this.link.ask((client) => client.hitWindow(counter, windowMs, by), key.length);
    return { count, resetAtMs: Math.ceil(this.clock.nowMs() + leftMs) };
  }

  /**
   * `keyCount` is exact up to 100,000 keys in the database, and an estimate beyond that. Memory and uptime refer to the
   * whole server, and `hitRate` to this process.
   */
  async status(): Promise<CacheStatus> {
    const hitRate = this.lookups === 0 ? null : this.hits / this.lookups;
    const away = { latencyMs: 0, version: null, uptimeSeconds: 0, usedMemoryBytes: 0, keyCount: 0 };
    try {
      const startMs = this.clock.monotonicMs();
      await this.link.ask((client) => client.ping());
      const latencyMs = this.clock.monotonicMs() - startMs;
      const facts = await this.link.ask(readFacts);
      return { store: 'redis', connected: true, latencyMs, ...facts, keyCount: await this.countEntries(), hitRate };
    } catch {
      return { store: 'redis', connected: false, ...away, hitRate };
    }
  }

  async facts(): Promise<EngineFacts> {
    const server = await this.link.ask((client) => client.info('server'));
    return { engine: 'redis', version: factOf(server, 'redis_version') ?? null };
  }

  fault(): EngineFault | undefined {
    return this.link.fault;
  }

  close(): Promise<void> {
    return this.link.close();
  }

  private entryKey(key: string): string {
    return this.entries + key;
  }

  /** Yields each entry's key at least once. The server matches only the prefix, because a user's glob could be slow. */
  private async *scan(onStep?: () => boolean): AsyncIterable<string[]> {
    const pattern = `${this.entries.replace(/[\\*?[\]^]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const from = cursor;
      const step = (client: Client) => client.scan(from, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
      const [next, keys] = await this.link.ask(step);
      yield keys;
      cursor = next;
    } while (cursor !== '0' && onStep?.() !== false);
  }

  private async countEntries(): Promise<number> {
    const seen = new Set<string>();
    const total = await this.link.ask((client) => client.dbsize());
    let looked = 0;
    const isEnough = (): boolean => (looked += SCAN_COUNT) < MAX_COUNTED_KEYS;
    for await (const keys of this.scan(isEnough)) for (const key of keys) seen.add(key);
    return total <= MAX_COUNTED_KEYS ? seen.size : Math.round((seen.size / MAX_COUNTED_KEYS) * total);
  }

  private async unlessAway<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof CacheUnavailable) return undefined;
      throw error;
    }
  }
}

async function readFacts(client: Client): Promise<Pick<CacheStatus, 'version' | 'uptimeSeconds' | 'usedMemoryBytes'>> {
  const [server, memory] = await Promise.all([client.info('server'), client.info('memory')]);
  const fact = (name: string): string | undefined => factOf(server + memory, name);
  return {
    version: fact('redis_version') ?? null,
    uptimeSeconds: Number(fact('uptime_in_seconds') ?? 0),
    usedMemoryBytes: Number(fact('used_memory') ?? 0),
  };
}

const factOf = (told: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(told)?.[1];

/** Counter keys come from requests, so long keys are hashed to limit their size on the server. */
const shortened = (key: string): string =>
  key.length <= MAX_KEY_LENGTH ? key : `sha256:${hash('sha256', key, 'base64url')}`;
