import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { webhooksOfQuery, type TenantWebhook } from '../api/webhooks';
import type { LoadedColumn } from './data-table';
import { count } from './figures';
import { Instant } from './instant';
import { NOTHING } from './nothing';
import { Panel } from './panel';
import { SortedTable } from './sorted-table';
import { WebhookStatus } from './webhook-words';
import { t } from '../messages/catalogue';

const shown: readonly LoadedColumn<TenantWebhook>[] = [
  {
    key: 'host',
    narrow: 'title',
    header: t('Receiver'),
    sort: ({ host }) => host,
    cell: ({ host }) => <code>{host}</code>,
  },
  {
    key: 'types',
    isWide: true,
    narrow: 'hidden',
    header: t('Events'),
    cell: ({ types }) => <code>{types.join(', ')}</code>,
  },
  {
    key: 'status',
    narrow: 'end',
    header: t('Status'),
    cell: (webhook) => (
      <>
        <WebhookStatus webhook={webhook} />
        {webhook.disabledAt !== null && (
          <div className="k-nothing">
            <Instant as="relative" at={webhook.disabledAt} />
          </div>
        )}
      </>
    ),
  },
  {
    key: 'pending',
    header: t('Pending deliveries'),
    numeric: true,
    sort: ({ pendingDeliveries }) => pendingDeliveries,
    cell: ({ pendingDeliveries }) => count(pendingDeliveries),
  },
  {
    key: 'failure',
    header: t('Last failure'),
    sort: ({ lastFailure }) => lastFailure?.at ?? null,
    cell: ({ lastFailure }) =>
      lastFailure === null ? (
        NOTHING
      ) : (
        <>
          <code>{lastFailure.code}</code>
          <div className="k-nothing">
            <Instant as="relative" at={lastFailure.at} />
          </div>
        </>
      ),
  },
];

/** A tenant's webhooks, for operators. */
export function TenantWebhooks({ tenantId }: { tenantId: string }): ReactNode {
  const webhooks = useQuery(webhooksOfQuery(tenantId));
  const history: LoadedColumn<TenantWebhook> = {
    key: 'actions',
    header: t('Actions'),
    cell: ({ id }) => (
      <Link params={{ entity: 'webhook', id }} search={{ tenantId }} to="/records/$entity/$id">
        {t('History')}
      </Link>
    ),
  };
  return (
    <Panel title={t('Webhooks')}>
      <SortedTable
        columns={[...shown, history]}
        empty={t('This tenant has no webhooks.')}
        keyOf={({ id }) => id}
        label={t('Webhooks')}
        query={webhooks}
        rows={webhooks.data}
      />
      <p className="k-note">
        {t(
          'Only the hosts of the receivers are shown, because the rest of an address may contain secrets. Every request for this list is recorded in the audit log.',
        )}
      </p>
    </Panel>
  );
}
