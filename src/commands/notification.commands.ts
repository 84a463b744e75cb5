import { z } from 'zod';
import {
  isReadIn,
  notification,
  notificationInbox,
  type NotificationInbox,
  readAllNotifications,
  readNotification,
  SendAdminNotification as SendInput,
  sendNotification,
} from '../aggregates/notification.aggregate.js';
import {
  type CreateWebPushSubscription,
  endOwnPush,
  MAX_SUBSCRIPTIONS,
  pushSubscription,
  pushSubscriptionId,
  subscribeToPush,
  unsubscribeFromPush,
} from '../aggregates/push-subscription.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, type Receipt, receiptOf } from '../eventsourcing/command.js';
import { invalid, notFound } from '../eventsourcing/domain-error.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { NotificationLists, type Person } from '../queries/notification.queries.js';
import { NotificationRecipients, PushTargets } from '../queries/notification-recipients.js';
import { PushClient } from '../security/push-client.js';
import { isOnCurve } from '../security/web-push-encryption.js';

/**
 * `recipientCount` is the number of active recipients and `pushCount` the number of their browsers, both at the time of
 * the request.
 */
export type SendReceipt = Receipt & { readonly recipientCount: number; readonly pushCount: number };
export class SendAdminNotification extends command<typeof SendInput, SendReceipt>(SendInput) {}

const Nothing = z.object({});
/** The target's id is the notification's id. */
export class ReadNotification extends command(Nothing) {
  constructor(
    readonly person: Person,
    notificationId: string,
  ) {
    super({ tenantId: person.tenantId, id: notificationId }, {});
  }
}
export type ReadAllReceipt = Receipt & { readonly updatedCount: number };
export class ReadAllNotifications extends commandOf<ReadAllReceipt, [person: Person]>() {}

/** Creates one notification, or several with different ids if a single one cannot list all recipients. */
async function send(
  runner: CommandRunner,
  recipients: NotificationRecipients,
  pushes: PushTargets,
  { target, data }: SendAdminNotification,
): Promise<SendReceipt> {
  const { tenantId } = target;
  const { title, body, type, link = null } = data;
  const { audiences, recipientCount } = await recipients.addressed(tenantId, data);
  const sent = { ...target, revision: -1, position: -1, recipientCount, pushCount: 0 };
  for (const [index, audience] of audiences.entries()) {
    sent.pushCount += await pushes.count(tenantId, audience);
    const id = index === 0 ? target.id : nameUuid(`part ${index}`, target.id);
    const content = { title, body, type, link, audience };
    const done = await runner.execute(notification, { tenantId, id }, content, sendNotification);
    [sent.revision, sent.position] = [done.revision, done.position];
  }
  return sent;
}

export class SubscribeToPush extends commandOf<Receipt, [person: Person, data: CreateWebPushSubscription]>() {}
export class UnsubscribeFromPush extends commandOf<Receipt, [person: Person, endpoint: string]>() {}

async function makeRoom(runner: CommandRunner, { tenantId, userId }: Person, own: readonly string[]): Promise<void> {
  const surplus = own.slice(0, Math.max(0, own.length + 1 - MAX_SUBSCRIPTIONS));
  for (const id of surplus) {
    const ended = { userId, reason: 'REPLACED' } as const;
    await runner.execute(pushSubscription, { tenantId, id }, ended, unsubscribeFromPush);
  }
}

export const notificationCommandHandlers = [
  handles(SendAdminNotification, [CommandRunner, NotificationRecipients, PushTargets], send),
  // The receipt's revision, which is compared with If-Match, is the notification's revision for this recipient: 1 if the
  // recipient has read the notification, and 0 otherwise.
  handles(ReadNotification, [CommandRunner, NotificationLists], async (runner, lists, { person, target }) => {
    const seen = await lists.find(person, target.id);
    if (!seen) throw notFound('notification');
    const inbox = { tenantId: person.tenantId, id: person.userId };
    const revisionOf = (state: NotificationInbox) => (isReadIn(state, seen) ? 1 : 0);
    const { position } = await runner.execute(notificationInbox, inbox, seen, readNotification, revisionOf);
    return { id: target.id, revision: 1, position };
  }),
  handles(ReadAllNotifications, [CommandRunner, NotificationLists], async (runner, lists, { args: [person] }) => {
    const unread = await lists.unreadCount(person);
    const inbox = { tenantId: person.tenantId, id: person.userId };
    const done = await runner.execute(notificationInbox, inbox, { unread }, readAllNotifications);
    return { ...receiptOf(done), updatedCount: unread };
  }),
  handles(
    SubscribeToPush,
    [CommandRunner, PushTargets, PushClient],
    async (runner, targets, client, { args: [person, data] }) => {
      const { tenantId, userId } = person;
      const { endpoint, keys, userAgent = null } = data;
      const fault = client.faultOf(endpoint);
      if (fault !== undefined) throw invalid([{ path: 'endpoint', message: fault }]);
      if (!isOnCurve(keys.p256dh))
        throw invalid([{ path: 'keys.p256dh', message: 'Must be a P-256 public key in base64url.' }]);
      const id = pushSubscriptionId(endpoint);
      const own = (await targets.ownedBy(person)).map((each) => each.id);
      const isHere = own.includes(id);
      if (!isHere) await makeRoom(runner, person, own);
      const wanted = { userId, endpoint, keys, userAgent, isHere };
      return receiptOf(await runner.execute(pushSubscription, { tenantId, id }, wanted, subscribeToPush));
    },
  ),
  handles(UnsubscribeFromPush, [CommandRunner], async (runner, { args: [{ tenantId, userId }, endpoint] }) => {
    const target = { tenantId, id: pushSubscriptionId(endpoint) };
    return receiptOf(await runner.execute(pushSubscription, target, { userId }, endOwnPush));
  }),
];
