import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { catalogue } from './catalogue.js';
import { Settling } from './history-opening.js';
import { HistoryReadStore } from '../projecting/history-read-store.js';
import { Leadership } from '../projecting/leadership.js';
import { RangeLeadership } from '../projecting/range-leadership.js';
import { checkpointsIn, type Checkpoints } from '../projecting/checkpoints.js';
import type { Broker } from '../ports/broker.js';
import type { EventStore } from '../ports/event-store.js';
import { PUBLISH_RESULTS } from '../observability/engine-metrics.js';
import type { LeaseStore } from '../ports/lease-store.js';
import { projections } from '../projections/projections.js';
import type { Config } from '../config.js';
import type { Engines } from './engines.js';
import { holderOf } from './holder.js';
import type { ModelRecovery } from './model-recovery.js';
import { openModels, type OpenEvents, type OpenModels, type StoreSettings } from './stores.js';
import {
  forwardedOf,
  MODELS_LOST,
  startSubscribers,
  type SubscriberCallbacks,
  type SubscriberListeners,
  type Subscribers,
} from './subscribers.js';
import { SubscriberThread } from './subscribers.thread.js';
import { publishingIn } from './thread-broker.js';
import { openWebhooks, webhookSettings } from './webhooks.js';
import { integritySettings } from './integrity.js';
import type { WebhookSender } from '../security/webhook-sender.js';

/** Dependencies of the read models and their subscribers. */
export type ProcessParts = Pick<
  Engines,
  'clock' | 'ids' | 'logger' | 'errors' | 'progress' | 'history' | 'broker' | 'metrics' | 'queues'
> & {
  readonly config: Config;
  readonly settings: StoreSettings;
  readonly opened: OpenEvents;
  readonly recovery: ModelRecovery;
};

/** The read models of a process and the subscribers that fill them. */
export type ProcessSubscribers = {
  readonly reads: HistoryReadStore;
  /** The process's broker. It may publish in the subscribers' thread. */
  readonly broker: Broker;
  /** Whether other processes may also write to the read models. */
  readonly isShared: boolean;
  readonly leadership: Leadership;
  readonly ranges: RangeLeadership | undefined;
  readonly leases: LeaseStore;
  readonly checkpoints: Checkpoints;
  /** Resolves to true once the history is known, or to false if the process ends first. */
  readonly settled: Promise<boolean>;
  readonly start: (callbacks: SubscriberCallbacks) => Promise<void>;
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
};

/** Opens the read models, and prepares their subscribers in a worker thread or in the serving thread. */
export const openSubscribers = (parts: ProcessParts): Promise<ProcessSubscribers> => {
  const { SUBSCRIBERS, ROLES } = parts.config;
  const hasThread = SUBSCRIBERS === 'worker' && (ROLES.includes('projections') || ROLES.includes('forwarder'));
  return hasThread ? inThread(parts) : inline(parts);
};

/** Runs projections and the forwarder in a worker thread with its own engines. */
async function inThread(parts: ProcessParts): Promise<ProcessSubscribers> {
  const { settings, clock, logger, opened } = parts;
  // The worker will have the only writable connection. Until the worker starts, this thread uses a writable connection
  // of its own.
  const writable = await openModels(settings, 'readwrite', { clock, logger });
  if (writable.isRecreated) {
    parts.metrics.modelsLost.inc();
    logger.warn({}, 'the read models were unreadable; rebuilding them from the history');
  }
  const models = await openModels(settings, 'readonly', { clock, logger }).catch(async (error: unknown) => {
    await writable.reads.close();
    throw error;
  });
  const settling = settlingOf(parts, writable, () => writable.reads.close());
  const stores = storesOf(parts, models);
  const thread = threadOf(parts, stores, models.reopen);
  const unsubscribe = opened.onCommit((head) => {
    thread.notify(head);
  });
  return {
    ...stores,
    broker: publishingIn(thread, parts.broker),
    checkpoints: models.isShared ? checkpointsIn(stores.reads, true) : thread.checkpoints(stores.reads),
    settled: settling.done,
    start: async (callbacks) => {
      if (!(await settling.done)) return;
      await thread.start(callbacks);
      await announceHead(opened.events, thread);
    },
    isAlive: () => thread.isAlive,
    stop: async () => {
      unsubscribe();
      await settling.stop();
      await thread.stop();
    },
  };
}

/**
 * Announces commits made before the worker started listening. If this fails, the announcement of the next commit covers
 * them.
 */
async function announceHead(events: EventStore, thread: SubscriberThread): Promise<void> {
  try {
    thread.notify(await events.head());
  } catch {
    // The event store is unavailable. The worker's subscriptions continue when it is available again.
  }
}

