import { Counter, Gauge, type Registry } from 'prom-client';
import type { Metrics } from './http/metrics.controller.js';
import type { ReadinessReport } from './http/health.controller.js';
import { lagOf } from './platform/queue-board.js';
import type { QueueReading } from './platform/queue-meters.js';

/** What is asked for when Prometheus asks; undefined where it cannot be told now. */
export type Sources = {
  readonly report: () => Promise<ReadinessReport>;
  /** Of the queues that this process works on: their leader tells, nobody else. */
  readonly queues: () => readonly QueueReading[];
  readonly head: () => Promise<number | undefined>;
  readonly parkedLetters: () => Promise<number | undefined>;
  readonly projections: () => readonly { readonly name: string; readonly isStopped: boolean }[];
};

const QUEUE_LABELS = ['subscriber', 'kind'] as const;
type QueueLabel = (typeof QUEUE_LABELS)[number];
const ENGINES = new Set(['event-store', 'read-store', 'broker', 'cache']);

/** The registry of a process with what is looked at only when it is asked for. */
export class ServiceMetrics implements Metrics {
  private readonly gauges: ReturnType<typeof gaugesIn>;
  private readonly totals: ReturnType<typeof totalsIn>;

  constructor(
    private readonly registry: Registry,
    private readonly sources: Sources,
  ) {
    this.gauges = gaugesIn(registry);
    this.totals = totalsIn(registry);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async text(): Promise<string> {
    const { sources } = this;
    const [report, head, letters] = await Promise.all([sources.report(), sources.head(), sources.parkedLetters()]);
    // From here on nothing waits, so that two who ask at once do not mix.
    this.setEngines(report);
    this.setQueues(sources.queues(), head);
    const { gauges } = this;
    setOrForget(gauges.head, head);
    setOrForget(gauges.letters, letters);
    for (const { name, isStopped } of sources.projections())
      gauges.stopped.set({ projection: name }, Number(isStopped));
    return this.registry.metrics();
  }

  private setEngines({ status, checks }: ReadinessReport): void {
    const { gauges } = this;
    gauges.ready.set(Number(status !== 'not-ready'));
    for (const { name: engine, status: found, latencyMs } of checks.filter(({ name }) => ENGINES.has(name))) {
      gauges.engineUp.set({ engine }, Number(found !== 'down'));
      gauges.engineLatency.set({ engine }, latencyMs / 1_000);
    }
  }

  private setQueues(queues: readonly QueueReading[], head: number | undefined): void {
    const { gauges, totals } = this;
    for (const metric of [gauges.position, gauges.lag, gauges.inFlight, gauges.last, totals.handled, totals.failures])
      metric.reset();
    for (const queue of queues) {
      const labels = { subscriber: queue.name, kind: queue.kind };
      gauges.position.set(labels, queue.position);
      gauges.inFlight.set(labels, queue.inFlight);
      totals.handled.inc(labels, queue.handled);
      totals.failures.inc(labels, queue.failures);
      if (head !== undefined) gauges.lag.set(labels, lagOf(queue, head));
      if (queue.lastProcessedAt !== null) gauges.last.set(labels, Date.parse(queue.lastProcessedAt) / 1_000);
    }
  }
}

/** A figure that is not known is left out, rather than told as it was. */
function setOrForget(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

function gaugesIn(registry: Registry) {
  const plain = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const ofQueue = (name: string, help: string) =>
    new Gauge<QueueLabel>({ name, help, labelNames: QUEUE_LABELS, registers: [registry] });
  const ofEngine = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['engine'], registers: [registry] });
  return {
    ready: plain('kontor_ready', '1 where the process can serve.'),
    engineUp: ofEngine('kontor_engine_up', '1 where the engine answered in time.'),
    engineLatency: ofEngine('kontor_engine_latency_seconds', 'How long the engine took to answer.'),
    head: plain('kontor_event_store_head_position', "Position of the service's last event."),
    letters: plain('kontor_dead_letters_parked', 'Dead letters that wait for an operator.'),
    stopped: new Gauge({
      name: 'kontor_projection_stopped',
      help: '1 where a projection met an event that it cannot fold.',
      labelNames: ['projection'],
      registers: [registry],
    }),
    position: ofQueue(
      'kontor_subscriber_position',
      'Everything up to it is done. Told by who leads in the subscriber.',
    ),
    lag: ofQueue(
      'kontor_subscriber_lag_positions',
      '0 where nothing is outstanding, else positions up to the head: on EventStoreDB bytes of its log.',
    ),
    inFlight: ofQueue('kontor_subscriber_in_flight', 'Events taken in hand and not done.'),
    last: ofQueue(
      'kontor_subscriber_last_processed_timestamp_seconds',
      'When it was done with an event, as unix time.',
    ),
  };
}

/** Counted elsewhere; told here. */
function totalsIn(registry: Registry) {
  const total = (name: string, help: string) =>
    new Counter<QueueLabel>({ name, help, labelNames: QUEUE_LABELS, registers: [registry] });
  return {
    handled: total('kontor_subscriber_events_handled_total', 'Events done.'),
    failures: total('kontor_subscriber_failures_total', 'Attempts that failed.'),
  };
}
