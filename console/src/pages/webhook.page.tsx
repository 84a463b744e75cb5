import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { webhookQuery, type Webhook } from '../api/webhooks';
import { BackLink } from '../parts/back-link';
import { Copied } from '../parts/copied';
import { Deliveries } from '../parts/deliveries';
import { Facts } from '../parts/facts';
import { Instant } from '../parts/instant';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { WebhookActions } from '../parts/webhook-actions';
import { disabledBecause, WebhookStatus } from '../parts/webhook-words';
import { t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/webhooks/$id');

/** A webhook with its latest deliveries. */
export function WebhookPage(): ReactNode {
  const { id } = route.useParams();
  const { status } = route.useSearch();
  const webhook = useQuery(webhookQuery(id));
  return (
    <>
      <PageHeader
        actions={webhook.data && <WebhookActions webhook={webhook.data} />}
        lead={<BackLink to="/webhooks">{t('All webhooks')}</BackLink>}
        title={webhook.data === undefined ? t('Webhook') : (webhook.data.description ?? new URL(webhook.data.url).host)}
      />
      {webhook.error !== null && <ProblemView error={webhook.error} onRetry={webhook.refetch} />}
      {webhook.isPending && <Skeleton height={160} />}
      {webhook.data !== undefined && (
        <>
          <About webhook={webhook.data} />
          <Deliveries status={status} webhook={webhook.data} />
        </>
      )}
    </>
  );
}

function About({ webhook }: { webhook: Webhook }): ReactNode {
  const { id, url, types, createdAt, updatedAt, disabledAt } = webhook;
  const reason = disabledBecause(webhook);
  return (
    <Panel aside={<WebhookStatus webhook={webhook} />} title={t('Webhook')}>
      {reason !== undefined && (
        <Text c={webhook.disabledReason === 'OWNER' ? undefined : 'var(--k-bad)'} mb="sm" role="status" size="sm">
          {reason}
        </Text>
      )}
      <Facts
        of={[
          [t('Address'), url],
          [t('Events'), <code key="types">{types.join(', ')}</code>],
          ...(disabledAt === null ? [] : ([[t('Disabled'), <Instant at={disabledAt} key="disabled" />]] as const)),
          [t('Created'), <Instant at={createdAt} key="created" />],
          [t('Last changed'), <Instant at={updatedAt} key="updated" />],
          ['ID', <Copied key="id" value={id} what={t('webhook ID')} />],
        ]}
      />
    </Panel>
  );
}
