import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { KontorError } from '../api/problem';
import { DialogFrame } from './dialog-frame';
import { DiffView } from './diff-view';
import { FormProblem, useForm, type Draft, type Form } from './form';
import { Icon } from './icons';
import { draftKey, useKeptDraft } from './kept-draft';
import { t } from '../messages/catalogue';
import { fieldWords } from '../messages/field-words';

/** A record's form values and the revision at which they were read. */
export type Version = { readonly values: Draft; readonly revision: number };

type Props = {
  readonly label: string;
  /** The record as displayed on the page. */
  readonly from: Version;
  readonly fields: (form: Form) => ReactNode;
  /** Saves the changes if the record is still at the given revision. */
  readonly save: (changed: Draft, revision: number) => Promise<unknown>;
  /** Reads the current record. */
  readonly reload: () => Promise<Version>;
  readonly onDone: () => void;
  /** Subject of the action, which distinguishes buttons with the same label in several rows. */
  readonly about?: string;
};

type Saved = { readonly values: Draft; readonly base: Version };

const isConflict = (error: unknown): boolean => error instanceof KontorError && error.code === 'REVISION_CONFLICT';

/** Form that changes a record but never silently overwrites a concurrent change. */
export function EditDialog(props: Props): ReactNode {
  const { label, about, save, reload, onDone } = props;
  const [isOpen, { open, close }] = useDisclosure(useKeptDraft(draftKey(props)) !== undefined);
  // If another user has changed the record in the meantime, the mutation resolves to the record's current version.
  const action = useMutation({
    mutationFn: async ({ values, base }: Saved): Promise<Version | undefined> => {
      const changed = Object.fromEntries(differing(values, base.values).map((name) => [name, values[name] ?? '']));
      try {
        await save(changed, base.revision);
        return undefined;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return reload();
      }
    },
    onSuccess: (theirs) => {
      if (theirs !== undefined) return;
      onDone();
      close();
    },
  });
  return (
    <DialogFrame
      icon="edit"
      isHeld={action.isPending}
      isOpen={isOpen}
      label={label}
      onClose={close}
      onOpen={() => {
        action.reset();
        open();
      }}
      {...(about !== undefined && { about })}
    >
      <EditForm {...props} action={action} close={close} />
    </DialogFrame>
  );
}

const differing = (values: Draft, from: Draft): string[] =>
  Object.keys(values).filter((name) => (values[name] ?? '').trim() !== (from[name] ?? '').trim());

/**
 * Rebases the user's changes onto the current version. These changes take precedence. All other fields have the values
 * of the current version.
 */
const rebased = (typed: Draft, from: Draft, theirs: Draft): Draft => ({
  ...theirs,
  ...Object.fromEntries(differing(typed, from).map((name) => [name, typed[name] ?? ''])),
});

type FormProps = Props & {
  readonly action: UseMutationResult<Version | undefined, Error, Saved>;
  readonly close: () => void;
};

function EditForm(props: FormProps): ReactNode {
  const { from, fields, action, close } = props;
  const key = draftKey(props);
  // Restored input changes the version from which it started, so that a change made meanwhile is a conflict.
  const [base, setBase] = useState(useKeptDraft(key)?.base ?? from);
  const form = useForm(from.values, action.error, key, base);
  const takeOver = (theirs: Version): void => {
    form.replace(rebased(form.values, base.values, theirs.values));
    setBase(theirs);
    action.reset();
  };
  if (action.data !== undefined)
    return <Conflict base={base} close={close} onGoOn={takeOver} theirs={action.data} typed={form.values} />;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate({ values: form.values, base });
      }}
    >
      <Stack gap="sm">
        <FormProblem error={action.error} form={form} />
        {fields(form)}
        <Group justify="flex-end" mt="xs">
          <Button disabled={action.isPending} onClick={close} variant="default">
            {t('Cancel')}
          </Button>
          <Button disabled={differing(form.values, base.values).length === 0} loading={action.isPending} type="submit">
            {t('Save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type ConflictProps = {
  readonly base: Version;
  readonly theirs: Version;
  readonly typed: Draft;
  readonly onGoOn: (theirs: Version) => void;
  readonly close: () => void;
};

function Conflict({ base, theirs, typed, onGoOn, close }: ConflictProps): ReactNode {
  const changes = differing(theirs.values, base.values).map((path) => ({
    path,
    before: base.values[path] === '' ? null : base.values[path],
    after: theirs.values[path] === '' ? null : theirs.values[path],
  }));
  const both = differing(typed, base.values).filter((name) => changes.some(({ path }) => path === name));
  return (
    <Stack gap="sm">
      <Alert icon={<Icon name="alert" />} role="alert" title={t('Changed by another user')} variant="outline">
        {t(
          'Your changes were not saved. You started editing at revision {revision2}, and the record is now at revision {revision}. These fields have changed:',
          { revision: theirs.revision, revision2: base.revision },
        )}
      </Alert>
      <DiffView changes={changes} label={t('Changes by the other user')} />
      <Text size="sm">
        {both.length === 0
          ? t("You can continue. Your input is kept, and the other user's changes are applied.")
          : t(
              "You can continue. The other user's changes are applied, except in the fields that you also changed ({value}). Check these fields before you save.",
              { value: both.map(fieldWords).join(', ') },
            )}
      </Text>
      <Group justify="flex-end">
        <Button onClick={close} variant="default">
          {t('Discard my changes')}
        </Button>
        <Button
          autoFocus
          onClick={() => {
            onGoOn(theirs);
          }}
        >
          {t('Continue editing')}
        </Button>
      </Group>
    </Stack>
  );
}
