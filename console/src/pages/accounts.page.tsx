import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountsQuery, type Account } from '../api/books';
import { useMay } from '../api/me';
import { AccountActions } from '../parts/account-actions';
import { ACCOUNT_TYPES, accountTypeWords, CreateAccount } from '../parts/account-form';
import { ActiveStatus } from '../parts/active-status';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { Money } from '../parts/money';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import type { AccountsFilters } from '../routes/tenant-filters';
import { RowActions } from '../parts/row-actions';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/accounts');

const shown: readonly Column<Account>[] = [
  {
    key: 'code',
    header: t('Code'),
    sort: { order: 'code', direction: 'ascending' },
    cell: ({ code }) => code ?? NOTHING,
  },
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: { order: 'name', direction: 'ascending' },
    cell: ({ id, name, isDefault }) => (
      <>
        <Link params={{ id }} to="/accounts/$id">
          {name}
        </Link>
        {isDefault && <div className="k-nothing">{t('default')}</div>}
      </>
    ),
  },
  { key: 'type', header: t('Type'), cell: ({ type }) => accountTypeWords(type) },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ isActive }) => <ActiveStatus isActive={isActive} />,
  },
  {
    key: 'created',
    header: t('Created'),
    sort: { order: 'newest', direction: 'descending' },
    isExtra: true,
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { key: 'balance', narrow: 'end', header: t('Balance'), numeric: true, cell: ({ balance }) => <Money {...balance} /> },
];

const actions: Column<Account> = {
  key: 'actions',
  header: t('Actions'),
  cell: (account) => (
    <RowActions about={account.name}>
      <AccountActions about={account.name} account={account} />
    </RowActions>
  ),
};

const STATES = [
  ['true', t('Active')],
  ['false', t('Inactive')],
] as const;
const ALL_TYPES = ACCOUNT_TYPES.map(([type]) => type);

/** The chart of accounts, excluding customer accounts. */
export function AccountsPage(): ReactNode {
  const { sort = 'code', ...search } = route.useSearch();
  const filters = filtersIn(search);
  const { type, isActive, search: words } = filters;
  const mayWrite = useMay('accounts.write');
  const query = {
    sort,
    type: type === undefined ? ALL_TYPES : [type],
    ...(isActive !== undefined && { isActive: isActive === 'true' }),
    ...(words !== undefined && { search: words }),
  };
  const columns: readonly Column<Account>[] = mayWrite ? [...shown, actions] : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateAccount />}
        lead={t('The chart of accounts. Every customer also has an account, listed under Customers.')}
        title={t('Accounts')}
      />
      <Listing
        aside={<ListExport list="accounts" query={query} />}
        columns={columns}
        empty={t('No accounts match these filters.')}
        label={t('Accounts')}
        order="code"
        query={(page) => accountsQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('Chart of accounts')}
      />
    </>
  );
}

function Filters({ filters }: { filters: AccountsFilters }): ReactNode {
  const set = useSetter<AccountsFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Name or code')} onChange={set('search')} value={filters.search} />
      <Choice label={t('Type')} onChange={set('type')} options={ACCOUNT_TYPES} value={filters.type} />
      <Choice label={t('Status')} onChange={set('isActive')} options={STATES} value={filters.isActive} />
    </FilterBar>
  );
}
