import type { Provider } from '@nestjs/common';
import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { job } from '../aggregates/job.aggregate.js';
import { JOB_DIRECTORY, type JobDirectory, pausesOf } from '../queries/operation.queries.js';
import type { Config } from '../config.js';
import type { Policy } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { ALL_RANGES } from '../eventsourcing/ranges.js';
import { lastOwnEvent } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { withTimeout } from '../eventsourcing/with-timeout.js';
import { HEALTH, type Health, type ProbeReport, type ReadinessReport } from '../http/health.controller.js';
import { QueueBoard } from '../observability/queue-board.js';
import type { QueueReading } from '../observability/queue-meters.js';
import { ThreadWatch } from '../observability/thread-watch.js';
import { TileStore } from '../integrity/tile-store.js';
import { INTEGRITY } from '../integrity/tree-follower.js';
import { WITNESS } from '../integrity/witness.js';
import { WEBHOOKS } from '../integration/webhook-dispatcher.js';
import { ALERTS } from '../policies/operator-alerts.js';
import { POLICIES } from '../policies/policies.js';
import { PLATFORM } from '../ports/read-store.js';
import { rangeLeaders } from '../projecting/range-leadership.js';
import { ReadModelReadiness } from '../projecting/read-model-readiness.js';
import { deadLetters } from '../projections/dead-letter.projection.js';
import { projections } from '../projections/projections.js';
import { ReadModels } from '../queries/query.js';
import { catalogue } from './catalogue.js';
import type { Engines } from './engines.js';
import { POLICIES_GROUP } from './lead-policies.js';
import { PUSH } from './notifications.js';
import { cachedSamples, savedSamples } from './queue-samples.js';
import { Readiness } from './readiness.js';
import { serviceMetrics, type JobTally, type Observed } from './service-metrics.js';
import { FORWARDER_GROUP, leaseOf } from './subscribers.js';
import { version } from './version.js';

const ANSWER_WITHIN_MS = 2_000;
const PARKED = { where: { status: 'PARKED' } } as const;
const DIVIDED_WORK = [
  { work: 'projections', group: leaseOf(projections) },
  { work: 'policies', group: POLICIES_GROUP },
  { work: 'forwarder', group: FORWARDER_GROUP },
] as const;
const LEVELS = { ready: 'up', degraded: 'degraded', 'not-ready': 'down' } as const;

/**
 * Health, queues and metrics of the service, as observed by this process. Serving requests does not depend on this
 * class.
 */
export class Observation implements Health {
  readonly readiness: Readiness;
  readonly board: QueueBoard;
  private readonly thread: ThreadWatch;
  private readonly setMetrics: (observed: Observed) => void;
  private readonly startedAtMs: number;

  constructor(
    private readonly config: Config,
    private readonly engines: Engines,
    policies: readonly Policy[],
    private readonly models: ReadModels,
    filled: ReadModelReadiness,
    private readonly jobs: () => Promise<readonly JobTally[]>,
    private readonly pauses: () => Promise<ReadonlyMap<string, string>>,
  ) {
    const { registry } = engines.metrics;
    this.readiness = new Readiness(engines, filled);
    this.board = boardOf(config, engines, policies);
    this.thread = new ThreadWatch(registry);
    this.setMetrics = serviceMetrics(registry);
    this.startedAtMs = engines.clock.monotonicMs();
  }

  start(): void {
    this.thread.start();
    this.board.start();
  }

  async stop(): Promise<void> {
    this.thread.stop();
    await this.board.stop();
  }

  async basic(): ReturnType<Health['basic']> {
    return this.overview(await this.ready());
  }

  ready(): Promise<ReadinessReport> {
    return this.readiness.report();
  }

  probe(): Promise<ProbeReport> {
    return this.readiness.check();
  }

  async metrics(): ReturnType<Health['metrics']> {
    const { registry } = this.engines.metrics;
    // All values are set synchronously, so that concurrent scrapes do not mix their values.
    this.setMetrics(await this.observe());
    return { text: await registry.metrics(), type: registry.contentType };
  }

  async system(): ReturnType<Health['system']> {
    const [report, queues, engines, pauses, ranges = []] = await Promise.all([
      this.ready(),
      this.board.list(),
      this.engineFacts(),
      this.inTime(this.pauses),
      this.inTime(() => this.ranges()),
    ]);
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return {
      ...this.overview(report),
      nodeVersion: process.version,
      roles: [...this.config.ROLES],
      checks: report.checks,
      eventStore: { head: queues[0]?.head ?? null },
      engines,
      projections: queues
        .filter(({ kind }) => kind === 'projection')
        .map(({ name, position, lag }) => ({ name, position, lag, status: this.engines.progress.standing(name) })),
      policies: queues
        .filter(({ kind }) => kind === 'policy')
        .map(({ name, position, lag }) => ({ name, position, lag, pausedAt: pauses?.get(name) ?? null })),
      ranges,
      memory: { rssBytes: rss, heapTotalBytes: heapTotal, heapUsedBytes: heapUsed, externalBytes: external },
      eventLoopDelay: this.thread.delay(),
    };
  }

