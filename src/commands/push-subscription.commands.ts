import type { Person } from '../queries/notification-lists.js';
import { PushTargets } from '../queries/push-targets.js';
import {
  endOwnPush,
  MAX_SUBSCRIPTIONS,
  pushSubscription,
  pushSubscriptionId,
  subscribeToPush,
  unsubscribeFromPush,
  type CreateWebPushSubscription,
} from '../aggregates/push-subscription.aggregate.js';
import { CommandRunner } from '../eventsourcing/command-runner.js';
import { receiptOf, type Receipt } from '../eventsourcing/command.js';
import { commandOf, handles } from '../eventsourcing/handler.js';
import { invalid } from '../eventsourcing/domain-error.js';
import { PushClient } from '../security/push-client.js';
import { isOnCurve } from '../security/web-push-encryption.js';

export class SubscribeToPush extends commandOf<Receipt, [person: Person, data: CreateWebPushSubscription]>() {}
export class UnsubscribeFromPush extends commandOf<Receipt, [person: Person, endpoint: string]>() {}

async function makeRoom(runner: CommandRunner, { tenantId, userId }: Person, own: readonly string[]): Promise<void> {
  const surplus = own.slice(0, Math.max(0, own.length + 1 - MAX_SUBSCRIPTIONS));
  for (const id of surplus) {
    const ended = { userId, reason: 'REPLACED' } as const;
    await runner.execute(pushSubscription, { tenantId, id }, ended, unsubscribeFromPush);
  }
}

export const pushSubscriptionCommandHandlers = [
  handles(
    SubscribeToPush,
    [CommandRunner, PushTargets, PushClient],
    async (runner, targets, client, { args: [person, data] }) => {
      const { tenantId, userId } = person;
      const { endpoint, keys, userAgent = null } = data;
      const fault = client.faultOf(endpoint);
      if (fault !== undefined) throw invalid([{ path: 'endpoint', message: fault }]);
      if (!isOnCurve(keys.p256dh)) throw invalid([{ path: 'keys.p256dh', message: 'Must be a P-256 key, base64url.' }]);
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
