import { catalogue } from './catalogue.js';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { SystemClock } from '../adapters/system-time.js';
import { carryOut, type FromTask, type TaskSettings, type ToTask } from './history-jobs.js';
import { reportingDamage } from '../observability/instrumented-engines.js';
import { logOutput } from '../observability/log-output.js';
import { HistoryReadStore } from '../projecting/history-read-store.js';
import { openEventReader, openModels } from './stores.js';

// Composition root of a task's worker thread, which opens its own readers on the same engines.
const WORKER_NICENESS = 10;
const REPORT_EVERY_MS = 250;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread.');
const { stores, task, logLevel, history } = workerData as TaskSettings;
const tell = (message: FromTask) => {
  port.postMessage(message);
};

// On Linux, each thread has its own priority. A low priority makes this thread yield the CPU to requests.
if (process.platform === 'linux') setPriority(WORKER_NICENESS);

const stopping = new AbortController();
// `stop` is the only message kind.
port.on('message', (_: ToTask) => {
  stopping.abort();
});

const clock = new SystemClock();
const logger = pino({ level: logLevel, base: { thread: task.kind } }, logOutput());
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
    const watched = reportingDamage(events, (position) => {
      tell({ kind: 'damaged', position });
    });
    const parts = {
      events: watched,
      reads: new HistoryReadStore(reads, history),
      catalogue,
      clock,
      sharesThread: false,
    };
    tell({ kind: 'done', outcome: await carryOut(task, parts, { signal: stopping.signal, report }) });
  } finally {
    await Promise.all([events.close(), reads.close()]);
  }
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
// Ends only this thread, even if a driver has left resources open.
process.exit(0);
