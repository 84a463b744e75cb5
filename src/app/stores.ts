import { mkdir } from 'node:fs/promises';
import { ownStreams } from '../eventsourcing/stream-events.js';
import { EmbeddedBroker } from '../adapters/embedded/broker.js';
import { MemoryCache } from '../adapters/embedded/cache.js';
import { EmbeddedEventReader } from '../adapters/embedded/event-store.reader.js';
import { restOfBusyThread } from '../adapters/embedded/event-store.signal.js';
import { ProcessLoad } from '../adapters/event-loop-utilization.js';
import { EmbeddedEventStore } from '../adapters/embedded/event-store.js';
import { MemoryLeaseStore } from '../adapters/embedded/lease-store.js';
import { EmbeddedReadStore } from '../adapters/embedded/read-store.js';
import { SharedSubscription, sharingSubscription } from '../adapters/event-store.sharing.js';
import { subscriberKey } from '../projecting/checkpoints.js';
import { catalogue } from './catalogue.js';
import { SUBSCRIBERS } from './history-opening.js';
import { WEBHOOKS } from '../integration/webhook-dispatcher.js';
import type { NatsBrokerOptions } from '../adapters/nats/broker.js';
import type { Config } from '../config.js';
import type { Broker } from '../ports/broker.js';
import type { Cache } from '../ports/cache.js';
import type { Pipelined } from '../ports/append-pipeline.js';
import type { EventReader, EventStore, LiveAfter, Position } from '../ports/event-store.js';
import type { HistoryIdentity } from '../ports/history.js';
import type { LeaseStore } from '../ports/lease-store.js';
import type { Logger } from '../ports/log.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';

// Opens engines according to their settings. A server's driver is imported only if the server's URL is set, because
// loading drivers slows start-up.

/**
 * Time for which events from a server are gathered, because the server delivers them one at a time: `MOST_GATHER_MS`
 * times the load of the process, but at least `GATHER_MS`.
 */
const GATHER_MS = 10;
const MOST_GATHER_MS = 100;
/**
 * Checkpoints to keep when the schema of the read store changes. The webhooks' checkpoint is excluded. It is
 * meaningless without each webhook's progress, which is not kept.
 */
const KEPT = SUBSCRIBERS.filter((name) => name !== WEBHOOKS).map(subscriberKey);
/**
 * Number of messages to keep. They take about a gigabyte, and cover more than the two-minute window in which NATS
 * deduplicates messages.
 */
const KEPT_MESSAGES = 1_000_000;

/** The engine settings of a process. They can be sent to a worker thread. URLs may contain passwords. */
export type StoreSettings = {
  /** Directory for the files of the embedded engines. */
  readonly directory: string;
  readonly eventStoreUrl: string | undefined;
  readonly mongoDbUrl: string | undefined;
  readonly natsUrl: string | undefined;
  /** TLS settings and credentials for NATS, and the limits of its stream. */
  readonly nats?: Pick<NatsBrokerOptions, 'security' | 'limits'>;
  readonly redisUrl: string | undefined;
};
export const storeSettings = (config: Config): StoreSettings => ({
  directory: config.DATA_DIR,
  eventStoreUrl: config.EVENTSTORE_URL,
  mongoDbUrl: config.MONGODB_URL,
  natsUrl: config.NATS_URL,
  nats: {
    security: {
      credsFile: config.NATS_CREDS_FILE,
      nkeyFile: config.NATS_NKEY_FILE,
      caFile: config.NATS_TLS_CA_FILE,
      certFile: config.NATS_TLS_CERT_FILE,
      keyFile: config.NATS_TLS_KEY_FILE,
      handshakeFirst: config.NATS_TLS_FIRST,
    },
    limits: {
      replicas: config.NATS_STREAM_REPLICAS,
      maxAgeMs: config.NATS_STREAM_MAX_AGE_HOURS && config.NATS_STREAM_MAX_AGE_HOURS * 3_600_000,
      maxBytes: config.NATS_STREAM_MAX_BYTES,
    },
  },
  redisUrl: config.REDIS_URL,
});

type Parts = { readonly clock: Clock; readonly logger: Logger };
/** `liveAfter` provides the live events that another thread receives. */
type EventParts = Parts & { readonly liveAfter?: LiveAfter };
/** `onDamaged` is called when damage to the embedded read models is detected; see `OpenModels.reopen`. */
type ModelParts = Parts & { readonly onDamaged?: () => void };

export type OpenEvents = {
  readonly events: EventStore;
  readonly identity: HistoryIdentity;
  /**
   * Notifies the listener of commits by this process that other threads cannot observe. Returns a function that removes
   * the listener.
   */
  onCommit(listener: (head: Position) => void): () => void;
  /** Provides live events to another thread. Absent if it costs less for each thread to receive its own. */
  readonly liveAfter?: LiveAfter;
};

