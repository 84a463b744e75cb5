import { z } from 'zod';
import { NotificationLists, type Person } from '../queries/notification-lists.js';
import { NotificationRecipients } from '../queries/notification-recipients.js';
import {
  isReadIn,
  notificationInbox,
  readAllNotifications,
  readNotification,
  type NotificationInbox,
} from '../aggregates/notification-inbox.aggregate.js';
import {
  notification,
  SendAdminNotification as SendInput,
  sendNotification,
} from '../aggregates/notification.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { command, receiptOf, type Receipt } from '../eventsourcing/command.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { PushTargets } from '../queries/push-targets.js';

/** `recipientCount`: active recipients; `pushCount`: their browsers. Both at the time of the request. */
export type SendReceipt = Receipt & { readonly recipientCount: number; readonly pushCount: number };
export class SendAdminNotification extends command<typeof SendInput, SendReceipt>(SendInput) {}

const Nothing = z.object({});
/** The target's id is that of the notification. */
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

/** Sends one record, or several with ids of their own if there are too many recipients for one. */
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

export const notificationCommandHandlers = [
  handles(SendAdminNotification, [CommandRunner, NotificationRecipients, PushTargets], send),
  // The receipt's revision, which If-Match is compared with, is the recipient's view of the notification: 1 once read.
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
];
