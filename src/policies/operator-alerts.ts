import { Inject, Injectable } from '@nestjs/common';
import type { Reason } from '../aggregates/dead-letter.aggregate.js';
import { pushDelivery, recordPushes } from '../aggregates/push-subscription.aggregate.js';
import { Backoff } from '../eventsourcing/backoff.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { inReactionTo } from '../eventsourcing/policy.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { isTemporary } from '../eventsourcing/transient-errors.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { token } from '../ports/token.js';
import { WebhookSender, type WebhookReceiver } from '../security/webhook-sender.js';
import { noticeId } from './notice-ids.js';
import type { Sent } from './push-delivery.js';

/** Name of the subscriber, its queue, its lease and its dead letters. */
export const ALERTS = 'alerts';
/** The configured receiver, if any. */
export type AlertReceiver = { readonly receiver: WebhookReceiver | undefined };
export const ALERT_RECEIVER = token<AlertReceiver>('ALERT_RECEIVER');

/**
 * Maximum age of a notification for which an alert is sent. A later alert would only confuse operators. Notifications
 * that are older when they are read do not become dead letters, because without a checkpoint the whole history is read.
 */
export const ALERT_WITHIN_MS = 24 * 60 * 60_000;
const PAUSES = { baseMs: 1_000, maxMs: 5 * 60_000 };

/**
 * Sends the operators' notifications to an external channel, at least once each, as CloudEvents. Records each delivery
 * in the history. Therefore, no alert is repeated after a restore, or after the loss of the read models and the
 * checkpoint in them.
 */
@Injectable()
export class OperatorAlerts {
  private readonly backoff = new Backoff(PAUSES);

  constructor(
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(ALERT_RECEIVER) private readonly to: AlertReceiver,
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  get isWanted(): boolean {
    return this.to.receiver !== undefined;
  }

  /** @throws DomainError conflict UNDELIVERED after a day of failures; the signal's reason */
  async deliver(event: Sent, signal: AbortSignal): Promise<void> {
    if (event.tenantId !== PLATFORM_TENANT || !this.isRecent(event)) return;
    const { state } = await this.reader.read(pushDelivery, PLATFORM_TENANT, deliveryId(event));
    if (state.isDone) return;
    let reason: Reason | undefined;
    for (let attempts = 1; this.isRecent(event); attempts += 1) {
      reason = await this.attempt(event, signal);
      signal.throwIfAborted();
      if (!reason) return this.record(event);
      await this.clock.sleep(this.backoff.pauseMs(attempts), signal);
      signal.throwIfAborted();
    }
    if (reason) throw conflict(reason.code, reason.message);
  }

  /** Returns the reason why the receiver did not accept the alert; undefined if it did. */
  async attempt({ id, recordId, data, metadata }: Sent, signal?: AbortSignal): Promise<Reason | undefined> {
    const { receiver } = this.to;
    if (!receiver) return { code: 'UNDELIVERED', message: 'ALERT_WEBHOOK_URL is not set.' };
    const { title, body, type, link } = data;
    const content = {
      ...{ specversion: '1.0', id, source: '/platform', type: 'kontor.notification.sent.v1', subject: recordId },
      ...{ time: metadata.timestamp, datacontenttype: 'application/json', data: { title, body, type, link } },
    };
    const { code } = await this.sender.send(receiver, { id, body: JSON.stringify(content) }, signal);
    if (code === null) return undefined;
    return { code: 'UNDELIVERED', message: `ALERT_WEBHOOK_URL did not accept the notification (${code}).` };
  }

  private isRecent({ metadata }: Sent): boolean {
    return this.clock.nowMs() - Date.parse(metadata.timestamp) < ALERT_WITHIN_MS;
  }

  private async record(event: Sent): Promise<void> {
    const target = { tenantId: PLATFORM_TENANT, id: deliveryId(event) };
    const outcome = { delivered: 1, gone: 0, failed: [], used: [], cursor: '', isLast: true, after: '' };
    try {
      await inReactionTo(event, ALERTS, () => this.runner.execute(pushDelivery, target, outcome, recordPushes));
    } catch (error) {
      // Ignores temporary errors. Otherwise, the alert would be sent again until its delivery can be recorded.
      if (!isTemporary(error)) throw error;
    }
  }
}

/** The id differs from the notification's id, which identifies the record of the pushes to browsers. */
const deliveryId = ({ recordId }: Sent): string => noticeId(ALERTS, recordId);
