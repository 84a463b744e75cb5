import type { Config } from './config.js';
import type { Engines } from './engines.js';
import type { Health, ReadinessReport } from './http/health.controller.js';
import type { EventLoopDelay } from './platform/event-loop-delay.js';
import { inTime } from './platform/in-time.js';
import type { QueueBoard } from './platform/queue-board.js';
import type { EngineFacts } from './ports/engine.js';
import type { Readiness } from './readiness.js';
import { version } from './version.js';

const ANSWER_WITHIN_MS = 2_000;

const LEVELS = { ready: 'up', degraded: 'degraded', 'not-ready': 'down' } as const;

export type HealthParts = {
  readonly engines: Engines;
  readonly roles: Config['ROLES'];
  readonly readiness: Readiness;
  readonly board: QueueBoard;
  readonly delay: EventLoopDelay;
};

/** Puts together what this process knows of itself, its engines and its queues. */
export class ServiceHealth implements Health {
  private readonly startedAtMs: number;

  constructor(private readonly parts: HealthParts) {
    this.startedAtMs = parts.engines.clock.monotonicMs();
  }

  async basic(): ReturnType<Health['basic']> {
    return this.overview(await this.ready());
  }

  ready(): Promise<ReadinessReport> {
    return this.parts.readiness.report();
  }

  async system(): ReturnType<Health['system']> {
    const { engines, roles, board, delay } = this.parts;
    const [report, queues, facts] = await Promise.all([this.ready(), board.list(), this.engines()]);
    const head = queues[0]?.head ?? null;
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    return {
      ...this.overview(report),
      nodeVersion: process.version,
      roles: [...roles],
      checks: report.checks,
      eventStore: { head },
      engines: facts,
      projections: queues
        .filter(({ kind }) => kind === 'projection')
        .map(({ name, position, lag }) => ({ name, position, lag, status: standing(engines, name) })),
      memory: { rssBytes: rss, heapTotalBytes: heapTotal, heapUsedBytes: heapUsed, externalBytes: external },
      eventLoopDelay: delay.read(),
    };
  }

  private overview({ status }: ReadinessReport) {
    const { clock } = this.parts.engines;
    return {
      status: LEVELS[status],
      version,
      uptimeSeconds: Math.floor((clock.monotonicMs() - this.startedAtMs) / 1_000),
      timestamp: new Date(clock.nowMs()).toISOString(),
    };
  }

  private engines() {
    const { events, reads, broker, cache, clock } = this.parts.engines;
    const asked: readonly (readonly [name: string, ask: () => Promise<EngineFacts>])[] = [
      ['event-store', () => events.facts()],
      ['read-store', () => reads.facts()],
      ['broker', () => broker.facts()],
      ['cache', () => cache.facts()],
    ];
    return Promise.all(
      asked.map(async ([name, ask]) => ({
        name,
        ...((await inTime(clock, ANSWER_WITHIN_MS, ask)) ?? { engine: null, version: null }),
      })),
    );
  }
}

const standing = ({ progress }: Engines, name: string) =>
  progress.isStopped(name) ? ('stopped' as const) : ('running' as const);
