import { Inject, Injectable } from '@nestjs/common';
import type { AddressedLetter, DeadLetterReplayer } from '../queries/dead-letter.queries.js';
import type { Failure } from '../aggregates/dead-letter.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import { catalogue } from './catalogue.js';
import { reasonOf } from '../integration/dead-letters.js';
import { messagesOf } from '../integration/event-messages.js';
import { publish } from '../integration/publishing.js';
import { WebhookRedelivery, webhookOfSubscriber } from '../integration/webhook-redelivery.js';
import { ALERTS, OperatorAlerts } from '../policies/operator-alerts.js';
import { isTemporary, isTransient } from '../eventsourcing/transient-errors.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { Policy } from '../eventsourcing/policy.js';
import { apartBy, documentsOf, evolveWith, scopeOf, type AnyProjection } from '../projecting/projection.js';
import { ReadModels } from '../queries/query.js';
import { eventAt, eventsOf } from '../eventsourcing/stream-events.js';
import { BookingPolicy } from '../policies/booking.policy.js';
import { PushDeliveries, type Sent } from '../policies/push-delivery.js';
import { POLICIES } from '../policies/policies.js';
import { projections } from '../projections/projections.js';
import { BROKER, BrokerUnavailable, type Broker } from '../ports/broker.js';
import { EVENT_STORE, type EventStore } from '../ports/event-store.js';
import type { ReadModel } from '../ports/read-store.js';

/**
 * Redelivers dead letters in the process that receives the request, regardless of which replica leads the subscriber.
 */
@Injectable()
export class ServiceDeadLetterReplayer implements DeadLetterReplayer {
  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(BROKER) private readonly broker: Broker,
    @Inject(BookingPolicy) private readonly booking: BookingPolicy,
    @Inject(POLICIES) private readonly policies: readonly Policy[],
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(PushDeliveries) private readonly pushes: PushDeliveries,
    @Inject(OperatorAlerts) private readonly alerts: OperatorAlerts,
    @Inject(WebhookRedelivery) private readonly webhooks: WebhookRedelivery,
  ) {}

  async redeliver(letter: AddressedLetter, attempt: number, ready?: () => Promise<void>): Promise<Failure | undefined> {
    try {
      const event = await this.eventOf(letter);
      if (!event)
        return { code: 'EVENT_MISSING', message: 'The stream no longer contains the event. Discard the dead letter.' };
      await ready?.();
      return await this.again(letter, event, attempt);
    } catch (error) {
      if (isTemporary(error)) throw error;
      if (error instanceof BrokerUnavailable)
        throw new DomainError('unavailable', 'UNAVAILABLE', 'The broker is unavailable. Try again later.', {
          retryAfterSeconds: 5,
        });
      return reasonOf(error);
    }
  }

  async payloadOf(letter: AddressedLetter): Promise<unknown> {
    const event = await this.eventOf(letter).catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return undefined;
    });
    if (!event) return null;
    if (letter.origin === 'SALE') return event.data;
    if (letter.origin === 'PUSH' || letter.subscriber === ALERTS) return shownOf(event as Sent);
    // The messages contain only data that partners may see, and therefore no secrets.
    const messages = messagesOf(event).map(({ payload }) => JSON.parse(payload) as unknown);
    return messages.length === 0 ? null : messages;
  }

  private async again(letter: AddressedLetter, event: Recorded, attempt: number): Promise<Failure | undefined> {
    switch (letter.origin) {
      case 'PUBLISH':
        await publish(this.broker, event, { by: `${letter.id}.${attempt}` });
        return undefined;
      case 'SALE':
        return this.booking.retry(event as Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>, {
          attempts: attempt,
        });
      case 'POLICY':
        await this.policyOf(letter.subscriber).react(event, new AbortController().signal);
        return undefined;
      case 'PROJECTION':
        await this.tryFolding(letter.subscriber, event);
        return undefined;
      case 'PUSH':
        return this.pushes.retry(event as Sent);
      case 'WEBHOOK':
        if (letter.subscriber === ALERTS) return this.alerts.attempt(event as Sent);
        return this.webhooks.redeliver(webhookOfSubscriber(letter.subscriber), event);
    }
  }

  /**
   * Checks that this release can fold the event. The projections' leader repairs the documents when it reads the replay
   * event from the history.
   */
  private async tryFolding(name: string, event: Recorded): Promise<void> {
    const projection = projections.find(({ model }) => model.name === name);
    if (!projection)
      throw new DomainError(
        'conflict',
        'SUBSCRIBER_UNKNOWN',
        `The projection ${name} no longer exists. Discard the dead letter.`,
      );
    const scope = scopeOf(projection, event);
    for (const id of documentsOf(projection, event)) {
      const before =
        apartBy(projection) === 'record'
          ? await this.before(projection, event, id)
          : await this.models.get<object>(projection.model as unknown as ReadModel<object>, scope, id);
      evolveWith(projection, before, event, id);
    }
  }

  /** Returns a record's document as it was before the event. */
  private async before(
    projection: AnyProjection,
    { stream, revision }: Recorded,
    id: string,
  ): Promise<object | undefined> {
    let document: object | undefined;
    for await (const event of eventsOf(this.events, stream)) {
      if (event.revision >= revision) break;
      document = evolveWith(projection, document, catalogue.decode(event), id);
    }
    return document;
  }

  private policyOf(name: string): Policy {
    const policy = this.policies.find((one) => one.name === name);
    if (!policy)
      throw new DomainError(
        'conflict',
        'SUBSCRIBER_UNKNOWN',
        `The policy ${name} no longer exists. Discard the dead letter.`,
      );
    return policy;
  }

  /** @throws UnknownEvent, ZodError if this release cannot read the event */
  private async eventOf({ stream, eventId, revision }: AddressedLetter): Promise<Recorded | undefined> {
    const found = revision === undefined ? undefined : await eventAt(this.events, stream, revision);
    if (found?.id === eventId) return catalogue.decode(found);
    for await (const event of eventsOf(this.events, stream, revision ?? 0))
      if (event.id === eventId) return catalogue.decode(event);
    return undefined;
  }
}

/** Omits the audience, because it may be long. */
const shownOf = ({ recordId: notificationId, data: { title, body, type, link } }: Sent) => ({
  notificationId,
  ...{ title, body, type, link },
});
