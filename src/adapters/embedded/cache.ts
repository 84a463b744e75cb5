import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Cache, type CacheStatus, CacheUnavailable, type WindowCount } from '../../ports/cache.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Clock } from '../../ports/time.js';
import { MAX_KEY_LENGTH, requireDuration, requireHits } from '../cache.input.js';
import { compileGlob } from '../../ports/glob-pattern.js';

export type MemoryCacheOptions = {
  readonly clock: Clock;
  /** Maximum number of entries. When it is exceeded, the least recently used entries are evicted. Default: 10,000. */
  readonly maxEntries?: number;
  /**
   * Maximum number of counters. When it is exceeded, the least recently used counters are evicted. Default: 100,000.
   */
  readonly maxCounters?: number;
  /** Maximum combined size of keys and values, in UTF-16 bytes. Default: 64 MiB. */
  readonly maxBytes?: number;
};

/**
 * Maximum size of an entry. Larger entries are not stored, which is safe because any entry may be missing at any time.
 */
const MAX_ENTRY_BYTES = 4_194_304;
/** Maximum total size of counter keys. The keys come from requests, so their memory use must be limited. */
const MAX_COUNTER_BYTES = 33_554_432;
/** Time in milliseconds that `clear` spends matching keys before it yields to the event loop. */
const CLEAR_STRETCH_MS = 4;

type Counter = { count: number; readonly endsAtMs: number };

const bytesOf = (...texts: readonly string[]): number => 1 + 2 * texts.reduce((sum, { length }) => sum + length, 0);

/**
 * Cache for a single process. Counter windows and entry lifetimes use the monotonic clock, so changes to the wall clock
 * have no effect.
 */
export class MemoryCache implements Cache {
  private readonly clock: Clock;
  private readonly entries: LRUCache<string, string>;
  private readonly counters: LRUCache<string, Counter>;
  private readonly maxCounters: number;
  private readonly openedAtMs: number;
  private hits = 0;
  private lookups = 0;
  private closed = false;

  constructor({ clock, maxEntries = 10_000, maxCounters = 100_000, maxBytes = 67_108_864 }: MemoryCacheOptions) {
    this.clock = clock;
    this.maxCounters = maxCounters;
    this.openedAtMs = clock.monotonicMs();
    this.entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      maxEntrySize: Math.min(MAX_ENTRY_BYTES, maxBytes),
      sizeCalculation: (value, key) => bytesOf(key, value),
      // A start time of 0 would mean "no lifetime", so 1 is added. A non-zero resolution would start a timer.
      perf: { now: () => clock.monotonicMs() - this.openedAtMs + 1 },
      ttlResolution: 0,
    });
    this.counters = new LRUCache({
      // The `max` option would allocate memory for all counters in advance, so `hit` limits their number.
      maxSize: MAX_COUNTER_BYTES,
      sizeCalculation: (_counter, key) => bytesOf(key),
    });
  }

  get(key: string): Promise<string | undefined> {
    const value = this.entries.get(key);
    this.lookups += 1;
    if (value !== undefined) this.hits += 1;
    return Promise.resolve(value);
  }

  set(key: string, value: string, ttlMs: number): Promise<void> {
    return new Promise((resolve) => {
      requireDuration('ttlMs', ttlMs);
      if (!this.closed && key.length <= MAX_KEY_LENGTH) this.entries.set(key, value, { ttl: ttlMs });
      resolve();
    });
  }

  /**
   * Removes the matching entries that existed when the call started. @throws RangeError for a pattern longer than
   * MAX_PATTERN_LENGTH
   */
  async clear(pattern: string): Promise<number> {
    const matches = compileGlob(pattern);
    let cleared = 0;
    let since = this.clock.monotonicMs();
    for (const key of [...this.entries.keys()]) {
      if (matches(key) && this.entries.delete(key)) cleared += 1;
      if (this.clock.monotonicMs() - since < CLEAR_STRETCH_MS) continue;
      await nextTurn();
      since = this.clock.monotonicMs();
    }
    return cleared;
  }

  hit(key: string, windowMs: number, by = 1): Promise<WindowCount> {
    return new Promise((resolve) => {
      requireDuration('windowMs', windowMs);
      requireHits(by);
      if (this.closed) throw new CacheUnavailable('The cache is closed.');
      const nowMs = this.clock.monotonicMs();
      let counter = this.counters.get(key);
      if (!counter || nowMs >= counter.endsAtMs) {
        counter = { count: 0, endsAtMs: nowMs + windowMs };
        if (by > 0) this.counters.set(key, counter);
        if (this.counters.size > this.maxCounters) this.counters.pop();
      }
      counter.count = Math.max(0, counter.count + by);
      resolve({ count: counter.count, resetAtMs: Math.ceil(this.clock.nowMs() + counter.endsAtMs - nowMs) });
    });
  }

  status(): Promise<CacheStatus> {
    this.entries.purgeStale();
    return Promise.resolve({
      store: 'memory',
      connected: !this.closed,
      latencyMs: 0,
      version: null,
      uptimeSeconds: Math.floor((this.clock.monotonicMs() - this.openedAtMs) / 1_000),
      usedMemoryBytes: this.entries.calculatedSize + this.counters.calculatedSize,
      keyCount: this.entries.size,
      hitRate: this.lookups === 0 ? null : this.hits / this.lookups,
    });
  }

  facts(): Promise<EngineFacts> {
    if (this.closed) return Promise.reject(new CacheUnavailable('The cache is closed.'));
    return Promise.resolve({ engine: 'memory', version: null });
  }

  close(): Promise<void> {
    this.closed = true;
    this.entries.clear();
    this.counters.clear();
    return Promise.resolve();
  }
}
