import { createHash } from 'node:crypto';
import type { Config, Role } from '../config.js';
import { FORWARDER, type ForwarderReport } from '../aggregates/forwarder.aggregate.js';
import { Forwarder } from '../integration/forwarder.js';
import { TILE_TABLE } from '../integrity/tile-store.js';
import { INTEGRITY, type RecordCheckpoint } from '../integrity/tree-follower.js';
import type { WebhookReport } from '../aggregates/webhook.aggregate.js';
import type { WebhookAddress } from '../integration/webhook-attempts.js';
import { WebhookDispatcher, WEBHOOKS } from '../integration/webhook-dispatcher.js';
import { deadLetterId } from '../aggregates/dead-letter.aggregate.js';
import { letterOf, type ParkRequest, type SettleRequest } from '../integration/dead-letters.js';
import type { HistoryFault } from '../eventsourcing/history-state.js';
import { HistoryWatch, type WatchParts } from '../projecting/history-watch.js';
import type { Leadership, Led } from '../projecting/leadership.js';
import { leadRanges, type LedPortion, type RangeLeadership } from '../projecting/range-leadership.js';
import { marksIn } from '../projecting/marks.js';
import { QUARANTINE_TABLE, type ProjectionLetters } from '../projecting/projection-quarantine.js';
import type { RebuildReport } from '../projecting/projection-rebuilds.js';
import { ProjectionRunner } from '../projecting/projection-runner.js';
import type { AnyProjection } from '../projecting/projection.js';
import { DELIVERY_TABLE, LANE_TABLE } from '../observability/delivery-log.js';
import type { QueueMeters, QueueReading } from '../observability/queue-meters.js';
import { checkpointsIn } from '../projecting/checkpoints.js';
import type { Broker } from '../ports/broker.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { Ids } from '../ports/time.js';
import type { WebhookSender } from '../security/webhook-sender.js';
import { followTree, type IntegritySettings } from './integrity.js';

/** Functions that append events on behalf of subscribers, which cannot append and may run in another thread. */
export type SubscriberCallbacks = {
  readonly park: (request: ParkRequest) => Promise<void>;
  readonly settle: (request: SettleRequest) => Promise<void>;
  readonly reportRebuild: RebuildReport;
  readonly noteForwarder: (report: ForwarderReport) => Promise<void>;
  readonly noteWebhook: (address: WebhookAddress, report: WebhookReport) => Promise<void>;
  readonly recordCheckpoint: RecordCheckpoint;
};

/**
 * Callbacks through which the subscribers report to their process. They may be called in any thread of that process.
 */
export type SubscriberListeners = {
  /** `ranges`: ranges of the history to which the report applies. Default: the whole history. */
  readonly onProgress: (name: string, position: Position, ranges?: readonly number[]) => void;
  readonly onStopped: (name: string, ranges?: readonly number[]) => void;
  readonly onFailed: (names: readonly string[]) => void;
  /** Called if the history is damaged, or if the event store now contains another history. */
  readonly onHistory: (fault: HistoryFault) => void;
};

export type SubscriberParts = SubscriberListeners &
  Omit<WatchParts, 'models' | 'fixedTables' | 'isShared' | 'onReplaced'> & {
    readonly broker: Broker;
    readonly webhooks: WebhookSender;
    readonly integrity: IntegritySettings;
    readonly ids: Ids;
    readonly leadership: Leadership;
    /** Undefined if no other process can write to the read models. */
    readonly ranges: RangeLeadership | undefined;
    readonly roles: readonly Role[];
    readonly restoreForward: Config['RESTORE_FORWARD'];
    readonly projections: readonly AnyProjection[];
    readonly batchSize: number;
    readonly buildBatchSize?: number;
    readonly callbacks: SubscriberCallbacks;
    readonly meters: QueueMeters;
  };

/** The tables that no projection builds. */
export const FIXED_TABLES = [DELIVERY_TABLE, LANE_TABLE, QUARANTINE_TABLE, TILE_TABLE];

/** Name of the group of replicas that share the forwarder. */
export const FORWARDER_GROUP = `forwarder:${FORWARDER}`;

export type Subscribers = { stop(): Promise<void> };

/** Log message for damaged read models. */
export const MODELS_LOST = 'the read models are damaged; moving them aside and rebuilding them from the history';

/**
 * Returns the forwarder's position. If its checkpoint is lost, this position prevents the forwarder from resending
 * events that partners have already received.
 */
export const forwardedOf = (queues: readonly QueueReading[]): Position =>
  queues.find(({ kind }) => kind === 'forwarder')?.position ?? BEFORE_ALL;

/**
 * Starts the consumers that append nothing: the history watch, and projections and the forwarder while this process
 * leads them. May run in any thread that can write to the read store.
 */
