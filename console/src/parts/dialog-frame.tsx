import { Button, Modal, type ButtonProps } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';
import { useUnsavedGuard } from './unsaved';
import { t } from '../messages/catalogue';

export type Opener = {
  /** Label of the button and title of the dialog. */
  readonly label: string;
  readonly icon: IconName;
  /** Subject of the action, which distinguishes buttons with the same label in several rows. */
  readonly about?: string;
  readonly buttonProps?: ButtonProps;
  /** Set for actions that destroy data or cannot be undone. */
  readonly isDangerous?: boolean;
  /** Width of the dialog, for forms with tables. */
  readonly size?: 'xl';
  /** The reason why the action is unavailable. The button keeps the focus, and the reason is its description. */
  readonly unavailable?: string | undefined;
};

type Opening = { readonly onOpen: () => void };

type Props = Opener &
  Opening & {
    readonly isOpen: boolean;
    /** While true, only the dialog's own controls can close it, so that the user does not miss the outcome. */
    readonly isHeld: boolean;
    /** Set for a confirmation without input. A click outside may close such a dialog. */
    readonly isQuestion?: boolean;
    readonly onClose: () => void;
    readonly children: ReactNode;
  };

function OpenButton({
  label,
  icon,
  about,
  buttonProps,
  isDangerous,
  unavailable,
  onOpen,
}: Opener & Opening): ReactNode {
  const isUnavailable = unavailable !== undefined;
  return (
    <Button
      aria-disabled={isUnavailable || undefined}
      aria-label={about === undefined ? undefined : `${label}: ${about}`}
      data-disabled={isUnavailable || undefined}
      title={unavailable ?? (about === undefined ? undefined : label)}
      {...(isDangerous === true && !isUnavailable && { c: 'var(--k-bad)' })}
      leftSection={<Icon name={icon} size={16} />}
      onClick={isUnavailable ? undefined : onOpen}
      size="xs"
      variant="default"
      {...buttonProps}
    >
      {label}
    </Button>
  );
}

export const DialogFrame = (props: Props): ReactNode => {
  const { isOpen, isHeld, isQuestion = false } = props;
  const client = useQueryClient();
  const { leave, guarded } = useUnsavedGuard(props.onClose);
  return (
    <>
      <OpenButton {...props} />
      <Modal
        centered={isQuestion}
        closeButtonProps={{ 'aria-label': t('Close') }}
        closeOnClickOutside={isQuestion && !isHeld}
        closeOnEscape={!isHeld}
        // The dialog stays open during a request, which may have been sent before the dialog was redrawn.
        onClose={() => {
          if (client.isMutating() === 0) leave();
        }}
        opened={isOpen}
        size={isQuestion ? 'md' : (props.size ?? 'lg')}
        title={props.label}
        withCloseButton={!isHeld}
      >
        {isOpen && guarded(props.children)}
      </Modal>
    </>
  );
};
