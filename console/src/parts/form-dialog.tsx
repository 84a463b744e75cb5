import { Button, Group, Modal, Stack, Text, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { FormProblem, useForm, type Draft, type Form } from './form';
import { Icon, type IconName } from './icons';

type Props<Result> = {
  /** The button's words, and the title of the dialog. */
  readonly label: string;
  readonly icon: IconName;
  /** What the form begins with. */
  readonly initial: Draft;
  readonly fields: (form: Form) => ReactNode;
  /** What is to be known before. */
  readonly lead?: ReactNode;
  readonly act: (values: Draft) => Promise<Result>;
  /** The words of the button that sends; else the label's. */
  readonly send?: string;
  /** Shown instead of the form when it is done; without it the dialog closes. */
  readonly outcome?: (result: Result, close: () => void) => ReactNode;
  readonly onDone?: (result: Result) => void;
  readonly buttonProps?: ButtonProps;
  /** What it is about, where the same button stands in every row. */
  readonly about?: string;
};

/** A button that opens a form. What the service finds wrong shows at the fields. */
export function FormDialog<Result>(props: Props<Result>): ReactNode {
  const { label, icon, about, buttonProps } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  // What came of it may be shown this once: only its own button closes it.
  const [isDone, setDone] = useState(false);
  const isKept = isDone && props.outcome !== undefined;
  const end = (): void => {
    setDone(false);
    close();
  };
  return (
    <>
      <Button
        aria-label={about === undefined ? undefined : `${label}: ${about}`}
        leftSection={<Icon name={icon} size={16} />}
        onClick={open}
        size="xs"
        variant="default"
        {...buttonProps}
      >
        {label}
      </Button>
      {/* What was typed is not lost by a click beside it. */}
      <Modal
        closeButtonProps={{ 'aria-label': 'Close' }}
        closeOnClickOutside={false}
        closeOnEscape={!isKept}
        onClose={end}
        opened={isOpen}
        size="lg"
        title={label}
        withCloseButton={!isKept}
      >
        {isOpen && (
          <FormBody
            {...props}
            close={end}
            onDone={(result) => {
              setDone(true);
              props.onDone?.(result);
            }}
          />
        )}
      </Modal>
    </>
  );
}

function FormBody<Result>(props: Props<Result> & { close: () => void }): ReactNode {
  const { label, initial, fields, lead, act, send = label, outcome, onDone, close } = props;
  const action = useMutation({
    mutationFn: act,
    onSuccess: (result) => {
      onDone?.(result);
      if (outcome === undefined) close();
    },
  });
  const form = useForm(initial, action.error);
  if (action.isSuccess && outcome !== undefined) return outcome(action.data, close);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate(form.values);
      }}
    >
      <Stack gap="sm">
        {lead !== undefined && (
          <Text c="dimmed" component="div" size="sm">
            {lead}
          </Text>
        )}
        <FormProblem error={action.error} form={form} />
        {fields(form)}
        <Group justify="flex-end" mt="xs">
          <Button onClick={close} variant="default">
            Cancel
          </Button>
          <Button loading={action.isPending} type="submit">
            {send}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
