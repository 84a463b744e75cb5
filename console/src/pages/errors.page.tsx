import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { titleOf } from '../api/error-title';
import { errorsQuery, type ErrorRecord } from '../api/errors';
import { SLOWLY_MS } from '../api/observation';
import type { Column } from '../parts/data-table';
import { ERROR_LEVELS, ErrorLevel, placeOf, Resolution } from '../parts/error-words';
import { count } from '../parts/figures';
import { Choice, DayRange, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { TenantChoice } from '../parts/tenant-choice';
import { TextFilter } from '../parts/text-filter';
import { VIEWER_ZONE } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import type { ErrorsFilters } from '../routes/platform-filters';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

const route = getRouteApi('/signed-in/errors');

const columns: readonly Column<ErrorRecord>[] = [
  {
    key: 'message',
    isWide: true,
    header: t('Error'),
    cell: (error) => (
      <>
        <Link params={{ id: error.id }} to="/errors/$id">
          {serviceWords(titleOf(error.message))}
        </Link>
        <div className="k-nothing">{placeOf(error)}</div>
      </>
    ),
  },
  { key: 'level', narrow: 'end', header: t('Level'), cell: ({ level }) => <ErrorLevel level={level} /> },
  {
    key: 'code',
    narrow: 'hidden',
    header: t('Code'),
    cell: ({ code, statusCode }) => (
      <>
        {code === null ? NOTHING : <code>{code}</code>}
        {statusCode !== null && <div className="k-nothing">{statusCode}</div>}
      </>
    ),
  },
  { key: 'count', header: t('Occurrences'), numeric: true, cell: ({ count: times }) => count(times) },
  { key: 'last', header: t('Last seen'), cell: ({ lastSeenAt }) => <Instant as="relative" at={lastSeenAt} /> },
  {
    key: 'first',
    isExtra: true,
    header: t('First seen'),
    cell: ({ firstSeenAt }) => <Instant as="relative" at={firstSeenAt} />,
  },
  {
    key: 'resolved',
    narrow: 'tablet',
    header: t('Status'),
    cell: ({ resolved }) => <Resolution resolved={resolved} />,
  },
];

/** Errors grouped by kind. Shows only open errors unless the URL specifies a status. */
export function ErrorsPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const { resolved = 'false', ...rest } = filters;
  const query = {
    ...rest,
    ...instantsOf(rest, VIEWER_ZONE),
    ...(resolved !== 'any' && { resolved: resolved === 'true' }),
  };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        lead={t(
          'Failed requests and background work. Occurrences of the same error are counted in one record until that record is resolved.',
        )}
        title={t('Errors')}
      />
      <Listing
        columns={columns}
        empty={isFiltered ? t('No errors match these filters.') : t('There are no open errors.')}
        label={t('Errors')}
        query={(page) => ({ ...errorsQuery({ ...query, ...page }), refetchInterval: SLOWLY_MS })}
        filters={<Filters filters={filters} />}
        title={t('Error records')}
      />
    </>
  );
}

const RESOLVED = [
  ['false', t('Open')],
  ['true', t('Resolved')],
] as const;

const STATUS_CODES = ['401', '403', '429', '500', '502', '503', '504'].map((code) => [code, code] as const);

function Filters({ filters }: { filters: ErrorsFilters }): ReactNode {
  const set = useSetter<ErrorsFilters>();
  const { resolved = 'false' } = filters;
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Message, code, path or request ID')} onChange={set('search')} value={filters.search} />
      <Choice
        label={t('Status')}
        onChange={(value) => {
          set('resolved')(value ?? 'any');
        }}
        options={RESOLVED}
        value={resolved === 'any' ? undefined : resolved}
      />
      <Choice label={t('Level')} onChange={set('level')} options={ERROR_LEVELS} value={filters.level} />
      <Choice
        label={t('HTTP status')}
        onChange={(code) => {
          set('statusCode')(code === undefined ? undefined : Number(code));
        }}
        options={STATUS_CODES}
        value={filters.statusCode === undefined ? undefined : String(filters.statusCode)}
      />
      <TenantChoice onChange={set('tenantId')} value={filters.tenantId} />
      <TextFilter label={t('User ID')} onChange={set('userId')} placeholder={t('Any')} value={filters.userId} />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
