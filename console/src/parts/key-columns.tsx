import type { ReactNode } from 'react';
import type { Key } from '../api/keys';
import type { Column } from './data-table';
import { count } from './figures';
import { Instant } from './instant';
import { useNowMs } from './now';
import { StatusBadge, type Tone } from './status-badge';

/** Time before its expiry at which a key should be replaced. */
const SOON_MS = 14 * 24 * 60 * 60_000;

type Standing = readonly [tone: Tone, words: string, at: string | null];

function standingOf({ revokedAt, expiresAt, previousSecretExpiresAt }: Key, nowMs: number): Standing {
  if (revokedAt !== null) return ['idle', 'Revoked', revokedAt];
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return ['bad', 'Expired', expiresAt];
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs + SOON_MS) return ['warning', 'Expires soon', expiresAt];
  if (previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > nowMs)
    return ['busy', 'Two secrets; the old one ends', previousSecretExpiresAt];
  return ['good', 'Active', null];
}

/** Whether a key works, and since or until when. */
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

/** Columns common to all lists of keys. */
export const keyColumns: readonly Column<Key>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  { key: 'source', header: "Partner's system", cell: ({ sourceId }) => <code>{sourceId}</code> },
  { key: 'status', header: 'Status', cell: (key) => <KeyStatus of={key} /> },
  {
    key: 'limit',
    header: 'Requests per minute',
    numeric: true,
    cell: ({ rateLimit }) => count(rateLimit),
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="k-nothing">Never</span> : <Instant as="relative" at={lastUsedAt} />,
  },
  {
    key: 'expires',
    header: 'Expires',
    cell: ({ expiresAt }) =>
      expiresAt === null ? <span className="k-nothing">Never</span> : <Instant at={expiresAt} />,
  },
  { key: 'created', header: 'Created', cell: ({ createdAt }) => <Instant as="relative" at={createdAt} /> },
];
