import { Button, Group, Modal, Stack, Text, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';
import { ProblemView } from './problem-view';

type Props<Result> = {
  /** The button's words, and the title of the dialog. */
  readonly label: string;
  readonly icon: IconName;
  /** What will happen, and what can't be undone. */
  readonly children: ReactNode;
  readonly act: () => Promise<Result>;
  /** What came of it, shown until it is closed. Without it the dialog closes, and the page shows what came of it. */
  readonly outcome?: (result: Result) => ReactNode;
  /** For what destroys or can't be undone. */
  readonly isDangerous?: boolean;
  /** Whether what is asked for in the dialog is complete. */
  readonly isReady?: boolean;
  /** What it is done to, where the same button stands in every row. */
  readonly about?: string;
  readonly buttonProps?: ButtonProps;
  /** Called when the dialog closes after the action was done. */
  readonly onDone?: (result: Result) => void;
};

/** A button for what should not happen by chance: asks, shows that it is under way, and then what came of it. */
export function ConfirmAction<Result>(props: Props<Result>): ReactNode {
  const { label, icon, isDangerous = false, about, buttonProps } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button
        aria-label={about === undefined ? undefined : `${label}: ${about}`}
        color={isDangerous ? 'red' : undefined}
        leftSection={<Icon name={icon} size={16} />}
        onClick={open}
        size="xs"
        variant="default"
        {...buttonProps}
      >
        {label}
      </Button>
      <Modal centered closeButtonProps={{ 'aria-label': 'Close' }} onClose={close} opened={isOpen} title={label}>
        {isOpen && <Dialog {...props} close={close} />}
      </Modal>
    </>
  );
}

function Dialog<Result>(props: Props<Result> & { close: () => void }): ReactNode {
  const { label, children, act, outcome, isDangerous = false, isReady = true, onDone, close } = props;
  const finish = (result: Result): void => {
    close();
    onDone?.(result);
  };
  const action = useMutation({ mutationFn: act, ...(outcome === undefined && { onSuccess: finish }) });
  if (action.isSuccess && outcome !== undefined)
    return (
      <Stack gap="md">
        <div aria-live="polite" role="status">
          {outcome(action.data)}
        </div>
        <Group justify="flex-end">
          <Button
            data-autofocus
            onClick={() => {
              finish(action.data);
            }}
            variant="default"
          >
            Close
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate();
      }}
    >
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {action.error !== null && <ProblemView error={action.error} />}
        <Group justify="flex-end">
          <Button onClick={close} variant="default">
            Cancel
          </Button>
          <Button color={isDangerous ? 'red' : undefined} disabled={!isReady} loading={action.isPending} type="submit">
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
