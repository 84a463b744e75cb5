import type { Provider } from '@nestjs/common';
import type { Config } from '../config.js';
import { DeliveryLog } from '../observability/delivery-log.js';
import { ALERT_RECEIVER, type AlertReceiver } from '../policies/operator-alerts.js';
import { storedText, WebhookKeys } from '../security/webhook-keys.js';
import { WebhookSender } from '../security/webhook-sender.js';
import type { Clock } from '../ports/time.js';
import type { Engines } from './engines.js';

/** Webhook settings. They can be sent to a worker thread. */
export type WebhookSettings = {
  readonly directory: string;
  readonly key: string | undefined;
  readonly allowPrivate: boolean;
};
export const webhookSettings = (config: Config): WebhookSettings => ({
  directory: config.DATA_DIR,
  key: config.WEBHOOK_KEY,
  allowPrivate: config.WEBHOOK_ALLOW_PRIVATE,
});

/** Opens the webhook sender. @throws UnusableKey */
export async function openWebhooks({ directory, key, allowPrivate }: WebhookSettings, clock: Clock) {
  return new WebhookSender({ clock, keys: await WebhookKeys.open(directory, key), allowPrivate });
}

/** The receiver of alerts, and the serving thread's sender, which sends test messages and replays. */
export type WebhookParts = AlertReceiver & { readonly sender: WebhookSender };

export async function openWebhookParts(config: Config, clock: Clock): Promise<WebhookParts> {
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: given, DATA_DIR } = config;
  const sender = await openWebhooks(webhookSettings(config), clock);
  if (url === undefined) return { sender, receiver: undefined };
  const secret = given ?? (await storedText(DATA_DIR, 'alert-webhook-secret', 'whsec_'));
  return { sender, receiver: { url, secrets: [secret] } };
}

export const webhookProviders = ({ sender, receiver }: WebhookParts, { reads }: Pick<Engines, 'reads'>): Provider[] => [
  { provide: WebhookSender, useValue: sender },
  { provide: DeliveryLog, useValue: new DeliveryLog(reads) },
  { provide: ALERT_RECEIVER, useValue: { receiver } satisfies AlertReceiver },
];
