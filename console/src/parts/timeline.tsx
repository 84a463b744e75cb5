import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import { useMay } from '../api/me';
import { tenantAuditQuery } from '../api/tenant-audit';
import { actorWords, summaryWords } from './audit-words';
import { DataTable, type Column } from './data-table';
import { Instant } from './instant';
import { Panel } from './panel';
import { t } from '../messages/catalogue';

const SHOWN = 10;

export const auditColumns: readonly Column<AuditEntry>[] = [
  { key: 'when', header: t('Time'), cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'what',
    isWide: true,
    header: t('Action'),
    cell: (entry) => (
      <Link params={{ id: entry.id }} to="/audit-log/$id">
        {summaryWords(entry)}
      </Link>
    ),
  },
  { key: 'who', header: t('By'), cell: ({ userName }) => actorWords(userName) },
];

/** Latest changes to a record, with their times and actors. Shown only to users who may read the audit log. */
export function Timeline({ entity, id }: { entity: string; id: string }): ReactNode {
  const mayRead = useMay('audit.read');
  const query = { entity, entityId: id, pageNumber: 1, pageSize: SHOWN };
  const entries = useQuery({ ...tenantAuditQuery(query), enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Panel
      aside={
        <Link search={{ entity, entityId: id }} to="/audit-log">
          {t('All changes')}
        </Link>
      }
      title={t('Timeline')}
    >
      <DataTable
        columns={auditColumns}
        empty={t('There are no changes yet.')}
        keyOf={({ id: entry }) => entry}
        label={t('Timeline')}
        query={entries}
        rows={entries.data?.items}
      />
    </Panel>
  );
}
