import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import type { IdempotencyHeader } from '../api/idempotency';
import { tenantsQuery, type Tenant } from '../api/tenants';
import type { Column } from '../parts/data-table';
import { Choice, FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { TextField, type Draft, type Form } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { filtersIn } from '../parts/list-state';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { TenantStatus } from '../parts/tenant-status';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/tenants');

const columns: readonly Column<Tenant>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    cell: ({ id, name, slug }) => (
      <>
        <Link params={{ id }} to="/tenants/$id">
          {name}
        </Link>
        <div className="k-nothing">{slug}</div>
      </>
    ),
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: ({ isActive }) => <TenantStatus isActive={isActive} /> },
  { key: 'currency', header: t('Currency'), cell: ({ currency }) => currency },
  { key: 'zone', narrow: 'tablet', header: t('Time zone'), cell: ({ timeZone }) => timeZone },
  { key: 'created', header: t('Created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
];

const ACTIVITY = [
  ['true', t('Active')],
  ['false', t('Suspended')],
] as const;

type Filters = { readonly search?: string; readonly isActive?: 'true' | 'false' };

const queryOf = ({ isActive, ...filters }: Filters) => ({
  ...filters,
  ...(isActive !== undefined && { isActive: isActive === 'true' }),
});

export function TenantsPage(): ReactNode {
  const filters = filtersIn(route.useSearch());
  const set = useSetter<Filters>();
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        actions={<CreateTenant />}
        lead={t("Each tenant has its own books, users and partners. Tenants cannot see each other's data.")}
        title={t('Tenants')}
      />
      <Listing
        columns={columns}
        empty={isFiltered ? t('No tenants match these filters.') : t('There are no tenants yet.')}
        label={t('Tenants')}
        query={(page) => tenantsQuery({ ...queryOf(filters), ...page })}
        filters={
          <FilterBar filters={filters}>
            <SearchField hint={t('Name or slug')} onChange={set('search')} value={filters.search} />
            <Choice label={t('Status')} onChange={set('isActive')} options={ACTIVITY} value={filters.isActive} />
          </FilterBar>
        }
        title={t('All tenants')}
      />
    </>
  );
}

const NEW: Draft = {
  name: '',
  slug: '',
  currency: 'EUR',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  'owner.fullName': '',
  'owner.email': '',
  'owner.password': '',
};

/** Derives a slug, which consists of lower-case words joined by hyphens. */
const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);

async function create(values: Draft, header: IdempotencyHeader): Promise<string> {
  const { name = '', slug = '', currency = '', timeZone = '' } = values;
  const owner = {
    fullName: values['owner.fullName'] ?? '',
    email: values['owner.email'] ?? '',
    password: values['owner.password'] ?? '',
  };
  const body = { name, slug: slug === '' ? slugOf(name) : slug, currency, timeZone, owner };
  return (await data(api.POST('/api/platform/tenants', { params: { header }, body }))).id;
}

const OwnerFields = ({ form }: { form: Form }): ReactNode => (
  <fieldset className="k-fieldset">
    <legend>{t('Owner')}</legend>
    <div className="k-fields">
      <TextField form={form} label={t('Full name')} name="owner.fullName" required />
      <TextField form={form} label={t('E-mail')} name="owner.email" required type="email" />
      <TextField
        autoComplete="new-password"
        form={form}
        hint={t('10 to 128 characters. The owner should change this password after signing in.')}
        label={t('Initial password')}
        name="owner.password"
        required
        type="password"
      />
    </div>
  </fieldset>
);

function CreateTenant(): ReactNode {
  const cache = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <FormDialog
      act={create}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => (
        <>
          <div className="k-fields">
            <TextField autoFocus form={form} label={t('Name')} name="name" required />
            <TextField
              form={form}
              hint={t('Lowercase only. Cannot be changed later. Default: {name}', {
                name: slugOf(form.values['name'] ?? '') || t('derived from the name'),
              })}
              label={t('Slug')}
              name="slug"
            />
            <TextField
              form={form}
              hint={t('ISO 4217 code. Cannot be changed later.')}
              label={t('Currency')}
              name="currency"
              required
            />
            <TextField
              form={form}
              hint={t('Determines the date of each sale')}
              label={t('Time zone')}
              name="timeZone"
              required
            />
          </div>
          <OwnerFields form={form} />
        </>
      )}
      icon="plus"
      initial={NEW}
      label={t('Create a tenant')}
      lead={t('A new tenant starts with a branch, a default customer, accounts, categories and rules.')}
      onDone={(id) => {
        askAgain(cache, ['tenants']);
        void navigate({ to: '/tenants/$id', params: { id } });
      }}
    />
  );
}
