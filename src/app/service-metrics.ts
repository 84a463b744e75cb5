import { Counter, Gauge, type Registry } from 'prom-client';
import type { Check, ReadinessReport } from '../http/health.controller.js';
import { lagOf } from '../observability/queue-board.js';
import type { QueueReading } from '../observability/queue-meters.js';
import type { LoopDelay } from '../observability/thread-watch.js';
import { version } from './version.js';

/** Values collected at each Prometheus scrape. A value is undefined while it is unknown. */
export type Observed = {
  readonly report: ReadinessReport;
  /** Position of the service's last event. */
  readonly head: number | undefined;
  readonly parkedLetters: number | undefined;
  readonly jobs: readonly JobTally[] | undefined;
  /** Queues that this process consumes. Each queue is reported only by its leader. */
  readonly queues: readonly QueueReading[];
  /** Reason for failing appends; undefined if appends succeed. */
  readonly writeFault: string | undefined;
  readonly projections: readonly { readonly name: string; readonly standing: string }[];
  readonly delay: LoopDelay;
};

export type JobTally = { readonly name: string; readonly lastSuccessAt: string | null; readonly failures: number };

/**
 * Help text and value function by metric name. Undefined values are not reported. Metrics whose names end in `_total`
 * are counters.
 */
type Figures<Item> = Readonly<Record<string, readonly [help: string, valueOf: ValueOf<Item>]>>;
type ValueOf<Item> = (item: Item, observed: Observed) => number | undefined;

/** Registers metrics with one sample per item. Returns a function that sets the samples. */
function metricsOf<Item>(
  registry: Registry,
  itemsOf: (observed: Observed) => readonly Item[],
  labels: Readonly<Record<string, (item: Item) => string>>,
  figures: Figures<Item>,
): (observed: Observed) => void {
  const labelNames = Object.keys(labels);
  const metrics = Object.entries(figures).map(([name, [help, valueOf]]) => {
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    return { metric: new Metric({ name, help, labelNames, registers: [registry] }), valueOf };
  });
  return (observed) => {
    const items = itemsOf(observed).map((item) => ({
      item,
      own: Object.fromEntries(Object.entries(labels).map(([label, textOf]) => [label, textOf(item)])),
    }));
    for (const { metric, valueOf } of metrics) {
      metric.reset();
      // reset() sets a metric without labels to 0, but an unknown value must not be reported as 0.
      if (labelNames.length === 0) metric.remove();
      for (const { item, own } of items) {
        const value = valueOf(item, observed);
        if (value !== undefined) metric.inc(own, value);
      }
    }
  };
}

const ENGINES = new Set(['event-store', 'read-store', 'broker', 'cache']);
const OF_ENGINES: Figures<Check> = {
  kontor_engine_up: ['1 if the engine responded in time, otherwise 0.', ({ status }) => Number(status !== 'down')],
  kontor_engine_latency_seconds: ['Response time of the engine.', ({ latencyMs }) => latencyMs / 1_000],
};

const secondsOf = (instant: string | null): number | undefined =>
  instant === null ? undefined : Date.parse(instant) / 1_000;
const OF_JOBS: Figures<JobTally> = {
  kontor_job_last_success_timestamp_seconds: [
    'Unix time of the last successful run of the job, the same on every replica.',
    ({ lastSuccessAt }) => secondsOf(lastSuccessAt),
  ],
  kontor_job_failures_total: [
    'Failed runs of the job, the same on every replica and not reset by a restart.',
    ({ failures }) => failures,
  ],
};

const OF_PROJECTIONS: Figures<Observed['projections'][number]> = {
  kontor_projection_stopped: [
    '1 if the projection stopped at an event that it cannot fold.',
    ({ standing }) => Number(standing === 'stopped'),
  ],
  kontor_projection_failed: [
    '1 if the projection failed twice in a row; it is being retried.',
    ({ standing }) => Number(standing === 'failed'),
  ],
};

