import { z } from 'zod';
import { NotificationType } from '../aggregates/notification.aggregate.js';
import { CreateWebPushSubscription, DeleteWebPushSubscription } from '../aggregates/push-subscription.aggregate.js';
import {
  ReadAllNotifications,
  ReadNotification,
  SendAdminNotification,
  SubscribeToPush,
  UnsubscribeFromPush,
} from '../commands/notification.commands.js';
import { ListPushSubscriptions } from '../queries/notification-recipients.js';
import { CountUnread, ListNotifications, type Person } from '../queries/notification.queries.js';
import type { OperatorPrincipal, UserPrincipal } from '../security/principal.js';
import { VapidKeys } from '../security/vapid-keys.js';
import { optionalPaging, queryBoolean } from './input.js';
import { tenantOf } from './request-state.js';
import { controllerOf, pageOf, routesAt, valueOf } from './routes.js';
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
    revision: z.int().min(0).meta({ description: '0 if unread, 1 if read.' }),
  }),
);
const UnreadCountDto = named('UnreadCountDto', z.object({ count: z.int().min(0) }));
const MarkAllReadResultDto = named('MarkAllReadResultDto', z.object({ updatedCount: z.int().min(0) }));
const SendAdminNotificationResultDto = named(
  'SendAdminNotificationResultDto',
  z.object({
    notificationId: recordId.meta({
      description:
        'Id of the first notification. If there are more than 1,000 recipients, several notifications are created.',
    }),
    recipientCount: z.int().min(0).meta({ description: 'Number of active users who receive the notification.' }),
    pushCount: z.int().min(0).meta({ description: 'Number of browsers that receive a push message.' }),
  }),
);

const WebPushPublicKeyDto = named(
  'WebPushPublicKeyDto',
  z.object({ publicKey: z.string().meta({ description: 'VAPID public key (RFC 8292), in base64url.' }) }),
);
const WebPushSubscriptionDto = named(
  'WebPushSubscriptionDto',
  z.object({
    ...recordFields,
    endpoint: z.string(),
    userAgent: z.string().nullable(),
    lastUsedAt: instantOut.nullable().meta({ description: 'Time of the last push message, rounded to the hour.' }),
  }),
);

const listQuery = z.strictObject({ ...optionalPaging, isRead: queryBoolean.optional() });

/** The caller as a recipient. Operators belong to the platform. */
const personOf = (caller: UserPrincipal | OperatorPrincipal): Person => ({
  tenantId: tenantOf(caller),
  userId: caller.userId,
});

const admin = routesAt('/api/notifications/admin', {
  who: 'tenant-admin',
  permission: 'notifications.send',
  tag: 'Notifications',
});
const routes = routesAt('/api/notifications', { who: 'any', tag: 'Notifications' });
const subscriptions = routesAt('/api/notifications/push-subscriptions', { who: 'any', tag: 'Notifications' });

export const NotificationController = controllerOf(
  routes.query(
    "List the caller's notifications, newest first",
    { query: listQuery, answers: pageOf(NotificationDto) },
    ({ caller, query }) => new ListNotifications(personOf(caller), query),
  ),
  routes.query(
    "Count the caller's unread notifications",
    { path: '/unread-count', answers: valueOf(UnreadCountDto) },
    ({ caller }) => new CountUnread(personOf(caller)),
  ),
  routes.command(
    "Mark all of the caller's current notifications as read",
    {
      method: 'PATCH',
      path: '/read-all',
      ifMatch: false,
      answers: { ...valueOf(MarkAllReadResultDto), position: 'awaited' },
    },
    ({ caller }) => new ReadAllNotifications(personOf(caller)),
    ({ updatedCount }) => ({ updatedCount }),
  ),
  routes.command(
    "Mark one of the caller's notifications as read",
    { method: 'PATCH', path: '/:id/read' },
    ({ caller, id }) => new ReadNotification(personOf(caller), id),
  ),
  admin.command(
    'Notify all active users of the tenant, or users selected by id, role or branch',
    {
      path: '/send',
      body: SendAdminNotification.schema,
      creates: {},
      answers: { ...valueOf(SendAdminNotificationResultDto), status: 201, position: 'awaited', bareRefusals: true },
    },
    ({ target, body }) => new SendAdminNotification(target, body),
    ({ id: notificationId, recipientCount, pushCount }) => ({ notificationId, recipientCount, pushCount }),
  ),
  subscriptions.route(
    'Get the public key for push subscriptions',
    { path: '/public-key', answers: valueOf(WebPushPublicKeyDto) },
    (_call, services) => ({ publicKey: services.get(VapidKeys).publicKey }),
  ),
  subscriptions.query(
    "List the caller's push subscriptions, newest first",
    { path: '/me', answers: valueOf(z.array(WebPushSubscriptionDto)) },
    ({ caller }) => new ListPushSubscriptions(personOf(caller)),
    (found) => found.map(({ tenantId: _tenant, userId: _user, keys: _keys, ...shown }) => shown),
  ),
  subscriptions.command(
    'Subscribe a browser to push messages',
    {
      description: 'If another user is subscribed in the same browser, that subscription is replaced.',
      body: CreateWebPushSubscription,
      creates: {},
    },
    ({ caller, body }) => new SubscribeToPush(personOf(caller), body),
  ),
  subscriptions.command(
    "Delete one of the caller's push subscriptions",
    { method: 'DELETE', body: DeleteWebPushSubscription },
    ({ caller, body }) => new UnsubscribeFromPush(personOf(caller), body.endpoint),
  ),
);
