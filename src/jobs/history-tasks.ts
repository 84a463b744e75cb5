import { backUp, type BackupTask } from './database-backup.job.js';
import type { TaskControl, TaskParts } from './history-work.js';
import type { JobOutcome } from './job.js';
import { verify, type VerifyTask } from './projection-verify.job.js';

/** Work over the whole history, in a form that a worker thread can be given. */
export type HistoryTask = BackupTask | VerifyTask;

/** @throws Error whose message tells operators why it failed; the signal's reason */
export const carryOut = (task: HistoryTask, parts: TaskParts, control: TaskControl): Promise<JobOutcome> =>
  task.kind === 'backup' ? backUp(task, parts, control) : verify(task, parts, control);
