import type { Broker } from '../ports/broker.js';
import type { Cache } from '../ports/cache.js';
import type { EventStore } from '../ports/event-store.js';
import type { LeaseStore } from '../ports/lease-store.js';
import type { ReadStore } from '../ports/read-store.js';
import type { Clock, Ids } from '../ports/time.js';
import type { Logger } from '../ports/log.js';
import type { SubscriberCallbacks } from './subscribers.js';
import type { ErrorCollector } from '../observability/error-collector.js';
import type { HistoryState } from '../eventsourcing/history-state.js';
import type { EngineMetrics } from '../observability/engine-metrics.js';
import type { Leadership } from '../projecting/leadership.js';
import type { RangeLeadership } from '../projecting/range-leadership.js';
import type { Progress } from '../projecting/progress.js';
import type { WriteHealth } from '../observability/write-health.js';
import type { QueueMeters } from '../observability/queue-meters.js';
import type { Checkpoints } from '../projecting/checkpoints.js';

/** The engines of a process, selected by its settings. */
export type Engines = {
  readonly events: EventStore;
  /** Read models derived from the event store's history. They are unusable until the history has been identified. */
  readonly reads: ReadStore;
  /** State of the event store's history: its identity, and whether it is damaged or has been replaced. */
  readonly history: HistoryState;
  readonly broker: Broker;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Returns the recent event loop utilization of the serving thread, from 0 to 1. */
  readonly eventLoopUtilization: () => number;
  /** Logger that also reports warnings and errors to `errors`. */
  readonly logger: Logger;
  /**
   * Logger that does not report to `errors`. The HTTP layer uses it, because a request's errors are reported with its
   * outcome.
   */
  readonly bareLogger: Logger;
  /** Collects this process's errors for the error log. */
  readonly errors: ErrorCollector;
  readonly progress: Progress;
  /** Leader election among replicas. A process whose engines are not shared always leads. */
  readonly leadership: Leadership;
  /** Divides the ranges of the history among replicas; undefined if there can be no other replicas. */
  readonly ranges: RangeLeadership | undefined;
  readonly leases: LeaseStore;
  /** Policy checkpoints. The policies run in the serving thread. */
  readonly checkpoints: Checkpoints;
  /** Resolves once the history in the event store has been identified. `reads` is unusable until then. */
  whenSettled(): Promise<void>;
  /**
   * Registers a listener that is called when damaged read models have been moved aside. `reopened` resolves once the
   * new read models can be read.
   */
  readonly onModelsLost: (listener: (reopened: Promise<void>) => void) => void;
  /** Once the history has been identified, starts the projections and the forwarder if this process has these roles. */
  startSubscribers(callbacks: SubscriberCallbacks): Promise<void>;
  /** State of the queues in all of this process's threads. */
  readonly queues: QueueMeters;
  /** Engine metrics, and the registry of all process metrics. */
  readonly metrics: EngineMetrics;
  /** Tracks whether appends succeed. */
  readonly writes: WriteHealth;
  /** Whether replicas share the cache. */
  readonly sharesCache: boolean;
  /** Whether the subscribers' thread is running. True if there is no such thread. */
  isAlive(): boolean;
  /** Stops the subscribers, then the engines. Idempotent. */
  close(): Promise<void>;
};
