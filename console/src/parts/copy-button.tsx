import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icons';

const SHOWN_MS = 2_000;

/** Copies a value; says for a moment that it did, or that the browser does not let it. */
export function CopyButton({ value, what }: { value: string; what: string }): ReactNode {
  const { copy, copied, error } = useClipboard({ timeout: SHOWN_MS });
  // Browsers have one where the address is HTTPS or this machine.
  if (!('clipboard' in navigator)) return null;
  const words = copied ? `Copied the ${what}` : error === null ? `Copy the ${what}` : `The ${what} could not be copied`;
  return (
    <ActionIcon
      aria-label={words}
      onClick={() => {
        copy(value);
      }}
      size="sm"
      title={words}
      variant="subtle"
    >
      <Icon name={copied ? 'check' : error === null ? 'copy' : 'alert'} size={15} />
    </ActionIcon>
  );
}
