import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download } from '../api/download';
import { ActionButton } from './action-button';
import { t } from '../messages/catalogue';

type Props = {
  readonly path: string;
  /** Media type. Default: `text/csv`. */
  readonly type?: string;
  readonly fileName: string;
  readonly label?: string;
};

/** Downloads a list or report under a file name that describes its content. */
export function ExportButton({ path, type = 'text/csv', fileName, label = t('Download CSV') }: Props): ReactNode {
  const action = useMutation({ mutationFn: () => download(path, type, fileName) });
  return <ActionButton action={action} icon="download" label={label} />;
}

/** Removes characters that file systems reject in file names. */
export const fileNameOf = (...parts: readonly (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined)
    .join('-')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
