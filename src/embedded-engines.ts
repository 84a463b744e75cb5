import { mkdir } from 'node:fs/promises';
import { EmbeddedBroker } from './adapters/embedded/broker.js';
import { MemoryCache } from './adapters/embedded/cache.js';
import { EmbeddedEventStore } from './adapters/embedded/event-store.js';
import { EmbeddedReadStore } from './adapters/embedded/read-store.js';
import { SystemClock, Uuid7Ids } from './adapters/system-time.js';
import { catalogue } from './catalogue.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import type { ParkRequest } from './integration/dead-letters.js';
import type { Logger } from './ports/log.js';
import { Progress } from './platform/progress.js';
import type { Clock, Ids } from './ports/time.js';
import { projections } from './projections/projections.js';
import { checkpointsIn, startSubscribers, type Subscribers } from './subscribers.js';
import { SubscriberThread } from './subscribers.thread.js';

export type EngineOptions = { readonly clock?: Clock; readonly ids?: Ids; readonly logger: Logger };

/** Opens the embedded engines in DATA_DIR. @throws Error when another process writes there */
export async function openEmbeddedEngines(config: Config, options: EngineOptions): Promise<Engines> {
  const { clock = new SystemClock(), ids = new Uuid7Ids(), logger } = options;
  const directory = config.DATA_DIR;
  await mkdir(directory, { recursive: true });
  const events = EmbeddedEventStore.open({ directory, clock });
  try {
    const parts = { config, events, clock, logger, progress: new Progress(clock), ids, directory };
    return config.SUBSCRIBERS === 'worker' ? await withThread(parts) : await inline(parts);
  } catch (error) {
    await events.close();
    throw error;
  }
}

type Parts = {
  readonly config: Config;
  readonly events: EmbeddedEventStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly directory: string;
};

const follow = (progress: Progress) => ({
  onProgress: (name: string, position: number) => {
    progress.advance(name, position);
  },
  onStopped: (name: string) => {
    progress.stop(name);
  },
});

/** No projection stands still. */
const isGoing = (progress: Progress): boolean => !projections.some(({ model }) => progress.isStopped(model.name));

async function withThread(parts: Parts): Promise<Engines> {
  const { config, events, clock, ids, logger, progress, directory } = parts;
  // Parking needs the command runner, which is made over these engines: it is handed in before anything can be parked.
  let park: (request: ParkRequest) => Promise<void> = () => Promise.reject(new Error('Nothing can be parked yet.'));
  const thread = new SubscriberThread({
    settings: { directory, logLevel: config.LOG_LEVEL },
    clock,
    logger,
    park: (request) => park(request),
    ...follow(progress),
  });
  // The worker loads while the rest of the service is put together; it is waited for where the subscribers must run.
  const started = thread.start();
  started.catch(() => undefined);
  const unsubscribe = events.onCommit((head) => {
    thread.notify(head);
  });
  const reads = await EmbeddedReadStore.open({ directory, mode: 'readonly' });
  const broker = await EmbeddedBroker.open({ directory, clock });
  return {
    ...{ events, reads, broker, clock, ids, logger, progress },
    cache: new MemoryCache({ clock }),
    checkpoints: thread.checkpoints(reads),
    startSubscribers: async (parkWith) => {
      park = parkWith;
      await started;
      thread.notify(await events.head());
    },
    isReady: async () => thread.isAlive && isGoing(progress) && (await events.head()) >= -1,
    close: once(async () => {
      unsubscribe();
      await thread.stop();
      await Promise.all([events.close(), reads.close(), broker.close()]);
    }),
  };
}

async function inline({ events, clock, ids, logger, progress, directory }: Parts): Promise<Engines> {
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  const broker = await EmbeddedBroker.open({ directory, clock });
  let subscribers: Subscribers | undefined;
  return {
    ...{ events, reads: store, broker, clock, ids, logger, progress },
    cache: new MemoryCache({ clock }),
    checkpoints: checkpointsIn(store),
    startSubscribers: async (park) => {
      const shared = { events, store, broker, catalogue, clock, logger, park };
      subscribers = await startSubscribers({ ...shared, batchSize: 100, ...follow(progress) });
    },
    isReady: async () => isGoing(progress) && (await events.head()) >= -1,
    close: once(async () => {
      await subscribers?.stop();
      await Promise.all([events.close(), store.close(), broker.close()]);
    }),
  };
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
