import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, ifMatch } from '../api/client';
import { keysOfQuery, type Key } from '../api/keys';
import { PLATFORM, tenantQuery, type Tenant } from '../api/tenants';
import { BackLink } from '../parts/back-link';
import { ConfirmAction } from '../parts/confirm-action';
import { Copied } from '../parts/copied';
import type { LoadedColumn } from '../parts/data-table';
import { EditDialog, type Version } from '../parts/edit-dialog';
import { Facts } from '../parts/facts';
import { TextField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { keyColumns } from '../parts/key-columns';
import { ListPanel } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { TenantStatus } from '../parts/tenant-status';
import { TenantWebhooks } from '../parts/tenant-webhooks';
import { strong } from '../parts/strong';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/tenants/$id');

/** A tenant with its status, partner keys and webhooks. */
export function TenantPage(): ReactNode {
  const { id } = route.useParams();
  const tenant = useQuery(tenantQuery(id));
  return (
    <>
      <PageHeader
        actions={tenant.data && <Actions tenant={tenant.data} />}
        lead={<BackLink to="/tenants">{t('All tenants')}</BackLink>}
        title={tenant.data?.name ?? t('Tenant')}
      />
      {tenant.error !== null && <ProblemView error={tenant.error} onRetry={tenant.refetch} />}
      {tenant.isPending && <Skeleton height={240} />}
      {tenant.data !== undefined && (
        <>
          <About tenant={tenant.data} />
          <Keys tenantId={id} />
          <TenantWebhooks tenantId={id} />
        </>
      )}
    </>
  );
}

const About = ({ tenant }: { tenant: Tenant }): ReactNode => (
  <Panel aside={<TenantStatus isActive={tenant.isActive} />} title={t('Details')}>
    <Facts
      of={[
        [t('Slug'), tenant.slug],
        [t('Currency'), tenant.currency],
        [t('Time zone'), tenant.timeZone],
        [t('Created'), <Instant at={tenant.createdAt} key="created" />],
        [t('Last changed'), <Instant at={tenant.updatedAt} key="updated" />],
        ['ID', <Copied key="id" value={tenant.id} what={t('tenant ID')} />],
      ]}
    />
    <nav aria-label={t('Related pages')} className="k-links">
      <Link search={{ tenantId: tenant.id }} to="/audit">
        {t('Audit log')}
      </Link>
      <Link search={{ tenantId: tenant.id }} to="/errors">
        {t('Open errors')}
      </Link>
      <Link search={{ tenantId: tenant.id }} to="/dead-letters">
        {t('Dead letters')}
      </Link>
      <Link search={{ tenantId: tenant.id, entity: 'webhook' }} to="/audit">
        {t('Webhook changes')}
      </Link>
      <Link search={{ tenantId: tenant.id, entity: 'session' }} to="/audit">
        {t('Sign-ins and sessions')}
      </Link>
      <Link params={{ entity: 'tenant', id: tenant.id }} search={{ tenantId: PLATFORM }} to="/records/$entity/$id">
        {t('Tenant history')}
      </Link>
      <Link
        params={{ entity: 'user', id: tenant.ownerUserId }}
        search={{ tenantId: tenant.id }}
        to="/records/$entity/$id"
      >
        {t('History of its first owner')}
      </Link>
    </nav>
  </Panel>
);

const versionOf = ({ name, revision }: Tenant): Version => ({ values: { name }, revision });

function Actions({ tenant }: { tenant: Tenant }): ReactNode {
  const { id, name, isActive } = tenant;
  const cache = useQueryClient();
  const refresh = (): void => {
    askAgain(cache, tenantQuery(id).queryKey);
    askAgain(cache, ['tenants']);
  };
  const update = (body: { name?: string; isActive?: boolean }, revision?: number) =>
    data(
      api.PATCH('/api/platform/tenants/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <>
      <EditDialog
        fields={(form) => <TextField autoFocus form={form} label={t('Name')} name="name" required />}
        from={versionOf(tenant)}
        label={t('Rename')}
        onDone={refresh}
        reload={async () => versionOf(await cache.query({ ...tenantQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(changed, revision)}
      />
      {isActive ? (
        <ConfirmAction
          act={() => update({ isActive: false })}
          icon="pause"
          isDangerous
          label={t('Suspend')}
          onDone={refresh}
        >
          {rich(
            'Within a second, all users of <strong>{name}</strong> are signed out, and sales from its partners are rejected with status 401. Its books do not change. You can reactivate the tenant.',
            { name, strong },
          )}
        </ConfirmAction>
      ) : (
        <ConfirmAction act={() => update({ isActive: true })} icon="play" label={t('Activate')} onDone={refresh}>
          {rich('The users of <strong>{name}</strong> can sign in again, and its partner keys work again.', {
            name,
            strong,
          })}
        </ConfirmAction>
      )}
    </>
  );
}

function Keys({ tenantId }: { tenantId: string }): ReactNode {
  const keys = useQuery(keysOfQuery(tenantId));
  const columns: readonly LoadedColumn<Key>[] = [
    // The other columns leave no room for these. The status shows when a key expires soon.
    ...keyColumns.map((column) => (['source', 'expires'].includes(column.key) ? { ...column, isExtra: true } : column)),
    {
      key: 'actions',
      header: t('Actions'),
      cell: (key) => (
        <div className="k-row-actions">
          {key.revokedAt === null && <RateLimit integrationKey={key} tenantId={tenantId} />}
          <Link params={{ entity: 'integration-key', id: key.id }} search={{ tenantId }} to="/records/$entity/$id">
            {t('History')}
          </Link>
        </div>
      ),
    },
  ];
  return (
    <ListPanel
      columns={columns}
      empty={t('This tenant has no keys. A partner needs a key to push sales.')}
      keyOf={({ id }) => id}
      label={t('Partner keys')}
      query={keys}
      rows={keys.data}
      footer={
        <p className="k-note">
          {t(
            "The tenant's administrators create, rotate and revoke keys, because only they may see the secrets. Operators set each key's rate limit.",
          )}
        </p>
      }
      title={t('Partner keys')}
    />
  );
}

function RateLimit({
  integrationKey: { id, name, rateLimit },
  tenantId,
}: {
  integrationKey: Key;
  tenantId: string;
}): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      about={name}
      act={({ rateLimit: typed = '' }) =>
        data(
          api.PATCH('/api/platform/integration-keys/{id}', {
            params: { path: { id } },
            body: { rateLimit: Number(typed) },
          }),
        )
      }
      fields={(form) => (
        <TextField
          autoFocus
          form={form}
          hint={t('1 to 1,000,000')}
          label={t('Requests per minute')}
          name="rateLimit"
          required
          type="number"
        />
      )}
      icon="gauge"
      initial={{ rateLimit: String(rateLimit) }}
      label={t('Rate limit')}
      lead={rich(
        'Maximum number of requests with the key <strong>{name}</strong> in 60 seconds, across all replicas. The change takes effect immediately.',
        { name, strong },
      )}
      onDone={() => {
        askAgain(cache, keysOfQuery(tenantId).queryKey);
      }}
      send={t('Set limit')}
    />
  );
}
