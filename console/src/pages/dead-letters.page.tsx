import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { deadLettersQuery, type DeadLetter, type LetterFilters } from '../api/dead-letters';
import { SLOWLY_MS } from '../api/observation';
import { BulkLetters } from '../parts/bulk-letters';
import type { Column } from '../parts/data-table';
import { LETTER_STATUSES, LetterStatus, ORIGINS, subjectOf } from '../parts/dead-letter-words';
import { count } from '../parts/figures';
import { Choice, DayRange, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { TenantChoice } from '../parts/tenant-choice';
import { TenantName } from '../parts/tenant-name';
import { TextFilter } from '../parts/text-filter';
import { rejectionWords } from '../parts/sale-words';
import { VIEWER_ZONE } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/dead-letters');

const columns: readonly Column<DeadLetter>[] = [
  {
    key: 'subject',
    narrow: 'title',
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
  { key: 'origin', narrow: 'hidden', header: t('Origin'), cell: ({ origin }) => ORIGINS[origin] },
  { key: 'status', narrow: 'end', header: t('Status'), cell: ({ status }) => <LetterStatus status={status} /> },
  {
    key: 'reason',
    isWide: true,
    header: t('Reason'),
    cell: ({ reason }) => (
      <>
        <code>{reason.code}</code>
        <div className="k-nothing">{rejectionWords(reason)}</div>
      </>
    ),
  },
  { key: 'attempts', isExtra: true, header: t('Attempts'), numeric: true, cell: ({ attempts }) => count(attempts) },
  {
    key: 'last',
    narrow: 'hidden',
    header: t('Last failed'),
    cell: ({ lastFailedAt }) => <Instant as="relative" at={lastFailedAt} />,
  },
];

type FilterValues = Omit<LetterFilters, 'pageNumber' | 'pageSize'>;

export function DeadLettersPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const query = { ...filters, ...instantsOf(filters, VIEWER_ZONE) };
  const empty =
    Object.keys(filters).length > 0 ? t('No dead letters match these filters.') : t('There are no dead letters.');
  return (
    <>
      <PageHeader
        lead={t(
          'Events that could not be processed. Processing continues with other events. Fix the cause, then replay the dead letter.',
        )}
        title={t('Dead letters')}
      />
      <Listing
        aside={(isEmpty) => (
          <div className="k-row-actions">
            {(['replay', 'discard'] as const).map((kind) => (
              <BulkLetters
                filter={query}
                key={`${kind} ${JSON.stringify(filters)}`}
                kind={kind}
                unavailable={isEmpty ? empty : undefined}
              />
            ))}
          </div>
        )}
        columns={columns}
        empty={empty}
        label={t('Dead letters')}
        query={(page) => ({ ...deadLettersQuery({ ...query, ...page }), refetchInterval: SLOWLY_MS })}
        filters={<Filters filters={filters} />}
        title={t('All dead letters')}
      />
    </>
  );
}

const ORIGIN_OPTIONS = Object.entries(ORIGINS) as [DeadLetter['origin'], string][];

function Filters({ filters }: { filters: FilterValues }): ReactNode {
  const set = useSetter<FilterValues>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Subject, event or reason')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Status')} onChange={set('status')} options={LETTER_STATUSES} value={filters.status} />
      <Choice label={t('Origin')} onChange={set('origin')} options={ORIGIN_OPTIONS} value={filters.origin} />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <TextFilter
        label={t('Event type')}
        onChange={set('eventType')}
        placeholder="SaleAccepted"
        value={filters.eventType}
      />
      <TextFilter label={t('Reason code')} onChange={set('code')} placeholder="BRANCH_UNKNOWN" value={filters.code} />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
