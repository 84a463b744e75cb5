import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  accountSource,
  branchSource,
  categorySource,
  customerSource,
  transactionsQuery,
  type Transaction,
} from '../api/books';
import { useMay } from '../api/me';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { Choice, DateField, FilterBar, Pair, SearchField, useSetter } from '../parts/filter-bar';
import { Money } from '../parts/money';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { RecordJournal, RecordTransaction } from '../parts/record-transaction';
import { RemoteChoice } from '../parts/remote-choice';
import { AmountFilter } from '../parts/text-filter';
import { transactionColumns } from '../parts/transaction-columns';
import { DIRECTIONS, TransactionState, TYPES } from '../parts/transaction-words';
import type { TransactionsFilters } from '../routes/tenant-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/transactions');

const columns: readonly Column<Transaction>[] = [
  ...transactionColumns,
  {
    key: 'who',
    header: t('Customer or account'),
    cell: ({ customerName, accountName }) => (
      <>
        {customerName ?? accountName ?? NOTHING}
        {customerName !== null && accountName !== null && <div className="k-nothing">{accountName}</div>}
      </>
    ),
  },
  {
    key: 'category',
    narrow: 'tablet',
    header: t('Category'),
    cell: ({ categoryName, categorizedBy }) => (
      <>
        {categoryName ?? <span className="k-nothing">{t('None')}</span>}
        {categorizedBy !== null && <div className="k-nothing">{t('by a rule')}</div>}
      </>
    ),
  },
  {
    key: 'reference',
    header: t('Reference'),
    isExtra: true,
    cell: ({ reference }) => reference ?? NOTHING,
  },
  { key: 'recorded', header: t('Recorded'), isExtra: true, cell: ({ createdAt }) => <Instant at={createdAt} /> },
  { key: 'state', header: t('Status'), cell: (transaction) => <TransactionState {...transaction} /> },
  {
    key: 'amount',
    narrow: 'end',
    header: t('Amount'),
    numeric: true,
    cell: ({ amount, currency, direction }) => <Money amount={amount} currency={currency} direction={direction} />,
  },
];

/** Transactions, newest first. */
export function TransactionsPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const { showSystemGenerated, isCancelled, ...rest } = filters;
  const query = {
    ...rest,
    ...(showSystemGenerated !== undefined && { showSystemGenerated: false }),
    ...(isCancelled !== undefined && { isCancelled: isCancelled === 'true' }),
  };
  const isFiltered = Object.keys(filters).length > 0;
  const mayWrite = useMay('transactions.write');
  return (
    <>
      <PageHeader
        actions={
          mayWrite && (
            <>
              <RecordJournal />
              <RecordTransaction />
            </>
          )
        }
        lead={t('All booked transactions. A booked transaction never changes. To correct an error, book a reversal.')}
        title={t('Transactions')}
      />
      <Listing
        aside={<ListExport list="transactions" query={query} />}
        columns={columns}
        empty={
          isFiltered
            ? t('No transactions match these filters.')
            : t('Nothing has been booked yet. Record a sale or a transaction, or create a partner key for your shop.')
        }
        label={t('Transactions')}
        query={(page) => transactionsQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('All transactions')}
      />
    </>
  );
}

const STATES = [
  ['true', t('Cancelled')],
  ['false', t('Not cancelled')],
] as const;
const ORIGINS = [['false', t('Entered by users')]] as const;

function Filters({ filters }: { filters: TransactionsFilters }): ReactNode {
  const set = useSetter<TransactionsFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Description, reference, customer')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Type')} onChange={set('type')} options={TYPES} value={filters.type} />
      <Choice label={t('Direction')} onChange={set('direction')} options={DIRECTIONS} value={filters.direction} />
      <RemoteChoice
        className="k-choice"
        label={t('Customer')}
        onChange={set('customerId')}
        source={customerSource}
        value={filters.customerId}
      />
      <RemoteChoice
        className="k-choice"
        label={t('Account')}
        onChange={set('accountId')}
        source={accountSource}
        value={filters.accountId}
      />
      <RemoteChoice
        className="k-choice"
        label={t('Category')}
        onChange={set('categoryId')}
        source={categorySource}
        value={filters.categoryId}
      />
      <RemoteChoice
        className="k-choice"
        label={t('Branch')}
        onChange={set('branchId')}
        source={branchSource}
        value={filters.branchId}
      />
      <AmountFilter label={t('Amount from')} onChange={set('amountMin')} value={filters.amountMin} />
      <AmountFilter label={t('Amount to')} onChange={set('amountMax')} value={filters.amountMax} />
      <Choice label={t('Status')} onChange={set('isCancelled')} options={STATES} value={filters.isCancelled} />
      <Choice
        label={t('Recorded')}
        onChange={set('showSystemGenerated')}
        options={ORIGINS}
        value={filters.showSystemGenerated}
      />
      <Pair>
        <DateField label={t('From')} onChange={set('beginDate')} value={filters.beginDate} />
        <DateField label={t('To')} onChange={set('endDate')} value={filters.endDate} />
      </Pair>
    </FilterBar>
  );
}
