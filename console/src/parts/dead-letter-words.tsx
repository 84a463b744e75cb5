import type { ReactNode } from 'react';
import type { DeadLetter } from '../api/dead-letters';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';

export const ORIGINS: Readonly<Record<DeadLetter['origin'], string>> = {
  PUBLISH: t('Message to partners'),
  SALE: t("A partner's sale"),
  PUSH: t('Web push'),
  POLICY: t('Policy'),
  PROJECTION: t('Read model'),
  WEBHOOK: t('Webhook'),
};

const STATUSES: Readonly<Record<DeadLetter['status'], readonly [Tone, string]>> = {
  PARKED: ['warning', t('Parked')],
  REPLAYED: ['good', t('Replayed')],
  DISCARDED: ['idle', t('Discarded')],
};

export const LETTER_STATUSES = Object.entries(STATUSES).map(
  ([status, [, words]]) => [status as DeadLetter['status'], words] as const,
);

export const LetterStatus = ({ status }: { status: DeadLetter['status'] }): ReactNode => {
  const [tone, words] = STATUSES[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
};

/** Returns the partner's external id or, if there is none, the record's id. */
export function subjectOf({ payload, subject }: Pick<DeadLetter, 'payload' | 'subject'>): string {
  const named = payload as { readonly externalId?: unknown } | null | undefined;
  return typeof named?.externalId === 'string' ? named.externalId : subject;
}
