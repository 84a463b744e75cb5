import type { ReactNode } from 'react';
import type { Key } from '../api/keys';
import type { LoadedColumn } from './data-table';
import { count } from './figures';
import { Instant } from './instant';
import { useNowMs } from './now';
import { StatusBadge, type Tone } from './status-badge';
import { t } from '../messages/catalogue';

/** Period before a key's expiry during which the key should be replaced. */
const SOON_MS = 14 * 24 * 60 * 60_000;

type Standing = readonly [tone: Tone, words: string, at: string | null];

function standingOf({ revokedAt, expiresAt, previousSecretExpiresAt }: Key, nowMs: number): Standing {
  if (revokedAt !== null) return ['idle', t('Revoked'), revokedAt];
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return ['bad', t('Expired'), expiresAt];
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs + SOON_MS) return ['warning', t('Expires soon'), expiresAt];
  if (previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > nowMs)
    return ['busy', t('Two secrets; the old secret expires'), previousSecretExpiresAt];
  return ['good', t('Active'), null];
}

/** A key's status, with the time at which the status began or will end. */
function KeyStatus({ of }: { of: Key }): ReactNode {
  const [tone, words, at] = standingOf(of, useNowMs());
  return (
    <>
      <StatusBadge tone={tone}>{words}</StatusBadge>
      {at !== null && (
        <div className="k-nothing">
          <Instant as="relative" at={at} />
        </div>
      )}
    </>
  );
}

/** Columns that all lists of keys share. */
export const keyColumns: readonly LoadedColumn<Key>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: ({ name }) => name,
    cell: ({ name }) => <strong>{name}</strong>,
  },
  {
    key: 'source',
    header: t("Partner's system"),
    sort: ({ sourceId }) => sourceId,
    cell: ({ sourceId }) => <code>{sourceId}</code>,
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: (key) => <KeyStatus of={key} /> },
  {
    key: 'limit',
    narrow: 'hidden',
    header: t('Requests per minute'),
    numeric: true,
    sort: ({ rateLimit }) => rateLimit,
    cell: ({ rateLimit }) => count(rateLimit),
  },
  {
    key: 'used',
    header: t('Last used'),
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="k-nothing">{t('Never')}</span> : <Instant as="relative" at={lastUsedAt} />,
  },
  {
    key: 'expires',
    narrow: 'tablet',
    header: t('Expires'),
    sort: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) =>
      expiresAt === null ? <span className="k-nothing">{t('Never')}</span> : <Instant as="day" at={expiresAt} />,
  },
  {
    key: 'created',
    isExtra: true,
    header: t('Created'),
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Instant as="relative" at={createdAt} />,
  },
];