const OF_QUEUES: Figures<QueueReading> = {
  kontor_subscriber_position: [
    'Last processed position. Reported by the leader of the subscriber.',
    ({ position }) => position,
  ],
  kontor_subscriber_lag_positions: [
    'Distance to the head, 0 if no event is outstanding. On EventStoreDB, in bytes of its log.',
    (queue, { head }) => (head === undefined ? undefined : lagOf(queue, head)),
  ],
  kontor_subscriber_in_flight: ['Events being processed.', ({ inFlight }) => inFlight],
  kontor_subscriber_last_processed_timestamp_seconds: [
    'Unix time of the last processed event.',
    ({ lastProcessedAt }) => secondsOf(lastProcessedAt),
  ],
  kontor_subscriber_ranges: [
    'Number of ranges of the history, of 16, that this process works on. Absent if the subscriber is not divided.',
    ({ ranges }) => ranges?.length,
  ],
  kontor_subscriber_events_handled_total: ['Processed events.', ({ handled }) => handled],
  kontor_subscriber_failures_total: ['Failed attempts.', ({ failures }) => failures],
};

const LAG = 'event loop delay of the serving thread over the last 30 to 60 seconds.';
const SECONDS_PER_US = 1e-6;
const OF_THE_PROCESS: Figures<Observed> = {
  kontor_ready: ['1 if the process can serve requests.', ({ report }) => Number(report.status !== 'not-ready')],
  kontor_event_store_head_position: ['Position of the last event of the service.', ({ head }) => head],
  kontor_dead_letters_parked: ['Dead letters waiting for an operator.', ({ parkedLetters }) => parkedLetters],
  process_cpu_user_seconds_total: [
    'CPU time of all threads in user space.',
    () => process.cpuUsage().user * SECONDS_PER_US,
  ],
  process_cpu_system_seconds_total: [
    'CPU time of all threads in the kernel.',
    () => process.cpuUsage().system * SECONDS_PER_US,
  ],
  process_cpu_seconds_total: ['CPU time of all threads.', () => cpuOf(process.cpuUsage()) * SECONDS_PER_US],
  process_start_time_seconds: ['Unix time of the process start.', () => Math.round(performance.timeOrigin) / 1_000],
  process_resident_memory_bytes: ['Resident memory.', () => process.memoryUsage.rss()],
  nodejs_heap_size_total_bytes: ['Heap size of the serving thread.', () => process.memoryUsage().heapTotal],
  nodejs_heap_size_used_bytes: ['Heap memory in use by the serving thread.', () => process.memoryUsage().heapUsed],
  nodejs_external_memory_bytes: ['Memory outside the heap.', () => process.memoryUsage().external],
  nodejs_eventloop_lag_mean_seconds: [`Mean ${LAG}`, ({ delay }) => delay.meanMs / 1_000],
  nodejs_eventloop_lag_p50_seconds: [`Median ${LAG}`, ({ delay }) => delay.p50Ms / 1_000],
  nodejs_eventloop_lag_p99_seconds: [`99th percentile ${LAG}`, ({ delay }) => delay.p99Ms / 1_000],
  nodejs_eventloop_lag_max_seconds: [`Maximum ${LAG}`, ({ delay }) => delay.maxMs / 1_000],
};
const cpuOf = ({ user, system }: NodeJS.CpuUsage): number => user + system;

const OF_WRITES: Figures<Observed> = {
  kontor_event_store_writes_failing: [
    '1 if the last append failed, with the reason. The readiness check probes once per second ' +
      'until an append succeeds.',
    ({ writeFault }) => Number(writeFault !== undefined),
  ],
};
const OF_THE_BUILD: Figures<Observed> = {
  kontor_build_info: ['Always 1; the labels identify the running version.', () => 1],
};

const name = (item: { readonly name: string }): string => item.name;
const self = (observed: Observed): readonly Observed[] => [observed];
const enginesOf = ({ report }: Observed) => report.checks.filter((check) => ENGINES.has(check.name));

/** Registers the metrics whose values are read at each scrape. Returns a function that sets them. */
export function serviceMetrics(registry: Registry): (observed: Observed) => void {
  const setters = [
    metricsOf(registry, ({ queues }) => queues, { subscriber: name, kind: ({ kind }) => kind }, OF_QUEUES),
    metricsOf(registry, enginesOf, { engine: name }, OF_ENGINES),
    metricsOf(registry, ({ jobs = [] }) => jobs, { job: name }, OF_JOBS),
    metricsOf(registry, ({ projections }) => projections, { projection: name }, OF_PROJECTIONS),
    metricsOf(registry, self, {}, OF_THE_PROCESS),
    metricsOf(registry, self, { reason: ({ writeFault = '' }) => writeFault }, OF_WRITES),
    metricsOf(registry, self, { version: () => version, node_version: () => process.version }, OF_THE_BUILD),
  ];
  return (observed) => {
    for (const set of setters) set(observed);
  };
}
