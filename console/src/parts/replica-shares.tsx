import type { ReactNode } from 'react';
import type { SystemHealth } from '../api/observation';
import { DataTable, type Column } from './data-table';
import { count } from './figures';
import { Panel } from './panel';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

type Share = { readonly work: string; readonly leader: string | null; readonly ranges: readonly number[] };

/** Returns one row for each leader of each kind of work, in the order of the leaders' ranges. */
const sharesIn = (ranges: SystemHealth['ranges']): readonly Share[] =>
  ranges.flatMap(({ work, leaders }) =>
    [...new Set(leaders)].map((leader) => ({
      work,
      leader,
      ranges: leaders.flatMap((each, range) => (each === leader ? [range] : [])),
    })),
  );

const shareColumns: readonly Column<Share>[] = [
  { key: 'work', header: t('Work'), cell: ({ work }) => work },
  {
    key: 'leader',
    header: t('Leader'),
    cell: ({ leader }) => (leader === null ? <StatusBadge tone="bad">{t('None')}</StatusBadge> : leader),
  },
  {
    key: 'count',
    header: t('Share'),
    numeric: true,
    cell: ({ ranges }) => t('{ranges} of 16', { ranges: count(ranges.length) }),
  },
  { key: 'ranges', header: t('Ranges'), cell: ({ ranges }) => ranges.join(', ') },
];

/** Distribution of tenants among the replicas. Hidden if the service has only one process. */
export const ReplicaShares = ({ of: ranges = [] }: { of: SystemHealth['ranges'] | undefined }): ReactNode =>
  ranges.length === 0 ? null : (
    <Panel title={t('Work by replica')}>
      <DataTable
        columns={shareColumns}
        empty={t('No replica has registered.')}
        keyOf={({ work, leader }) => `${work} ${leader ?? ''}`}
        label={t('Work by replica')}
        rows={sharesIn(ranges)}
      />
    </Panel>
  );
