import type { EventReader } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import { backUp, type BackupTask } from './database-backup.job.js';
import type { JobOutcome, JobRun } from './job.js';
import { verify, type VerifyTask } from './projection-verify.job.js';

/** Work over the whole history, in a form that a worker thread can be given. */
export type HistoryTask = BackupTask | VerifyTask;

export type TaskControl = Pick<JobRun, 'signal' | 'report'>;

/** Carries tasks out where they hold no request up. @throws Error whose message tells operators why it failed */
export interface HistoryWork {
  carryOut(task: HistoryTask, control: TaskControl): Promise<JobOutcome>;
}

/** What a task is carried out with, in whatever thread. */
export type TaskParts = {
  readonly events: EventReader;
  readonly reads: ReadStore;
  readonly clock: Clock;
  /** True where requests are served by the same thread: then it works in small steps. */
  readonly sharesThread: boolean;
};

/** @throws Error whose message tells operators why it failed; the signal's reason */
export const carryOut = (task: HistoryTask, parts: TaskParts, control: TaskControl): Promise<JobOutcome> =>
  task.kind === 'backup' ? backUp(task, parts, control) : verify(task, parts, control);
