import { Body, Controller, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CreateWebPushSubscription, DeleteWebPushSubscription } from '../aggregates/push-subscription.aggregate.js';
import { SubscribeToPush, UnsubscribeFromPush } from '../commands/push-subscription.commands.js';
import type { OperatorPrincipal, UserPrincipal } from '../platform/principal.js';
import { VapidKeys } from '../platform/vapid-keys.js';
import { ListPushSubscriptions } from '../queries/notification.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { personOf } from './notification.controller.js';
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

const declared = { who: 'any', tag: 'Notifications' } as const;
const path = '/api/notifications/push-subscriptions';

@Controller()
export class PushSubscriptionController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(VapidKeys) private readonly vapid: VapidKeys,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: `${path}/public-key`,
    summary: 'The key that browsers subscribe with',
    answers: { status: 200, shape: 'envelope', schema: WebPushPublicKeyDto },
  })
  publicKey(): unknown {
    return { publicKey: this.vapid.publicKey };
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: `${path}/me`,
    summary: "The caller's own subscriptions, newest first",
    answers: { status: 200, shape: 'envelope', schema: z.array(WebPushSubscriptionDto) },
  })
  async mine(@Caller() caller: UserPrincipal | OperatorPrincipal): Promise<unknown> {
    const found = await this.queries.execute(new ListPushSubscriptions(personOf(caller)));
    // Without the keys: who has them can push to the browser.
    return found.map(({ tenantId: _tenant, userId: _user, keys: _keys, ...shown }) => shown);
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path,
    summary: 'Subscribe a browser; again it is the same subscription, and the last person to subscribe with it has it',
    body: CreateWebPushSubscription,
    answers: { status: 201, shape: 'command' },
  })
  subscribe(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @Body() body: z.output<typeof CreateWebPushSubscription>,
  ): Promise<Answer> {
    return this.gateway.send(new SubscribeToPush(personOf(caller), body));
  }

  @Endpoint({
    ...declared,
    method: 'DELETE',
    path,
    summary: "End one of the caller's own subscriptions",
    body: DeleteWebPushSubscription,
    answers: { status: 200, shape: 'command' },
  })
  unsubscribe(
    @Caller() caller: UserPrincipal | OperatorPrincipal,
    @Body() body: z.output<typeof DeleteWebPushSubscription>,
  ): Promise<Answer> {
    return this.gateway.send(new UnsubscribeFromPush(personOf(caller), body.endpoint));
  }
}
