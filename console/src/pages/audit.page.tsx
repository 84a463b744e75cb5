import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditQuery, type AuditEntry } from '../api/audit';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { ACTIONS, actionWords, actorWords, ENTITIES, entityWords, summaryWords } from '../parts/audit-words';
import { DataTable, type Column } from '../parts/data-table';
import { Choice, DateField, FilterBar, IN_PLACE, SearchField, setterOf } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { TenantChoice } from '../parts/tenant-choice';
import { TextFilter } from '../parts/text-filter';
import type { AuditFilters } from '../routes/platform-filters';
import { t } from '../messages/catalogue';

const PAGE_SIZE = 25;
const route = getRouteApi('/signed-in/audit');

const columns: readonly Column<AuditEntry>[] = [
  { key: 'when', header: t('Time'), cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'what',
    header: t('Action'),
    cell: (entry) => (
      <>
        <Link params={{ id: entry.id }} to="/audit/$id">
          {summaryWords(entry)}
        </Link>
        <div className="k-nothing">{entry.eventType}</div>
      </>
    ),
  },
  {
    key: 'entity',
    header: t('Record'),
    cell: ({ entity, action }) => (
      <>
        {entityWords(entity)}
        <div className="k-nothing">{actionWords(action)}</div>
      </>
    ),
  },
  {
    key: 'who',
    header: t('Actor'),
    cell: ({ userName, ipAddress }) => (
      <>
        {actorWords(userName)}
        {ipAddress !== null && <div className="k-nothing">{ipAddress}</div>}
      </>
    ),
  },
  {
    key: 'tenant',
    header: t('Tenant'),
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
        lead={t('Every action of a user, a partner or the service. Entries are never changed or removed.')}
        title={t('Audit log')}
      />
      <Panel title={t('Entries')}>
        <Filters filters={filters} />
        <DataTable
          columns={columns}
          empty={isFiltered ? t('No entries match these filters.') : t('There are no entries yet.')}
          keyOf={({ id }) => id}
          label={t('Audit log entries')}
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
      <SearchField hint={t('Actor, action, record or request ID')} onChange={set('search')} value={filters.search} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <Choice label={t('Record')} onChange={set('entity')} options={ENTITIES} value={filters.entity} />
      <Choice label={t('Action')} onChange={set('action')} options={ACTIONS} value={filters.action} />
      <TextFilter label={t('Record ID')} onChange={set('entityId')} placeholder={t('Any')} value={filters.entityId} />
      <TextFilter label={t('User ID')} onChange={set('userId')} placeholder={t('Any')} value={filters.userId} />
      <DateField label={t('From (UTC day)')} onChange={set('dateFrom')} value={filters.dateFrom} />
      <DateField label={t('To (UTC day)')} onChange={set('dateTo')} value={filters.dateTo} />
    </FilterBar>
  );
}
