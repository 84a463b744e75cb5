import { Group, Progress, Select, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data, type Shapes } from '../api/client';
import { queuesQuery, type Queue } from '../api/observation';
import { tenantSource } from '../api/tenants';
import { amountOf } from './amount';
import { ConfirmAction } from './confirm-action';
import { count, percent } from './figures';
import { AreaField, someOf, TextField, type Draft } from './form';
import { FormDialog } from './form-dialog';
import { Instant } from './instant';
import { Panel } from './panel';
import { RemoteField } from './remote-field';
import { StatusBadge, type Tone } from './status-badge';
import { TenantName } from './tenant-name';
import { rich, t } from '../messages/catalogue';

type Forwarder = NonNullable<Queue['forwarder']>;

const STATES: Readonly<Record<Forwarder['state'], readonly [Tone, string]>> = {
  RUNNING: ['good', t('Running')],
  PAUSED: ['warning', t('Paused')],
  WAITING_FOR_RESUME: ['bad', t('Waiting to be resumed')],
};

/** State of the integration event forwarder, and its rewinds. */
export function ForwarderPanel({ queue: { name, forwarder } }: { queue: Queue }): ReactNode {
  if (forwarder === null) return null;
  const [tone, words] = STATES[forwarder.state];
  return (
    <Panel aside={<Actions forwarder={forwarder} name={name} />} title={t('Integration events')}>
      <Group gap="sm">
        <StatusBadge tone={tone}>{words}</StatusBadge>
        {forwarder.pausedAt !== null && (
          <span className="k-nothing">
            {rich('since {instant}', { instant: <Instant as="relative" at={forwarder.pausedAt} /> })}
          </span>
        )}
      </Group>
      {forwarder.state === 'WAITING_FOR_RESUME' && (
        <Text mt="xs" size="sm">
          {t(
            'The forwarder has no checkpoint because the history was restored or the read models were lost. It publishes nothing until you resume it.',
          )}
        </Text>
      )}
      <RewindProgress forwarder={forwarder} />
    </Panel>
  );
}

/** Scope of a rewind, such as `, only kontor.sale.*`. It is empty if the rewind covers all messages. */
const scopeOf = ({ tenantId, types }: { tenantId: string | null; types: string[] | null }): ReactNode => (
  <>
    {tenantId !== null && rich(', for {tenantName}', { tenantName: <TenantName id={tenantId} /> })}
    {types !== null && t(', only {value}', { value: types.join(', ') })}
  </>
);

function RewindProgress({ forwarder: { rewind, lastRewind, waitingRewinds } }: { forwarder: Forwarder }): ReactNode {
  if (rewind !== null)
    return (
      <>
        <Text mt="sm" size="sm">
          {rich('Rewind: {progress}, {published} events republished{rewind}', {
            progress: percent(rewind.progress),
            published: count(rewind.published),
            rewind: scopeOf(rewind),
          })}
          {waitingRewinds > 0 &&
            t(', {waitingRewinds} more rewinds waiting', { waitingRewinds: count(waitingRewinds) })}
        </Text>
        <Progress.Root mb={4} mt={2}>
          <Progress.Section aria-label={t('Rewind')} value={rewind.progress} />
        </Progress.Root>
      </>
    );
  if (lastRewind === null) return null;
  return (
    <Text className="k-nothing" mt="sm" size="sm">
      {rich('Last rewind{lastRewind}:', { lastRewind: scopeOf(lastRewind) })}{' '}
      {lastRewind.status === 'DONE'
        ? t('{published} events republished', { published: count(lastRewind.published ?? 0) })
        : t('cancelled')}
      , <Instant as="relative" at={lastRewind.endedAt} />
    </Text>
  );
}

