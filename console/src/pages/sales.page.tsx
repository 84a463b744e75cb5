import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { customerSource } from '../api/books';
import { useMay } from '../api/me';
import { MANUAL, salesQuery, type ListedSale } from '../api/sales';
import type { Column } from '../parts/data-table';
import { Day } from '../parts/day';
import { ListExport } from '../parts/export-button';
import { Choice, DayRange, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { Money } from '../parts/money';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { RecordSale } from '../parts/record-sale';
import { RemoteChoice } from '../parts/remote-choice';
import {
  partnerWords,
  rejectionWords,
  SALE_STATUSES,
  SALE_TYPES,
  SaleStatus,
  saleTypeWords,
} from '../parts/sale-words';
import { TextFilter } from '../parts/text-filter';
import { useZone } from '../parts/zone';
import { instantsOf } from '../parts/zone-days';
import type { SalesFilters } from '../routes/tenant-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/sales');

const columns: readonly Column<ListedSale>[] = [
  { key: 'date', header: t('Date'), cell: ({ date }) => <Day on={date} /> },
  {
    key: 'number',
    narrow: 'title',
    header: t('Number'),
    cell: ({ id, externalId, type }) => (
      <>
        <Link params={{ id }} to="/sales/$id">
          {externalId}
        </Link>
        {type !== 'SALE' && <div className="k-nothing">{saleTypeWords(type)}</div>}
      </>
    ),
  },
  {
    key: 'status',
    isWide: true,
    header: t('Status'),
    cell: ({ status, rejection }) => (
      <>
        <SaleStatus status={status} />
        {rejection !== null && <div className="k-nothing">{rejectionWords(rejection)}</div>}
      </>
    ),
  },
  {
    key: 'customer',
    header: t('Customer'),
    cell: ({ customerName }) => customerName ?? NOTHING,
  },
  {
    key: 'branch',
    narrow: 'hidden',
    header: t('Branch'),
    cell: ({ branchCode }) => branchCode ?? NOTHING,
  },
  { key: 'partner', narrow: 'hidden', header: t('Partner'), cell: ({ sourceId }) => partnerWords(sourceId) },
  {
    key: 'net',
    header: t('Net'),
    numeric: true,
    isExtra: true,
    cell: ({ totalNet, currency }) => <Money amount={totalNet} currency={currency} />,
  },
  {
    key: 'tax',
    header: t('Tax'),
    numeric: true,
    isExtra: true,
    cell: ({ totalTax, currency }) => <Money amount={totalTax} currency={currency} />,
  },
  {
    key: 'total',
    narrow: 'end',
    header: t('Total'),
    numeric: true,
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
];

/** Sales, returns and cancellations, newest first. */
export function SalesPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const { dateFrom, dateTo, ...rest } = filters;
  const zone = useZone();
  const mayWrite = useMay('transactions.write');
  const isFiltered = Object.keys(filters).length > 0;
  const query = { ...rest, ...instantsOf({ dateFrom, dateTo }, zone) };
  return (
    <>
      <PageHeader
        actions={mayWrite && <RecordSale />}
        lead={t('Sales, returns and cancellations, sent by partners or entered by hand.')}
        title={t('Sales')}
      />
      <Listing
        aside={<ListExport list="sales" query={query} />}
        columns={columns}
        empty={
          isFiltered
            ? t('No sales match these filters.')
            : t('No sales yet. Create a partner key for your shop or till, or record a sale by hand.')
        }
        label={t('Sales')}
        query={(page) => salesQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('All sales')}
      />
    </>
  );
}

/** The user types this label into the filter to find manually recorded sales. */
const BY_HAND = partnerWords(MANUAL);

function Filters({ filters }: { filters: SalesFilters }): ReactNode {
  const set = useSetter<SalesFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Number or customer')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Status')} onChange={set('status')} options={SALE_STATUSES} value={filters.status} />
      <Choice label={t('Type')} onChange={set('type')} options={SALE_TYPES} value={filters.type} />
      <RemoteChoice
        className="k-choice"
        label={t('Customer')}
        onChange={set('customerId')}
        source={customerSource}
        value={filters.customerId}
      />
      <TextFilter
        label={t('Partner')}
        onChange={(partner) => {
          set('sourceId')(partner === BY_HAND ? MANUAL : partner);
        }}
        placeholder={t('e.g. {example}', { example: BY_HAND })}
        value={filters.sourceId && partnerWords(filters.sourceId)}
      />
      <DayRange filters={filters} />
    </FilterBar>
  );
}
