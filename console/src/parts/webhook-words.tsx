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
