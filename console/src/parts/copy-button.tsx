import { ActionIcon } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Icon } from './icons';

const SHOWN_MS = 2_000;

/** Browsers have one where the address is HTTPS or this machine. */
const { clipboard } = navigator as { readonly clipboard?: Clipboard };

/** Copies a value; says so for a moment. */
export function CopyButton({ value, what }: { value: string; what: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  if (clipboard === undefined) return null;
  const copy = async (): Promise<void> => {
    await clipboard.writeText(value);
    setCopied(true);
    window.setTimeout(() => {
      setCopied(false);
    }, SHOWN_MS);
  };
  return (
    <ActionIcon
      aria-label={copied ? `Copied the ${what}` : `Copy the ${what}`}
      onClick={() => void copy()}
      size="sm"
      title={copied ? 'Copied' : `Copy the ${what}`}
      variant="subtle"
    >
      <Icon name={copied ? 'check' : 'copy'} size={15} />
    </ActionIcon>
  );
}
