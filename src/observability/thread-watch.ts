import { constants, monitorEventLoopDelay, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';

/** Timer delay in the event loop, in milliseconds. */
export type LoopDelay = {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const RESOLUTION_MS = 20;
const HALF_WINDOW_MS = 30_000;

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * Measures garbage collections, and the event loop delay over the last 30 to 60 seconds. Two histograms alternate: the
 * older one is read, and is reset at the end of its window. Therefore, readers do not affect each other.
 */
export class ThreadWatch {
  private older = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private younger = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private timer: NodeJS.Timeout | undefined;
  private readonly collections: PerformanceObserver;

  constructor(registry: Registry) {
    const seconds = new Histogram({
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collections of the serving thread, by kind.',
      labelNames: ['kind'],
      buckets: [0.001, 0.01, 0.1, 1],
      registers: [registry],
    });
    this.collections = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seconds.observe({ kind: kindOf(entry) }, entry.duration / 1_000);
    });
  }

  start(): void {
    this.collections.observe({ entryTypes: ['gc'] });
    this.older.enable();
    this.younger.enable();
    this.timer = setInterval(() => {
      this.older.reset();
      [this.older, this.younger] = [this.younger, this.older];
    }, HALF_WINDOW_MS).unref();
  }

  delay(): LoopDelay {
    const { older } = this;
    // Before the first sample, a histogram's minimum and mean are not valid numbers.
    if (older.count === 0) return { meanMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 };
    return {
      meanMs: delayMs(older.mean),
      p50Ms: delayMs(older.percentile(50)),
      p99Ms: delayMs(older.percentile(99)),
      maxMs: delayMs(older.max),
    };
  }

  stop(): void {
    this.collections.disconnect();
    clearInterval(this.timer);
    this.older.disable();
    this.younger.disable();
  }
}

/**
 * Returns the delay without the sampling interval. The times between samples in the histogram include that interval.
 */
const delayMs = (nanoseconds: number): number =>
  Math.max(0, Math.round((nanoseconds / 1e6 - RESOLUTION_MS) * 1_000) / 1_000);

const kindOf = (entry: PerformanceEntry): string =>
  GC_KINDS[(entry as PerformanceEntry & { detail?: { kind?: number } }).detail?.kind ?? -1] ?? 'other';
