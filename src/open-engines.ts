import { Registry } from 'prom-client';
import { BusyShare } from './adapters/busy-share.js';
import { SystemClock, Uuid7Ids } from './adapters/system-time.js';
import { catalogue } from './catalogue.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { collectErrors } from './error-collection.js';
import { checkGivenKeys } from './given-keys.js';
import type { ErrorCollector } from './platform/error-collector.js';
import { EngineMetrics } from './platform/engine-metrics.js';
import { Leadership } from './platform/leadership.js';
import { MeteredBroker } from './platform/metered-broker.js';
import { MeteredCache } from './platform/metered-cache.js';
import { MeteredEventStore } from './platform/metered-event-store.js';
import { Progress } from './platform/progress.js';
import type { EventStore } from './ports/event-store.js';
import type { Logger } from './ports/log.js';
import type { Clock, Ids } from './ports/time.js';
import { ProcessQueues } from './process-queues.js';
import { projections } from './projections/projections.js';
import {
  openBroker,
  openCache,
  openEvents,
  openModels,
  type OpenEvents,
  type OpenModels,
  type StoreSettings,
} from './stores.js';
import { checkpointsIn, startSubscribers, type SubscriberOffice, type Subscribers } from './subscribers.js';
import { SubscriberThread } from './subscribers.thread.js';

export type EngineOptions = { readonly clock?: Clock; readonly ids?: Ids; readonly logger: Logger };

type Parts = {
  readonly config: Config;
  readonly settings: StoreSettings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly bareLogger: Logger;
  readonly errors: ErrorCollector;
  readonly progress: Progress;
  readonly opened: OpenEvents;
  readonly projecting: Projecting;
  readonly metrics: EngineMetrics;
  readonly queues: ProcessQueues;
};

/**
 * Opens the engines that the settings name. Servers need not be there yet.
 * @throws ConfigError when a key that the settings give cannot be used
 * @throws EventStoreInUse when another process writes to the embedded event store's files
 */
export async function openEngines(config: Config, options: EngineOptions): Promise<Engines> {
  const { clock = new SystemClock(), ids = new Uuid7Ids(), logger: bareLogger } = options;
  await checkGivenKeys(config, clock);
  const { errors, logger } = collectErrors(config, { clock, ids, logger: bareLogger });
  const settings = storeSettings(config);
  const progress = new Progress(
    clock,
    projections.map(({ model }) => model.name),
  );
  const metrics = new EngineMetrics(new Registry());
  const queues = new ProcessQueues(clock, metrics);
  const opened = watched(await openEvents(settings, { clock, logger }), metrics, clock);
  try {
    const projecting = new Projecting();
    const parts = {
      config,
      settings,
      clock,
      ids,
      logger,
      bareLogger,
      errors,
      progress,
      opened,
      projecting,
      metrics,
      queues,
    };
    return await (hasThread(config) ? withThread(parts) : inline(parts));
  } catch (error) {
    await opened.events.close();
    throw error;
  }
}

/** The same, with every append and every commit counted. */
function watched(opened: OpenEvents, metrics: EngineMetrics, clock: Clock): OpenEvents {
  opened.onCommit(() => {
    metrics.committed();
  });
  return { ...opened, events: new MeteredEventStore(opened.events, clock, metrics.appends) };
}

export const storeSettings = (config: Config): StoreSettings => ({
  directory: config.DATA_DIR,
  eventStoreUrl: config.EVENTSTORE_URL,
  mongoDbUrl: config.MONGODB_URL,
  natsUrl: config.NATS_URL,
  redisUrl: config.REDIS_URL,
});

const hasThread = ({ SUBSCRIBERS, ROLES }: Config): boolean =>
  SUBSCRIBERS === 'worker' && (ROLES.includes('projections') || ROLES.includes('forwarder'));

/** Whether projections run in this process. One that shares its read store with nobody has no other to ask. */
class Projecting {
  private projectsHere = false;
  private listener: ((projectsHere: boolean) => void) | undefined;

  set(projectsHere: boolean): void {
    this.projectsHere = projectsHere;
    this.listener?.(projectsHere);
  }

  on(listener: (projectsHere: boolean) => void): void {
    this.listener = listener;
    listener(this.projectsHere);
  }
}

const follow = ({ progress, projecting }: Pick<Parts, 'progress' | 'projecting'>) => ({
  onProgress: (name: string, position: number) => {
    progress.advance(name, position);
  },
  onStopped: (name: string) => {
    progress.stop(name);
  },
  onProjecting: (projectsHere: boolean) => {
    projecting.set(projectsHere);
  },
});

