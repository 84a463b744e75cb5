import type { Broker } from './ports/broker.js';
import type { Cache } from './ports/cache.js';
import type { EventStore } from './ports/event-store.js';
import type { ReadStore } from './ports/read-store.js';
import type { Clock, Ids } from './ports/time.js';
import type { Logger } from './ports/log.js';
import type { SubscriberOffice } from './subscribers.js';
import type { ErrorCollector } from './platform/error-collector.js';
import type { EngineMetrics } from './platform/engine-metrics.js';
import type { Leadership } from './platform/leadership.js';
import type { Progress } from './platform/progress.js';
import type { ProcessQueues } from './process-queues.js';
import type { Checkpoints } from './platform/windowed-subscriber.js';

/** The engines that a process runs on, chosen by its settings. */
export type Engines = {
  readonly events: EventStore;
  readonly reads: ReadStore;
  readonly broker: Broker;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The share of its time in which the serving thread had work lately: 0 to 1. */
  readonly busyShare: () => number;
  /** What is logged here is noted by `errors`, too. */
  readonly logger: Logger;
  /** Logs and notes nothing: for requests, whose errors are noted from their outcomes. */
  readonly bareLogger: Logger;
  /** What goes wrong in this process, on its way to the error log. */
  readonly errors: ErrorCollector;
  readonly progress: Progress;
  /** Which replica does what; a process that shares nothing leads in everything. */
  readonly leadership: Leadership;
  /** Where policies, which run in the serving thread, keep their checkpoints. */
  readonly checkpoints: Checkpoints;
  /** Told when this process begins or ceases to fold projections: then it knows their progress itself. */
  onProjecting(listener: (projectsHere: boolean) => void): void;
  /** Starts projections and the forwarder as far as they are roles of this process, wherever they run. */
  startSubscribers(office: SubscriberOffice): Promise<void>;
  /** How the queues are doing that this process works on, in whichever thread. */
  readonly queues: ProcessQueues;
  /** What the engines did for this process, and the registry of all its metrics. */
  readonly metrics: EngineMetrics;
  /** Whether the cache is one that replicas share. */
  readonly sharesCache: boolean;
  /** Whether the subscribers' thread runs, where there is one. */
  isAlive(): boolean;
  /** Ends subscribers, then engines. Idempotent. */
  close(): Promise<void>;
};
