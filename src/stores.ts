import { mkdir } from 'node:fs/promises';
import { EmbeddedBroker } from './adapters/embedded/broker.js';
import { MemoryCache } from './adapters/embedded/cache.js';
import { EmbeddedEventReader } from './adapters/embedded/event-store.reader.js';
import { restOfBusyThread } from './adapters/embedded/event-store.signal.js';
import { EmbeddedEventStore } from './adapters/embedded/event-store.js';
import { MemoryLeaseStore } from './adapters/embedded/lease-store.js';
import { EmbeddedReadStore } from './adapters/embedded/read-store.js';
import type { Broker } from './ports/broker.js';
import type { Cache } from './ports/cache.js';
import type { EventReader, EventStore, Position } from './ports/event-store.js';
import type { LeaseStore } from './ports/lease-store.js';
import type { Logger } from './ports/log.js';
import type { ReadStore } from './ports/read-store.js';
import type { Clock } from './ports/time.js';

// Engines by their settings. Drivers of servers are loaded where their URL is set: they cost start-up time.

/** About a gigabyte, and more than NATS remembers in its two minutes. */
const KEPT_MESSAGES = 1_000_000;

/** Which engines a process runs on, in a form that a worker thread can be given. URLs may hold passwords. */
export type StoreSettings = {
  /** Of the embedded engines. */
  readonly directory: string;
  readonly eventStoreUrl: string | undefined;
  readonly mongoDbUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly redisUrl: string | undefined;
};
type Parts = { readonly clock: Clock; readonly logger: Logger };

export type OpenEvents = {
  readonly events: EventStore;
  /** Tells of commits of this process, where its other threads could not learn of them by themselves. */
  onCommit(listener: (head: Position) => void): () => void;
};

/** @throws EventStoreInUse when another process writes to the embedded store's files */
export async function openEvents({ directory, eventStoreUrl: url }: StoreSettings, parts: Parts): Promise<OpenEvents> {
  if (url !== undefined) {
    const { EventStoreDb } = await import('./adapters/eventstoredb/event-store.js');
    return { events: EventStoreDb.open({ url, ...parts }), onCommit: () => () => undefined };
  }
  await mkdir(directory, { recursive: true });
  const events = EmbeddedEventStore.open({ directory, clock: parts.clock, rest: restOfBusyThread() });
  return { events, onCommit: (listener) => events.onCommit(listener) };
}

export type OpenEventReader = {
  readonly events: EventReader & { close(): Promise<void> };
  /** Where the process that writes tells of its commits. */
  readonly notify: (head: Position) => void;
};

/** For a thread beside the one that writes. */
export async function openEventReader(settings: StoreSettings, parts: Parts): Promise<OpenEventReader> {
  if (settings.eventStoreUrl !== undefined)
    return { events: (await openEvents(settings, parts)).events, notify: () => undefined };
  const events = EmbeddedEventReader.open({
    directory: settings.directory,
    clock: parts.clock,
    rest: restOfBusyThread(),
  });
  return {
    events,
    notify: (head) => {
      events.notify(head);
    },
  };
}

export type OpenModels = {
  readonly reads: ReadStore;
  readonly leases: LeaseStore;
  /** Other processes may write there too. */
  readonly isShared: boolean;
  /** The models were unreadable and begin anew. */
  readonly isRecreated: boolean;
};

/** The embedded store has one writer: `readwrite` in the thread where the projections run, `readonly` in others. */
export async function openModels(
  { directory, mongoDbUrl: url }: StoreSettings,
  mode: 'readonly' | 'readwrite',
  parts: Parts,
): Promise<OpenModels> {
  if (url !== undefined) {
    const { openMongoDb } = await import('./adapters/mongodb/read-store.js');
    return { ...openMongoDb({ url, ...parts }), isShared: true, isRecreated: false };
  }
  await mkdir(directory, { recursive: true });
  const reads = await EmbeddedReadStore.open({ directory, mode });
  return { reads, leases: new MemoryLeaseStore(), isShared: false, isRecreated: reads.recreated };
}

export async function openBroker({ directory, natsUrl: url }: StoreSettings, parts: Parts): Promise<Broker> {
  if (url !== undefined) {
    const { NatsBroker } = await import('./adapters/nats/broker.js');
    return NatsBroker.open({ url, ...parts });
  }
  await mkdir(directory, { recursive: true });
  return EmbeddedBroker.open({ directory, clock: parts.clock, keptMessages: KEPT_MESSAGES });
}

export async function openCache({ redisUrl: url }: StoreSettings, parts: Parts): Promise<Cache> {
  if (url === undefined) return new MemoryCache({ clock: parts.clock });
  const { RedisCache } = await import('./adapters/redis/cache.js');
  return RedisCache.open({ url, ...parts });
}
