import { Button, Group, Modal, Stack, Text } from '@mantine/core';
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

/** Protects the input of a dialog against loss through Escape, the close button, or leaving the page. */
export function useUnsavedGuard(close: () => void): Guard {
  const filled = useRef(false);
  const [report] = useState(() => (isFilled: boolean) => {
    filled.current = isFilled;
  });
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (filled.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
    };
  }, []);
  return {
    leave: () => {
      if (filled.current) setAsking(true);
      else close();
    },
    guarded: (children) => (
      <Unsaved value={report}>
        {children}
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

type QuestionProps = { readonly onKeep: () => void; readonly onDiscard: () => void };

/** Mounted only while open. Otherwise, the key press that opens the question would also close it. */
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
