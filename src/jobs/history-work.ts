import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import type { EventReader } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { JobOutcome, JobRun } from './job.js';

export type TaskControl = Pick<JobRun, 'signal' | 'report'>;

/** Runs a task where it does not delay requests. @throws Error with a message for operators */
export type HistoryWork<Task> = (task: Task, control: TaskControl) => Promise<JobOutcome>;

/** Dependencies of a task, in whichever thread it runs. */
export type TaskParts = {
  readonly events: EventReader;
  readonly reads: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  /** Whether the thread also serves requests. If so, the task works in small steps. */
  readonly sharesThread: boolean;
};
