import { Group, Progress, Select, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { askAgain } from '../api/ask-again';
import { api, data } from '../api/client';
import { queuesQuery, type Queue } from '../api/observation';
import { ConfirmAction } from './confirm-action';
import { count } from './figures';
import { Instant } from './instant';
import { Panel } from './panel';
import { StatusBadge, type Tone } from './status-badge';

type Forwarder = NonNullable<Queue['forwarder']>;

const STATES: Readonly<Record<Forwarder['state'], readonly [Tone, string]>> = {
  RUNNING: ['good', 'Running'],
  PAUSED: ['warning', 'Paused'],
  WAITING_FOR_RESUME: ['bad', 'Waiting to be resumed'],
};

/** State of the forwarder of integration events, and its rewinds. */
export function ForwarderPanel({ queue: { name, forwarder } }: { queue: Queue }): ReactNode {
  if (forwarder === null) return null;
  const [tone, words] = STATES[forwarder.state];
  return (
    <Panel aside={<Actions forwarder={forwarder} name={name} />} title="Integration events">
      <Group gap="sm">
        <StatusBadge tone={tone}>{words}</StatusBadge>
        {forwarder.pausedAt !== null && (
          <span className="k-nothing">
            since <Instant as="relative" at={forwarder.pausedAt} />
          </span>
        )}
      </Group>
      {forwarder.state === 'WAITING_FOR_RESUME' && (
        <Text mt="xs" size="sm">
          The forwarder has no checkpoint because the history was restored or the read models were lost. It publishes
          nothing until you resume it.
        </Text>
      )}
      <RewindProgress forwarder={forwarder} />
    </Panel>
  );
}

function RewindProgress({ forwarder: { rewind, lastRewind, waitingRewinds } }: { forwarder: Forwarder }): ReactNode {
  if (rewind !== null)
    return (
      <>
        <Text mt="sm" size="sm">
          Rewind: {rewind.progress} %, {count(rewind.published)} events republished
          {waitingRewinds > 0 && `, ${count(waitingRewinds)} more rewinds waiting`}
        </Text>
        <Progress.Root mb={4} mt={2}>
          <Progress.Section aria-label="Rewind" value={rewind.progress} />
        </Progress.Root>
      </>
    );
  if (lastRewind === null) return null;
  return (
    <Text className="k-nothing" mt="sm" size="sm">
      Last rewind:{' '}
      {lastRewind.status === 'DONE' ? `${count(lastRewind.published ?? 0)} events republished` : 'cancelled'},{' '}
      <Instant as="relative" at={lastRewind.endedAt} />
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
          label="Cancel rewind"
          onDone={onDone}
        >
          Cancel this rewind and all waiting ones? Messages that were already republished cannot be recalled.
        </ConfirmAction>
      )}
      {forwarder.state === 'RUNNING' ? (
        <ConfirmAction
          act={() => data(api.POST('/api/platform/forwarders/{name}/pause', path))}
          icon="close"
          key="pause"
          label="Pause"
          onDone={onDone}
        >
          Pause publishing until you resume it? Events remain in the history, and none are lost.
        </ConfirmAction>
      ) : (
        <ResumeAction hasCheckpoint={forwarder.state === 'PAUSED'} key="resume" name={name} onDone={onDone} />
      )}
    </Group>
  );
}

type Named = { readonly name: string; readonly onDone: () => void };

function RewindAction({ name, onDone }: Named): ReactNode {
  const [position, setPosition] = useState('');
  return (
    <ConfirmAction
      act={() =>
        data(
          api.POST('/api/platform/forwarders/{name}/rewind', {
            params: { path: { name } },
            body: { position: Number(position) },
          }),
        )
      }
      icon="refresh"
      isReady={/^\d{1,15}$/.test(position)}
      key="rewind"
      label="Rewind"
      onDone={onDone}
    >
      Republish messages and mark them as replayed. New messages continue to be published.
      <TextInput
        data-autofocus
        description="Position of the first event to republish; 0 for the whole history."
        label="Position"
        mt="sm"
        onChange={({ currentTarget }) => {
          setPosition(currentTarget.value);
        }}
        required
        value={position}
      />
    </ConfirmAction>
  );
}

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
      icon="refresh"
      label="Resume"
      onDone={onDone}
    >
      Resume publishing integration events.
      <Select
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data={[
          ...(hasCheckpoint ? [{ value: 'checkpoint', label: 'From the checkpoint' }] : []),
          { value: 'now', label: 'From now; skip earlier events' },
        ]}
        label="Continue"
        mt="sm"
        onChange={(value) => {
          setFrom(value ?? 'now');
        }}
        value={from}
      />
    </ConfirmAction>
  );
}
