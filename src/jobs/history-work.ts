import type { EventReader } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { JobOutcome, JobRun } from './job.js';

export type TaskControl = Pick<JobRun, 'signal' | 'report'>;

/** Carries tasks out where they hold no request up. */
export interface HistoryWork<Task> {
  /** @throws Error whose message tells operators why it failed */
  carryOut(task: Task, control: TaskControl): Promise<JobOutcome>;
}

/** What a task is carried out with, in whatever thread. */
export type TaskParts = {
  readonly events: EventReader;
  readonly reads: ReadStore;
  readonly clock: Clock;
  /** True where requests are served by the same thread: then it works in small steps. */
  readonly sharesThread: boolean;
};