function Actions({ forwarder, name }: { forwarder: Forwarder; name: string }): ReactNode {
  const cache = useQueryClient();
  const onDone = (): void => {
    askAgain(cache, queuesQuery.queryKey);
  };
  const path = { params: { path: { name } } };
  return (
    <Group gap="xs">
      {forwarder.rewind === null ? (
        <RewindAction name={name} onDone={onDone} />
      ) : (
        <ConfirmAction
          act={() => data(api.DELETE('/api/platform/forwarders/{name}/rewind', path))}
          icon="close"
          key="cancel"
          label={t('Cancel rewind')}
          onDone={onDone}
        >
          {t(
            'Cancel this rewind and all waiting rewinds? Messages that have already been republished cannot be recalled.',
          )}
        </ConfirmAction>
      )}
      {forwarder.state === 'RUNNING' ? (
        <ConfirmAction
          act={() => data(api.POST('/api/platform/forwarders/{name}/pause', path))}
          icon="pause"
          key="pause"
          label={t('Pause')}
          onDone={onDone}
        >
          {t('Pause publishing until you resume it? Events remain in the history, and none are lost.')}
        </ConfirmAction>
      ) : (
        <ResumeAction hasCheckpoint={forwarder.state === 'PAUSED'} key="resume" name={name} onDone={onDone} />
      )}
    </Group>
  );
}

type Named = { readonly name: string; readonly onDone: () => void };

const rewindOf = (values: Draft): Shapes['RewindForwarderDto'] => {
  const { position, instant, tenantId } = someOf(values, ['position', 'instant', 'tenantId']);
  const types = (values['types'] ?? '').split(/[\s,]+/).filter((type) => type !== '');
  return {
    ...(position !== undefined && { position: Number(amountOf(position)) }),
    ...(instant !== undefined && { instant: new Date(instant).toISOString() }),
    ...(tenantId !== undefined && { tenantId }),
    ...(types.length > 0 && { types }),
  };
};

const RewindAction = ({ name, onDone }: Named): ReactNode => (
  <FormDialog
    act={(values) =>
      data(api.POST('/api/platform/forwarders/{name}/rewind', { params: { path: { name } }, body: rewindOf(values) }))
    }
    fields={(form) => (
      <>
        <TextField
          autoFocus
          form={form}
          hint={t(
            'Position of the first event to republish. 0 republishes the whole history. Leave empty to specify a time instead.',
          )}
          label={t('Position')}
          name="position"
        />
        <TextField
          form={form}
          hint={t('In your time zone.')}
          label={t('Or events recorded since')}
          name="instant"
          type="datetime-local"
        />
        <RemoteField form={form} label={t("Only this tenant's events")} name="tenantId" source={tenantSource} />
        <AreaField
          form={form}
          hint={t('One message type per line, such as kontor.sale.booked.v1. Leave empty to include all types.')}
          label={t('Only these messages')}
          name="types"
        />
      </>
    )}
    icon="refresh"
    initial={{ position: '', instant: '', tenantId: '', types: '' }}
    key="rewind"
    label={t('Rewind')}
    lead={t('Republishes messages and marks them as replayed. New messages take priority.')}
    onDone={onDone}
  />
);

function ResumeAction({ name, hasCheckpoint, onDone }: Named & { readonly hasCheckpoint: boolean }): ReactNode {
  const [from, setFrom] = useState(hasCheckpoint ? 'checkpoint' : 'now');
  return (
    <ConfirmAction
      act={() =>
        data(
          api.POST('/api/platform/forwarders/{name}/resume', {
            params: { path: { name } },
            body: from === 'now' ? { from } : {},
          }),
        )
      }
      icon="play"
      label={t('Resume')}
      onDone={onDone}
    >
      {t('Resume publishing integration events.')}
      <Select
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={[
          ...(hasCheckpoint ? [{ value: 'checkpoint', label: t('From the checkpoint') }] : []),
          { value: 'now', label: t('From now on, skipping earlier events') },
        ]}
        label={t('Continue')}
        mt="sm"
        onChange={(value) => {
          setFrom(value ?? 'now');
        }}
        value={from}
      />
    </ConfirmAction>
  );
}
