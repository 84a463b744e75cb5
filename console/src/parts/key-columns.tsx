import type { ReactNode } from 'react';
import type { Key } from '../api/keys';
import type { Column } from './data-table';
import { count } from './figures';
import { Instant } from './instant';
import { StatusBadge } from './status-badge';

/** Whether a key is active, or when it was revoked. */
const KeyStatus = ({ revokedAt }: Pick<Key, 'revokedAt'>): ReactNode =>
  revokedAt === null ? (
    <StatusBadge tone="good">Active</StatusBadge>
  ) : (
    <>
      <StatusBadge tone="idle">Revoked</StatusBadge>
      <div className="k-nothing">
        <Instant as="relative" at={revokedAt} />
      </div>
    </>
  );

/** Columns common to all lists of keys. */
export const keyColumns: readonly Column<Key>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  { key: 'source', header: "Partner's system", cell: ({ sourceId }) => <code>{sourceId}</code> },
  { key: 'status', header: 'Status', cell: ({ revokedAt }) => <KeyStatus revokedAt={revokedAt} /> },
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
  { key: 'created', header: 'Created', cell: ({ createdAt }) => <Instant as="relative" at={createdAt} /> },
];
