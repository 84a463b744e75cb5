import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { SystemClock, Uuid7Ids } from '../adapters/system-time.js';
import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import { instrumentedBroker, reportingDamage } from '../observability/instrumented-engines.js';
import type { PublishResult } from '../observability/engine-metrics.js';
import { checkpointsIn } from '../projecting/checkpoints.js';
import { HistoryReadStore } from '../projecting/history-read-store.js';
import { Leadership } from '../projecting/leadership.js';
import { RangeLeadership } from '../projecting/range-leadership.js';
import { notingLogger } from '../observability/noting-logger.js';
import { QueueMeters } from '../observability/queue-meters.js';
import { logOutput } from '../observability/log-output.js';
import { projections } from '../projections/projections.js';
import { openBroker, openEventReader, openModels } from './stores.js';
import { MODELS_LOST, startSubscribers, type SubscriberCallbacks } from './subscribers.js';
import type { LiveEvents, ThreadListeners, WorkerData, WorkerMethods } from './subscribers.thread.js';
import { releaseMemoryWhenIdle } from './thread-memory.js';
import { publishingFor } from './thread-broker.js';
import { ThreadCalls, type ThreadMessage } from './thread-calls.js';
import { openWebhooks } from './webhooks.js';

// Composition root of the subscribers' worker thread, which opens its own engines on the same files.
const WORKER_NICENESS = 10;
/**
 * Time for which the thread keeps normal priority. It is long enough to process the backlog of a killed process. A
 * whole history is processed at low priority.
 */
const URGENT_MS = 5_000;
const REPORT_EVERY_MS = 1_000;
/** Time limit for stopping this thread if its read models are damaged. Another thread then replaces it. */
const STOP_WITHIN_MS = 500;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread.');
const { stores, holder, roles, restoreForward, logLevel, history, forwarded, webhooks, integrity } =
  workerData as WorkerData;
const methods: WorkerMethods = {
  head: (head) => {
    notify(head);
  },
  save: (name, position) => checkpoints.save(name, position),
  publish: (messages, source) => publish(messages, source),
  stop: () => {
    void stop();
  },
};
const calls = new ThreadCalls<ThreadListeners, SubscriberCallbacks & LiveEvents>((message) => {
  port.postMessage(message);
  return true;
}, methods);
const listeners = calls.told;

// On Linux, each thread has its own priority, so projections can yield the CPU to requests. The priority is lowered
// only after a delay. Otherwise, booking sales after a crash would slow down the projections. The process is not ready
// until they have caught up.
setTimeout(() => {
  if (process.platform === 'linux') setPriority(WORKER_NICENESS);
}, URGENT_MS).unref();

const clock = new SystemClock();
const ids = new Uuid7Ids();
const logger = notingLogger(pino({ level: logLevel, base: { thread: 'subscribers' } }, logOutput()), listeners.onNoted);
let published: Partial<Record<PublishResult, number>> = {};
const meters = new QueueMeters(clock);
const { liveAfter } = calls.asked;
const { events, identity, notify } = await openEventReader(stores, { clock, logger, liveAfter });
const { reads, leases, isShared, isRecreated } = await openModels(stores, 'readwrite', {
  clock,
  logger,
  onDamaged: () => {
    logger.error({}, MODELS_LOST);
    // Report the forwarder's position, because the stored one is lost with the damaged read models.
    reportQueues();
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void stop();
  },
});
const store = new HistoryReadStore(reads, history);
const broker = instrumentedBroker(await openBroker(stores, { clock, logger }), (result, messages) => {
  published[result] = (published[result] ?? 0) + messages;
});
const publish = publishingFor(broker);
if (isRecreated) logger.warn({}, 'the read models were unreadable; rebuilding them from the history');
const checkpoints = checkpointsIn(store, isShared);
// If a start that recreated the read models failed, the next start finds the read models, but no checkpoint.
if (!isShared && forwarded >= 0 && (await checkpoints.load(FORWARDER)) < 0)
  await checkpoints.save(FORWARDER, forwarded);

type Report = { readonly position: number; readonly ranges: readonly number[] | undefined };
const positions = new Map<string, Report>();
const subscribers = startSubscribers({
  ...{ identity, store, broker, catalogue, clock, logger, roles, restoreForward, projections, meters },
  events: reportingDamage(events, (position) => {
    listeners.onHistory({ kind: 'damaged', position });
  }),
  historyId: history.historyId,
  ids,
  integrity,
  webhooks: await openWebhooks(webhooks, clock),
  leadership: new Leadership(leases, clock, logger, { holder }),
  ranges: isShared ? new RangeLeadership(leases, clock, logger, { holder }) : undefined,
  batchSize: 200,
  // Large batches reduce the number of writes per document. They are possible because this thread serves no requests.
  buildBatchSize: 1_000,
  callbacks: calls.asked,
  // All projections usually advance with a single write, so one short message reports all of them.
  onProgress: (name, position, ranges) => {
    if (positions.size === 0) setImmediate(reportPositions);
    positions.set(name, { position, ranges });
  },
  onStopped: (name, ranges) => {
    // Report the progress first, because the other thread would interpret later progress as a sign that the subscriber
    // has continued.
    reportPositions();
    listeners.onStopped(name, ranges);
  },
  onFailed: listeners.onFailed,
  onHistory: listeners.onHistory,
});

function reportPositions(): void {
  const reports = new Map<string, Report & { readonly names: string[] }>();
  for (const [name, { position, ranges }] of positions) {
    const key = `${position} ${String(ranges)}`;
    const report = reports.get(key);
    if (report) report.names.push(name);
    else reports.set(key, { position, ranges, names: [name] });
  }
  for (const { position, ranges, names } of reports.values())
    listeners.onProgress(position, names.length === projections.length ? undefined : names, ranges);
  positions.clear();
}

setInterval(reportQueues, REPORT_EVERY_MS).unref();
releaseMemoryWhenIdle();

function reportQueues(): void {
  listeners.onQueues({ queues: meters.readings(), published });
  published = {};
}

async function stop(): Promise<void> {
  await subscribers.stop();
  await Promise.all([events.close(), broker.close()]);
  await store.close();
  // Ends only this thread, even if a driver has left resources open.
  process.exit(0);
}

port.on('message', (message: ThreadMessage) => {
  calls.receive(message);
});
listeners.onReady(isRecreated);
