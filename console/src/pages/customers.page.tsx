import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { customersQuery, type Customer } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { CustomerFields, customerDraft, newCustomer } from '../parts/customer-form';
import { CUSTOMER_STATUSES, CustomerStatus } from '../parts/customer-status';
import type { Column } from '../parts/data-table';
import { ListExport } from '../parts/export-button';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { FormDialog } from '../parts/form-dialog';
import { Balance } from '../parts/money';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { NOTHING } from '../parts/nothing';
import { PageHeader } from '../parts/page-header';
import { oneOf } from '../parts/search-params';
import { useZone } from '../parts/zone';
import { today } from '../parts/zone-days';
import type { CustomersFilters } from '../routes/tenant-filters';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/customers');

const columns: readonly Column<Customer>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    sort: { order: 'name', direction: 'ascending' },
    cell: ({ id, name, code, isDefault }) => (
      <>
        <Link params={{ id }} to="/customers/$id">
          {name}
        </Link>
        <div className="k-nothing">
          <span className="k-whole">{code}</span>
          {isDefault && t(' · default for sales without a customer')}
        </div>
      </>
    ),
  },
  {
    key: 'code',
    header: t('Code'),
    isExtra: true,
    sort: { order: 'code', direction: 'ascending' },
    cell: ({ code }) => code ?? NOTHING,
  },
  {
    key: 'contact',
    header: t('Contact'),
    cell: ({ email, phone }) => (
      <>
        {email ?? phone ?? NOTHING}
        {email !== null && phone !== null && <div className="k-nothing">{phone}</div>}
      </>
    ),
  },
  { key: 'city', header: t('City'), cell: ({ city }) => city ?? NOTHING },
  {
    key: 'tax',
    header: t('Tax number'),
    isExtra: true,
    cell: ({ taxNumber }) => taxNumber ?? NOTHING,
  },
  {
    key: 'created',
    header: t('Created'),
    isExtra: true,
    sort: { order: 'newest', direction: 'descending' },
    cell: ({ createdAt }) => <Instant at={createdAt} />,
  },
  { key: 'status', header: t('Status'), cell: ({ status }) => <CustomerStatus status={status} /> },
  {
    key: 'balance',
    narrow: 'end',
    header: t('Balance'),
    numeric: true,
    cell: ({ balance }) => <Balance {...balance} />,
  },
];

const DEFAULTS = [
  ['true', t('Default customer')],
  ['false', t('Other customers')],
] as const;
const asStatus = oneOf('ACTIVE', 'PASSIVE');

const queryOf = ({ status = 'ACTIVE', isDefault, search }: CustomersFilters) => ({
  status,
  ...(search !== undefined && { search }),
  ...(isDefault !== undefined && { isDefault: isDefault === 'true' }),
});

/** List of customers. Shows only active customers unless the URL specifies a status. */
export function CustomersPage(): ReactNode {
  const { sort = 'newest', ...search } = route.useSearch();
  const filters = filtersIn(search);
  const query = { ...queryOf(filters), sort };
  const isFiltered = Object.keys(filters).length > 0;
  const mayWrite = useMay('customers.write');
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateCustomer />}
        lead={t('Customers and their balances.')}
        title={t('Customers')}
      />
      <Listing
        aside={<ListExport list="customers" query={query} />}
        columns={columns}
        empty={isFiltered ? t('No customers match these filters.') : t('There are no active customers.')}
        label={t('Customers')}
        order="newest"
        query={(page) => customersQuery({ ...query, ...page })}
        filters={<Filters filters={filters} />}
        title={t('All customers')}
      />
    </>
  );
}

function Filters({ filters }: { filters: CustomersFilters }): ReactNode {
  const { status = 'ACTIVE', isDefault, search } = filters;
  const set = useSetter<CustomersFilters>();
  return (
    <FilterBar filters={filters}>
      <SearchField hint={t('Name, code, e-mail, phone, tax number')} onChange={set('search')} value={search} />
      <Choice
        label={t('Status')}
        onChange={(next) => {
          set('status')(next ?? 'ALL');
        }}
        options={CUSTOMER_STATUSES}
        value={asStatus(status)}
      />
      <Choice label={t('Default customer')} onChange={set('isDefault')} options={DEFAULTS} value={isDefault} />
    </FilterBar>
  );
}

function CreateCustomer(): ReactNode {
  const cache = useQueryClient();
  const navigate = route.useNavigate();
  const zone = useZone();
  return (
    <FormDialog
      act={(values, header) => data(api.POST('/api/customers', { params: { header }, body: newCustomer(values) }))}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <CustomerFields form={form} isNew />}
      icon="plus"
      initial={() => customerDraft(today(zone))}
      label={t('Create a customer')}
      onDone={({ id }) => {
        askAgain(cache, ['customers']);
        void navigate({ to: '/customers/$id', params: { id } });
      }}
    />
  );
}
