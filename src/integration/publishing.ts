import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Broker, BrokerMessage } from '../ports/broker.js';
import type { CloudEvent, IntegrationEvent } from './cloud-event.js';
import { ensureContract } from './contracts.js';
import { translate } from './translations.js';

const headers = { 'content-type': 'application/cloudevents+json' };

/** A repeat. `by` names its cause and extends the message id, so that the broker does not drop it as a duplicate. */
export type Again = { readonly by: string };

/** The broker messages of a domain event, in publishing order. */
export const messagesOf = (event: Recorded, again?: Again): BrokerMessage[] =>
  translate(event).map((integrationEvent) => messageOf(integrationEvent, again));

const messageOf = ({ subject, event }: IntegrationEvent, again?: Again): BrokerMessage => ({
  id: again ? `${event.id}~${again.by}` : event.id,
  subject,
  headers,
  payload: JSON.stringify(again ? replayed(event) : event),
});

const replayed = (event: CloudEvent): CloudEvent & { readonly replayed: true } => ({ ...event, replayed: true });

/**
 * Resolves when the broker has acknowledged all messages of the event.
 * @throws ContractViolated if any message violates its contract, in which case none is sent; BrokerRefused;
 * BrokerUnavailable
 */
export async function publish(broker: Broker, event: Recorded, again?: Again): Promise<void> {
  const integrationEvents = translate(event);
  for (const each of integrationEvents) ensureContract(each);
  await broker.publishInOrder(integrationEvents.map((each) => messageOf(each, again)));
}
