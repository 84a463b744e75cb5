import { Worker } from 'node:worker_threads';
import type { HistoryTask } from './jobs/history-tasks.js';
import type { HistoryWork, TaskControl } from './jobs/history-work.js';
import type { JobOutcome } from './jobs/job.js';
import type { StoreSettings } from './stores.js';
import { THREAD_LIMITS } from './thread-memory.js';

/** What crosses the border between the serving thread and a task's worker. Never events: the worker reads the store. */
export type ToTask = { readonly kind: 'stop' };
export type FromTask =
  | { readonly kind: 'report'; readonly progress: number; readonly message: string }
  | { readonly kind: 'done'; readonly outcome: JobOutcome }
  | { readonly kind: 'failed'; readonly message: string };

export type TaskSettings = {
  readonly stores: StoreSettings;
  readonly task: HistoryTask;
  readonly logLevel: string;
};

/** A task failed in its worker; the message tells operators why. */
export class TaskFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TaskFailed';
  }
}

/** Carries each task out in a worker thread of its own, which ends with it. */
export class TaskThreads implements HistoryWork<HistoryTask> {
  constructor(private readonly settings: Omit<TaskSettings, 'task'>) {}

  /** Resolves when the thread has ended, so that nothing of it is left when the engines close. */
  carryOut(task: HistoryTask, { signal, report }: TaskControl): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const workerData: TaskSettings = { ...this.settings, task };
      const worker = new Worker(new URL('./job.worker.js', import.meta.url), {
        workerData,
        resourceLimits: THREAD_LIMITS,
      });
      // It is asked to end: a thread that is ended within a call of the driver takes the whole process with it.
      const stop = () => {
        worker.postMessage({ kind: 'stop' } satisfies ToTask);
      };
      signal.addEventListener('abort', stop, { once: true });
      let end = () => {
        reject(new TaskFailed('Its thread ended.'));
      };
      worker.on('message', (message: FromTask) => {
        if (message.kind === 'report') report(message.progress, message.message);
        else if (message.kind === 'done')
          end = () => {
            resolve(message.outcome);
          };
        else
          end = () => {
            reject(signal.aborted ? (signal.reason as Error) : new TaskFailed(message.message));
          };
      });
      worker.on('error', (error) => {
        end = () => {
          reject(error);
        };
      });
      worker.on('exit', () => {
        signal.removeEventListener('abort', stop);
        end();
      });
    });
  }
}
