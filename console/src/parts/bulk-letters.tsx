import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, data, type Shapes } from '../api/client';
import type { LetterFilters } from '../api/dead-letters';
import { Outcome } from './confirm-action';
import type { Opener } from './dialog-frame';
import { count } from './figures';
import { given, TextField, type Draft, type Form } from './form';
import { FormDialog } from './form-dialog';
import { ProblemView } from './problem-view';
import { t } from '../messages/catalogue';

type Filter = Omit<LetterFilters, 'pageNumber' | 'pageSize'>;
type Preview = Shapes['BulkPreviewDto'];
type Answer = Preview | Shapes['JobTriggerResultDto'];
type Kind = 'replay' | 'discard';

const WORDS = {
  replay: {
    label: t('Replay all'),
    icon: 'refresh',
    verb: t('Replay'),
    willBe: (what: string) => t('{what} will be replayed.', { what }),
  },
  discard: {
    label: t('Discard all'),
    icon: 'close',
    verb: t('Discard'),
    willBe: (what: string) => t('{what} will be discarded. This cannot be undone.', { what }),
  },
} as const;

function send(kind: Kind, filter: Filter, values: Draft, dryRun: boolean): Promise<Answer> {
  const perSecond = given(values, 'perSecond');
  const body = { filter, dryRun, ...(perSecond !== undefined && { perSecond: Number(perSecond) }) };
  return kind === 'replay'
    ? data<Answer>(api.POST('/api/platform/dead-letters/replay', { body }))
    : data<Answer>(
        api.POST('/api/platform/dead-letters/discard', { body: { ...body, reason: values['reason'] ?? '' } }),
      );
}

type Props = { readonly kind: Kind; readonly filter: Filter } & Pick<Opener, 'unavailable'>;

/**
 * Replays or discards all dead letters that match the page's filters. First counts them, and then starts a job, whose
 * page shows the progress.
 */
export function BulkLetters({ kind, filter, unavailable }: Props): ReactNode {
  const { label, icon } = WORDS[kind];
  const [values, setValues] = useState<Draft>({});
  return (
    <FormDialog<Answer>
      act={(typed) => {
        setValues(typed);
        return send(kind, filter, typed, true);
      }}
      fields={(form) => <Fields form={form} kind={kind} />}
      icon={icon}
      initial={{ perSecond: '100', ...(kind === 'discard' && { reason: '' }) }}
      isDangerous={kind === 'discard'}
      label={label}
      lead={t(
        'Applies to all parked dead letters that match the list filters. The next step shows the number of matching dead letters.',
      )}
      outcome={(answer, close) =>
        'matched' in answer && <Confirm close={close} filter={filter} kind={kind} preview={answer} values={values} />
      }
      send={t('Count')}
      unavailable={unavailable}
    />
  );
}

const Fields = ({ form, kind }: { form: Form; kind: Kind }): ReactNode => (
  <>
    {kind === 'discard' && <TextField autoFocus form={form} label={t('Reason')} name="reason" required />}
    <TextField
      form={form}
      hint={t('1 to 1,000. Limits the load on the service.')}
      label={t('Dead letters per second')}
      name="perSecond"
      type="number"
    />
  </>
);

type ConfirmProps = {
  readonly kind: Kind;
  readonly filter: Filter;
  readonly values: Draft;
  readonly preview: Preview;
  readonly close: () => void;
};

/** Shows what a run would do and starts it. */
function Confirm({ kind, filter, values, preview: { matched, sample }, close }: ConfirmProps): ReactNode {
  const navigate = useNavigate();
  const { verb, willBe } = WORDS[kind];
  const start = useMutation({
    mutationFn: () => send(kind, filter, values, false),
    onSuccess: (run) => {
      close();
      if ('jobName' in run)
        void navigate({ to: '/jobs/$name', params: { name: run.jobName }, search: { run: run.executionLogId } });
    },
  });
  if (matched === 0)
    return (
      <Outcome close={close}>
        <Text size="sm">{t('No parked dead letters match the filters.')}</Text>
      </Outcome>
    );
  const what = t('{matched, plural, one {# dead letter} other {# dead letters}}', { matched });
  return (
    <Stack gap="sm">
      <Text role="status" size="sm">
        {willBe(what)}
      </Text>
      <ul className="k-sample">
        {sample.slice(0, 5).map(({ id, eventType, externalId, subject, reason }) => (
          <li key={id}>
            {eventType} <strong>{externalId ?? subject}</strong> <code>{reason.code}</code>
          </li>
        ))}
        {matched > 5 && <li className="k-nothing">{t('and {matched} more', { matched: count(matched - 5) })}</li>}
      </ul>
      {start.error !== null && <ProblemView error={start.error} />}
      <Group justify="flex-end">
        <Button disabled={start.isPending} onClick={close} variant="default">
          {t('Cancel')}
        </Button>
        <Button
          color={kind === 'discard' ? 'red' : undefined}
          data-autofocus
          loading={start.isPending}
          onClick={() => {
            start.mutate();
          }}
        >
          {verb} {what}
        </Button>
      </Group>
    </Stack>
  );
}
