import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icons';

const SHOWN_MS = 2_000;

/** Copies a value, then briefly reports success or that the browser denied access to the clipboard. */
export function CopyButton({ value, what }: { value: string; what: string }): ReactNode {
  const { copy, copied, error } = useClipboard({ timeout: SHOWN_MS });
  // The clipboard is available only over HTTPS or on localhost.
  if (!('clipboard' in navigator)) return null;
  const words = copied ? `Copied the ${what}` : error === null ? `Copy the ${what}` : `The ${what} could not be copied`;
  return (
    <ActionIcon
      aria-label={words}
      onClick={() => {
        copy(value);
      }}
      size={24}
      title={words}
      variant="subtle"
    >
      <Icon name={copied ? 'check' : error === null ? 'copy' : 'alert'} size={15} />
    </ActionIcon>
  );
}
