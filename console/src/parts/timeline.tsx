import { useQueries, useQuery } from '@tanstack/react-query';
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

type Wording = {
  /** Describes an entry. Default: `summaryWords`. */
  readonly wordsOf?: (entry: AuditEntry) => string;
  /** The cause and the effects of a change. */
  readonly more?: (entry: AuditEntry) => ReactNode;
};

type Props = Wording & {
  readonly entity: string;
  readonly id: string;
  /** Selects the entries of other records that caused the record, or that changed it. */
  readonly also?: readonly Related[];
};
/** `at`: selects only the entries of this instant. */
export type Related = { readonly entity: string; readonly entityId: string; readonly at?: string };

const columnsWith = ({ wordsOf = summaryWords, more }: Wording): readonly Column<AuditEntry>[] => [
  { key: 'when', header: t('Time'), cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'what',
    isWide: true,
    header: t('Action'),
    cell: (entry) => (
      <>
        <Link params={{ id: entry.id }} to="/audit-log/$id">
          {wordsOf(entry)}
        </Link>
        {more?.(entry)}
      </>
    ),
  },
  { key: 'who', header: t('By'), cell: ({ userName }) => actorWords(userName) },
];

export const auditColumns = columnsWith({});

const queryOf = ({ at, ...record }: Related) =>
  tenantAuditQuery({
    ...record,
    ...(at !== undefined && { dateFrom: at, dateTo: at }),
    pageNumber: 1,
    pageSize: SHOWN,
  });

/** Returns the latest entries of a record and of related records, and the first of these records that has entries. */
function useEntries(of: Related, also: readonly Related[], enabled: boolean) {
  const own = useQuery({ ...queryOf(of), enabled });
  const others = useQueries({ queries: also.map((each) => ({ ...queryOf(each), enabled })) });
  const results = [own, ...others];
  const entries = results.flatMap(({ data }) => data?.items ?? []).toSorted((a, b) => b.position - a.position);
  return {
    query: others.find(({ error }) => error !== null) ?? own,
    rows: results.every(({ data }) => data !== undefined) ? entries.slice(0, SHOWN) : undefined,
    record: [of, ...also].find((_, index) => (results[index]?.data?.totalCount ?? 0) > 0) ?? of,
  };
}

/** Latest changes to a record, with their times and actors. Shown only to users who may read the audit log. */
export function Timeline({ entity, id, also = [], ...wording }: Props): ReactNode {
  const mayRead = useMay('audit.read');
  const { query, rows, record } = useEntries({ entity, entityId: id }, also, mayRead);
  if (!mayRead) return null;
  return (
    <Panel
      aside={
        <Link search={{ entity: record.entity, entityId: record.entityId }} to="/audit-log">
          {t('All changes')}
        </Link>
      }
      title={t('Timeline')}
    >
      <DataTable
        columns={columnsWith(wording)}
        empty={t('There are no changes yet.')}
        keyOf={({ id: entry }) => entry}
        label={t('Timeline')}
        query={query}
        rows={rows}
      />
    </Panel>
  );
}
