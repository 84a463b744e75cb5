import type { Recorded } from '../platform/event-catalogue.js';
import { BrokerUnavailable, type Broker } from '../ports/broker.js';
import type { EventReader, RecordedEvent } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { EventCatalogue } from '../platform/event-catalogue.js';
import type { Logger } from '../ports/log.js';
import { WindowedSubscriber, type Checkpoints } from '../platform/windowed-subscriber.js';
import { publicEventTypes, translate } from './translations.js';

export const FORWARDER = 'integration-events';

type Parts = {
  readonly events: EventReader;
  readonly broker: Broker;
  readonly catalogue: EventCatalogue;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Keeps an event that the broker refuses for good, durably. */
  readonly park: (event: RecordedEvent, error: unknown) => Promise<void>;
  readonly onProgress: (position: number) => void;
};

/**
 * Publishes integration events in the order of their record, at least once, with a bounded number in flight and never
 * two of one record. While the broker is away it waits; its checkpoint never passes what is neither acknowledged nor
 * parked.
 */
export const createForwarder = (parts: Parts): WindowedSubscriber =>
  new WindowedSubscriber(parts.events, parts.catalogue, parts.checkpoints, parts.clock, parts.logger, {
    name: FORWARDER,
    // A prefix matches its type alone, since no public type is the beginning of another event type.
    filter: { on: 'type', prefixes: publicEventTypes },
    maxInFlight: 256,
    handle: (event) => publish(parts.broker, event),
    isTransient: (error) => error instanceof BrokerUnavailable,
    park: parts.park,
    onProgress: parts.onProgress,
  });

async function publish(broker: Broker, event: Recorded): Promise<void> {
  const headers = { 'content-type': 'application/cloudevents+json' };
  const messages = translate(event).map(({ subject, event: cloudEvent }) => ({
    id: cloudEvent.id,
    subject,
    headers,
    payload: JSON.stringify(cloudEvent),
  }));
  await broker.publishInOrder(messages);
}
