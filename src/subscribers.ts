import { createHash } from 'node:crypto';
import type { Role } from './config.js';
import { FORWARDER } from './aggregates/forwarder.aggregate.js';
import { createForwarder } from './integration/forwarder.js';
import { deadLetterId } from './aggregates/dead-letter.aggregate.js';
import { letterOf, type ParkRequest, type SettleRequest } from './integration/dead-letters.js';
import type { EventCatalogue } from './platform/event-catalogue.js';
import type { Leadership, Led } from './platform/leadership.js';
import type { ProjectionLetters } from './platform/projection-quarantine.js';
import type { RebuildReport } from './platform/projection-swap.js';
import { ProjectionRunner, type ProjectionRunnerOptions } from './platform/projection-runner.js';
import type { AnyProjection } from './platform/projection.js';
import type { QueueMeters } from './platform/queue-meters.js';
import type { Checkpoints } from './platform/windowed-subscriber.js';
import type { Broker } from './ports/broker.js';
import type { EventReader } from './ports/event-store.js';
import type { Logger } from './ports/log.js';
import type { ReadStore } from './ports/read-store.js';
import type { Clock } from './ports/time.js';

/** What subscribers have written for them: they append nothing themselves, and may be in another thread. */
export type SubscriberOffice = {
  readonly park: (request: ParkRequest) => Promise<void>;
  readonly settle: (request: SettleRequest) => Promise<void>;
  readonly reportRebuild: RebuildReport;
};

export type SubscriberParts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leadership: Leadership;
  readonly roles: readonly Role[];
  readonly projections: readonly AnyProjection[];
  readonly batchSize: number;
  readonly office: SubscriberOffice;
  readonly onProgress: (name: string, position: number) => void;
  readonly onStopped: (name: string) => void;
  /** Told when projections begin or cease to run here. */
  readonly onProjecting: (projectsHere: boolean) => void;
  readonly meters: QueueMeters;
};

export type Subscribers = { stop(): Promise<void> };

const checkpointName = (subscriber: string): string => `subscriber:${subscriber}`;

/** Checkpoints of subscribers that keep nothing else in the read store. */
export const checkpointsIn = (store: ReadStore): Checkpoints => ({
  load: (name) => store.checkpoint(checkpointName(name)),
  save: async (name, position) => {
    await store.write({ tables: [], checkpoints: [{ key: checkpointName(name), position }] });
  },
});

/**
 * Starts what is derived from the history and appends nothing: projections and the forwarder, where this process leads
 * in them. Runs in any thread.
 */
export function startSubscribers(parts: SubscriberParts): Subscribers {
  const { leadership, roles, projections } = parts;
  const led: Led[] = [];
  if (roles.includes('projections')) led.push(leadership.lead(leaseOf(projections), () => project(parts)));
  if (roles.includes('forwarder')) led.push(leadership.lead(`forwarder:${FORWARDER}`, () => forward(parts)));
  return {
    stop: async () => {
      await Promise.all(led.map((one) => one.stop()));
    },
  };
}

/**
 * Replicas whose code has the same models in the same versions share one leader. Those of another release have one of
 * their own, so that in a rolling change both versions are fed as long as anybody reads them.
 */
export function leaseOf(models: readonly Pick<AnyProjection, 'model'>[]): string {
  const versions = models.map(({ model }) => `${model.name}:v${model.version}`).sort();
  return `projections:${createHash('sha256').update(versions.join('\n')).digest('hex').slice(0, 12)}`;
}

async function project(parts: SubscriberParts): Promise<Led> {
  const { events, store, catalogue, projections, clock, logger, onProjecting } = parts;
  const meters = projections.map(({ model }) => parts.meters.of(model.name, 'projection'));
  const options = optionsOf(parts);
  const runner = new ProjectionRunner(events, store, catalogue, projections, clock, logger, options);
  for (const meter of meters) meter.begin(-1);
  await runner.start();
  onProjecting(true);
  return {
    stop: async () => {
      onProjecting(false);
      await runner.stop();
      for (const meter of meters) meter.end();
    },
  };
}

const lettersOf = ({ park, settle }: SubscriberOffice): ProjectionLetters => ({
  park: (subscriber, event, error) => park(letterOf('PROJECTION', subscriber, event, error)),
  settle: (subscriber, { eventId: id, stream }) => settle({ origin: 'PROJECTION', subscriber, event: { id, stream } }),
  idOf: (subscriber, eventId) => deadLetterId({ origin: 'PROJECTION', subscriber, eventId }),
  replayedBy: ({ type, recordId }) => (type === 'DeadLetterReplayed' ? recordId : undefined),
});

/** What the runner tells, with the meters told, too. */
const optionsOf = (parts: SubscriberParts): ProjectionRunnerOptions => {
  const { batchSize, office } = parts;
  const meterOf = (name: string) => parts.meters.of(name, 'projection');
  return {
    batchSize,
    letters: lettersOf(office),
    reportRebuild: office.reportRebuild,
    onProgress: (name, position) => {
      meterOf(name).reached(position, false);
      parts.onProgress(name, position);
    },
    onHandled: (name, events, position) => {
      meterOf(name).handled(events, position);
    },
    onStopped: (name) => {
      meterOf(name).failed();
      parts.onStopped(name);
    },
  };
};

async function forward({
  events,
  store,
  broker,
  catalogue,
  clock,
  logger,
  office,
  meters,
}: SubscriberParts): Promise<Led> {
  const forwarder = createForwarder({
    events,
    broker,
    catalogue,
    checkpoints: checkpointsIn(store),
    clock,
    logger,
    park: (event, error, rewindId) => {
      const subscriber = rewindId === undefined ? FORWARDER : `${FORWARDER}~rewind.${rewindId}`;
      return office.park(letterOf('PUBLISH', subscriber, event, error));
    },
    meter: meters.of(FORWARDER, 'forwarder'),
  });
  await forwarder.start();
  return forwarder;
}
