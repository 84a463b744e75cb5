import { FORWARDER, type ForwarderEvent } from '../aggregates/forwarder.aggregate.js';
import type { Recorded } from '../platform/event-catalogue.js';
import { BrokerUnavailable, type Broker } from '../ports/broker.js';
import { EventStoreUnavailable, type EventReader, type RecordedEvent } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue } from '../platform/event-catalogue.js';
import type { Logger } from '../ports/log.js';
import type { QueueMeter } from '../platform/queue-meters.js';
import { WindowedSubscriber, type Checkpoints } from '../platform/windowed-subscriber.js';
import { publish } from './publishing.js';
import { Rewinds } from './rewind.js';
import { alsoAbout, publicEventTypes } from './translations.js';

const REWIND_REQUESTED = 'ForwarderRewindRequested' satisfies ForwarderEvent['type'];

type Parts = {
  readonly events: EventReader;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Keeps an event that the broker refuses for good, durably; `rewindId`: where that was in a rewind. */
  readonly park: (event: RecordedEvent, error: unknown, rewindId?: string) => Promise<void>;
  readonly meter?: QueueMeter;
};

/**
 * Publishes integration events in the order of their record, at least once, with a bounded number in flight and never
 * two of one record, whatever streams they come from. While the broker is away it waits; its checkpoint never passes
 * what is neither acknowledged nor parked. A rewind is an event of the same history, and what it asks for is done in its
 * turn, beside what is new.
 */
export function createForwarder(parts: Parts): WindowedSubscriber {
  const rewinds = new Rewinds(parts);
  return new WindowedSubscriber(parts.events, parts.catalogue, parts.checkpoints, parts.clock, parts.logger, {
    name: FORWARDER,
    // A prefix matches its type alone, since no public type is the beginning of another event type.
    filter: { on: 'type', prefixes: [...publicEventTypes, REWIND_REQUESTED] },
    maxInFlight: 256,
    handle: (event, stopping) => (isRewind(event) ? rewinds.carryOut(event, stopping) : publish(parts.broker, event)),
    alsoIn: alsoAbout,
    // A rewind parks what is refused in it and is never parked itself: nobody would publish the rest of it.
    isTransient: (error, { type }) =>
      type === REWIND_REQUESTED || error instanceof BrokerUnavailable || error instanceof EventStoreUnavailable,
    park: (event, error) => parts.park(event, error),
    ...(parts.meter && { meter: parts.meter }),
  });
}

const isRewind = (event: Recorded): event is Recorded<Extract<ForwarderEvent, { type: typeof REWIND_REQUESTED }>> =>
  event.type === REWIND_REQUESTED;
