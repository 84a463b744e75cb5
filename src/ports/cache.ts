import type { EngineFacts } from './engine.js';

/** Shared cache and counters. Everything in it may vanish at any moment; nothing depends on it for correctness. */
export const CACHE = Symbol('CACHE');

/** The state of a window after a hit. */
export type WindowCount = {
  /** Hits in the window, these included. */
  readonly count: number;
  /** End of the window, milliseconds since 1970. */
  readonly resetAtMs: number;
};
/** What operators are told of it. */
export type CacheStatus = {
  readonly store: 'redis' | 'memory';
  readonly connected: boolean;
  readonly latencyMs: number;
  readonly version: string | null;
  readonly uptimeSeconds: number;
  readonly usedMemoryBytes: number;
  readonly keyCount: number;
  /** Hits / look-ups, 0–1; null before the first look-up. */
  readonly hitRate: number | null;
};

/** Entries and counters. What is not said to throw does not fail: a store that is away has nothing and keeps nothing. */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  /** `ttlMs` is required: no entry lives for ever. @throws RangeError for one that is no positive whole number */
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /**
   * Removes cached entries (never counters) whose key matches the glob (`*`, `?`, `[a-z]`, `\` escapes); answers how many.
   * @throws RangeError for a pattern over 256 characters, CacheUnavailable when only some may be removed
   */
  clear(pattern: string): Promise<number>;
  /**
   * Counts one hit, or `by` hits, in a fixed window that begins with the key's first hit; atomic over all replicas. A
   * negative `by` takes hits back: never below 0, and without a window none begins.
   * @throws CacheUnavailable; RangeError for a `by` that is no whole number other than 0
   */
  hit(key: string, windowMs: number, by?: number): Promise<WindowCount>;
  /** Never fails: a store that is away is told as not connected. It may look at many keys. */
  status(): Promise<CacheStatus>;
  /** Asks the engine who it is: one round trip. @throws CacheUnavailable */
  facts(): Promise<EngineFacts>;
  close(): Promise<void>;
}

/** The store is away or did not answer in time: a hit may or may not be counted. */
export class CacheUnavailable extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'CacheUnavailable';
  }
}
