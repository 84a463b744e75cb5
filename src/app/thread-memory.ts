import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ResourceLimits } from 'node:worker_threads';

/** Heap growth relative to the live objects, in percent, that triggers a collection of old objects. */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Memory limits of worker threads. A batch should become garbage before the young generation is full, because surviving
 * objects are copied.
 */
export const THREAD_LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 48 };

const LOOK_EVERY_MS = 5_000;
/** Event-loop utilization below which a thread counts as idle. A replica that shares work is never this idle. */
const IDLE = 0.01;
/**
 * Minimum time between two collections. Each collection also discards compiled code, so the next requests take longer.
 */
const AT_MOST_EVERY_MS = 60_000;
/** Heap growth, in bytes, that justifies a collection, which takes a tenth of a second. */
const GROWTH = 24 * 1024 * 1024;

/** In Node.js 20, `gc` accepts no options and returns less memory to the operating system. */
const OPTIONS =
  Number.parseInt(process.versions.node, 10) < 22
    ? []
    : ([{ type: 'major', execution: 'sync', flavor: 'last-resort' }] as const);

/**
 * Makes V8 collect old objects earlier, in all threads. By default, V8 lets small heaps grow to four times their live
 * objects. Must be called before the first thread is created. Savings and costs: docs/performance.md.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/**
 * Returns memory to the operating system when this thread becomes idle after its heap has grown. Otherwise, V8 would
 * keep garbage from start-up and from bursts until more memory is allocated.
 */
export function releaseMemoryWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (...options: typeof OPTIONS) => void;
  let before = performance.eventLoopUtilization();
  let kept = 0;
  let collectedMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE || performance.now() < collectedMs + AT_MOST_EVERY_MS) return;
    if (getHeapStatistics().total_physical_size < kept + GROWTH) return;
    collectedMs = performance.now();
    collect(...OPTIONS);
    kept = getHeapStatistics().total_physical_size;
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}
