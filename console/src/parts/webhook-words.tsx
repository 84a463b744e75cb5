import type { ReactNode } from 'react';
import type { Delivery, Webhook } from '../api/webhooks';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';

const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, readonly [short: string, long: string]>> = {
  OWNER: [t('Disabled'), t('A user disabled this webhook. It receives no messages until it is enabled again.')],
  GONE: [
    t('Disabled: gone'),
    t(
      'The receiver responded with 410 (Gone). Correct the address, enable the webhook, and then recover the missed events.',
    ),
  ],
  FAILING: [
    t('Disabled: failing'),
    t(
      'The receiver has been failing for five days. Repair it, enable the webhook, and then recover the missed events.',
    ),
  ],
};

type Standing = Pick<Webhook, 'isEnabled' | 'disabledReason'>;

export const WebhookStatus = ({ webhook }: { webhook: Standing }): ReactNode => {
  if (webhook.isEnabled) return <StatusBadge tone="good">{t('Enabled')}</StatusBadge>;
  const reason = webhook.disabledReason ?? 'OWNER';
  return <StatusBadge tone={reason === 'OWNER' ? 'idle' : 'bad'}>{REASONS[reason][0]}</StatusBadge>;
};

/** Returns the reason why a webhook is disabled and the next step, or undefined if the webhook is enabled. */
export const disabledBecause = ({ isEnabled, disabledReason }: Standing): string | undefined =>
  isEnabled ? undefined : REASONS[disabledReason ?? 'OWNER'][1];

/** Failures without a response. */
const FAILURES = [
  [/^ADDRESS_NOT_PUBLIC/, t('The address is not public')],
  [/CERT|SIGNATURE/, t('The certificate is not valid')],
  [/^ECONNREFUSED/, t('The host refuses connections')],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|TIMED_OUT)/, t('The host does not respond')],
  [/^(?:EAI_AGAIN|ENODATA|ENOTFOUND|ESERVFAIL)/, t('The host name cannot be resolved')],
  [/^ECONNRESET/, t('The connection was lost')],
] as const;

/** Describes a failure without a response. The code remains visible for support. */
export function failureWords(code: string): string {
  const words = FAILURES.find(([pattern]) => pattern.test(code))?.[1];
  return words === undefined ? code : `${words} (${code})`;
}

const STATUSES: Readonly<Record<Delivery['status'], readonly [Tone, string]>> = {
  PENDING: ['busy', t('Pending')],
  DELIVERED: ['good', t('Delivered')],
  FAILED: ['bad', t('Failed')],
};

export const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>): ReactNode => {
  const [tone, words] = STATUSES[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

export const DELIVERY_STATUSES = Object.entries(STATUSES).map(
  ([status, [, words]]) => [status as Delivery['status'], words] as const,
);