export function startSubscribers(parts: SubscriberParts): Subscribers {
  const { leadership, ranges, roles, projections } = parts;
  const watch = new HistoryWatch({
    ...parts,
    models: projections.map(({ model }) => model),
    fixedTables: FIXED_TABLES,
    isShared: ranges !== undefined,
    onReplaced: (reason) => {
      parts.onHistory({ kind: 'replaced', reason });
    },
  });
  const led: Led[] = [];
  if (roles.includes('projections')) {
    led.push(leadRanges({ leadership, ranges }, leaseOf(projections), (portion) => project(parts, portion)));
    const record = parts.callbacks.recordCheckpoint;
    led.push(leadership.lead(INTEGRITY, () => followTree(parts.integrity, { ...parts, record })));
  }
  if (roles.includes('forwarder')) {
    led.push(leadRanges({ leadership, ranges }, FORWARDER_GROUP, (portion) => forward(parts, portion)));
    led.push(leadership.lead(`forwarder:${WEBHOOKS}`, (_term, _stale, resign) => dispatch(parts, resign)));
  }
  return {
    stop: async () => {
      await Promise.all(led.map((one) => one.stop()));
      await watch.stop();
    },
  };
}

/**
 * Returns the name of the group of replicas that share the projections. These replicas have the same models in the same
 * versions. A release with other models or versions has its own group. Therefore, during a rolling upgrade, the read
 * models of both releases are updated as long as they are read.
 */
export function leaseOf(models: readonly Pick<AnyProjection, 'model'>[]): string {
  const versions = models.map(({ model }) => `${model.name}:v${model.version}`).sort();
  return `projections:${createHash('sha256').update(versions.join('\n')).digest('hex').slice(0, 12)}`;
}

async function project(parts: SubscriberParts, portion: LedPortion | undefined): Promise<Led> {
  const { callbacks } = parts;
  // Only one process runs the projections that are not divided into ranges.
  const projections = parts.projections.filter(({ acrossTenants }) => !acrossTenants || portion?.coordinates !== false);
  const meterOf = (name: string) => parts.meters.of(name, 'projection');
  const meters = projections.map(({ model }) => meterOf(model.name));
  const runner = new ProjectionRunner({
    ...{ ...parts, projections },
    ...(portion && { portion }),
    letters: lettersOf(callbacks),
    reportRebuild: callbacks.reportRebuild,
    onProgress: (name, position, ranges) => {
      meterOf(name).reached(position, false);
      parts.onProgress(name, position, ranges);
    },
    onHandled: (name, events, position) => {
      meterOf(name).handled(events, position);
    },
    onStopped: (name, ranges) => {
      meterOf(name).failed();
      parts.onStopped(name, ranges);
    },
    onFailed: (names) => {
      for (const name of names) meterOf(name).failed();
      parts.onFailed(names);
    },
  });
  const end = (): void => {
    for (const meter of meters) meter.end();
    // The failures of the stopped work no longer count. The empty list of ranges leaves all positions unchanged.
    for (const { model } of projections) parts.onProgress(model.name, BEFORE_ALL, []);
  };
  for (const { model, acrossTenants } of projections) {
    const meter = meterOf(model.name);
    meter.ranges = acrossTenants ? undefined : portion?.ranges;
    meter.begin(-1);
  }
  try {
    await runner.start();
  } catch (error) {
    end();
    throw error;
  }
  return {
    stop: async () => {
      await runner.stop();
      end();
    },
  };
}

const lettersOf = ({ park, settle }: SubscriberCallbacks): ProjectionLetters => ({
  park: (subscriber, event, error, isRequested) =>
    park({ ...letterOf('PROJECTION', subscriber, event, error), isRequested }),
  settle: (subscriber, { eventId: id, stream }) => settle({ origin: 'PROJECTION', subscriber, event: { id, stream } }),
  idOf: (subscriber, eventId) => deadLetterId({ origin: 'PROJECTION', subscriber, eventId }),
  replayedBy: ({ type, recordId }) => (type === 'DeadLetterReplayed' ? recordId : undefined),
});

function forward(parts: SubscriberParts, portion: LedPortion | undefined): Promise<Led> {
  const { events, store, broker, catalogue, clock, logger, callbacks, meters } = parts;
  const meter = meters.of(FORWARDER, 'forwarder');
  meter.ranges = portion?.ranges;
  const forwarder = new Forwarder({
    ...{ events, broker, catalogue, clock, logger },
    ...{ marks: marksIn(store), checkpoints: checkpointsIn(store, portion !== undefined), portion },
    restoreForward: parts.restoreForward,
    report: callbacks.noteForwarder,
    park: (event, error, rewindId) => {
      const subscriber = rewindId === undefined ? FORWARDER : `${FORWARDER}~rewind.${rewindId}`;
      return callbacks.park(letterOf('PUBLISH', subscriber, event, error));
    },
    meter,
  });
  forwarder.start();
  return Promise.resolve(forwarder);
}

function dispatch(parts: SubscriberParts, resign: () => void): Promise<Led> {
  const { events, store, catalogue, clock, ids, logger, callbacks, meters, webhooks: sender } = parts;
  const dispatcher = new WebhookDispatcher({
    ...{ events, store, catalogue, clock, ids, logger, sender, resign },
    report: callbacks.noteWebhook,
    park: (subscriber, event, error) => callbacks.park(letterOf('WEBHOOK', subscriber, event, error)),
    meter: meters.of(WEBHOOKS, 'push'),
  });
  dispatcher.start();
  return Promise.resolve(dispatcher);
}
