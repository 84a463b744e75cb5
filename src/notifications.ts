import type { INestApplicationContext, Provider } from '@nestjs/common';
import { NOTIFICATION_DIRECTORY } from './aggregates/notification-directory.js';
import { catalogue } from './catalogue.js';
import { notificationCommandHandlers } from './commands/notification.commands.js';
import { pushSubscriptionCommandHandlers } from './commands/push-subscription.commands.js';
import type { Config } from './config.js';
import type { Engines } from './engines.js';
import { readAuthorities } from './given-keys.js';
import { NotificationController } from './http/notification.controller.js';
import { PushSubscriptionController } from './http/push-subscription.controller.js';
import { DeadLetters, letterOf } from './integration/dead-letters.js';
import { isTransient } from './patience.js';
import { Backoff } from './platform/backoff.js';
import type { Led } from './platform/leadership.js';
import { PushClient } from './platform/push-client.js';
import { VapidKeys } from './platform/vapid-keys.js';
import { WindowedSubscriber } from './platform/windowed-subscriber.js';
import { PushDeliveries, type Sent } from './policies/push-delivery.js';
import { PUSH_WATCH, PushSender, type PushWatch } from './policies/push-sender.js';
import { ProjectedNotificationDirectory } from './queries/notification-directory.js';
import { ParkedLetters } from './queries/parked-letters.js';
import { notificationQueryHandlers } from './queries/notification.queries.js';

/** What pushes need of the world. */
export type PushParts = { readonly vapid: VapidKeys; readonly client: PushClient; readonly watch: PushWatch };

/** The subscriber that pushes, its queue and its lease. */
export const PUSH = 'push';
const NOTIFICATIONS_AT_ONCE = 8;
const PAUSES = { baseMs: 1_000, maxMs: 60_000 };

const NOBODY = 'nobody@kontor.invalid';

/** @throws UnusableKey when the keys or the file of authorities cannot be used */
export async function openPush(
  config: Config,
  { clock, metrics }: Pick<Engines, 'clock' | 'metrics'>,
): Promise<PushParts> {
  const { VAPID_SUBJECT: subject = `mailto:${config.OPERATOR_EMAIL ?? NOBODY}`, WEB_PUSH_CA_FILE: caFile } = config;
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = config;
  const vapid = await VapidKeys.open({ directory: config.DATA_DIR, clock, subject, publicKey, privateKey });
  const ca = caFile === undefined ? undefined : await readAuthorities(caFile);
  const client = new PushClient({ vapid, clock, allowPrivate: config.WEB_PUSH_ALLOW_PRIVATE, ca });
  const watch: PushWatch = (result) => {
    metrics.pushed(result);
  };
  return { vapid, client, watch };
}

export const notificationControllers = [NotificationController, PushSubscriptionController];

export const notificationProviders = ({ vapid, client, watch }: PushParts): Provider[] => [
  { provide: VapidKeys, useValue: vapid },
  { provide: PushClient, useValue: client },
  { provide: PUSH_WATCH, useValue: watch },
  { provide: Backoff, useValue: new Backoff(PAUSES) },
  PushSender,
  PushDeliveries,
  { provide: NOTIFICATION_DIRECTORY, useClass: ProjectedNotificationDirectory },
  ...notificationCommandHandlers,
  ...pushSubscriptionCommandHandlers,
  ...notificationQueryHandlers,
  ParkedLetters,
];

/** Pushes what is sent, in the background, where this process leads in it. */
export function leadPushes(app: INestApplicationContext, engines: Engines): Led {
  const { events, checkpoints, clock, logger, queues } = engines;
  const letters = app.get(DeadLetters);
  return engines.leadership.lead(PUSH, async () => {
    const subscriber = new WindowedSubscriber(events, catalogue, checkpoints, clock, logger, {
      name: PUSH,
      filter: { on: 'type', prefixes: ['NotificationSent'] },
      handle: (event, stopping) => app.get(PushDeliveries).deliver(event as Sent, stopping),
      isTransient,
      maxInFlight: NOTIFICATIONS_AT_ONCE,
      meter: queues.meters.of(PUSH, 'push'),
      park: (event, error) => letters.park(letterOf('PUSH', PUSH, event, error)),
    });
    await subscriber.start();
    return subscriber;
  });
}
