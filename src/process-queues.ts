import type { EngineMetrics } from './platform/engine-metrics.js';
import { noPublishes, type PublishCounts } from './platform/metered-broker.js';
import { QueueMeters, type QueueReading } from './platform/queue-meters.js';
import type { Clock } from './ports/time.js';

/** What the subscribers' thread tells of itself, about once a second. */
export type ThreadReport = { readonly queues: readonly QueueReading[]; readonly published: PublishCounts };

/** The queues of a process: those of the serving thread, measured here, and those that the other thread tells of. */
export class ProcessQueues {
  readonly meters: QueueMeters;
  private told: ThreadReport = NOTHING_TOLD;

  constructor(
    clock: Clock,
    private readonly metrics: EngineMetrics,
  ) {
    this.meters = new QueueMeters(clock);
  }

  /** Of all queues that this process works on now. */
  readings(): readonly QueueReading[] {
    return [...this.told.queues, ...this.meters.readings()];
  }

  receive(report: ThreadReport): void {
    this.metrics.publishedSince(this.told.published, report.published);
    this.told = report;
  }

  /** The thread has ended: what it told is over, and the next one counts from nothing. */
  forget(): void {
    this.told = NOTHING_TOLD;
  }
}

const NOTHING_TOLD: ThreadReport = { queues: [], published: noPublishes() };
