import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { SystemClock } from './adapters/system-time.js';
import type { FromTask, TaskSettings, ToTask } from './job.thread.js';
import { carryOut } from './jobs/history-tasks.js';
import { openEventReader, openModels } from './stores.js';

// The composition root of a task's worker thread: readers of its own on the same engines.
const WORKER_NICENESS = 10;
const REPORT_EVERY_MS = 250;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread.');
const { stores, task, logLevel } = workerData as TaskSettings;
const tell = (message: FromTask) => {
  port.postMessage(message);
};

// Under Linux a priority belongs to a thread: it gives way to requests where both want the same core.
if (process.platform === 'linux') setPriority(WORKER_NICENESS);

const stopping = new AbortController();
// The one thing that it is told.
port.on('message', (_: ToTask) => {
  stopping.abort();
});

const clock = new SystemClock();
const logger = pino({ level: logLevel, base: { thread: task.kind } });
let reportedAtMs = Number.NEGATIVE_INFINITY;
const report = (progress: number, message: string): void => {
  const nowMs = clock.monotonicMs();
  if (nowMs - reportedAtMs < REPORT_EVERY_MS) return;
  reportedAtMs = nowMs;
  tell({ kind: 'report', progress, message });
};

try {
  const { events } = await openEventReader(stores, { clock, logger });
  const { reads } = await openModels(stores, 'readonly', { clock, logger });
  try {
    const parts = { events, reads, clock, sharesThread: false };
    tell({ kind: 'done', outcome: await carryOut(task, parts, { signal: stopping.signal, report }) });
  } finally {
    await Promise.all([events.close(), reads.close()]);
  }
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
// Ends this thread alone, also where a driver has left something open.
process.exit(0);
