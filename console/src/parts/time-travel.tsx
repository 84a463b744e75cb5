import { ActionIcon, Button, Group, Slider, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { RecordState } from '../api/records';
import { useFollowing } from './following';
import { Icon } from './icons';
import { t } from '../messages/catalogue';

type Props = {
  readonly state: RecordState | undefined;
  /** The record's current revision. */
  readonly last: number;
  /** Receives a revision or an instant, or undefined for the current state. */
  readonly onTravel: (at: string | undefined) => void;
};

/** Returns the value for a datetime field, in the viewer's time zone and with seconds. */
function localOf(instant: string): string {
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Navigates a record's history step by step, with a slider, or to an instant. */
export function TimeTravel({ state, last, onTravel }: Props): ReactNode {
  const revision = state?.revision ?? last;
  const toRevision = (next: number): void => {
    onTravel(next >= last ? undefined : String(Math.max(0, next)));
  };
  return (
    <div className="k-travel">
      <Group align="flex-end" gap="sm">
        <ActionIcon
          aria-label={t('One event earlier')}
          disabled={revision === 0}
          onClick={() => {
            toRevision(revision - 1);
          }}
          size="lg"
          title={t('One event earlier')}
          variant="default"
        >
          <Icon name="back" />
        </ActionIcon>
        <ActionIcon
          aria-label={t('One event later')}
          disabled={revision >= last}
          onClick={() => {
            toRevision(revision + 1);
          }}
          size="lg"
          title={t('One event later')}
          variant="default"
        >
          <Icon name="chevron" />
        </ActionIcon>
        <AtInstant onTravel={onTravel} state={state}>
          <Button
            disabled={revision >= last}
            onClick={() => {
              onTravel(undefined);
            }}
            variant="default"
          >
            {t('Now')}
          </Button>
        </AtInstant>
      </Group>
      <RevisionSlider last={last} onTravel={toRevision} revision={revision} />
    </div>
  );
}

function AtInstant({
  state,
  onTravel,
  children,
}: Pick<Props, 'state' | 'onTravel'> & { readonly children: ReactNode }): ReactNode {
  const at = state?.occurredAt;
  const [typed, setTyped] = useFollowing(at === undefined ? '' : localOf(at), at);
  const travel = (): void => {
    const date = new Date(typed);
    if (Number.isNaN(date.getTime())) return;
    // The instant is the end of the chosen second, so that all events in that second are included.
    onTravel(new Date(date.getTime() + (typed.includes('.') ? 0 : 999)).toISOString());
  };
  return (
    <form
      className="k-travel-instant"
      onSubmit={(event) => {
        event.preventDefault();
        travel();
      }}
    >
      <TextInput
        label={t('State at (local time)')}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
        }}
        step={1}
        type="datetime-local"
        value={typed}
      />
      <Button type="submit" variant="default">
        {t('Show')}
      </Button>
      {children}
    </form>
  );
}

type SliderProps = { readonly revision: number; readonly last: number; readonly onTravel: (revision: number) => void };

function RevisionSlider({ revision, last, onTravel }: SliderProps): ReactNode {
  const [shown, setShown] = useFollowing(revision);
  if (last === 0) return null;
  return (
    <Slider
      label={(value) => t('Revision {value}', { value })}
      max={last}
      min={0}
      mt="md"
      onChange={setShown}
      onChangeEnd={onTravel}
      size="md"
      step={1}
      thumbLabel={t('Revision (0 to {last})', { last })}
      value={shown}
    />
  );
}
