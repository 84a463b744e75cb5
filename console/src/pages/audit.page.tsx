import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditQuery, type AuditEntry } from '../api/audit';
import { PLATFORM, PLATFORM_NAME } from '../api/tenants';
import { ACTIONS, actionWords, actorWords, ENTITIES, entityWords, summaryWords } from '../parts/audit-words';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { Choice, DayRange, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { TenantChoice } from '../parts/tenant-choice';
import { TextFilter } from '../parts/text-filter';
import { VIEWER_ZONE } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import type { AuditFilters } from '../routes/platform-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/audit');

const columns: readonly Column<AuditEntry>[] = [
  { key: 'when', header: t('Time'), cell: ({ occurredAt }) => <Instant at={occurredAt} /> },
  {
    key: 'what',
    isWide: true,
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
    narrow: 'hidden',
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
  { key: 'request', header: t('Request ID'), isExtra: true, cell: ({ requestId }) => <code>{requestId}</code> },
  {
    key: 'tenant',
    narrow: 'end',
    header: t('Tenant'),
    cell: ({ tenantId, tenantName }) =>
      tenantId === PLATFORM ? <span className="k-nothing">{PLATFORM_NAME}</span> : (tenantName ?? tenantId),
  },
];

/** Audit log for all tenants. */
export function AuditPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const query = { ...filters, ...instantsOf(filters, VIEWER_ZONE) };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        lead={t('All actions by users, partners and the service. Entries are never changed or removed.')}
        title={t('Audit log')}
      />
      <Listing
        aside={<ListExport list="platform/audit-logs" query={query} />}
        columns={columns}
        empty={isFiltered ? t('No entries match these filters.') : t('There are no entries yet.')}
        label={t('Audit log entries')}
        query={(page) => auditQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('Entries')}
      />
    </>
  );
}

function Filters({ filters }: { filters: AuditFilters }): ReactNode {
  const set = useSetter<AuditFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Actor, action, record or request ID')} onChange={set('search')} value={filters.search} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <Choice label={t('Record')} onChange={set('entity')} options={ENTITIES} value={filters.entity} />
      <Choice label={t('Action')} onChange={set('action')} options={ACTIONS} value={filters.action} />
      <TextFilter label={t('Record ID')} onChange={set('entityId')} placeholder={t('Any')} value={filters.entityId} />
      <TextFilter label={t('User ID')} onChange={set('userId')} placeholder={t('Any')} value={filters.userId} />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
