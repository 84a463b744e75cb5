import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  NOTIFICATION_DIRECTORY,
  type NotificationDirectory,
  type Person,
} from '../aggregates/notification-directory.js';
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
import { CommandRunner } from '../platform/command-runner.js';
import { command, type Receipt } from '../platform/command.js';
import { notFound } from '../platform/domain-error.js';
import { nameUuid } from '../platform/name-uuid.js';

/** `recipientCount`: active users who are addressed; `pushCount`: their browsers. Both as of now. */
export type SendReceipt = Receipt & { readonly recipientCount: number; readonly pushCount: number };
export class SendAdminNotification extends command<typeof SendInput, SendReceipt>(SendInput) {}

const Nothing = z.object({});
/** The target's id is the notification's. */
export class ReadNotification extends command(Nothing) {
  constructor(
    readonly person: Person,
    notificationId: string,
  ) {
    super({ tenantId: person.tenantId, id: notificationId }, {});
  }
}
export type ReadAllReceipt = Receipt & { readonly updatedCount: number };
export class ReadAllNotifications extends Command<ReadAllReceipt> {
  constructor(readonly person: Person) {
    super();
  }
}

@CommandHandler(SendAdminNotification)
export class SendAdminNotificationHandler implements ICommandHandler<SendAdminNotification, SendReceipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory,
  ) {}

  /** One record, unless so many people are named that they need several: those have ids of their own. */
  async execute({ target, data }: SendAdminNotification): Promise<SendReceipt> {
    const { tenantId } = target;
    const { title, body, type, link = null } = data;
    const { audiences, recipientCount } = await this.directory.addressed(tenantId, data);
    const sent = { ...target, revision: -1, position: -1, recipientCount, pushCount: 0 };
    for (const [index, audience] of audiences.entries()) {
      sent.pushCount += await this.directory.countPushes(tenantId, audience);
      const id = index === 0 ? target.id : nameUuid(`part ${index}`, target.id);
      const content = { title, body, type, link, audience };
      const done = await this.runner.execute(notification, { tenantId, id }, content, sendNotification);
      [sent.revision, sent.position] = [done.revision, done.position];
    }
    return sent;
  }
}

@CommandHandler(ReadNotification)
export class ReadNotificationHandler implements ICommandHandler<ReadNotification, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory,
  ) {}

  /** The revision that is told, and compared with If-Match, is the notification's as its person sees it: read is 1. */
  async execute({ person, target }: ReadNotification): Promise<Receipt> {
    const seen = await this.directory.find(person, target.id);
    if (!seen) throw notFound('notification');
    const inbox = { tenantId: person.tenantId, id: person.userId };
    const revisionOf = (state: NotificationInbox) => (isReadIn(state, seen) ? 1 : 0);
    const { position } = await this.runner.execute(notificationInbox, inbox, seen, readNotification, revisionOf);
    return { id: target.id, revision: 1, position };
  }
}

@CommandHandler(ReadAllNotifications)
export class ReadAllNotificationsHandler implements ICommandHandler<ReadAllNotifications, ReadAllReceipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory,
  ) {}

  async execute({ person }: ReadAllNotifications): Promise<ReadAllReceipt> {
    const unread = await this.directory.unreadCount(person);
    const inbox = { tenantId: person.tenantId, id: person.userId };
    const done = await this.runner.execute(notificationInbox, inbox, { unread }, readAllNotifications);
    return { id: person.userId, revision: done.revision, position: done.position, updatedCount: unread };
  }
}

export const notificationCommandHandlers = [
  SendAdminNotificationHandler,
  ReadNotificationHandler,
  ReadAllNotificationsHandler,
];
