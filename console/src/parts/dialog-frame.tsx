import { Button, Modal, type ButtonProps } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';

/** The button that opens a dialog. */
export type Opener = {
  /** The button's words, and the title of the dialog. */
  readonly label: string;
  readonly icon: IconName;
  /** What it is about, where the same button stands in every row. */
  readonly about?: string;
  readonly buttonProps?: ButtonProps;
  /** For what destroys or can't be undone. */
  readonly isDangerous?: boolean;
};

type Props = Opener & {
  readonly isOpen: boolean;
  /** While what comes of it must not be missed: nothing closes it but what is in it. */
  readonly isHeld: boolean;
  /** A question, with nothing typed that a click beside it could lose. */
  readonly isQuestion?: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A button, and the dialog that it opens. */
export const DialogFrame = (props: Props): ReactNode => {
  const { label, icon, about, buttonProps, isDangerous = false, isOpen, isHeld, isQuestion = false } = props;
  const client = useQueryClient();
  return (
    <>
      <Button
        aria-label={about === undefined ? undefined : `${label}: ${about}`}
        color={isDangerous ? 'red' : undefined}
        leftSection={<Icon name={icon} size={16} />}
        onClick={props.onOpen}
        size="xs"
        variant="default"
        {...buttonProps}
      >
        {label}
      </Button>
      <Modal
        centered={isQuestion}
        closeButtonProps={{ 'aria-label': 'Close' }}
        closeOnClickOutside={isQuestion && !isHeld}
        closeOnEscape={!isHeld}
        // What was sent a moment ago may not be drawn as held yet.
        onClose={() => {
          if (client.isMutating() === 0) props.onClose();
        }}
        opened={isOpen}
        size={isQuestion ? 'md' : 'lg'}
        title={label}
        withCloseButton={!isHeld}
      >
        {isOpen && props.children}
      </Modal>
    </>
  );
};
