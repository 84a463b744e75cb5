import { Inject, Injectable } from '@nestjs/common';
import type { DeadLetterEvent } from '../aggregates/dead-letter.aggregate.js';
import type { ForwarderEvent } from '../aggregates/forwarder.aggregate.js';
import type { JobEvent } from '../aggregates/job.aggregate.js';
import { type NewNotification, notification, sendNotification } from '../aggregates/notification.aggregate.js';
import type { OperatorEvent } from '../aggregates/operator.aggregate.js';
import { pushSubscription, unsubscribeFromPush } from '../aggregates/push-subscription.aggregate.js';
import type { SaleEvent } from '../aggregates/sale-events.js';
import type { TenantEvent } from '../aggregates/tenant.aggregate.js';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import type { WebhookEvent } from '../aggregates/webhook.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import { type Cause, inReactionTo, type Policy } from '../eventsourcing/policy.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { CLOCK, type Clock } from '../ports/time.js';
import { PushTargets } from '../queries/notification-recipients.js';
import { ParkedLetters } from '../queries/dead-letter.queries.js';
import { hourOf, noticeId } from './notice-ids.js';
import { RejectedSales } from './rejected-sales.js';

/**
 * Sends a notification from the service to a tenant's users, or to operators for the platform tenant. A notification
 * with a given id is sent only once.
 */
export async function sendSystemNotification(
  runner: CommandRunner,
  cause: Cause,
  { tenantId, id, ...content }: NewNotification & { readonly tenantId: string; readonly id: string },
): Promise<void> {
  const send = () => runner.execute(notification, { tenantId, id }, content, sendNotification);
  await inReactionTo(cause, 'notification', send, tenantId);
}

const NEWS = [
  ...(['JobFailed', 'DeadLetterParked', 'ForwarderPaused', 'SaleRejected', 'LateEntriesDetected'] as const),
  ...(['WebhookDisabled', 'UserFactorsRemoved', 'OperatorFactorsRemoved', 'UserIdentityLinked'] as const),
] as const;
const DELETIONS = ['UserDeleted', 'OperatorDeleted'] as const;
type TenantNews = SaleEvent | TenantEvent | WebhookEvent;
type Event = JobEvent | DeadLetterEvent | ForwarderEvent | TenantNews | UserEvent | OperatorEvent;
type News = Extract<Event, { type: (typeof NEWS)[number] }>;
type Handled = News | Extract<Event, { type: (typeof DELETIONS)[number] }>;
/** A notification without a tenant reports an error to operators and links to the console. */
type Notice = { readonly id: string } & (
  Omit<NewNotification, 'type' | 'audience'> | (NewNotification & { readonly tenantId: string })
);

/**
 * Maximum age of reported events, so that a policy restarted from the beginning of the history does not report every
 * old event.
 */
const NEWS_FOR_MS = 24 * 60 * 60 * 1_000;
const MAX_BODY_LENGTH = 500;

/**
 * Sends the service's own notifications: at most one per hour for each kind of failure. A notification's id is derived
 * from the kind and the hour, so later occurrences change nothing. Each automatic pause of the forwarder, each removal
 * of a person's second factors and each binding of a user's identity causes a separate notification. Also ends the push
 * subscriptions of deleted users and operators.
 */
@Injectable()
export class NotificationPolicy implements Policy {
  readonly name = 'notification';
  readonly types = [...NEWS, ...DELETIONS];

  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(PushTargets) private readonly targets: PushTargets,
    @Inject(ParkedLetters) private readonly parked: ParkedLetters,
    @Inject(RejectedSales) private readonly rejections: RejectedSales,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async react(event: Recorded<Handled>): Promise<void> {
    if (event.type === 'UserDeleted' || event.type === 'OperatorDeleted') return this.endPushes(event);
    if (this.clock.nowMs() - Date.parse(event.metadata.timestamp) > NEWS_FOR_MS) return;
    if (event.type === 'SaleRejected') return this.rejections.report(event);
    const notice = await this.noticeOf(event);
    const forOperators = { tenantId: PLATFORM_TENANT, type: 'ERROR', audience: { kind: 'everyone' } } as const;
    if (notice) await sendSystemNotification(this.runner, event, { ...forOperators, ...notice });
  }

  private async noticeOf(event: Recorded<Exclude<News, { type: 'SaleRejected' }>>): Promise<Notice | undefined> {
    switch (event.type) {
      case 'JobFailed':
        return failedJob(event);
      case 'DeadLetterParked': {
        const { origin, eventType, subscriber, reason } = event.data;
        const waiting = Math.max(1, await this.parked.count(origin));
        return {
          id: noticeId('letter-parked', origin, hourOf(event)),
          title: `Dead letters with origin ${origin}`,
          body:
            `${waiting === 1 ? 'One dead letter is' : `${waiting} dead letters are`} waiting for a decision. ` +
            `The latest: ${subscriber} cannot process ${eventType} (${reason.code}). Further dead letters with this ` +
            `origin are not reported in this hour.`,
          link: `/console/dead-letters?origin=${origin}&status=PARKED`,
        };
      }
      case 'ForwarderPaused':
        return pausedForwarder(event);
      case 'LateEntriesDetected':
        return enteredLate(event);
      case 'WebhookDisabled':
        return disabledWebhook(event);
      case 'UserFactorsRemoved':
      case 'OperatorFactorsRemoved':
        return removedFactors(event);
      case 'UserIdentityLinked':
        return linkedIdentity(event);
    }
  }

