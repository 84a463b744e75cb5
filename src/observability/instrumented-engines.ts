import { BrokerRefused, type Broker, type Published } from '../ports/broker.js';
import type { Cache } from '../ports/cache.js';
import {
  AppendOutcomeUnknown,
  BEFORE_ALL,
  CorruptEvent,
  DamagedStore,
  EventStoreUnavailable,
  EventTooLarge,
  StreamTombstoned,
  WrongExpectedRevision,
  type EventReader,
  type EventStore,
  type Position,
} from '../ports/event-store.js';
import { overriding } from '../ports/overriding.js';
import type { Clock } from '../ports/time.js';
import type { HistoryState } from '../eventsourcing/history-state.js';
import type { AppendFailure, EngineMetrics, PublishResult } from './engine-metrics.js';
import type { WriteHealth } from './write-health.js';

/**
 * Returns a reader that reports every damaged event that it reads. Reports BEFORE_ALL for damage without a known
 * position.
 */
export function reportingDamage<R extends EventReader & Pick<EventStore, 'revisionOf'>>(
  reader: R,
  onDamage: (position: Position) => void,
): R {
  const report = (error: unknown): never => {
    if (error instanceof CorruptEvent) onDamage(error.position);
    if (error instanceof DamagedStore) onDamage(BEFORE_ALL);
    throw error;
  };
  const revisionOf = (stream: string): number | undefined => {
    try {
      return reader.revisionOf?.(stream);
    } catch (error) {
      return report(error);
    }
  };
  return overriding<R, EventReader & Pick<EventStore, 'revisionOf'>>(reader, {
    ...(reader.revisionOf && { revisionOf }),
    readStream: (stream, read) => reader.readStream(stream, read).catch(report),
    readAll: (read) => reader.readAll(read).catch(report),
    // This is not a generator, because a consumer cannot end a generator that is waiting for the next batch.
    subscribeToAll: (subscription) => {
      const batches = reader.subscribeToAll(subscription);
      return {
        [Symbol.asyncIterator]: () => {
          const inner = batches[Symbol.asyncIterator]();
          return {
            next: () => inner.next().catch(report),
            return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
          };
        },
      };
    },
  });
}

export type AppendObservers = {
  readonly clock: Clock;
  readonly metrics: Pick<EngineMetrics, 'appendSeconds' | 'appendedEvents' | 'appendFailures'>;
  readonly writes: Pick<WriteHealth, 'appended' | 'appendFailed'>;
  readonly history: Pick<HistoryState, 'assertSound' | 'noteDamage'>;
};

/** Measures appends, and rejects them while the history is known to be damaged or replaced. */
export function instrumentedEvents(events: EventStore, observers: AppendObservers): EventStore {
  const { clock, metrics, writes, history } = observers;
  const measured = async <T>(count: number, append: () => Promise<T>): Promise<T> => {
    const beganAtMs = clock.monotonicMs();
    try {
      history.assertSound();
      const appended = await append();
      metrics.appendSeconds.observe((clock.monotonicMs() - beganAtMs) / 1_000);
      metrics.appendedEvents.inc(count);
      writes.appended();
      return appended;
    } catch (error) {
      const reason = failureOf(error);
      metrics.appendFailures.inc({ reason });
      writes.appendFailed(reason, error);
      throw error;
    }
  };
  const reader = reportingDamage(events, (position) => {
    history.noteDamage(position);
  });
  return overriding<EventStore, EventStore>(reader, {
    append: (append) => measured(append.events.length, () => events.append(append)),
    appendInOrder: (appends) => {
      const count = appends.reduce((sum, { events: { length } }) => sum + length, 0);
      return measured(count, () => events.appendInOrder(appends));
    },
  });
}

function failureOf(error: unknown): AppendFailure {
  if (error instanceof WrongExpectedRevision) return 'conflict';
  if (error instanceof EventStoreUnavailable) return 'unavailable';
  if (error instanceof AppendOutcomeUnknown) return 'unknown_outcome';
  return error instanceof StreamTombstoned || error instanceof EventTooLarge ? 'refused' : 'other';
}

/** Counts published messages by result. */
export function instrumentedBroker(broker: Broker, count: (result: PublishResult, messages: number) => void): Broker {
  const stored = (published: Published[]): Published[] => {
    const duplicates = published.reduce((sum, { duplicate }) => sum + Number(duplicate), 0);
    if (duplicates < published.length) count('stored', published.length - duplicates);
    if (duplicates > 0) count('duplicate', duplicates);
    return published;
  };
  const failed = (error: unknown): never => {
    count(error instanceof BrokerRefused ? 'refused' : 'unavailable', 1);
    throw error;
  };
  return overriding<Broker, Broker>(broker, {
    publish: async (message) => {
      const published = await broker.publish(message).catch(failed);
      stored([published]);
      return published;
    },
    publishInOrder: (messages, source) => broker.publishInOrder(messages, source).then(stored, failed),
  });
}

/**
 * Counts lookups by result, and failed `clear` and `hit` calls. A failed lookup counts as a miss, because the port
 * reports it as one.
 */
export function instrumentedCache(cache: Cache, metrics: Pick<EngineMetrics, 'lookups' | 'cacheFailures'>): Cache {
  const counted = async <T>(operation: 'clear' | 'count', work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      metrics.cacheFailures.inc({ operation });
      throw error;
    }
  };
  return overriding<Cache, Cache>(cache, {
    get: async (key) => {
      const value = await cache.get(key);
      metrics.lookups.inc({ result: value === undefined ? 'miss' : 'hit' });
      return value;
    },
    clear: (pattern) => counted('clear', () => cache.clear(pattern)),
    hit: (...given) => counted('count', () => cache.hit(...given)),
  });
}