  private async ranges(): Promise<Awaited<ReturnType<Health['system']>>['ranges']> {
    const { ranges, leases } = this.engines;
    if (!ranges) return [];
    return Promise.all(
      DIVIDED_WORK.map(async ({ work, group }) => {
        const leaders = await rangeLeaders(leases, group);
        return { work, leaders: ALL_RANGES.map((range) => leaders.get(range) ?? null) };
      }),
    );
  }

  private overview({ status }: ReadinessReport) {
    const { clock } = this.engines;
    return {
      status: LEVELS[status],
      version,
      uptimeSeconds: Math.floor((clock.monotonicMs() - this.startedAtMs) / 1_000),
      timestamp: new Date(clock.nowMs()).toISOString(),
    };
  }

  private async engineFacts() {
    const { events, reads, broker, cache } = this.engines;
    const named = { 'event-store': events, 'read-store': reads, broker, cache };
    return Promise.all(
      Object.entries(named).map(async ([name, engine]) => ({
        name,
        ...((await this.inTime(() => engine.facts())) ?? { engine: null, version: null }),
      })),
    );
  }

  private async observe(): Promise<Observed> {
    const { events, writes, progress } = this.engines;
    const [report, head, parkedLetters, jobs] = await Promise.all([
      this.readiness.report(),
      this.inTime(() => lastOwnEvent(events, catalogue)),
      this.inTime(() => this.models.count(deadLetters, PLATFORM, PARKED)),
      this.inTime(this.jobs),
    ]);
    return {
      ...{ report, head, parkedLetters, jobs, queues: this.readings(), writeFault: writes.fault },
      projections: progress.names.map((name) => ({ name, standing: progress.standing(name) })),
      delay: this.thread.delay(),
    };
  }

  /**
   * Returns the queue readings with current positions for projections. Readings from the worker thread may be a second
   * old, while `progress` is more recent.
   */
  private readings(): readonly QueueReading[] {
    const { queues, progress } = this.engines;
    return queues.readings().map((reading) => {
      if (reading.kind !== 'projection') return reading;
      return { ...reading, position: Math.max(reading.position, progress.position(reading.name)) };
    });
  }

  private inTime<T>(work: () => Promise<T>): Promise<T | undefined> {
    return withTimeout(this.engines.clock, ANSWER_WITHIN_MS, work);
  }
}

function boardOf(config: Config, engines: Engines, policies: readonly Policy[]): QueueBoard {
  const { ALERT_WEBHOOK_URL: alerts, INTEGRITY_WITNESS_URL: witness } = config;
  const { events, reads, checkpoints, progress, queues, cache, sharesCache, clock, logger } = engines;
  return new QueueBoard({
    queues: [
      ...projections.map(({ model }) => ({ name: model.name, kind: 'projection' as const })),
      ...policies.map(({ name }) => ({ name, kind: 'policy' as const })),
      { name: FORWARDER, kind: 'forwarder' },
      { name: PUSH, kind: 'push' },
      { name: WEBHOOKS, kind: 'push' },
      ...(alerts === undefined ? [] : [{ name: ALERTS, kind: 'push' as const }]),
      { name: INTEGRITY, kind: 'integrity' },
      ...(witness === undefined ? [] : [{ name: WITNESS, kind: 'integrity' as const }]),
    ],
    readings: () => queues.readings(),
    positionOf: async (name, kind) => {
      if (kind === 'projection') return progress.position(name);
      return name === INTEGRITY ? (await new TileStore(reads).reached()).position : checkpoints.load(name);
    },
    head: () => lastOwnEvent(events, catalogue),
    shared: sharesCache ? cache : undefined,
    samples: sharesCache ? cachedSamples(cache) : savedSamples(config.DATA_DIR),
    clock,
    logger,
  });
}

const jobTallies = (reader: RecordReader, { jobs }: JobDirectory): Promise<readonly JobTally[]> =>
  Promise.all(
    [...jobs.keys()].map(async (name) => ({ name, ...(await reader.read(job, PLATFORM_TENANT, name)).state })),
  );

export const observationProviders = (config: Config, engines: Engines): Provider[] => [
  {
    provide: Observation,
    useFactory: (
      policies: readonly Policy[],
      models: ReadModels,
      filled: ReadModelReadiness,
      reader: RecordReader,
      directory: JobDirectory,
    ) =>
      new Observation(
        ...([config, engines, policies, models, filled] as const),
        () => jobTallies(reader, directory),
        () => pausesOf(reader),
      ),
    inject: [POLICIES, ReadModels, ReadModelReadiness, RecordReader, JOB_DIRECTORY],
  },
  { provide: QueueBoard, useFactory: ({ board }: Observation) => board, inject: [Observation] },
  { provide: HEALTH, useExisting: Observation },
];
