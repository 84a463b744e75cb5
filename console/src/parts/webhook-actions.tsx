import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, ifMatch, type Shapes } from '../api/client';
import { webhookQuery, type IssuedWebhook, type Webhook } from '../api/webhooks';
import { ConfirmAction } from './confirm-action';
import { EditDialog } from './edit-dialog';
import { TextField } from './form';
import { FormDialog } from './form-dialog';
import { useNowMs } from './now';
import { StatusBadge } from './status-badge';
import { SigningSecretOnce, webhookChanges, WebhookFields, webhookVersion } from './webhook-form';
import { strong } from './strong';
import { failureWords } from './webhook-words';
import { rich, t } from '../messages/catalogue';

/** All actions that a user may perform on a webhook. */
export function WebhookActions({ webhook }: { webhook: Webhook }): ReactNode {
  const { id, url, isEnabled } = webhook;
  const cache = useQueryClient();
  const refresh = (): void => {
    askAgain(cache, webhookQuery(id).queryKey);
    askAgain(cache, ['webhooks']);
    askAgain(cache, ['deliveries', id]);
  };
  const path = { params: { path: { id } } };
  const update = (body: Shapes['UpdateWebhookDto'], revision?: number) =>
    data(
      api.PATCH('/api/webhooks/{id}', {
        params: { path: { id }, header: ifMatch(revision) },
        body,
      }),
    );
  return (
    <>
      <ConfirmAction
        act={() => data(api.POST('/api/webhooks/{id}/test', path))}
        icon="play"
        label={t('Send a test')}
        outcome={(result) => <TestResult result={result} />}
      >
        {rich('Send one test message to <strong>{url}</strong> now?', {
          url,
          strong,
        })}
      </ConfirmAction>
      <EditDialog
        fields={(form) => <WebhookFields form={form} />}
        from={webhookVersion(webhook)}
        label={t('Edit')}
        onDone={refresh}
        reload={async () => webhookVersion(await cache.query({ ...webhookQuery(id), staleTime: 0 }))}
        save={(changed, revision) => update(webhookChanges(changed), revision)}
      />
      {isEnabled && <Recover id={id} onDone={refresh} />}
      <Switch act={() => update({ isEnabled: !isEnabled })} onDone={refresh} webhook={webhook} />
      <FormDialog<IssuedWebhook>
        act={() => data(api.POST('/api/webhooks/{id}/rotate-secret', path))}
        fields={() => null}
        icon="refresh"
        initial={{}}
        isOutcomeKept
        label={t('Rotate secret')}
        lead={t(
          'The webhook gets a new signing secret. For 24 hours, messages are signed with both the old and the new secret.',
        )}
        outcome={(issued, close) => <SigningSecretOnce close={close} issued={issued} />}
      />
      <Delete webhook={webhook} />
    </>
  );
}

function Delete({ webhook: { id, url } }: { webhook: Webhook }): ReactNode {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmAction
      act={() => data(api.DELETE('/api/webhooks/{id}', { params: { path: { id } } }))}
      icon="close"
      isDangerous
      label={t('Delete')}
      onDone={() => {
        askAgain(cache, ['webhooks']);
        void navigate({ to: '/webhooks' });
      }}
    >
      {rich('Delete the webhook for <strong>{url}</strong>? Pending deliveries are abandoned.', {
        url,
        strong,
      })}
    </ConfirmAction>
  );
}

type SwitchProps = {
  readonly webhook: Webhook;
  readonly act: () => Promise<unknown>;
  readonly onDone: () => void;
};

const Switch = ({ webhook: { url, isEnabled }, ...rest }: SwitchProps): ReactNode =>
  isEnabled ? (
    <ConfirmAction icon="pause" key="disable" label={t('Disable')} {...rest}>
      {rich(
        'Stop deliveries to <strong>{url}</strong>? Pending deliveries are abandoned. You can enable the webhook again and recover the missed events.',
        { url, strong },
      )}
    </ConfirmAction>
  ) : (
    <ConfirmAction icon="play" key="enable" label={t('Enable')} {...rest}>
      {rich(
        'Resume the delivery of new events to <strong>{url}</strong>? Afterwards, recover the messages that the receiver missed.',
        {
          url,
          strong,
        },
      )}
    </ConfirmAction>
  );

const TestResult = ({ result }: { result: Shapes['WebhookTestResultDto'] }): ReactNode => (
  <>
    <StatusBadge tone={result.delivered ? 'good' : 'bad'}>
      {result.delivered ? t('The receiver accepted the message.') : t('The receiver did not accept the message.')}
    </StatusBadge>
    <Text mt="xs" size="sm">
      {result.responseStatus === null
        ? failureWords(result.code ?? '')
        : t('Status {responseStatus}', { responseStatus: result.responseStatus })}
    </Text>
    {result.responseBody !== null && result.responseBody !== '' && (
      <pre aria-label={t('Response')} className="k-json" role="region" tabIndex={0}>
        {result.responseBody}
      </pre>
    )}
  </>
);

/** Returns an instant in local time, without seconds, for the start of a recovery. */
function localTime(ms: number): string {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
const DAY_MS = 24 * 60 * 60_000;

const Recover = ({ id, onDone }: { id: string; onDone: () => void }): ReactNode => (
  <FormDialog
    act={({ since = '' }) =>
      data(
        api.POST('/api/webhooks/{id}/recover', {
          params: { path: { id } },
          body: { since: since === '' ? '' : new Date(since).toISOString() },
        }),
      )
    }
    fields={(form) => (
      <TextField autoFocus form={form} label={t('Since (your time)')} name="since" required type="datetime-local" />
    )}
    icon="history"
    initial={{ since: localTime(useNowMs() - DAY_MS) }}
    label={t('Recover')}
    lead={t('Delivers all events since the specified time, except those that the delivery log lists as delivered.')}
    onDone={onDone}
  />
);
