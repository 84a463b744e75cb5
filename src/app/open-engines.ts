import { EventLoopUtilization } from '../adapters/event-loop-utilization.js';
import { SystemClock, Uuid7Ids } from '../adapters/system-time.js';
import type { Config } from '../config.js';
import { HistoryState } from '../eventsourcing/history-state.js';
import { EngineMetrics } from '../observability/engine-metrics.js';
import { instrumentedBroker, instrumentedCache, instrumentedEvents } from '../observability/instrumented-engines.js';
import { QueueMeters } from '../observability/queue-meters.js';
import { WriteHealth } from '../observability/write-health.js';
import type { Logger } from '../ports/log.js';
import type { Clock, Ids } from '../ports/time.js';
import { Progress } from '../projecting/progress.js';
import { projections } from '../projections/projections.js';
import type { Engines } from './engines.js';
import { collectErrors } from './error-collection.js';
import { checkGivenKeys } from './key-settings.js';
import { ModelRecovery } from './model-recovery.js';
import { openSubscribers } from './process-subscribers.js';
import { openBroker, openCache, openEvents, storeSettings, type OpenEvents } from './stores.js';

export type EngineOptions = { readonly clock?: Clock; readonly ids?: Ids; readonly logger: Logger };

/**
 * Opens the engines specified in the settings. Servers need not be available yet.
 * @throws ConfigError if a key in the settings is unusable
 * @throws EventStoreInUse if another process writes to the embedded event store's files
 */
export async function openEngines(config: Config, options: EngineOptions): Promise<Engines> {
  const { clock = new SystemClock(), ids = new Uuid7Ids(), logger: bareLogger } = options;
  await checkGivenKeys(config, clock);
  const { errors, logger } = collectErrors(config, { clock, ids, logger: bareLogger });
  const settings = storeSettings(config);
  const models = projections.map(({ model }) => model.name);
  const progress = new Progress(clock, models);
  const metrics = new EngineMetrics();
  const base = {
    ...{ clock, ids, logger, bareLogger, errors, progress, metrics },
    queues: new QueueMeters(clock),
    writes: new WriteHealth(clock, logger),
    history: new HistoryState(),
  };
  const open: { close(): Promise<void> }[] = [];
  const closeAll = () => Promise.all(open.map((engine) => engine.close()));
  try {
    const opened = watched(await openEvents(settings, { clock, logger }), base);
    open.push(opened.events);
    const ownBroker = instrumentedBroker(await openBroker(settings, { clock, logger }), (result, messages) => {
      metrics.messages.inc({ result }, messages);
    });
    open.push(ownBroker);
    const cache = instrumentedCache(await openCache(settings, { clock, logger }), metrics);
    open.push(cache);
    const recovery = new ModelRecovery(base);
    const subscribers = await openSubscribers({ ...base, config, settings, opened, broker: ownBroker, recovery });
    const { reads, broker, leadership, ranges, leases, checkpoints, start, isAlive } = subscribers;
    open.push(reads);
    return {
      ...{ ...base, events: opened.events, reads, broker, cache, leadership, ranges, leases, checkpoints, isAlive },
      eventLoopUtilization: new EventLoopUtilization().read,
      sharesCache: settings.redisUrl !== undefined,
      whenSettled: () => subscribers.settled.then(() => undefined),
      onModelsLost: recovery.onLost,
      startSubscribers: start,
      close: once(async () => {
        recovery.close();
        await subscribers.stop();
        await closeAll();
      }),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Wraps the event store to count appends and commits, and to reject appends to a damaged history. */
function watched(opened: OpenEvents, observers: Pick<Engines, 'metrics' | 'writes' | 'history' | 'clock'>): OpenEvents {
  opened.onCommit(() => {
    observers.metrics.commits.inc();
  });
  return { ...opened, events: instrumentedEvents(opened.events, observers) };
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}
