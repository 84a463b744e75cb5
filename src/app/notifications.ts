import type { Provider } from '@nestjs/common';
import type { Config } from '../config.js';
import { Backoff } from '../eventsourcing/backoff.js';
import { PUSH_WATCH, type PushWatch } from '../policies/push-sender.js';
import { PushClient } from '../security/push-client.js';
import { VapidKeys } from '../security/vapid-keys.js';
import type { Engines } from './engines.js';
import { readAuthorities } from './key-settings.js';

/** Keys, connections and metrics of Web Push. */
export type PushParts = { readonly vapid: VapidKeys; readonly client: PushClient; readonly watch: PushWatch };

/** Name of the push subscriber, its queue and its lease. */
export const PUSH = 'push';
const PAUSES = { baseMs: 1_000, maxMs: 60_000 };

const NOBODY = 'nobody@kontor.invalid';

/** @throws UnusableKey if the keys or the CA file are unusable */
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
    metrics.pushes.inc({ result });
  };
  return { vapid, client, watch };
}

export const pushProviders = ({ vapid, client, watch }: PushParts): Provider[] => [
  { provide: VapidKeys, useValue: vapid },
  { provide: PushClient, useValue: client },
  { provide: PUSH_WATCH, useValue: watch },
  { provide: Backoff, useValue: new Backoff(PAUSES) },
];
