import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { SLOWLY_MS } from '../api/observation';
import { deliveriesQuery, type Delivery, type Webhook } from '../api/webhooks';
import { ConfirmAction } from './confirm-action';
import type { Column } from './data-table';
import { count } from './figures';
import { Choice, FilterBar, useSetter } from './filter-bar';
import { Instant } from './instant';
import { Listing } from './listing';
import { DELIVERY_STATUSES, DeliveryStatus, failureWords } from './webhook-words';
import { rich, t } from '../messages/catalogue';

type Props = {
  readonly webhook: Webhook;
  readonly status: Delivery['status'] | undefined;
};

/** A webhook's delivery log. */
export function Deliveries({ webhook, status }: Props): ReactNode {
  const set = useSetter<Pick<Props, 'status'>>();
  return (
    <Listing
      columns={columnsOf(webhook)}
      empty={
        status === undefined
          ? t('Nothing has been delivered yet. Send a test to check the receiver.')
          : t('No deliveries match this filter.')
      }
      filters={
        <FilterBar>
          <Choice label={t('Status')} onChange={set('status')} options={DELIVERY_STATUSES} value={status} />
        </FilterBar>
      }
      label={t('Deliveries')}
      query={(page) => ({
        ...deliveriesQuery(webhook.id, { ...page, ...(status !== undefined && { status }) }),
        refetchInterval: SLOWLY_MS,
      })}
      title={t('Deliveries')}
    />
  );
}

const columnsOf = (webhook: Webhook): readonly Column<Delivery>[] => [
  {
    key: 'event',
    isWide: true,
    header: t('Event'),
    cell: ({ eventType, subject }) => <code title={subject}>{eventType}</code>,
  },
  { key: 'record', isExtra: true, header: t('Record ID'), cell: ({ subject }) => <code>{subject}</code> },
  { key: 'status', narrow: 'end', header: t('Status'), cell: ({ status }) => <DeliveryStatus status={status} /> },
  { key: 'response', header: t('Response'), cell: (delivery) => <Response delivery={delivery} /> },
  { key: 'attempts', narrow: 'hidden', header: t('Attempts'), numeric: true, cell: ({ attempts }) => count(attempts) },
  {
    key: 'last',
    narrow: 'hidden',
    header: t('Last attempt'),
    cell: ({ lastAttemptAt }) => <Instant as="relative" at={lastAttemptAt} />,
  },
  {
    key: 'next',
    narrow: 'tablet',
    header: t('Next attempt'),
    cell: (delivery) => <NextAttempt delivery={delivery} />,
  },
  {
    key: 'actions',
    header: t('Action'),
    cell: (delivery) => webhook.isEnabled && <Resend delivery={delivery} />,
  },
];

const NextAttempt = ({ delivery: { status, nextAttemptAt } }: { delivery: Delivery }): ReactNode =>
  status === 'PENDING' && nextAttemptAt === null ? (
    t('when the receiver responds again')
  ) : (
    <Instant as="relative" at={nextAttemptAt} />
  );

const Response = ({ delivery: { responseStatus, responseBody, code } }: { delivery: Delivery }): ReactNode => (
  <>
    {responseStatus ?? failureWords(code ?? '')}{' '}
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
