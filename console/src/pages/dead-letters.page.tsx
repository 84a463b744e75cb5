import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { deadLettersQuery, type DeadLetter, type LetterFilters } from '../api/dead-letters';
import { SLOWLY_MS } from '../api/observation';
import { BulkLetters } from '../parts/bulk-letters';
import { DataTable, type Column } from '../parts/data-table';
import { LetterStatus, ORIGINS, subjectOf } from '../parts/dead-letter-words';
import { count } from '../parts/figures';
import { Choice, DateField, FilterBar, IN_PLACE, SearchField, setterOf } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { TenantChoice } from '../parts/tenant-choice';
import { TenantName } from '../parts/tenant-name';
import { t } from '../messages/catalogue';

const PAGE_SIZE = 20;
const route = getRouteApi('/signed-in/dead-letters');

const columns: readonly Column<DeadLetter>[] = [
  {
    key: 'subject',
    header: t('Subject'),
    cell: ({ id, eventType, ...letter }) => (
      <>
        <Link params={{ id }} to="/dead-letters/$id">
          {eventType}
        </Link>
        <div className="k-nothing">{subjectOf(letter)}</div>
      </>
    ),
  },
  { key: 'tenant', header: t('Tenant'), cell: ({ tenantId }) => <TenantName id={tenantId} /> },
  { key: 'origin', header: t('Origin'), cell: ({ origin }) => ORIGINS[origin] },
  { key: 'status', header: t('Status'), cell: ({ status }) => <LetterStatus status={status} /> },
  {
    key: 'reason',
    header: t('Reason'),
    cell: ({ reason }) => (
      <>
        <code>{reason.code}</code>
        <div className="k-nothing">{reason.message}</div>
      </>
    ),
  },
  { key: 'attempts', header: t('Attempts'), numeric: true, cell: ({ attempts }) => count(attempts) },
  { key: 'last', header: t('Last failed'), cell: ({ lastFailedAt }) => <Instant as="relative" at={lastFailedAt} /> },
];

type FilterValues = Omit<LetterFilters, 'pageNumber' | 'pageSize'>;

export function DeadLettersPage(): ReactNode {
  const { page = 1, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const letters = useQuery({
    ...deadLettersQuery({ ...filters, pageNumber: page, pageSize: PAGE_SIZE }),
    refetchInterval: SLOWLY_MS,
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        lead={t(
          'Events that could not be processed. Processing continues with other events. Fix the cause, then replay the dead letter.',
        )}
        title={t('Dead letters')}
      />
      <Panel
        aside={
          <div className="k-row-actions">
            <BulkLetters filter={filters} key={`replay ${JSON.stringify(filters)}`} kind="replay" />
            <BulkLetters filter={filters} key={`discard ${JSON.stringify(filters)}`} kind="discard" />
          </div>
        }
        title={t('All dead letters')}
      >
        <Filters filters={filters} />
        <DataTable
          columns={columns}
          empty={isFiltered ? t('No dead letters match these filters.') : t('There are no dead letters.')}
          keyOf={({ id }) => id}
          label={t('Dead letters')}
          pages={{
            page,
            totalPages: letters.data?.totalPages,
            totalCount: letters.data?.totalCount,
            totalIsCapped: letters.data?.totalIsCapped,
            onPage: (next) => void navigate({ search: { ...filters, page: next } }),
          }}
          query={letters}
          rows={letters.data?.items}
        />
      </Panel>
    </>
  );
}

const STATUS_OPTIONS = [
  ['PARKED', t('Parked')],
  ['REPLAYED', t('Replayed')],
  ['DISCARDED', t('Discarded')],
] as const;
const ORIGIN_OPTIONS = Object.entries(ORIGINS) as [DeadLetter['origin'], string][];

function Filters({ filters }: { filters: FilterValues }): ReactNode {
  const navigate = route.useNavigate();
  const set = setterOf(filters, (search) => void navigate({ search, ...IN_PLACE }));
  return (
    <FilterBar filters={filters} onClear={() => void navigate({ search: {} })}>
      <SearchField hint={t('Subject, event or reason')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Status')} onChange={set('status')} options={STATUS_OPTIONS} value={filters.status} />
      <Choice label={t('Origin')} onChange={set('origin')} options={ORIGIN_OPTIONS} value={filters.origin} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <DateField label={t('From (UTC day)')} onChange={set('dateFrom')} value={filters.dateFrom} />
      <DateField label={t('To (UTC day)')} onChange={set('dateTo')} value={filters.dateTo} />
    </FilterBar>
  );
}