/** Runs everything in the serving thread. */
async function inline(parts: ProcessParts): Promise<ProcessSubscribers> {
  const { settings, clock, logger, recovery, queues } = parts;
  let running: Subscribers | undefined;
  let run = (): Subscribers | undefined => undefined;
  const recover = async (): Promise<void> => {
    const forwarded = forwardedOf(queues.readings());
    // No subscriber may continue from positions in the lost read models.
    await running?.stop();
    await recovery.lost(models.reopen);
    if (forwarded >= 0) await checkpoints.save(FORWARDER, forwarded);
    running = run();
  };
  const onDamaged = (): void => {
    logger.error({}, MODELS_LOST);
    recover().catch((error: unknown) => {
      logger.error({ err: error }, 'the rebuild of the read models could not be started');
    });
  };
  const models = await openModels(settings, 'readwrite', { clock, logger, onDamaged });
  if (models.isRecreated) parts.metrics.modelsLost.inc();
  const stores = storesOf(parts, models);
  const checkpoints = checkpointsIn(stores.reads, models.isShared);
  const webhooks = await openWebhooks(webhookSettings(parts.config), clock);
  const settling = settlingOf(parts, models);
  return {
    ...stores,
    broker: parts.broker,
    checkpoints,
    settled: settling.done,
    start: async (callbacks) => {
      if (!(await settling.done)) return;
      run = () => startHere(parts, stores, callbacks, webhooks);
      running = run();
    },
    isAlive: () => true,
    stop: async () => {
      await settling.stop();
      run = () => undefined;
      await running?.stop();
      webhooks.close();
    },
  };
}

type Stores = Pick<ProcessSubscribers, 'reads' | 'isShared' | 'leadership' | 'ranges' | 'leases'> & {
  readonly holder: string;
};

/** Starts the subscribers in the serving thread. */
function startHere(
  parts: ProcessParts,
  stores: Stores,
  callbacks: SubscriberCallbacks,
  webhooks: WebhookSender,
): Subscribers {
  const { config, opened, broker, history, clock, ids, logger, queues } = parts;
  return startSubscribers({
    ...{ events: opened.events, store: stores.reads, broker, catalogue, clock, logger, callbacks },
    ...{ webhooks, ids, integrity: integritySettings(config) },
    ...{ leadership: stores.leadership, ranges: stores.ranges, roles: config.ROLES, projections, batchSize: 100 },
    ...listenersOf(parts),
    identity: config.EVENTSTORE_URL === undefined ? undefined : opened.identity,
    historyId: history.known.historyId,
    restoreForward: config.RESTORE_FORWARD,
    meters: queues,
  });
}

const storesOf = ({ history, progress, clock, logger, ids }: ProcessParts, models: OpenModels): Stores => {
  const { reads, leases, isShared } = models;
  // Only this process can write to read models that are not shared.
  progress.isReportedHere = !isShared;
  if (isShared) progress.divide(projections.filter((one) => !one.acrossTenants).map(({ model }) => model.name));
  const holder = holderOf(ids);
  const leadership = new Leadership(leases, clock, logger, { holder });
  const ranges = isShared ? new RangeLeadership(leases, clock, logger, { holder }) : undefined;
  return { reads: new HistoryReadStore(reads, history), isShared, holder, leadership, ranges, leases };
};

/** Identifies the history in the event store. */
const settlingOf = (
  parts: ProcessParts,
  { reads: store, isShared }: OpenModels,
  after?: () => Promise<void>,
): Settling => new Settling({ ...parts, ...parts.opened, store, isShared }, after);

/** Returns the listeners for subscribers in either thread. */
const listenersOf = ({ progress, history }: ProcessParts): SubscriberListeners => ({
  onProgress: (name, position, ranges) => {
    progress.advance(name, position, ranges);
  },
  onStopped: progress.stop,
  onFailed: progress.fail,
  onHistory: history.note,
});

/** Creates the subscribers' thread without starting it. `reopen` opens new read models in the calling thread. */
function threadOf(parts: ProcessParts, stores: Stores, reopen: () => Promise<void>): SubscriberThread {
  const { config, settings, opened, clock, logger, errors, history, metrics, queues, recovery } = parts;
  return new SubscriberThread({
    liveAfter: opened.liveAfter,
    settings: {
      ...{ stores: settings, holder: stores.holder, roles: config.ROLES, logLevel: config.LOG_LEVEL },
      webhooks: webhookSettings(config),
      restoreForward: config.RESTORE_FORWARD,
      integrity: integritySettings(config),
      get history() {
        return history.known;
      },
    },
    clock,
    logger,
    listeners: {
      ...listenersOf(parts),
      onNoted: errors.note,
    },
    onReady: ({ isRecreated, isFirst }) => {
      if (isRecreated && isFirst) metrics.modelsLost.inc();
      else if (isRecreated) void recovery.lost(reopen);
      else if (!isFirst) void recovery.reopen(reopen);
    },
    onQueues: (report) => {
      queues.reported = report?.queues ?? [];
      for (const result of PUBLISH_RESULTS) metrics.messages.inc({ result }, report?.published[result] ?? 0);
    },
  });
}
