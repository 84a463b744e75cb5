import { type Delivery, type DeliveryStatus, KEPT_DELIVERIES } from '../observability/delivery-log.js';
import type { Clock, Ids } from '../ports/time.js';
import type { WebhookAnswer } from '../security/webhook-sender.js';
import type { Entry, LoggedAt, Outgoing } from './webhook-entries.js';

export type Answer = Pick<WebhookAnswer, 'status' | 'code' | 'body' | 'afterMs'>;

/** The log entries of one webhook that have not been stored yet. */
export class AttemptLog {
  bySlot = new Map<number, Delivery>();

  constructor(
    private readonly parts: { readonly clock: Clock; readonly ids: Ids },
    private readonly webhookId: string,
    /** Number of the next log entry. */
    public nextNumber: number,
  ) {}

  note(entry: Entry, message: Outgoing, status: DeliveryStatus, answer: Answer, nextMs?: number): void {
    const { clock } = this.parts;
    const lastAttemptAt = new Date(clock.nowMs()).toISOString();
    const { id, number, createdAt } = (entry.logged = this.placeOf(entry.logged, lastAttemptAt));
    const { eventId, stream, revision, position, attempts } = entry;
    this.bySlot.set(number % KEPT_DELIVERIES, {
      ...{ id, number, webhookId: this.webhookId, messageId: message.id, eventType: message.type },
      ...{ subject: message.subject, source: { eventId, stream, revision, position } },
      ...{ status, attempts, responseStatus: answer.status, responseBody: answer.body, code: answer.code },
      ...{ createdAt, lastAttemptAt, nextAttemptAt: nextMs === undefined ? null : new Date(nextMs).toISOString() },
    });
  }

  /** A delivery moves to a new slot if a later delivery has taken its slot. */
  private placeOf(known: LoggedAt | null, now: string): LoggedAt {
    if (known && this.nextNumber - known.number <= KEPT_DELIVERIES) return known;
    const number = this.nextNumber;
    this.nextNumber += 1;
    return { id: known?.id ?? this.parts.ids.next(), number, createdAt: known?.createdAt ?? now };
  }
}
