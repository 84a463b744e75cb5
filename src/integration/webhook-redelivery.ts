import { Inject, Injectable } from '@nestjs/common';
import type { Reason } from '../aggregates/dead-letter.aggregate.js';
import { receiverOf, wantedBy } from '../aggregates/webhook-receiver.js';
import { enabledWebhook, webhook } from '../aggregates/webhook.aggregate.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { tenantOfStream } from '../eventsourcing/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { WebhookSender } from '../security/webhook-sender.js';
import { outgoingOf } from './webhook-entries.js';

/** Subscriber name in a webhook's dead letters. */
export const webhookSubscriber = (id: string): string => `webhook:${id}`;
export const webhookOfSubscriber = (subscriber: string): string => subscriber.slice(subscriber.indexOf(':') + 1);

/** Replays webhooks' dead letters in the process that receives the request. */
@Injectable()
export class WebhookRedelivery {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends all messages of the event once, in order. Returns the reason if the receiver rejects a message; otherwise,
   * returns undefined.
   * @throws DomainError not_found if the webhook was deleted; conflict WEBHOOK_DISABLED
   */
  async redeliver(id: string, event: Recorded): Promise<Reason | undefined> {
    // Events of a tenant itself, such as the closing of a period, belong to the platform.
    const tenantId = tenantOfStream(event.stream) ?? event.tenantId;
    const found = enabledWebhook((await this.reader.read(webhook, tenantId, id)).state);
    const wants = wantedBy(found);
    for (const message of outgoingOf(event).filter(({ type }) => wants(type))) {
      const receiver = receiverOf(this.sender, { tenantId, id }, found, this.clock.nowMs());
      const { code } = await this.sender.send(receiver, { id: message.id, body: message.again });
      if (code !== null)
        return { code: 'UNDELIVERED', message: `The receiver did not accept ${message.type} (${code}).` };
    }
    return undefined;
  }
}
