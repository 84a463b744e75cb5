import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { SystemClock, Uuid7Ids } from './adapters/system-time.js';
import { catalogue } from './catalogue.js';
import { Leadership } from './platform/leadership.js';
import { notingLogger } from './platform/noting-logger.js';
import { MeteredBroker, noPublishes } from './platform/metered-broker.js';
import { QueueMeters } from './platform/queue-meters.js';
import { projections } from './projections/projections.js';
import { openBroker, openEventReader, openModels } from './stores.js';
import { checkpointsIn, startSubscribers } from './subscribers.js';
import type { FromWorker, Question, ToWorker, WorkerSettings } from './subscribers.thread.js';

// The composition root of the worker thread: engines of its own on the same files.
const WORKER_NICENESS = 10;
const REPORT_EVERY_MS = 1_000;

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread.');
const { stores, roles, logLevel } = workerData as WorkerSettings;
const tell = (message: FromWorker) => {
  port.postMessage(message);
};

// Under Linux a priority belongs to a thread: read models give way to requests where both want the same core.
if (process.platform === 'linux') setPriority(WORKER_NICENESS);

const clock = new SystemClock();
const logger = notingLogger(pino({ level: logLevel, base: { thread: 'subscribers' } }), (noted) => {
  tell({ kind: 'noted', noted });
});
const { events, notify } = await openEventReader(stores, { clock, logger });
const { reads: store, leases, isRecreated } = await openModels(stores, 'readwrite', { clock, logger });
const published = noPublishes();
const broker = new MeteredBroker(await openBroker(stores, { clock, logger }), (result, messages) => {
  published[result] += messages;
});
const meters = new QueueMeters(clock);
if (isRecreated) logger.warn({}, 'the read models were unreadable; they are built anew from the history');

const positions = new Map<string, number>();
let lastCall = 0;
const asked = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
const ask = (question: Question): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const call = (lastCall += 1);
    asked.set(call, { resolve, reject });
    tell({ kind: 'ask', call, question });
  });

const subscribers = startSubscribers({
  events,
  store,
  broker,
  catalogue,
  clock,
  logger,
  leadership: new Leadership(leases, clock, logger, { holder: new Uuid7Ids().next() }),
  roles,
  projections,
  meters,
  batchSize: 200,
  office: {
    park: async (...given) => {
      await ask({ name: 'park', given });
    },
    settle: async (...given) => {
      await ask({ name: 'settle', given });
    },
    reportRebuild: async (...given) => (await ask({ name: 'reportRebuild', given })) === true,
  },
  // All projections advance in one write, so their positions travel in one message.
  onProgress: (name, position) => {
    if (positions.size === 0)
      queueMicrotask(() => {
        tell({ kind: 'progress', positions: [...positions] });
        positions.clear();
      });
    positions.set(name, position);
  },
  onStopped: (name) => {
    tell({ kind: 'stopped', name });
  },
  onProjecting: (projectsHere) => {
    tell({ kind: 'projecting', projectsHere });
  },
});

const checkpoints = checkpointsIn(store);
setInterval(() => {
  tell({ kind: 'queues', report: { queues: meters.readings(), published } });
}, REPORT_EVERY_MS).unref();

async function stop(): Promise<void> {
  await subscribers.stop();
  await Promise.all([events.close(), broker.close()]);
  await store.close();
  // Ends this thread alone, also where a driver has left something open.
  process.exit(0);
}

port.on('message', (message: ToWorker) => {
  switch (message.kind) {
    case 'head':
      notify(message.head);
      break;
    case 'save':
      checkpoints.save(message.name, message.position).then(
        () => {
          tell({ kind: 'saved', call: message.call, fault: null });
        },
        (error: unknown) => {
          tell({ kind: 'saved', call: message.call, fault: String(error) });
        },
      );
      break;
    case 'answered': {
      const waiting = asked.get(message.call);
      asked.delete(message.call);
      if (message.fault === null) waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.fault));
      break;
    }
    case 'stop':
      void stop();
  }
});
tell({ kind: 'ready' });
