import { FORWARDER, type ForwarderEvent } from '../aggregates/forwarder.aggregate.js';
import { type EventCatalogue, NewerEvent } from '../eventsourcing/event-catalogue.js';
import type { QueueMeter } from '../observability/queue-meters.js';
import { BrokerUnavailable } from '../ports/broker.js';
import { type EventReader, EventStoreUnavailable, type RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { ReadStoreUnavailable } from '../ports/read-store.js';
import type { Clock } from '../ports/time.js';
import type { Checkpoints } from '../projecting/checkpoints.js';
import type { LedPortion } from '../projecting/range-leadership.js';
import { WindowedSubscriber } from '../projecting/windowed-subscriber.js';
import type { Attempts } from './publishing.js';
import { alsoAbout, publicEventTypes } from './translations.js';

type LaneParts = {
  readonly events: EventReader;
  readonly catalogue: EventCatalogue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter?: QueueMeter;
  /** Durably parks an event that cannot be published. */
  readonly park: (event: RecordedEvent, error: unknown) => Promise<void>;
  readonly checkpoints: Checkpoints;
  readonly attempts: Pick<Attempts, 'publish'>;
  /** Called at a pause event. Later events are published only after the returned promise resolves. */
  readonly whenPaused: () => Promise<void>;
  readonly portion?: LedPortion | undefined;
};

const PAUSED = 'ForwarderPaused' satisfies ForwarderEvent['type'];

/**
 * Publishes integration events at least once, and in order for each record. Limits the number of events in flight. At
 * most one event per record is in flight, even if several streams contain the record's events. Waits while the broker
 * is unavailable. The checkpoint never passes an event that is neither acknowledged nor parked.
 */
export function createLiveLane({ attempts, whenPaused, ...parts }: LaneParts): WindowedSubscriber {
  return new WindowedSubscriber(parts.events, parts.catalogue, parts.checkpoints, parts.clock, parts.logger, {
    name: FORWARDER,
    // Each prefix matches exactly one type, because no public type is a prefix of another event type.
    filter: { on: 'type', prefixes: [...publicEventTypes, PAUSED] },
    maxInFlight: 256,
    ...(parts.portion && { portion: parts.portion }),
    isControl: ({ type }) => type === PAUSED,
    handle: (event) => attempts.publish(event),
    pace: ({ type }) => (type === PAUSED ? whenPaused() : undefined),
    alsoIn: alsoAbout,
    isTransient: (error) =>
      error instanceof BrokerUnavailable ||
      error instanceof EventStoreUnavailable ||
      error instanceof ReadStoreUnavailable ||
      error instanceof NewerEvent,
    park: (event, error) => parts.park(event, error),
    ...(parts.meter && { meter: parts.meter }),
  });
}