/** @throws EventStoreInUse if another process writes to the embedded store's files */
export async function openEvents(
  { directory, eventStoreUrl: url }: StoreSettings,
  parts: EventParts,
): Promise<OpenEvents & { readonly events: Pipelined }> {
  if (url !== undefined) {
    const { EventStoreDb } = await import('../adapters/eventstoredb/event-store.js');
    const load = new ProcessLoad();
    const gatherMs = () => Math.max(GATHER_MS, load.read() * MOST_GATHER_MS);
    const events = EventStoreDb.open({ url, ...parts, gatherMs });
    // The server may also contain events from other applications.
    const filter = ownStreams(catalogue);
    const shared = new SharedSubscription(events, { filter, keepsLateApart: true, liveAfter: parts.liveAfter });
    return {
      events: sharingSubscription<EventStore & Pipelined>(events, shared),
      identity: events,
      onCommit: () => () => undefined,
      liveAfter: shared.liveAfter,
    };
  }
  await mkdir(directory, { recursive: true });
  const events = EmbeddedEventStore.open({ directory, clock: parts.clock, rest: restOfBusyThread() });
  return {
    events: sharingSubscription<EventStore & Pipelined>(events),
    identity: events,
    onCommit: (listener) => events.onCommit(listener),
  };
}

export type OpenEventReader = {
  readonly events: EventReader & { close(): Promise<void> };
  /** Undefined for the embedded store, which itself detects that its files were replaced. */
  readonly identity: HistoryIdentity | undefined;
  /** Announces a commit by the writing thread. */
  readonly notify: (head: Position) => void;
};

/** Opens a reader for a thread other than the writing thread. */
export async function openEventReader(settings: StoreSettings, parts: EventParts): Promise<OpenEventReader> {
  if (settings.eventStoreUrl !== undefined) {
    const { events, identity } = await openEvents(settings, parts);
    return { events, identity, notify: () => undefined };
  }
  const events = EmbeddedEventReader.open({
    directory: settings.directory,
    clock: parts.clock,
    rest: restOfBusyThread(),
  });
  return {
    events: sharingSubscription<OpenEventReader['events']>(events),
    identity: undefined,
    notify: (head) => {
      events.notify(head);
    },
  };
}

export type OpenModels = {
  readonly reads: ReadStore;
  readonly leases: LeaseStore;
  /** Whether other processes may also write to the read models. */
  readonly isShared: boolean;
  /** Whether the models were unreadable and have been recreated empty. */
  readonly isRecreated: boolean;
  /** Switches to the current file after the writer has moved a damaged one aside. @throws ReadStoreUnavailable */
  readonly reopen: () => Promise<void>;
};

/**
 * Opens the read models. The embedded store has only one writer, so use `readwrite` in the projections' thread and
 * `readonly` in all others.
 */
export async function openModels(
  { directory, mongoDbUrl: url }: StoreSettings,
  mode: 'readonly' | 'readwrite',
  { onDamaged, ...parts }: ModelParts,
): Promise<OpenModels> {
  if (url !== undefined) {
    const { openMongoDb } = await import('../adapters/mongodb/read-store.js');
    return { ...openMongoDb({ url, ...parts }), isShared: true, isRecreated: false, reopen: () => Promise.resolve() };
  }
  await mkdir(directory, { recursive: true });
  const reads = await EmbeddedReadStore.open({
    ...{ directory, mode, keptCheckpoints: KEPT },
    ...(onDamaged && { onDamaged }),
  });
  return {
    reads,
    leases: new MemoryLeaseStore(),
    isShared: false,
    isRecreated: reads.recreated,
    reopen: () => reads.reopen(),
  };
}

export async function openBroker({ directory, natsUrl: url, nats }: StoreSettings, parts: Parts): Promise<Broker> {
  if (url !== undefined) {
    const { NatsBroker } = await import('../adapters/nats/broker.js');
    return NatsBroker.open({ url, ...nats, ...parts });
  }
  await mkdir(directory, { recursive: true });
  const onDamaged = (): void => {
    parts.logger.warn({}, 'broker.sqlite is damaged; it was moved aside, and a new file was created');
  };
  return EmbeddedBroker.open({ directory, clock: parts.clock, keptMessages: KEPT_MESSAGES, onDamaged });
}

export async function openCache({ redisUrl: url }: StoreSettings, parts: Parts): Promise<Cache> {
  if (url === undefined) return new MemoryCache({ clock: parts.clock });
  const { RedisCache } = await import('../adapters/redis/cache.js');
  return RedisCache.open({ url, ...parts });
}
