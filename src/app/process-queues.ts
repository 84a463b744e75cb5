import { PUBLISH_RESULTS, type EngineMetrics, type PublishResult } from '../observability/engine-metrics.js';
import { QueueMeters, type QueueReading } from '../observability/queue-meters.js';
import type { Clock } from '../ports/time.js';

/** Report of the subscribers' thread, about once a second. `published`: messages since the thread started. */
export type ThreadReport = {
  readonly queues: readonly QueueReading[];
  readonly published: Readonly<Partial<Record<PublishResult, number>>>;
};
const NO_REPORT: ThreadReport = { queues: [], published: {} };

/** The queues of a process: those measured in the serving thread, and those reported by the subscribers' thread. */
export class ProcessQueues {
  readonly meters: QueueMeters;
  private reported = NO_REPORT;

  constructor(
    clock: Clock,
    private readonly metrics: Pick<EngineMetrics, 'messages'>,
  ) {
    this.meters = new QueueMeters(clock);
  }

  /** Readings of all queues that this process currently works on. */
  readings(): readonly QueueReading[] {
    return [...this.reported.queues, ...this.meters.readings()];
  }

  /** `undefined` means that the thread has ended. The next one counts from zero. */
  readonly receive = (report: ThreadReport = NO_REPORT): void => {
    for (const result of PUBLISH_RESULTS) {
      const more = (report.published[result] ?? 0) - (this.reported.published[result] ?? 0);
      this.metrics.messages.inc({ result }, Math.max(0, more));
    }
    this.reported = report;
  };
}
