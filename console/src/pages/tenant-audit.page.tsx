import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../api/audit';
import { tenantAuditQuery } from '../api/tenant-audit';
import { ACTIONS, ENTITIES, recordAndActionWords } from '../parts/audit-words';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { Choice, DayRange, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { TextFilter } from '../parts/text-filter';
import { auditColumns } from '../parts/timeline';
import { useZone } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import type { TenantAuditFilters } from '../routes/tenant-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/audit-log');

const columns: readonly Column<AuditEntry>[] = [
  ...auditColumns,
  {
    key: 'record',
    narrow: 'hidden',
    header: t('Record'),
    cell: recordAndActionWords,
  },
  { key: 'request', header: t('Request ID'), isExtra: true, cell: ({ requestId }) => <code>{requestId}</code> },
  { key: 'where', narrow: 'tablet', header: t('IP address'), cell: ({ ipAddress }) => ipAddress ?? NOTHING },
];

/** The tenant's audit log. */
export function TenantAuditPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const { dateFrom, dateTo, ...rest } = filters;
  const query = { ...rest, ...instantsOf({ dateFrom, dateTo }, useZone()) };
  return (
    <>
      <PageHeader lead={t('All actions in your books. Entries are never changed or removed.')} title={t('Audit log')} />
      <Listing
        aside={<ListExport list="audit-logs" query={query} />}
        columns={columns}
        empty={Object.keys(filters).length > 0 ? t('No entries match these filters.') : t('There are no entries yet.')}
        label={t('Audit log entries')}
        query={(page) => tenantAuditQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('Entries')}
      />
    </>
  );
}

function Filters({ filters }: { filters: TenantAuditFilters }): ReactNode {
  const set = useSetter<TenantAuditFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Actor, action or record')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Record')} onChange={set('entity')} options={ENTITIES} value={filters.entity} />
      <Choice label={t('Action')} onChange={set('action')} options={ACTIONS} value={filters.action} />
      <TextFilter label={t('Record ID')} onChange={set('entityId')} placeholder={t('Any')} value={filters.entityId} />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
