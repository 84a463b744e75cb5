import type { Provider } from '@nestjs/common';
import { FORWARDER } from './aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { ServiceHealth } from './health.js';
import { HEALTH } from './http/health.controller.js';
import { METRICS } from './http/metrics.controller.js';
import { READINESS } from './http/probe.controller.js';
import { EventLoopDelay } from './platform/event-loop-delay.js';
import { FilledModels } from './platform/filled-models.js';
import { inTime } from './platform/in-time.js';
import { PUSH } from './notifications.js';
import type { Policy } from './platform/policy.js';
import { collectProcessMetrics } from './platform/process-metrics.js';
import { ReadModels } from './platform/query.js';
import { QueueBoard } from './platform/queue-board.js';
import { POLICIES } from './policies/policies.js';
import { PLATFORM } from './ports/read-store.js';
import { deadLetters } from './projections/dead-letter.projection.js';
import { projections } from './projections/projections.js';
import { lastOwnEvent } from './platform/stream-events.js';
import { Readiness } from './readiness.js';
import { ServiceMetrics } from './service-metrics.js';
import { version } from './version.js';

const ANSWER_WITHIN_MS = 2_000;
const PARKED = { where: { status: 'PARKED' } } as const;

/** Everything that watches the service and that nobody needs to serve: health, queues, metrics. */
export class Observation {
  readonly readiness: Readiness;
  readonly board: QueueBoard;
  readonly health: ServiceHealth;
  readonly metrics: ServiceMetrics;
  private readonly delay = new EventLoopDelay();
  private endMetrics: () => void = () => undefined;

  constructor(
    config: Config,
    private readonly engines: Engines,
    policies: readonly Policy[],
    models: ReadModels,
    filled: FilledModels,
  ) {
    this.readiness = new Readiness(engines, filled);
    this.board = boardOf(engines, policies);
    const { readiness, board, delay } = this;
    this.health = new ServiceHealth({ engines, roles: config.ROLES, readiness, board, delay });
    const { clock, progress } = engines;
    const inLimit = <T>(work: () => Promise<T>) => inTime(clock, ANSWER_WITHIN_MS, work);
    this.metrics = new ServiceMetrics(engines.metrics.registry, {
      report: () => readiness.report(),
      queues: () => engines.queues.readings(),
      head: () => inLimit(() => lastOwnEvent(engines.events, catalogue)),
      parkedLetters: () => inLimit(() => models.count(deadLetters, PLATFORM, PARKED)),
      projections: () => progress.names.map((name) => ({ name, isStopped: progress.isStopped(name) })),
    });
  }

  start(): void {
    this.delay.begin();
    this.endMetrics = collectProcessMetrics(this.engines.metrics.registry, this.delay, { version });
    this.board.start();
  }

  async stop(): Promise<void> {
    this.endMetrics();
    this.delay.end();
    await this.board.stop();
  }
}

function boardOf(
  { events, checkpoints, progress, queues, cache, sharesCache, ...engines }: Engines,
  policies: readonly Policy[],
) {
  const { clock, logger } = engines;
  return new QueueBoard({
    queues: [
      ...projections.map(({ model }) => ({ name: model.name, kind: 'projection' as const })),
      ...policies.map(({ name }) => ({ name, kind: 'policy' as const })),
      { name: FORWARDER, kind: 'forwarder' },
      { name: PUSH, kind: 'push' },
    ],
    readings: () => queues.readings(),
    positionOf: (name, kind) =>
      kind === 'projection' ? Promise.resolve(progress.position(name)) : checkpoints.load(name),
    head: () => lastOwnEvent(events, catalogue),
    shared: sharesCache ? cache : undefined,
    clock,
    logger,
  });
}

export const observationProviders = (config: Config, engines: Engines): Provider[] => [
  {
    provide: Observation,
    useFactory: (policies: readonly Policy[], models: ReadModels, filled: FilledModels) =>
      new Observation(config, engines, policies, models, filled),
    inject: [POLICIES, ReadModels, FilledModels],
  },
  { provide: QueueBoard, useFactory: ({ board }: Observation) => board, inject: [Observation] },
  { provide: HEALTH, useFactory: ({ health }: Observation) => health, inject: [Observation] },
  { provide: METRICS, useFactory: ({ metrics }: Observation) => metrics, inject: [Observation] },
  {
    provide: READINESS,
    useFactory:
      ({ readiness }: Observation) =>
      () =>
        readiness.check(),
    inject: [Observation],
  },
];
