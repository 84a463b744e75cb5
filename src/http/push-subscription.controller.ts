import { z } from 'zod';
import { CreateWebPushSubscription, DeleteWebPushSubscription } from '../aggregates/push-subscription.aggregate.js';
import { SubscribeToPush, UnsubscribeFromPush } from '../commands/notification.commands.js';
import { VapidKeys } from '../security/vapid-keys.js';
import { ListPushSubscriptions } from '../queries/notification-recipients.js';
import { personOf } from './notification.controller.js';
import { controllerOf, routesAt, valueOf } from './routes.js';
import { instantOut, named, recordFields } from './shapes.js';

const WebPushPublicKeyDto = named(
  'WebPushPublicKeyDto',
  z.object({ publicKey: z.string().meta({ description: 'The VAPID key (RFC 8292), base64url.' }) }),
);
const WebPushSubscriptionDto = named(
  'WebPushSubscriptionDto',
  z.object({
    ...recordFields,
    endpoint: z.string(),
    userAgent: z.string().nullable(),
    lastUsedAt: instantOut.nullable().meta({ description: 'When it was last pushed to, to an hour.' }),
  }),
);

const routes = routesAt('/api/notifications/push-subscriptions', { who: 'any', tag: 'Notifications' });

export const PushSubscriptionController = controllerOf(
  routes.route(
    'Get the key that browsers subscribe with',
    { path: '/public-key', answers: valueOf(WebPushPublicKeyDto) },
    (_call, services) => ({ publicKey: services.get(VapidKeys).publicKey }),
  ),
  routes.query(
    "List the caller's push subscriptions, newest first",
    { path: '/me', answers: valueOf(z.array(WebPushSubscriptionDto)) },
    ({ caller }) => new ListPushSubscriptions(personOf(caller)),
    (found) => found.map(({ tenantId: _tenant, userId: _user, keys: _keys, ...shown }) => shown),
  ),
  routes.command(
    'Subscribe a browser to push messages; a browser belongs to the last person who subscribed with it',
    { body: CreateWebPushSubscription, creates: {} },
    ({ caller, body }) => new SubscribeToPush(personOf(caller), body),
  ),
  routes.command(
    "Delete one of the caller's push subscriptions",
    { method: 'DELETE', body: DeleteWebPushSubscription },
    ({ caller, body }) => new UnsubscribeFromPush(personOf(caller), body.endpoint),
  ),
);
