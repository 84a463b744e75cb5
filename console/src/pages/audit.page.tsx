import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditQuery, type AuditEntry } from '../api/audit';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { ACTIONS, actionWords, actorWords, ENTITIES, entityWords } from '../parts/audit-words';
import { DataTable, type Column } from '../parts/data-table';
import { Choice, DateField, FilterBar, IN_PLACE, SearchField, setterOf } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { TenantChoice } from '../parts/tenant-choice';
import { TextFilter } from '../parts/text-filter';
import type { AuditFilters } from '../routes/platform-filters';

const PAGE_SIZE = 25;
const route = getRouteApi('/signed-in/audit');

const columns: readonly Column<AuditEntry>[] = [
  { key: 'when', header: 'Time', cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'what',
    header: 'Action',
    cell: ({ id, summary, eventType }) => (
      <>
        <Link params={{ id }} to="/audit/$id">
          {summary}
        </Link>
        <div className="k-nothing">{eventType}</div>
      </>
    ),
  },
  {
    key: 'entity',
    header: 'Record',
    cell: ({ entity, action }) => (
      <>
        {entityWords(entity)}
        <div className="k-nothing">{actionWords(action)}</div>
      </>
    ),
  },
  {
    key: 'who',
    header: 'Actor',
    cell: ({ userName, ipAddress }) => (
      <>
        {actorWords(userName)}
        {ipAddress !== null && <div className="k-nothing">{ipAddress}</div>}
      </>
    ),
  },
  {
    key: 'tenant',
    header: 'Tenant',
    cell: ({ tenantId, tenantName }) =>
      tenantId === PLATFORM ? <span className="k-nothing">{PLATFORM_NAME}</span> : (tenantName ?? tenantId),
  },
];

/** Audit log of all tenants. */
export function AuditPage(): ReactNode {
  const { page = 1, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const entries = useQuery(auditQuery({ ...filters, pageNumber: page, pageSize: PAGE_SIZE }));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        lead="Every action of a user, a partner or the service. Entries are never changed or removed."
        title="Audit log"
      />
      <Panel title="Entries">
        <Filters filters={filters} />
        <DataTable
          columns={columns}
          empty={isFiltered ? 'No entries match these filters.' : 'There are no entries yet.'}
          keyOf={({ id }) => id}
          label="Audit log entries"
          pages={{
            page,
            totalPages: entries.data?.totalPages,
            totalCount: entries.data?.totalCount,
            totalIsCapped: entries.data?.totalIsCapped,
            onPage: (next) => void navigate({ search: { ...filters, page: next } }),
          }}
          query={entries}
          rows={entries.data?.items}
        />
      </Panel>
    </>
  );
}

function Filters({ filters }: { filters: AuditFilters }): ReactNode {
  const navigate = route.useNavigate();
  const set = setterOf(filters, (search) => void navigate({ search, ...IN_PLACE }));
  return (
    <FilterBar filters={filters} onClear={() => void navigate({ search: {} })}>
      <SearchField hint="Actor, action, record or request ID" onChange={set('search')} value={filters.search} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <Choice label="Record" onChange={set('entity')} options={ENTITIES} value={filters.entity} />
      <Choice label="Action" onChange={set('action')} options={ACTIONS} value={filters.action} />
      <TextFilter label="Record ID" onChange={set('entityId')} placeholder="Any" value={filters.entityId} />
      <TextFilter label="User ID" onChange={set('userId')} placeholder="Any" value={filters.userId} />
      <DateField label="From (UTC day)" onChange={set('dateFrom')} value={filters.dateFrom} />
      <DateField label="To (UTC day)" onChange={set('dateTo')} value={filters.dateTo} />
    </FilterBar>
  );
}
