import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Opener } from './dialog-frame';
import { FormDialog } from './form-dialog';

type Props<Result> = Opener & {
  /** What will happen, and what can't be undone. */
  readonly children: ReactNode;
  readonly act: () => Promise<Result>;
  /** What came of it, shown until it is closed. Without it the dialog closes, and the page shows what came of it. */
  readonly outcome?: (result: Result) => ReactNode;
  /** Whether what is asked for in the dialog is complete. */
  readonly isReady?: boolean;
  /** Called when the dialog closes after the action was done. */
  readonly onDone?: (result: Result) => void;
};

/** A button for what should not happen by chance: asks, shows that it is under way, and then what came of it. */
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

/** What came of an action, until it is closed. */
export const Outcome = ({ children, close }: { children: ReactNode; close: () => void }): ReactNode => (
  <Stack gap="md">
    <div aria-live="polite" role="status">
      {children}
    </div>
    <Group justify="flex-end">
      <Button autoFocus onClick={close} variant="default">
        Close
      </Button>
    </Group>
  </Stack>
);
