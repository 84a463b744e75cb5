import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { webhooksQuery, type Webhook } from '../api/webhooks';
import type { Column } from '../parts/data-table';
import { FormDialog } from '../parts/form-dialog';
import { Instant } from '../parts/instant';
import { Listing } from '../parts/listing';
import { PageHeader } from '../parts/page-header';
import { NEW_WEBHOOK, newWebhook, SigningSecretOnce, WebhookFields } from '../parts/webhook-form';
import { WebhookStatus } from '../parts/webhook-words';
import { t } from '../messages/catalogue';

const columns: readonly Column<Webhook>[] = [
  {
    key: 'url',
    isWide: true,
    header: t('Address'),
    cell: ({ id, url, description }) => (
      <>
        <Link params={{ id }} to="/webhooks/$id">
          {url}
        </Link>
        {description !== null && <div className="k-nothing">{description}</div>}
      </>
    ),
  },
  { key: 'status', narrow: 'end', header: t('Status'), cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { key: 'types', header: t('Events'), cell: ({ types }) => <code>{types.join(', ')}</code> },
  { key: 'created', narrow: 'hidden', header: t('Created'), cell: ({ createdAt }) => <Instant at={createdAt} /> },
];

/** Receivers of this tenant's integration events. */
export function WebhooksPage(): ReactNode {
  return (
    <>
      <PageHeader
        actions={<CreateWebhook />}
        lead={t(
          "Webhooks send events to your own systems as signed requests. Each record's events are sent in order. Failed deliveries are retried for three days.",
        )}
        title={t('Webhooks')}
      />
      <Listing
        columns={columns}
        empty={t('There are no webhooks yet. Create one to receive changes to sales, transactions and customers.')}
        label={t('Webhooks')}
        query={webhooksQuery}
        title={t('All webhooks')}
      />
    </>
  );
}

function CreateWebhook(): ReactNode {
  const cache = useQueryClient();
  return (
    <FormDialog
      act={(values, header) => data(api.POST('/api/webhooks', { params: { header }, body: newWebhook(values) }))}
      buttonProps={{ variant: 'filled', size: 'sm' }}
      fields={(form) => <WebhookFields form={form} />}
      icon="plus"
      initial={NEW_WEBHOOK}
      isOutcomeKept
      label={t('Create a webhook')}
      onDone={() => {
        askAgain(cache, ['webhooks']);
      }}
      outcome={(issued, close) => <SigningSecretOnce close={close} issued={issued} />}
    />
  );
}
