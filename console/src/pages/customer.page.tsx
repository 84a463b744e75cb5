import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { branchSource, changedBooks, customerQuery, type Customer } from '../api/books';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { useMay } from '../api/me';
import { BackLink } from '../parts/back-link';
import { ConfirmAction } from '../parts/confirm-action';
import { Copied } from '../parts/copied';
import { customerChanges, CustomerFields, customerVersion } from '../parts/customer-form';
import { CustomerStatus } from '../parts/customer-status';
import { EditDialog } from '../parts/edit-dialog';
import { Facts } from '../parts/facts';
import { IN_PLACE } from '../parts/list-search';
import { Instant } from '../parts/instant';
import { Balance } from '../parts/money';
import { NameOf } from '../parts/name-of';
import { OpenItemsPanel } from '../parts/open-items';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { RecordTransaction } from '../parts/record-transaction';
import { StatementPanel } from '../parts/statement-panel';
import { Timeline } from '../parts/timeline';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/customers/$id');

/** A customer with its balance and transactions. */
export function CustomerPage(): ReactNode {
  const { id } = route.useParams();
  const { beginDate, endDate, size } = route.useSearch();
  const navigate = route.useNavigate();
  const customer = useQuery(customerQuery(id));
  const mayWrite = useMay('customers.write');
  const mayReport = useMay('reports.read');
  return (
    <>
      <PageHeader
        actions={customer.data && mayWrite && <Actions customer={customer.data} />}
        lead={<BackLink to="/customers">{t('All customers')}</BackLink>}
        title={customer.data?.name ?? t('Customer')}
      />
      {customer.error !== null && <ProblemView error={customer.error} onRetry={customer.refetch} />}
      {customer.isPending && <Skeleton height={280} />}
      {customer.data !== undefined && (
        <>
          <About customer={customer.data} />
          <OpenItemsPanel id={id} name={customer.data.name} />
          {mayReport && (
            <StatementPanel
              accountId={customer.data.accountId}
              as={Balance}
              currency={customer.data.currency}
              name={customer.data.name}
              onChange={(period) => void navigate({ search: { ...period, size }, ...IN_PLACE })}
              period={{ beginDate, endDate }}
            />
          )}
          <Timeline entity="customer" id={id} />
        </>
      )}
    </>
  );
}

const About = ({ customer }: { customer: Customer }): ReactNode => (
  <Panel aside={<CustomerStatus status={customer.status} />} title={t('Customer details')}>
    <Facts
      of={[
        [t('Balance'), <Balance key="balance" {...customer.balance} />],
        [t('Code'), customer.code],
        [t('Type'), customer.type === 'COMPANY' ? t('Company') : t('Person')],
        [t('E-mail'), customer.email],
        [t('Phone'), customer.phone],
        [t('Tax number'), customer.taxNumber],
        [t('Tax office'), customer.taxOffice],
        [t('National ID'), customer.nationalId],
        [
          t('Branch'),
          customer.branchId === null ? null : <NameOf id={customer.branchId} key="branch" source={branchSource} />,
        ],
        [
          t('Address'),
          [customer.address, customer.city, customer.country].filter((part) => part !== null).join(', ') || null,
        ],
        [t('Notes'), customer.notes],
        [t('Created'), <Instant at={customer.createdAt} key="created" />],
        [t('Last changed'), <Instant at={customer.updatedAt} key="updated" />],
        ['ID', <Copied key="id" value={customer.id} what={t('customer ID')} />],
      ]}
    />
    <nav aria-label={t('Related pages')} className="k-links">
      <Link search={{ customerId: customer.id }} to="/transactions">
        {t('View transactions')}
      </Link>
      <Link search={{ customerId: customer.id }} to="/sales">
        {t('View sales')}
      </Link>
    </nav>
  </Panel>
);

function Actions({ customer }: { customer: Customer }): ReactNode {
  const { id, name, status, isDefault } = customer;
  const cache = useQueryClient();
  const navigate = useNavigate();
  const mayRecord = useMay('transactions.write');
  const refresh = (): void => {
    changedBooks(cache);
  };
  const update = (body: Shapes['UpdateCustomerDto'], revision?: number) =>
    data(api.PATCH('/api/customers/{id}', { params: { path: { id }, header: ifMatch(revision) }, body }));
  return (
    <>
      {mayRecord && status === 'ACTIVE' && <RecordTransaction customerId={id} />}
      <EditDialog
        fields={(form) => <CustomerFields form={form} />}
        from={customerVersion(customer)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => customerVersion(await cache.query({ ...customerQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(customerChanges(changed), revision)}
      />
      {status === 'ACTIVE' ? (
        <ConfirmAction act={() => update({ status: 'PASSIVE' })} icon="pause" label={t('Deactivate')} onDone={refresh}>
          {rich(
            '<strong>{name}</strong> cannot be used in new transactions and does not appear in selection lists. Existing transactions are kept. You can reactivate the customer.',
            { name, strong },
          )}
        </ConfirmAction>
      ) : (
        <ConfirmAction act={() => update({ status: 'ACTIVE' })} icon="play" label={t('Activate')} onDone={refresh}>
          {rich('<strong>{name}</strong> can be used in new transactions again.', {
            name,
            strong,
          })}
        </ConfirmAction>
      )}
      {!isDefault && (
        <ConfirmAction
          act={() => data(api.DELETE('/api/customers/{id}', { params: { path: { id } } }))}
          icon="close"
          isDangerous
          label={t('Delete')}
          onDone={() => {
            // The refresh runs after the navigation, so that the page does not reload the deleted customer.
            void navigate({ to: '/customers' }).then(refresh);
          }}
        >
          {rich(
            'Delete <strong>{name}</strong>? A customer with transactions cannot be deleted. Deactivate such a customer instead.',
            { name, strong },
          )}
        </ConfirmAction>
      )}
    </>
  );
}
