import { Skeleton, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { deadLetterQuery, type DeadLetter } from '../api/dead-letters';
import { BackLink } from '../parts/back-link';
import { ConfirmAction } from '../parts/confirm-action';
import { Copied } from '../parts/copied';
import { LetterStatus, ORIGINS, subjectOf } from '../parts/dead-letter-words';
import { Facts } from '../parts/facts';
import { count } from '../parts/figures';
import { Instant } from '../parts/instant';
import { JsonView } from '../parts/json-view';
import { PageHeader } from '../parts/page-header';
import { Panel } from '../parts/panel';
import { ProblemView } from '../parts/problem-view';
import { ResolvedBy } from '../parts/resolved-by';
import { StatusBadge } from '../parts/status-badge';
import { TenantOf } from '../parts/tenant-name';
import { rejectionWords } from '../parts/sale-words';
import { rich, t } from '../messages/catalogue';

const route = getRouteApi('/signed-in/dead-letters/$id');

export function DeadLetterPage(): ReactNode {
  const { id } = route.useParams();
  const letter = useQuery(deadLetterQuery(id));
  return (
    <>
      <PageHeader
        actions={letter.data?.status === 'PARKED' && <Actions letter={letter.data} />}
        lead={<BackLink to="/dead-letters">{t('All dead letters')}</BackLink>}
        title={letter.data === undefined ? t('Dead letter') : `${letter.data.eventType}: ${subjectOf(letter.data)}`}
      />
      {letter.error !== null && <ProblemView error={letter.error} onRetry={letter.refetch} />}
      {letter.isPending && <Skeleton height={240} />}
      {letter.data !== undefined && <Letter letter={letter.data} />}
    </>
  );
}

const Letter = ({ letter }: { letter: DeadLetter }): ReactNode => (
  <>
    <Panel aside={<LetterStatus status={letter.status} />} title={t('Failure')}>
      <Text mb="md">
        <code>{letter.reason.code}</code> {rejectionWords(letter.reason)}
      </Text>
      <Facts
        of={[
          [t('Origin'), ORIGINS[letter.origin]],
          [t('Subscriber'), <code key="subscriber">{letter.subscriber}</code>],
          [t('Subject'), <Copied key="subject" value={letter.subject} what={t('subject')} />],
          [t('Tenant'), <TenantOf id={letter.tenantId} key="tenant" />],
          [t('Event'), <Copied key="event" value={letter.eventId} what={t('event ID')} />],
          [t('Attempts'), count(letter.attempts)],
          [t('First failed'), <Instant at={letter.firstFailedAt} key="first" />],
          [t('Last failed'), <Instant at={letter.lastFailedAt} key="last" />],
          ...(letter.resolvedAt === null
            ? []
            : ([
                [t('Resolved'), <Instant at={letter.resolvedAt} key="resolved" />],
                [t('Resolved by'), <ResolvedBy by={letter.resolvedBy} entity="dead-letter" id={letter.id} key="by" />],
              ] as const)),
          ...(letter.discardReason === null ? [] : ([[t('Reason for discarding'), letter.discardReason]] as const)),
        ]}
      />
    </Panel>
    <Panel title={t('Event')}>
      {letter.payload === null ? (
        <p className="k-empty">{t('This event has no payload.')}</p>
      ) : (
        <JsonView label={t('Payload')} value={letter.payload} />
      )}
    </Panel>
  </>
);

const ReplayOutcome = ({ isReplayed }: { isReplayed: boolean }): ReactNode =>
  isReplayed ? (
    <StatusBadge tone="good">{t('The dead letter was replayed.')}</StatusBadge>
  ) : (
    <StatusBadge tone="bad">{t('Processing failed again. The dead letter remains parked.')}</StatusBadge>
  );

function Actions({ letter: { id, reason } }: { letter: DeadLetter }): ReactNode {
  const cache = useQueryClient();
  const [why, setWhy] = useState('');
  // Called only when the dialog closes, because the new status removes the buttons and, with them, the outcome.
  const refresh = (): void => {
    askAgain(cache, deadLetterQuery(id).queryKey);
    askAgain(cache, ['dead-letters']);
  };
  return (
    <>
      <ConfirmAction
        act={() => data(api.POST('/api/platform/dead-letters/{id}/replay', { params: { path: { id } } }))}
        icon="refresh"
        label={t('Replay')}
        onDone={refresh}
        outcome={({ status }) => <ReplayOutcome isReplayed={status === 'REPLAYED'} />}
      >
        {rich(
          'Process the event again? It failed with <code2>{code}</code2>. Until the cause is fixed, it will fail again and remain parked.',
          { code: reason.code, code2: (words) => <code>{words}</code> },
        )}
      </ConfirmAction>
      <ConfirmAction
        act={() =>
          data(
            api.POST('/api/platform/dead-letters/{id}/discard', {
              params: { path: { id } },
              body: { reason: why.trim() },
            }),
          )
        }
        icon="close"
        isDangerous
        isReady={why.trim() !== ''}
        label={t('Discard')}
        onDone={refresh}
        outcome={() => <StatusBadge tone="idle">{t('The dead letter was discarded.')}</StatusBadge>}
      >
        {t('The event will never be processed. This cannot be undone.')}
        <Textarea
          autosize
          data-autofocus
          label={t('Reason')}
          minRows={2}
          mt="sm"
          onChange={({ currentTarget }) => {
            setWhy(currentTarget.value);
          }}
          required
          value={why}
        />
      </ConfirmAction>
    </>
  );
}