  private async endPushes(event: Recorded): Promise<void> {
    const { tenantId, recordId: userId, position } = event;
    const ended = { userId, reason: 'USER_DELETED' } as const;
    for (const id of await this.targets.idsOf({ tenantId, userId }, position))
      await inReactionTo(event, this.name, () =>
        this.runner.execute(pushSubscription, { tenantId, id }, ended, unsubscribeFromPush),
      );
  }
}

const failedJob = (event: Recorded<Extract<News, { type: 'JobFailed' }>>): Notice => ({
  id: noticeId('job-failed', event.recordId, hourOf(event)),
  title: `The job ${event.recordId} failed`,
  body: event.data.error.slice(0, MAX_BODY_LENGTH) || 'The reason is unknown.',
  link: `/console/jobs/${event.recordId}?run=${event.data.executionId}`,
});

function pausedForwarder(event: Recorded<Extract<News, { type: 'ForwarderPaused' }>>): Notice | undefined {
  if (event.data.reason === 'OPERATOR') return undefined;
  return {
    id: noticeId('forwarder-waits', event.id),
    title: 'The forwarder is waiting for an operator',
    body:
      'The forwarder has no checkpoint: the history was restored, or the read models were lost. ' +
      'It publishes no integration events until you resume it from now or from a position.',
    link: '/console/queues',
  };
}

const toAdministrators = {
  ...{ type: 'WARNING', link: null },
  audience: { kind: 'roles', roles: ['OWNER', 'ADMIN'] },
} satisfies Partial<NewNotification>;

function disabledWebhook(event: Recorded<Extract<News, { type: 'WebhookDisabled' }>>): Notice | undefined {
  const { tenantId, id, recordId } = event;
  const { reason } = event.data;
  if (reason === 'OWNER') return undefined;
  const cause = reason === 'GONE' ? 'The receiver returned 410 Gone.' : 'The receiver has failed for five days.';
  return {
    tenantId,
    id: noticeId('webhook-disabled', id),
    title: 'A webhook was disabled',
    body: `${cause} The webhook ${recordId} receives no further events. Enable it again, then recover the events that it missed.`,
    ...toAdministrators,
  };
}

/** Notifies the account's owner, who may not have requested the removal. */
function removedFactors(
  event: Recorded<Extract<News, { type: 'UserFactorsRemoved' | 'OperatorFactorsRemoved' }>>,
): Notice {
  const { tenantId, id, recordId: userId, data } = event;
  return {
    tenantId,
    id: noticeId('factors-removed', id),
    title: 'Your second factors were removed',
    body:
      'Until you add a factor, your password alone is enough to sign in. If you did not request this, change your ' +
      `password and report it. Reason: ${data.reason}`,
    type: 'WARNING',
    audience: { kind: 'users', userIds: [userId] },
    link: '/console/account',
  };
}

/** Notifies the account's owner, because the identity replaces any earlier one and needs no password or factor. */
const linkedIdentity = ({ tenantId, id, recordId: userId }: Recorded): Notice => ({
  tenantId,
  id: noticeId('identity-linked', id),
  title: 'An OpenID identity was bound to your account',
  body:
    'This identity can now sign in as you, without your password. If you did not request this, report it to an ' +
    'administrator.',
  type: 'WARNING',
  audience: { kind: 'users', userIds: [userId] },
  link: '/console/account',
});

const MAX_NAMED = 20;

function enteredLate({ id, recordId, data }: Recorded<Extract<News, { type: 'LateEntriesDetected' }>>): Notice {
  const { closedThrough, entries } = data;
  const named = entries.slice(0, MAX_NAMED).map(({ date, amount, currency }) => `${date} ${amount} ${currency}`);
  const more = entries.length > MAX_NAMED ? `, and ${entries.length - MAX_NAMED} more` : '';
  return {
    tenantId: recordId,
    id: noticeId('late-entries', id),
    title: `Transactions in the closed period through ${closedThrough}`,
    body:
      `Recorded while the period was being closed: ${named.join('; ')}${more}. ` +
      'To accept them, reopen the period and close it again. Otherwise, cancel them.',
    ...toAdministrators,
    link: entries[0] && entries.length === 1 ? `/console/transactions/${entries[0].transactionId}` : '/console/periods',
  };
}
