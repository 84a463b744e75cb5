import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  NOTIFICATION_DIRECTORY,
  type NotificationDirectory,
  type Person,
} from '../aggregates/notification-directory.js';
import {
  endOwnPush,
  MAX_SUBSCRIPTIONS,
  pushSubscription,
  pushSubscriptionId,
  subscribeToPush,
  unsubscribeFromPush,
  type CreateWebPushSubscription,
} from '../aggregates/push-subscription.aggregate.js';
import { CommandRunner } from '../platform/command-runner.js';
import { receiptOf, type Receipt } from '../platform/command.js';
import { invalid } from '../platform/domain-error.js';
import { PushClient } from '../platform/push-client.js';
import { isOnCurve } from '../platform/web-push-encryption.js';

export class SubscribeToPush extends Command<Receipt> {
  constructor(
    readonly person: Person,
    readonly data: CreateWebPushSubscription,
  ) {
    super();
  }
}
export class UnsubscribeFromPush extends Command<Receipt> {
  constructor(
    readonly person: Person,
    readonly endpoint: string,
  ) {
    super();
  }
}

@CommandHandler(SubscribeToPush)
export class SubscribeToPushHandler implements ICommandHandler<SubscribeToPush, Receipt> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(NOTIFICATION_DIRECTORY) private readonly directory: NotificationDirectory,
    @Inject(PushClient) private readonly client: PushClient,
  ) {}

  async execute({ person, data }: SubscribeToPush): Promise<Receipt> {
    const { tenantId, userId } = person;
    const { endpoint, keys, userAgent = null } = data;
    const fault = this.client.faultOf(endpoint);
    if (fault !== undefined) throw invalid([{ path: 'endpoint', message: fault }]);
    if (!isOnCurve(keys.p256dh)) throw invalid([{ path: 'keys.p256dh', message: 'Must be a P-256 key, base64url.' }]);
    const id = pushSubscriptionId(endpoint);
    const own = await this.directory.subscriptionsOf(person);
    const isHere = own.includes(id);
    if (!isHere) await this.makeRoom(person, own);
    const wanted = { userId, endpoint, keys, userAgent, isHere };
    return receiptOf(await this.runner.execute(pushSubscription, { tenantId, id }, wanted, subscribeToPush));
  }

  private async makeRoom({ tenantId, userId }: Person, own: readonly string[]): Promise<void> {
    const surplus = own.slice(0, Math.max(0, own.length + 1 - MAX_SUBSCRIPTIONS));
    for (const id of surplus) {
      const ended = { userId, reason: 'REPLACED' } as const;
      await this.runner.execute(pushSubscription, { tenantId, id }, ended, unsubscribeFromPush);
    }
  }
}

@CommandHandler(UnsubscribeFromPush)
export class UnsubscribeFromPushHandler implements ICommandHandler<UnsubscribeFromPush, Receipt> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ person: { tenantId, userId }, endpoint }: UnsubscribeFromPush): Promise<Receipt> {
    const target = { tenantId, id: pushSubscriptionId(endpoint) };
    return receiptOf(await this.runner.execute(pushSubscription, target, { userId }, endOwnPush));
  }
}

export const pushSubscriptionCommandHandlers = [SubscribeToPushHandler, UnsubscribeFromPushHandler];
