import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { BrokerMessage } from '../ports/broker.js';
import type { CloudEvent, IntegrationEvent } from './contracts-fields.js';
import { translateOnDemand } from './translations.js';

const headers = { 'content-type': 'application/cloudevents+json' };

/**
 * A repeated publication. `by` names its cause and is added to the message id, so that the broker does not drop the
 * message as a duplicate.
 */
export type Again = {
  readonly by: string;
  /** Selects messages of an event. Default: all of them. */
  readonly wants?: (event: CloudEvent) => boolean;
};

/** Returns the broker messages of a domain event, in publishing order. */
export function messagesOf(event: Recorded, again?: Again): BrokerMessage[] {
  const messages = translateOnDemand(event).map((build) => new EventMessage(build, again));
  const wants = again?.wants;
  return wants ? messages.filter((message) => wants(message.event)) : messages;
}

/** Builds the message's content on demand, because the embedded broker only counts the messages of most events. */
class EventMessage implements BrokerMessage {
  readonly headers = headers;
  private built: IntegrationEvent | undefined;

  constructor(
    private readonly build: () => IntegrationEvent,
    private readonly again: Again | undefined,
  ) {}

  get id(): string {
    return this.again ? `${this.event.id}~${this.again.by}` : this.event.id;
  }

  get subject(): string {
    return this.content.subject;
  }

  get payload(): string {
    return JSON.stringify(this.again ? replayed(this.event) : this.event);
  }

  get event(): CloudEvent {
    return this.content.event;
  }

  private get content(): IntegrationEvent {
    return (this.built ??= this.build());
  }
}

const replayed = (event: CloudEvent): CloudEvent & { readonly replayed: true } => ({ ...event, replayed: true });
