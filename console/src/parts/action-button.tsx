import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';
import { ProblemView } from './problem-view';

type Props = {
  readonly action: Pick<UseMutationResult, 'error' | 'isPending'> & { readonly mutate: () => void };
  readonly icon: IconName;
  readonly label: string;
};

/** Button for an action that requires no confirmation. Shows the progress and any error. */
export const ActionButton = ({ action, icon, label }: Props): ReactNode => (
  <>
    <Button
      leftSection={<Icon name={icon} size={16} />}
      loading={action.isPending}
      onClick={() => {
        action.mutate();
      }}
      size="xs"
      variant="default"
    >
      {label}
    </Button>
    {action.error !== null && <ProblemView error={action.error} />}
  </>
);