/** Projections and the forwarder in a worker thread, with engines of its own. */
async function withThread(parts: Parts): Promise<Engines> {
  const { config, settings, clock, logger, errors, opened } = parts;
  // The office needs the command runner, which is made over these engines: it is handed in before anybody asks it.
  const tooEarly = () => Promise.reject(new Error('Nothing can be written yet.'));
  let office: SubscriberOffice = { park: tooEarly, settle: tooEarly, reportRebuild: tooEarly };
  const thread = new SubscriberThread({
    settings: { stores: settings, roles: config.ROLES, logLevel: config.LOG_LEVEL },
    clock,
    logger,
    office: {
      park: (request) => office.park(request),
      settle: (request) => office.settle(request),
      reportRebuild: (...step) => office.reportRebuild(...step),
    },
    onNoted: (noted) => {
      errors.note(noted);
    },
    ...follow(parts),
    onQueues: (report) => {
      if (report) parts.queues.receive(report);
      else parts.queues.forget();
    },
  });
  // The worker loads while the rest of the service is put together; it is waited for where the subscribers must run.
  const started = thread.start();
  started.catch(() => undefined);
  const unsubscribe = opened.onCommit((head) => {
    thread.notify(head);
  });
  const stop = async () => {
    unsubscribe();
    await thread.stop();
  };
  try {
    const models = await openModels(settings, 'readonly', { clock, logger });
    return await enginesOf(parts, models, {
      checkpoints: models.isShared ? checkpointsIn(models.reads) : thread.checkpoints(models.reads),
      start: async (given) => {
        office = given;
        await started;
        await tellHead(opened.events, thread);
      },
      isAlive: () => thread.isAlive,
      stop,
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What was committed before the worker listened; one that hears nothing of it looks by itself later. */
async function tellHead(events: EventStore, thread: SubscriberThread): Promise<void> {
  try {
    thread.notify(await events.head());
  } catch {
    // The event store is away: its subscriptions tell the worker when it is back.
  }
}

/** All in the thread that serves requests. */
async function inline(parts: Parts): Promise<Engines> {
  const { config, settings, clock, logger, opened } = parts;
  const models = await openModels(settings, 'readwrite', { clock, logger });
  let subscribers: Subscribers | undefined;
  const engines = await enginesOf(parts, models, {
    checkpoints: checkpointsIn(models.reads),
    start: (office) => {
      subscribers = startSubscribers({
        ...{ events: opened.events, store: models.reads, broker: engines.broker, catalogue, clock, logger, office },
        ...{ leadership: engines.leadership, roles: config.ROLES, projections, batchSize: 100 },
        ...follow(parts),
        meters: parts.queues.meters,
      });
      return Promise.resolve();
    },
    isAlive: () => true,
    stop: async () => {
      await subscribers?.stop();
    },
  });
  return engines;
}

type Running = Pick<Engines, 'checkpoints'> & {
  readonly start: (office: SubscriberOffice) => Promise<void>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
};

async function enginesOf(parts: Parts, models: OpenModels, running: Running): Promise<Engines> {
  const { settings, clock, ids, logger, bareLogger, errors, progress, opened, projecting, metrics, queues } = parts;
  const { events } = opened;
  const { reads, leases } = models;
  const published = metrics.published.bind(metrics);
  const broker = new MeteredBroker(await orClose(openBroker(settings, { clock, logger }), reads), published);
  const cache = new MeteredCache(await orClose(openCache(settings, { clock, logger }), reads, broker), metrics.cache);
  return {
    ...{ events, reads, broker, cache, clock, ids, logger, bareLogger, errors, progress, metrics, queues },
    busyShare: new BusyShare().read,
    sharesCache: settings.redisUrl !== undefined,
    leadership: new Leadership(leases, clock, logger, { holder: ids.next() }),
    checkpoints: running.checkpoints,
    onProjecting: (listener) => {
      if (models.isShared) projecting.on(listener);
      else listener(true);
    },
    startSubscribers: (office) => running.start(office),
    isAlive: running.isAlive,
    close: once(async () => {
      await running.stop();
      await Promise.all([events.close(), reads.close(), broker.close(), cache.close()]);
    }),
  };
}

/** What was opened before is closed where the next cannot be opened. */
async function orClose<T>(opening: Promise<T>, ...before: readonly { close(): Promise<void> }[]): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await Promise.all(before.map((each) => each.close()));
    throw error;
  }
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
