import type { ResourceLimits } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';

/** Heap growth relative to the live objects, in percent, that triggers a collection of old objects. */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Limits of worker threads. The young generation is half of V8's default. A thread that works in batches releases
 * nearly all objects after each batch, so a larger young generation would not help.
 */
export const THREAD_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/**
 * Makes V8 collect old objects earlier in all threads. By default, V8 lets small heaps grow to four times their live
 * objects, so a busy service would retain hundreds of megabytes of garbage. Must be called before the first thread is
 * created. See docs/performance.md for the savings and costs.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
