import { LRUCache } from 'lru-cache';
import { IDEMPOTENCY_WINDOW_MS } from '../aggregates/request-key.aggregate.js';
import { atMost } from '../ports/entry-limit.js';
import type { Clock } from '../ports/time.js';

/**
 * Maximum number of valid keys recorded per sale. Prevents a partner that sends a new key with every retry from filling
 * the history.
 */
const MAX_KEYS_PER_SALE = 10;
const SALES_REMEMBERED = 10_000;

type RecordedKey = { readonly key: string; readonly sinceMs: number };

/**
 * The valid idempotency keys of recent sales, as far as this process has seen them. Used only to limit the number of
 * recorded keys, so the loss of this cache is harmless.
 */
export class RecordedKeys {
  private readonly keysOf = new LRUCache<string, RecordedKey[]>(atMost(SALES_REMEMBERED));

  constructor(private readonly clock: Clock) {}

  has(saleId: string, key: string): boolean {
    return this.validKeysOf(saleId).some((one) => one.key === key);
  }

  /** Counts a key, and returns whether it may be recorded for the sale. */
  take(saleId: string, key: string): boolean {
    const keys = this.validKeysOf(saleId);
    if (keys.some((one) => one.key === key)) return true;
    if (keys.length >= MAX_KEYS_PER_SALE) return false;
    this.keysOf.set(saleId, [...keys, { key, sinceMs: this.clock.nowMs() }]);
    return true;
  }

  release(saleId: string, key: string): void {
    const others = this.validKeysOf(saleId).filter((one) => one.key !== key);
    this.keysOf.set(saleId, others);
  }

  private validKeysOf(saleId: string): readonly RecordedKey[] {
    const keys = this.keysOf.get(saleId);
    if (keys === undefined) return [];
    const expiredMs = this.clock.nowMs() - IDEMPOTENCY_WINDOW_MS;
    return keys.filter(({ sinceMs }) => sinceMs > expiredMs);
  }
}
