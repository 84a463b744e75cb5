import type { Recorded } from '../platform/event-catalogue.js';
import type { Broker, BrokerMessage } from '../ports/broker.js';
import type { CloudEvent, IntegrationEvent } from './cloud-event.js';
import { ensureContract } from './contracts.js';
import { translate } from './translations.js';

const headers = { 'content-type': 'application/cloudevents+json' };

/** What is published once more: `by` says for what, so that a broker does not drop it as a duplicate of the first. */
export type Again = { readonly by: string };

/** The messages that a domain event becomes, in their order. */
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
 * Resolves when the broker has all messages of the event.
 * @throws ContractViolated where one is not as its contract says: none is sent then; BrokerRefused, BrokerUnavailable
 */
export async function publish(broker: Broker, event: Recorded, again?: Again): Promise<void> {
  const integrationEvents = translate(event);
  for (const each of integrationEvents) ensureContract(each);
  await broker.publishInOrder(integrationEvents.map((each) => messageOf(each, again)));
}
