import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { Gauge, Counter, Histogram, type Registry } from 'prom-client';
import type { EventLoopDelay } from './event-loop-delay.js';

/** What is running. */
export type Build = { readonly version: string };

const MICROSECONDS = 1e-6;
const GC_BUCKETS = [0.001, 0.01, 0.1, 1];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/**
 * The process under the names that every Prometheus client for Node uses. Not the client's own collection: that can
 * never be ended, and a process may run several services one after another. Answers how to end it.
 */
export function collectProcessMetrics(registry: Registry, delay: EventLoopDelay, { version }: Build): () => void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  collectCpu(registry);
  gauge('process_start_time_seconds', 'When the process began, as unix time.', () => startedAtSeconds());
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_size_total_bytes', 'Heap of the serving thread.', () => process.memoryUsage().heapTotal);
  gauge('nodejs_heap_size_used_bytes', 'Used heap of the serving thread.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_external_memory_bytes', 'Memory outside of the heap.', () => process.memoryUsage().external);
  const lag = 'of the delay of the event loop in the serving thread, over the last half to whole minute.';
  gauge('nodejs_eventloop_lag_mean_seconds', `Mean ${lag}`, () => delay.read().meanMs / 1_000);
  gauge('nodejs_eventloop_lag_p50_seconds', `Median ${lag}`, () => delay.read().p50Ms / 1_000);
  gauge('nodejs_eventloop_lag_p99_seconds', `99th percentile ${lag}`, () => delay.read().p99Ms / 1_000);
  gauge('nodejs_eventloop_lag_max_seconds', `Maximum ${lag}`, () => delay.read().maxMs / 1_000);
  new Gauge({
    name: 'kontor_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
  return collectGarbage(registry);
}

const startedAtSeconds = (): number => Math.round(performance.timeOrigin) / 1_000;

function collectCpu(registry: Registry): void {
  const cpu = (name: string, help: string, read: (usage: NodeJS.CpuUsage) => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read(process.cpuUsage()) * MICROSECONDS);
      },
    });
  cpu('process_cpu_user_seconds_total', 'CPU time in user space, of all threads.', ({ user }) => user);
  cpu('process_cpu_system_seconds_total', 'CPU time in the kernel, of all threads.', ({ system }) => system);
  cpu('process_cpu_seconds_total', 'CPU time of all threads.', ({ user, system }) => user + system);
}

function collectGarbage(registry: Registry): () => void {
  const seconds = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Garbage collections of the serving thread, by kind.',
    labelNames: ['kind'],
    buckets: GC_BUCKETS,
    registers: [registry],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seconds.observe({ kind: kindOf(entry) }, entry.duration / 1_000);
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    observer.disconnect();
  };
}

const kindOf = (entry: PerformanceEntry): string =>
  GC_KINDS[(entry as PerformanceEntry & { detail?: { kind?: number } }).detail?.kind ?? -1] ?? 'other';
