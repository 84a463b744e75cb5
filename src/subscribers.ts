import { createForwarder, FORWARDER } from './integration/forwarder.js';
import { reasonOf, type ParkRequest } from './integration/dead-letters.js';
import type { EventCatalogue } from './platform/event-catalogue.js';
import type { Logger } from './ports/log.js';
import { ProjectionRunner } from './platform/projection-runner.js';
import type { Checkpoints } from './platform/windowed-subscriber.js';
import type { Broker } from './ports/broker.js';
import type { EventReader } from './ports/event-store.js';
import type { ReadStore } from './ports/read-store.js';
import type { Clock } from './ports/time.js';
import { projections } from './projections/projections.js';

export type SubscriberParts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly batchSize: number;
  readonly park: (request: ParkRequest) => Promise<void>;
  readonly onProgress: (name: string, position: number) => void;
  readonly onStopped: (name: string) => void;
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

/** Starts what is derived from the history and appends nothing: projections and the forwarder. Runs in any thread. */
export async function startSubscribers(parts: SubscriberParts): Promise<Subscribers> {
  const { events, store, broker, catalogue, clock, logger, batchSize, onProgress, onStopped } = parts;
  const runner = new ProjectionRunner(events, store, catalogue, projections, clock, logger, {
    batchSize,
    onProgress,
    onStopped,
  });
  await runner.start();
  const forwarder = createForwarder({
    events,
    broker,
    catalogue,
    checkpoints: checkpointsIn(store),
    clock,
    logger,
    park: ({ id, type, stream, position }, error) =>
      parts.park({
        origin: 'PUBLISH',
        subscriber: FORWARDER,
        event: { id, type, stream, position },
        reason: reasonOf(error),
      }),
    onProgress: () => undefined,
  });
  await forwarder.start();
  return {
    stop: async () => {
      await Promise.all([runner.stop(), forwarder.stop()]);
    },
  };
}
