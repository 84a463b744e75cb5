import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountQuery, accountsQuery, changedBooks, type Account } from '../api/books';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMay } from '../api/me';
import {
  ACCOUNT_TYPES,
  accountChanges,
  AccountFields,
  accountTypeWords,
  accountVersion,
  CreateAccount,
} from '../parts/account-form';
import { ConfirmAction } from '../parts/confirm-action';
import type { Column } from '../parts/data-table';
import { EditDialog } from '../parts/edit-dialog';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { Money } from '../parts/money';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { StatusBadge } from '../parts/status-badge';
import type { AccountsFilters } from '../routes/tenant-filters';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';

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
        <Link search={{ accountId: id }} to="/transactions">
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
    cell: ({ isActive }) =>
      isActive ? (
        <StatusBadge tone="good">{t('Active')}</StatusBadge>
      ) : (
        <StatusBadge tone="idle">{t('Inactive')}</StatusBadge>
      ),
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

const STATES = [
  ['true', t('Active')],
  ['false', t('Inactive')],
] as const;
/** Account types whose default accounts receive payments that specify no account. */
const PAID_INTO: readonly Account['type'][] = ['CASH', 'BANK', 'POS'];
const ALL_TYPES = ACCOUNT_TYPES.map(([type]) => type);

/** The chart of accounts, except the accounts of customers. */
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
  const columns: readonly Column<Account>[] = mayWrite
    ? [...shown, { key: 'actions', header: t('Actions'), cell: (account) => <Actions account={account} /> }]
    : shown;
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateAccount />}
        lead={t('The chart of accounts. Every customer also has an account, listed under Customers.')}
        title={t('Accounts')}
      />
      <Listing
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

function Actions({ account }: { account: Account }): ReactNode {
  const { id, name, type, isActive, isDefault, isSystem } = account;
  const cache = useQueryClient();
  const refresh = (): void => {
    changedBooks(cache);
  };
  const update = (body: Shapes['UpdateAccountDto'], revision?: number) =>
    data(
      api.PATCH('/api/accounts/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <div className="k-row-actions">
      <EditDialog
        about={name}
        fields={(form) => <AccountFields form={form} />}
        from={accountVersion(account)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => accountVersion(await cache.query({ ...accountQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(accountChanges(changed), revision)}
      />
      {!isDefault && isActive && PAID_INTO.includes(type) && (
        <ConfirmAction
          about={name}
          act={() => update({ isDefault: true })}
          icon="check"
          label={t('Make default')}
          onDone={refresh}
        >
          {rich('<strong>{name}</strong> receives payments from partners that do not specify an account.', {
            name,
            strong,
          })}
        </ConfirmAction>
      )}
      {!isSystem && !isDefault && (
        <ConfirmAction
          about={name}
          act={() => update({ isActive: !isActive })}
          icon={isActive ? 'pause' : 'play'}
          label={isActive ? t('Deactivate') : t('Activate')}
          onDone={refresh}
        >
          {isActive
            ? rich('<strong>{name}</strong> cannot be used in new transactions. Existing transactions are kept.', {
                name,
                strong,
              })
            : rich(
                '<strong>{name}</strong> can be used in new transactions again, and sales that are waiting for it are booked.',
                { name, strong },
              )}
        </ConfirmAction>
      )}
    </div>
  );
}
