import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import type { Person } from '../aggregates/notification-directory.js';
import { NotificationType } from '../aggregates/notification.aggregate.js';
import { ReadAllNotifications, ReadNotification, SendAdminNotification } from '../commands/notification.commands.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';
import { CountUnread, ListNotifications } from '../queries/notification.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { optionalPaging, queryBoolean } from './input.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const NotificationDto = named(
  'NotificationDto',
  z.object({
    ...recordFields,
    title: z.string(),
    body: z.string(),
    type: NotificationType,
    link: z.string().nullable(),
    isRead: z.boolean(),
    readAt: instantOut.nullable(),
    revision: z.int().min(0).meta({ description: '1 when it is read.' }),
  }),
);
const UnreadCountDto = named('UnreadCountDto', z.object({ count: z.int().min(0) }));
const MarkAllReadResultDto = named('MarkAllReadResultDto', z.object({ updatedCount: z.int().min(0) }));
const SendAdminNotificationResultDto = named(
  'SendAdminNotificationResultDto',
  z.object({
    notificationId: recordId.meta({
      description: 'Who names more than 1,000 people sends several; this is the first of them.',
    }),
    recipientCount: z.int().min(0).meta({ description: 'Active users who are addressed.' }),
    pushCount: z.int().min(0).meta({ description: 'Browsers that it is pushed to.' }),
  }),
);

const listQuery = z.strictObject({ ...optionalPaging, isRead: queryBoolean.optional() });

/** Whose notifications the caller's are: operators have those of the platform. */
export const personOf = (caller: UserPrincipal | OperatorPrincipal): Person => ({
  tenantId: caller.kind === 'user' ? caller.tenantId : PLATFORM_TENANT,
  userId: caller.userId,
});

const declared = { who: 'any', tag: 'Notifications' } as const;

@Controller()
export class NotificationController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/notifications',
    summary: "The caller's own notifications, newest first",
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: NotificationDto },
  })
  list(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @Query() query: z.output<typeof listQuery>,
  ): Promise<unknown> {
    return this.queries.execute(new ListNotifications(personOf(caller), query));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/notifications/unread-count',
    summary: 'How many of the own notifications are not read yet',
    answers: { status: 200, shape: 'envelope', schema: UnreadCountDto },
  })
  unreadCount(@Caller() caller: UserPrincipal | OperatorPrincipal): Promise<unknown> {
    return this.queries.execute(new CountUnread(personOf(caller)));
  }

  @Endpoint({
    ...declared,
    method: 'PATCH',
    path: '/api/notifications/read-all',
    summary: 'Read all of the own notifications that there are now',
    ifMatch: false,
    answers: { status: 200, shape: 'envelope', schema: MarkAllReadResultDto, position: 'awaited' },
  })
  async readAll(@Caller() caller: UserPrincipal | OperatorPrincipal): Promise<Answer> {
    const { updatedCount, position } = await this.commands.execute(new ReadAllNotifications(personOf(caller)));
    return answer({ updatedCount }, await this.gateway.settled(position));
  }

  @Endpoint({
    ...declared,
    method: 'PATCH',
    path: '/api/notifications/:id/read',
    summary: 'Read one of the own notifications',
    answers: { status: 200, shape: 'command' },
  })
  read(@Caller() caller: UserPrincipal | OperatorPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new ReadNotification(personOf(caller), id));
  }

  @Endpoint({
    method: 'POST',
    path: '/api/notifications/admin/send',
    who: 'tenant-admin',
    permission: 'notifications.send',
    tag: 'Notifications',
    summary: 'Notify all active users of the tenant, or those who are named by id, role or branch',
    body: SendAdminNotification.schema,
    answers: {
      status: 201,
      shape: 'envelope',
      schema: SendAdminNotificationResultDto,
      position: 'awaited',
      bareRefusals: true,
    },
  })
  async send(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof SendAdminNotification.schema>,
  ): Promise<Answer> {
    const target = { tenantId, id: this.ids.next() };
    const sent = await this.commands.execute(new SendAdminNotification(target, body));
    const { id: notificationId, recipientCount, pushCount, position } = sent;
    return answer({ notificationId, recipientCount, pushCount }, await this.gateway.settled(position));
  }
}
