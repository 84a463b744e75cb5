import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Opener } from './dialog-frame';
import { FormDialog } from './form-dialog';
import { t } from '../messages/catalogue';

type Props<Result> = Opener & {
  /** Description of the action's effect and any irreversible consequences. */
  readonly children: ReactNode;
  readonly act: () => Promise<Result>;
  /**
   * Outcome, shown until the user closes the dialog. If omitted, the dialog closes immediately, and the page itself
   * shows the outcome.
   */
  readonly outcome?: (result: Result) => ReactNode;
  /** Whether the input in the dialog is complete. */
  readonly isReady?: boolean;
  /** Called when the dialog closes after the action has succeeded. */
  readonly onDone?: (result: Result) => void;
};

/**
 * A button for an action that must not be triggered by accident. Asks for confirmation, and then shows the progress and
 * the outcome.
 */
export const ConfirmAction = <Result,>({ children, outcome, ...rest }: Props<Result>): ReactNode => (
  <FormDialog
    {...rest}
    {...(outcome !== undefined && {
      outcome: (result: Result, close: () => void) => <Outcome close={close}>{outcome(result)}</Outcome>,
    })}
    fields={() => null}
    initial={{}}
    isQuestion
    lead={children}
  />
);

/** The outcome of an action, shown until the user closes the dialog. */
export const Outcome = ({ children, close }: { children: ReactNode; close: () => void }): ReactNode => (
  <Stack gap="md">
    <div aria-live="polite" role="status">
      {children}
    </div>
    <Group justify="flex-end">
      <Button autoFocus onClick={close} variant="default">
        {t('Close')}
      </Button>
    </Group>
  </Stack>
);
