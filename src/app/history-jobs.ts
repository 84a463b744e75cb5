import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config.js';
import type { HistorySpace } from '../eventsourcing/history-state.js';
import { backUp, databaseBackup, type BackupTask } from '../jobs/database-backup.job.js';
import { integrityVerify, verifyIntegrity, type IntegrityTask } from '../jobs/integrity-verify.job.js';
import type { HistoryWork, Job, JobOutcome, TaskControl, TaskParts } from '../jobs/job.js';
import { projectionVerify, verify, type VerifyTask } from '../jobs/projection-verify.job.js';
import { IntegrityKeys } from '../security/integrity-keys.js';
import { catalogue } from './catalogue.js';
import type { Engines } from './engines.js';
import { checkpointFiles } from './integrity.js';
import { storeSettings, type StoreSettings } from './stores.js';
import { THREAD_LIMITS } from './thread-memory.js';
import { version } from './version.js';

/** A task that reads the whole history. It can be sent to a worker thread. */
export type HistoryTask = BackupTask | VerifyTask | IntegrityTask;

/** @throws Error with an explanation for operators; the signal's reason if the signal aborts */
export const carryOut = (task: HistoryTask, parts: TaskParts, control: TaskControl): Promise<JobOutcome> => {
  if (task.kind === 'backup') return backUp(task, parts, control);
  return task.kind === 'verify' ? verify(task, parts, control) : verifyIntegrity(task, parts, control);
};

/** Initial data for a task's worker. */
export type TaskSettings = {
  readonly stores: StoreSettings;
  readonly task: HistoryTask;
  readonly logLevel: string;
  /** The part of the read store that belongs to the history. */
  readonly history: HistorySpace;
};

// Messages between the serving thread and a task's worker. They never contain events, because the worker reads the
// store itself.
export type ToTask = { readonly kind: 'stop' };
export type FromTask =
  | { readonly kind: 'report'; readonly progress: number; readonly message: string }
  | { readonly kind: 'damaged'; readonly position: number }
  | { readonly kind: 'done'; readonly outcome: JobOutcome }
  | { readonly kind: 'failed'; readonly message: string };

export const backupDirectory = ({ BACKUP_DIR, DATA_DIR }: Pick<Config, 'BACKUP_DIR' | 'DATA_DIR'>): string =>
  BACKUP_DIR ?? join(DATA_DIR, 'backups');

/**
 * Creates the jobs that read the whole history. Each run has its own thread, unless all work is done in the serving
 * thread.
 */
export function historyJobs(config: Config, engines: Pick<Engines, 'events' | 'history' | 'reads' | 'clock'>): Job[] {
  const { events, history, reads, clock } = engines;
  const here = { events, reads, catalogue, clock, sharesThread: true };
  const work: HistoryWork<HistoryTask> =
    config.SUBSCRIBERS === 'worker'
      ? (task, control) => {
          const settings = { stores: storeSettings(config), logLevel: config.LOG_LEVEL, history: history.known, task };
          return inThread(settings, control, history.noteDamage);
        }
      : (task, control) => carryOut(task, here, control);
  const { BACKUPS_KEPT: kept, BACKUP_RECIPIENT: recipient } = config;
  const settings = { directory: backupDirectory(config), kept, recipient, service: version };
  const integrity = async () => {
    const { verifiers } = await IntegrityKeys.open(config.DATA_DIR, config.INTEGRITY_KEY);
    const { directory: checkpoints } = checkpointFiles(config.DATA_DIR);
    return { checkpoints, verifiers: verifiers.map(({ text }) => text).join('\n') };
  };
  return [databaseBackup(work, settings), projectionVerify(work), integrityVerify(work, integrity)];
}

/**
 * Runs a task in a worker thread. Resolves only after the thread has exited, so that no thread is left when the engines
 * are closed.
 */
function inThread(
  workerData: TaskSettings,
  { signal, report }: TaskControl,
  onDamaged: (position: number) => void,
): Promise<JobOutcome> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL('./job.worker.js', import.meta.url), {
      workerData,
      resourceLimits: THREAD_LIMITS,
    });
    // Let the thread stop itself, because terminating it during a driver call would abort the whole process.
    const stop = () => {
      worker.postMessage({ kind: 'stop' } satisfies ToTask);
    };
    signal.addEventListener('abort', stop, { once: true });
    let outcome: JobOutcome | undefined;
    let fault: Error = new Error('The thread of the task ended unexpectedly.');
    worker.on('message', (message: FromTask) => {
      if (message.kind === 'report') report(message.progress, message.message);
      else if (message.kind === 'damaged') onDamaged(message.position);
      else if (message.kind === 'done') outcome = message.outcome;
      else fault = signal.aborted ? (signal.reason as Error) : new Error(message.message);
    });
    worker.on('error', (error) => (fault = error));
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      if (outcome) resolve(outcome);
      else reject(fault);
    });
  });
}
