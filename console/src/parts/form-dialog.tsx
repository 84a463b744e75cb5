import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useIdempotency, type IdempotencyHeader } from '../api/idempotency';
import { problemOf } from '../api/problem';
import { DialogFrame, type Opener } from './dialog-frame';
import { FormProblem, useForm, type Draft, type Form } from './form';
import { draftKey, useKeptDraft } from './kept-draft';
import { t } from '../messages/catalogue';

type Props<Result> = Opener & {
  /** Initial values. A function is called each time the dialog opens. */
  readonly initial: Draft | (() => Draft);
  readonly fields: (form: Form) => ReactNode;
  /** Introduction shown above the fields. */
  readonly lead?: ReactNode;
  /** `header` belongs to the request that creates a record, so that a retry after a lost response creates no duplicate. */
  readonly act: (values: Draft, header: IdempotencyHeader) => Promise<Result>;
  /** Label of the submit button. Default: `label`. */
  readonly send?: string;
  /** Whether the input outside the fields is complete. */
  readonly isReady?: boolean;
  /** Set for a confirmation without input. A click outside may close such a dialog. */
  readonly isQuestion?: boolean;
  /** Replaces the form after success. If omitted, the dialog closes. */
  readonly outcome?: (result: Result, close: () => void) => ReactNode;
  /** Whether a result has an outcome to show. Default: every result. */
  readonly hasOutcome?: (result: Result) => boolean;
  /** Set if the outcome is shown only once, so that only the outcome's own button closes the dialog. */
  readonly isOutcomeKept?: boolean;
  /** Called when the dialog closes after the action has succeeded. */
  readonly onDone?: (result: Result) => void;
};

const CONFLICTS: readonly (number | undefined)[] = [409, 412];

/** Button that opens a form. The service's validation errors appear next to the fields. */
export function FormDialog<Result>(props: Props<Result>): ReactNode {
  const { act, outcome, hasOutcome = () => true, isOutcomeKept = false, onDone } = props;
  const [isOpen, { open, close }] = useDisclosure(useKeptDraft(draftKey(props)) !== undefined);
  const { headerFor, forget } = useIdempotency();
  // The mutation belongs to this component, because the form may close before the response arrives.
  const action = useMutation({
    mutationFn: (values: Draft) => act(values, headerFor([draftKey(props), values])),
    onSuccess: (result) => {
      forget();
      if (outcome !== undefined && hasOutcome(result)) return;
      close();
      onDone?.(result);
    },
  });
  const cache = useQueryClient();
  const end = (): void => {
    close();
    if (action.isSuccess) onDone?.(action.data);
    // After a conflict, the page shows a state that another user has changed.
    else if (action.isError && CONFLICTS.includes(problemOf(action.error).status)) void cache.invalidateQueries();
  };
  return (
    <DialogFrame
      {...props}
      isHeld={action.isPending || (action.isSuccess && isOutcomeKept)}
      isOpen={isOpen}
      onClose={end}
      onOpen={() => {
        action.reset();
        open();
      }}
    >
      {action.isSuccess && outcome !== undefined && hasOutcome(action.data) ? (
        outcome(action.data, end)
      ) : (
        <FormBody {...props} action={action} close={end} />
      )}
    </DialogFrame>
  );
}

type BodyProps<Result> = Props<Result> & {
  readonly action: UseMutationResult<Result, Error, Draft>;
  readonly close: () => void;
};

function FormBody<Result>(props: BodyProps<Result>): ReactNode {
  const { label, initial, fields, lead, send = label, isDangerous, isReady = true, isQuestion = false } = props;
  const { action, close } = props;
  const form = useForm(initial, action.error, draftKey(props));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate(form.values);
      }}
    >
      <Stack gap={isQuestion ? 'md' : 'sm'}>
        {lead !== undefined && (
          <Text component="div" size="sm" {...(!isQuestion && { c: 'dimmed' })}>
            {lead}
          </Text>
        )}
        <FormProblem error={action.error} form={form} />
        {fields(form)}
        <Group justify="flex-end" mt={isQuestion ? 0 : 'xs'}>
          <Button disabled={action.isPending} onClick={close} variant="default">
            {t('Cancel')}
          </Button>
          <Button
            color={isDangerous === true ? 'red' : undefined}
            disabled={!isReady}
            loading={action.isPending}
            type="submit"
          >
            {send}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
