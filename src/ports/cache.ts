import type { EngineFacts, EngineFault } from './engine.js';
import { token } from './token.js';

/** Shared cache and counters. Any entry may disappear at any time, so correctness must never depend on the cache. */
export const CACHE = token<Cache>('CACHE');

/** State of a rate-limit window after a hit. */
export type WindowCount = {
  /** Number of hits in the window, including those of this call. */
  readonly count: number;
  /** End of the window, in milliseconds since 1970. */
  readonly resetAtMs: number;
};
/** Cache state displayed to operators. */
export type CacheStatus = {
  readonly store: 'redis' | 'memory';
  readonly connected: boolean;
  readonly latencyMs: number;
  readonly version: string | null;
  readonly uptimeSeconds: number;
  readonly usedMemoryBytes: number;
  readonly keyCount: number;
  /** Hits divided by lookups, from 0 to 1, or null before the first lookup. */
  readonly hitRate: number | null;
};

/**
 * Cache entries and counters. Methods fail only with the errors listed under `@throws`. Otherwise, an unavailable store
 * behaves as if it were empty and discards writes.
 */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` is required because every entry expires. @throws RangeError unless `ttlMs` is a positive integer */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Removes cached entries (never counters) whose keys match the glob (`*`, `?`, `[a-z]`, `\` escapes). Returns the
   * number of removed entries.
   * @throws RangeError for a pattern longer than 256 characters, CacheUnavailable when the removal may be incomplete
   */
  clear(pattern: string): Promise<number>;
  /**
   * Counts one hit, or `by` hits, in a fixed window that starts with the key's first hit. Atomic across all replicas. A
   * negative `by` reverts hits, but never reduces the count below 0 and never starts a window.
   * @throws CacheUnavailable; RangeError unless `by` is a non-zero integer
   */
  hit(key: string, windowMs: number, by?: number): Promise<WindowCount>;
  /** Never fails. If the store is unavailable, reports it as not connected. May scan many keys. */
  status(): Promise<CacheStatus>;
  /** Reports the engine's name and version in one round trip. @throws CacheUnavailable */
  facts(): Promise<EngineFacts>;
  /** Reason why the engine is unusable, or undefined when it is available. Performs no I/O. */
  fault?(): EngineFault | undefined;
  close(): Promise<void>;
}

/** The store is unavailable or timed out. It is unknown whether a failed `hit` was counted. */
export class CacheUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'CacheUnavailable';
  }
}
