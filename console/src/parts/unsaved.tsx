import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { t } from '../messages/catalogue';

/** Reports to the surrounding dialog whether its form contains input. */
const Unsaved = createContext<(isFilled: boolean) => void>(() => undefined);

export function useUnsaved(isFilled: boolean): void {
  const report = useContext(Unsaved);
  useEffect(() => {
    report(isFilled);
    return () => {
      report(false);
    };
  }, [report, isFilled]);
}

type Guard = {
  /** Closes the dialog. If the form contains input, asks for confirmation first. */
  readonly leave: () => void;
  readonly guarded: (children: ReactNode) => ReactNode;
};

/** Protects a dialog's input from being lost through Escape, the close button, or leaving the page. */
export function useUnsavedGuard(close: () => void): Guard {
  const filled = useRef(false);
  const [report] = useState(() => (isFilled: boolean) => {
    filled.current = isFilled;
  });
  const [isFilled] = useState(() => () => filled.current);
  const [isAsking, setAsking] = useState(false);
  return {
    leave: () => {
      if (filled.current) setAsking(true);
      else close();
    },
    guarded: (children) => (
      <Unsaved value={report}>
        {children}
        <PageChange isFilled={isFilled} />
        {isAsking && (
          <Question
            onDiscard={() => {
              setAsking(false);
              close();
            }}
            onKeep={() => {
              setAsking(false);
            }}
          />
        )}
      </Unsaved>
    ),
  };
}

type Place = { readonly pathname: string };
type Move = { readonly current: Place; readonly next: Place };

/** If the form contains input, asks for confirmation before the user leaves the page, for example with Back. */
function PageChange({ isFilled }: { isFilled: () => boolean }): ReactNode {
  const [shouldBlockFn] = useState(
    () =>
      ({ current, next }: Move) =>
        isFilled() && current.pathname !== next.pathname,
  );
  const { status, proceed, reset } = useBlocker({ shouldBlockFn, enableBeforeUnload: isFilled, withResolver: true });
  return status === 'blocked' && <Question onDiscard={proceed} onKeep={reset} />;
}

type QuestionProps = { readonly onKeep: () => void; readonly onDiscard: () => void };

/** Must be mounted only while open. Otherwise, the key press that opens the dialog would also close it. */
const Question = ({ onKeep, onDiscard }: QuestionProps): ReactNode => (
  <Modal centered onClose={onKeep} opened size="sm" title={t('Discard your input?')} withCloseButton={false}>
    <Stack gap="md">
      <Text size="sm">{t('The form has not been saved.')}</Text>
      <Group justify="flex-end">
        <Button color="red" onClick={onDiscard} variant="default">
          {t('Discard')}
        </Button>
        <Button data-autofocus onClick={onKeep}>
          {t('Keep editing')}
        </Button>
      </Group>
    </Stack>
  </Modal>
);
