import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, whole, type Shapes } from '../api/client';
import { useMe } from '../api/me';
import { PLATFORM } from '../api/tenants';
import { ConfirmAction } from '../parts/confirm-action';
import type { Column } from '../parts/data-table';
import { FilterBar, SearchField, useSetter } from '../parts/filter-bar';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { RemoveFactors } from '../parts/remove-factors';
import { RowActions } from '../parts/row-actions';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';

type Operator = Shapes['OperatorDto'];

const route = getRouteApi('/signed-in/operators');

const operatorsQuery = (query: { pageNumber: number; pageSize: number; search?: string | undefined }) =>
  queryOptions({
    queryKey: ['operators', query],
    queryFn: ({ signal }) => whole(api.GET('/api/platform/operators', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

const columns: readonly Column<Operator>[] = [
  {
    key: 'name',
    isWide: true,
    header: t('Name'),
    cell: ({ id, fullName, email }) => (
      <>
        <Link params={{ entity: 'operator', id }} search={{ tenantId: PLATFORM }} to="/records/$entity/$id">
          {fullName}
        </Link>
        <div className="k-nothing">{email}</div>
      </>
    ),
  },
  { key: 'created', narrow: 'hidden', header: t('Since'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
  {
    key: 'did',
    header: t('Audit log'),
    cell: ({ id }) => (
      <Link search={{ userId: id }} to="/audit">
        {t('Activity')}
      </Link>
    ),
  },
  { key: 'actions', header: t('Actions'), cell: (operator) => <Actions operator={operator} /> },
];

export function OperatorsPage(): ReactNode {
  const { search } = route.useSearch();
  const set = useSetter<{ search?: string }>();
  return (
    <>
      <PageHeader
        actions={<CreateOperator />}
        lead={t("Operators manage the platform. They have no access to tenants' books.")}
        title={t('Operators')}
      />
      <Listing
        columns={columns}
        empty={t('No operators match this search.')}
        label={t('Operators')}
        query={(page) => operatorsQuery({ ...page, search })}
        filters={
          <FilterBar>
            <SearchField hint={t('Name or e-mail')} onChange={set('search')} value={search} />
          </FilterBar>
        }
        title={t('All operators')}
      />
    </>
  );
}

function CreateOperator(): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={({ fullName = '', email = '', password = '' }, header) =>
        data(api.POST('/api/platform/operators', { params: { header }, body: { fullName, email, password } }))
      }
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => (
        <>
          <TextField autoFocus form={form} label={t('Full name')} name="fullName" required />
          <TextField form={form} label={t('E-mail')} name="email" required type="email" />
          <TextField
            autoComplete="new-password"
            form={form}
            hint={t('10 to 128 characters. The operator should change this password after signing in.')}
            label={t('Initial password')}
            name="password"
            required
            type="password"
          />
        </>
      )}
      icon="plus"
      initial={{ fullName: '', email: '', password: '' }}
      label={t('Create an operator')}
      onDone={() => {
        askAgain(cache, ['operators']);
      }}
    />
  );
}

function Actions({ operator }: { operator: Operator }): ReactNode {
  const { id, fullName } = operator;
  const cache = useQueryClient();
  const isOneself = useMe()?.user.id === id;
  return (
    <RowActions about={fullName}>
      {!isOneself && (
        <RemoveFactors
          act={(body) =>
            data(api.POST('/api/platform/operators/{id}/remove-factors', { params: { path: { id } }, body }))
          }
          name={fullName}
          onDone={() => {
            askAgain(cache, ['operators']);
          }}
        />
      )}
      <Remove isOneself={isOneself} operator={operator} />
    </RowActions>
  );
}

function Remove({ operator: { id, fullName }, isOneself }: { operator: Operator; isOneself: boolean }): ReactNode {
  const cache = useQueryClient();
  return (
    <ConfirmAction
      about={fullName}
      act={() => data(api.DELETE('/api/platform/operators/{id}', { params: { path: { id } } }))}
      icon="close"
      isDangerous
      label={t('Remove')}
      onDone={() => {
        askAgain(cache, ['operators']);
      }}
    >
      {rich(
        '<strong>{name}</strong> is signed out within a second and cannot sign in again. Their actions remain in the audit log. The last operator cannot be removed.',
        {
          name: isOneself ? t('{name} (you)', { name: fullName }) : fullName,
          strong,
        },
      )}
    </ConfirmAction>
  );
}
