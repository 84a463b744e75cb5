import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { SLOWLY_MS } from '../api/observation';
import { deliveriesQuery, type Delivery, type Webhook } from '../api/webhooks';
import { ConfirmAction } from './confirm-action';
import { DataTable, type Column } from './data-table';
import { count } from './figures';
import { Choice, FilterBar } from './filter-bar';
import { Instant } from './instant';
import { Panel } from './panel';
import { DELIVERY_STATUSES, DeliveryStatus } from './webhook-words';
import { rich, t } from '../messages/catalogue';

const PAGE_SIZE = 20;

type Search = { readonly page?: number | undefined; readonly status?: Delivery['status'] | undefined };
type Props = {
  readonly webhook: Webhook;
  readonly page: number;
  readonly status: Delivery['status'] | undefined;
  readonly go: (search: Search) => void;
};

/** The delivery log of a webhook. */
export function Deliveries({ webhook, page, status, go }: Props): ReactNode {
  const deliveries = useQuery({
    ...deliveriesQuery(webhook.id, { pageNumber: page, pageSize: PAGE_SIZE, ...(status !== undefined && { status }) }),
    refetchInterval: SLOWLY_MS,
  });
  return (
    <Panel title={t('Deliveries')}>
      <FilterBar>
        <Choice
          label={t('Status')}
          onChange={(next) => {
            go({ status: next });
          }}
          options={DELIVERY_STATUSES}
          value={status}
        />
      </FilterBar>
      <DataTable
        columns={columnsOf(webhook)}
        empty={
          status === undefined
            ? t('Nothing has been delivered yet. Send a test to check the receiver.')
            : t('No deliveries match this filter.')
        }
        keyOf={({ id }) => id}
        label={t('Deliveries')}
        pages={{
          page,
          totalPages: deliveries.data?.totalPages,
          totalCount: deliveries.data?.totalCount,
          onPage: (next) => {
            go({ status, page: next });
          },
        }}
        query={deliveries}
        rows={deliveries.data?.items}
      />
    </Panel>
  );
}

const columnsOf = (webhook: Webhook): readonly Column<Delivery>[] => [
  {
    key: 'event',
    header: t('Event'),
    cell: ({ eventType, subject }) => (
      <>
        <code>{eventType}</code>
        <div className="k-nothing" title={subject}>
          {subject}
        </div>
      </>
    ),
  },
  { key: 'status', header: t('Status'), cell: ({ status }) => <DeliveryStatus status={status} /> },
  { key: 'response', header: t('Response'), cell: (delivery) => <Response delivery={delivery} /> },
  { key: 'attempts', header: t('Attempts'), numeric: true, cell: ({ attempts }) => count(attempts) },
  { key: 'last', header: t('Last attempt'), cell: ({ lastAttemptAt }) => <Instant as="relative" at={lastAttemptAt} /> },
  { key: 'next', header: t('Next attempt'), cell: ({ nextAttemptAt }) => <Instant as="relative" at={nextAttemptAt} /> },
  {
    key: 'actions',
    header: t('Action'),
    cell: (delivery) => webhook.isEnabled && <Resend delivery={delivery} />,
  },
];

const Response = ({ delivery: { responseStatus, responseBody, code } }: { delivery: Delivery }): ReactNode => (
  <>
    {responseStatus ?? <span className="k-nothing">{t('none')}</span>}
    {code !== null && (
      <>
        {' '}
        <code>{code}</code>
      </>
    )}
    {responseBody !== null && responseBody !== '' && (
      <details>
        <summary>{t('Body')}</summary>
        <pre className="k-json">{responseBody}</pre>
      </details>
    )}
  </>
);

function Resend({ delivery: { id, webhookId, eventType, subject } }: { delivery: Delivery }): ReactNode {
  const cache = useQueryClient();
  return (
    <ConfirmAction
      about={`${eventType}, ${subject}`}
      act={() =>
        data(
          api.POST('/api/webhooks/{id}/deliveries/{deliveryId}/resend', {
            params: { path: { id: webhookId, deliveryId: id } },
          }),
        )
      }
      icon="refresh"
      label={t('Resend')}
      onDone={() => {
        askAgain(cache, ['deliveries', webhookId]);
      }}
    >
      {rich('Send <code>{eventType}</code> again, with the same message ID?', {
        eventType,
        code: (words) => <code>{words}</code>,
      })}
    </ConfirmAction>
  );
}
