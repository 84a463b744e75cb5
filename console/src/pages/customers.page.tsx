import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { customersQuery, type Customer } from '../api/books';
import { api, data } from '../api/client';
import { useMay } from '../api/me';
import { CustomerFields, customerDraft, newCustomer } from '../parts/customer-form';
import { CustomerStatus } from '../parts/customer-status';
import { DataTable, type Column } from '../parts/data-table';
import { Choice, FilterBar, IN_PLACE, SearchField, setterOf } from '../parts/filter-bar';
import { FormDialog } from '../parts/form-dialog';
import { Balance } from '../parts/money';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { oneOf } from '../parts/search-params';
import { useZone } from '../parts/zone';
import { today } from '../parts/zone-days';
import type { CustomersFilters } from '../routes/tenant-filters';
import { t } from '../messages/catalogue';

const PAGE_SIZE = 25;
const route = getRouteApi('/signed-in/customers');

const columns: readonly Column<Customer>[] = [
  {
    key: 'name',
    header: t('Name'),
    cell: ({ id, name, code, isDefault }) => (
      <>
        <Link params={{ id }} to="/customers/$id">
          {name}
        </Link>
        <div className="k-nothing">
          {code}
          {isDefault && t(' · default for sales without a customer')}
        </div>
      </>
    ),
  },
  {
    key: 'contact',
    header: t('Contact'),
    cell: ({ email, phone }) => (
      <>
        {email ?? phone ?? <span className="k-nothing">—</span>}
        {email !== null && phone !== null && <div className="k-nothing">{phone}</div>}
      </>
    ),
  },
  { key: 'city', header: t('City'), cell: ({ city }) => city ?? <span className="k-nothing">—</span> },
  { key: 'status', header: t('Status'), cell: ({ status }) => <CustomerStatus status={status} /> },
  { key: 'balance', header: t('Balance'), numeric: true, cell: ({ balance }) => <Balance {...balance} /> },
];

const STATUSES = [
  ['ACTIVE', t('Active')],
  ['PASSIVE', t('Passive')],
] as const;
const DEFAULTS = [
  ['true', t('Default customer')],
  ['false', t('Other customers')],
] as const;
const asStatus = oneOf('ACTIVE', 'PASSIVE');

const queryOf = ({ status = 'ACTIVE', isDefault, search }: CustomersFilters, pageNumber: number) => ({
  pageNumber,
  pageSize: PAGE_SIZE,
  status,
  ...(search !== undefined && { search }),
  ...(isDefault !== undefined && { isDefault: isDefault === 'true' }),
});

/** List of customers. Shows only active customers unless the address specifies a status. */
export function CustomersPage(): ReactNode {
  const { page = 1, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const customers = useQuery(customersQuery(queryOf(filters, page)));
  const isFiltered = Object.keys(filters).length > 0;
  const mayWrite = useMay('customers.write');
  return (
    <>
      <PageHeader
        actions={mayWrite && <CreateCustomer />}
        lead={t('Customers and their balances.')}
        title={t('Customers')}
      />
      <Panel title={t('All customers')}>
        <Filters filters={filters} />
        <DataTable
          columns={columns}
          empty={isFiltered ? t('No customers match these filters.') : t('There are no active customers.')}
          keyOf={({ id }) => id}
          label={t('Customers')}
          pages={{
            page,
            totalPages: customers.data?.totalPages,
            totalCount: customers.data?.totalCount,
            totalIsCapped: customers.data?.totalIsCapped,
            onPage: (next) => void navigate({ search: { ...filters, page: next } }),
          }}
          query={customers}
          rows={customers.data?.items}
        />
      </Panel>
    </>
  );
}

function Filters({ filters }: { filters: CustomersFilters }): ReactNode {
  const navigate = route.useNavigate();
  const { status = 'ACTIVE', isDefault, search } = filters;
  const set = setterOf(filters, (next) => void navigate({ search: next, ...IN_PLACE }));
  return (
    <FilterBar filters={filters} onClear={() => void navigate({ search: {} })}>
      <SearchField hint={t('Name, code, e-mail, phone, tax number')} onChange={set('search')} value={search} />
      <Choice
        label={t('Status')}
        onChange={(next) => {
          set('status')(next ?? 'ALL');
        }}
        options={STATUSES}
        value={asStatus(status)}
      />
      <Choice label={t('Default customer')} onChange={set('isDefault')} options={DEFAULTS} value={isDefault} />
    </FilterBar>
  );
}

function CreateCustomer(): ReactNode {
  const cache = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <FormDialog
      act={(values) => data(api.POST('/api/customers', { body: newCustomer(values) }))}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <CustomerFields form={form} isNew />}
      icon="plus"
      initial={customerDraft(today(useZone()))}
      label={t('Create a customer')}
      onDone={({ id }) => {
        askAgain(cache, ['customers']);
        void navigate({ to: '/customers/$id', params: { id } });
      }}
    />
  );
}
