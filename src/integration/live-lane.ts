import { FORWARDER, type ForwarderEvent } from '../aggregates/forwarder.aggregate.js';
import type { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import { WindowedSubscriber, type Checkpoints } from '../projecting/windowed-subscriber.js';
import { BrokerUnavailable } from '../ports/broker.js';
import { EventStoreUnavailable, type EventReader, type RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { Attempts } from './attempts.js';
import { alsoAbout, publicEventTypes } from './translations.js';

type Parts = {
  readonly events: EventReader;
  readonly catalogue: EventCatalogue;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attempts: Pick<Attempts, 'publish'>;
  /** Durably parks an event that cannot be published. */
  readonly park: (event: RecordedEvent, error: unknown) => Promise<void>;
  /** Called at a pause event. Later events are published only after it resolves. */
  readonly whenPaused: () => Promise<void>;
  readonly meter?: QueueMeter;
};

const PAUSED = 'ForwarderPaused' satisfies ForwarderEvent['type'];

/**
 * Publishes integration events at least once and in order for each record. The number in flight is bounded, with at
 * most one per record, whichever streams carry its events. Waits while the broker is unavailable. The checkpoint never
 * passes an event that is neither acknowledged nor parked.
 */
export function createLiveLane({ attempts, whenPaused, ...parts }: Parts): WindowedSubscriber {
  return new WindowedSubscriber(parts.events, parts.catalogue, parts.checkpoints, parts.clock, parts.logger, {
    name: FORWARDER,
    // Each prefix matches exactly one type: no public type is a prefix of another event type.
    filter: { on: 'type', prefixes: [...publicEventTypes, PAUSED] },
    maxInFlight: 256,
    handle: (event) => attempts.publish(event),
    pace: ({ type }) => (type === PAUSED ? whenPaused() : Promise.resolve()),
    alsoIn: alsoAbout,
    isTransient: (error) =>
      error instanceof BrokerUnavailable ||
      error instanceof EventStoreUnavailable ||
      error instanceof ReadStoreUnavailable,
    park: (event, error) => parts.park(event, error),
    ...(parts.meter && { meter: parts.meter }),
  });
}
