import type { Cache, CacheStatus, WindowCount } from '../ports/cache.js';
import type { EngineFacts } from '../ports/engine.js';

/** Told of every call of the cache. */
export type CacheWatch = {
  readonly lookedUp: (result: 'hit' | 'miss') => void;
  /** The store was away, or too slow. A look-up that fails is a miss: the port does not tell them apart. */
  readonly failed: (operation: 'clear' | 'count') => void;
};

/** A cache whose look-ups and failures are counted; everything is passed on as it is. */
export class MeteredCache implements Cache {
  constructor(
    private readonly inner: Cache,
    private readonly watch: CacheWatch,
  ) {}

  async get(key: string): Promise<string | undefined> {
    const value = await this.inner.get(key);
    this.watch.lookedUp(value === undefined ? 'miss' : 'hit');
    return value;
  }

  set(key: string, value: string, ttlMs: number): Promise<void> {
    return this.inner.set(key, value, ttlMs);
  }

  clear(pattern: string): Promise<number> {
    return this.watched('clear', () => this.inner.clear(pattern));
  }

  hit(key: string, windowMs: number, by?: number): Promise<WindowCount> {
    return this.watched('count', () => this.inner.hit(key, windowMs, by));
  }

  status(): Promise<CacheStatus> {
    return this.inner.status();
  }

  facts(): Promise<EngineFacts> {
    return this.inner.facts();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async watched<T>(operation: 'clear' | 'count', work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.watch.failed(operation);
      throw error;
    }
  }
}
