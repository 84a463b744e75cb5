import type { ResourceLimits } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';

/** How much a heap may grow beyond what was found to live in it, in percent, before old objects are collected again. */
const HEAP_GROWTH_PERCENT = 50;

/**
 * For a thread beside the serving one. Its young generation is half of V8's default: a thread that works in batches
 * lets go of nearly all it makes at a batch's end, however small that generation is.
 */
export const THREAD_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/**
 * Makes V8 collect old objects of all threads earlier than it would by itself: it lets small heaps grow to up to four
 * times of what lives in them, so that a busy service kept hundreds of megabytes of garbage. To be called before the
 * first thread is made. What it saves and costs stands in docs/performance.md.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
