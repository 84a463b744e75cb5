import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from './icons';
import { t } from '../messages/catalogue';

const SHOWN_MS = 2_000;

/** Copies a value, and then briefly reports success or that the browser has denied access to the clipboard. */
export function CopyButton({ value, what }: { value: string; what: string }): ReactNode {
  const { copy, copied, error } = useClipboard({ timeout: SHOWN_MS });
  // The clipboard is available only over HTTPS or on localhost.
  if (!('clipboard' in navigator)) return null;
  const words = copied
    ? t('Copied the {what}', { what })
    : error === null
      ? t('Copy the {what}', { what })
      : t('The {what} could not be copied', { what });
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
