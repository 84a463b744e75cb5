import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { download } from '../api/download';
import { useMe } from '../api/me';
import { ActionButton } from './action-button';
import { stringifySearch } from './search-params';
import { useZone } from './zone';
import { today } from './zone-days';
import { t } from '../messages/catalogue';

type Props = {
  readonly path: string;
  /** Media type. Default: `text/csv`. */
  readonly type?: string;
  readonly fileName: string;
  readonly label?: string;
};

/** Downloads a list or report. The file name describes the content. */
export function ExportButton({ path, type = 'text/csv', fileName, label = t('Download CSV') }: Props): ReactNode {
  const action = useMutation({ mutationFn: () => download(path, type, fileName) });
  return <ActionButton action={action} icon="download" label={label} />;
}

type ListProps = {
  readonly list:
    | 'accounts'
    | 'audit-logs'
    | 'branches'
    | 'customers'
    | 'integration-keys'
    | 'platform/audit-logs'
    | 'sales'
    | 'transaction-categories'
    | 'transaction-categories/rules'
    | 'transactions'
    | 'users';
  /** Filters of the list. */
  readonly query?: Readonly<Record<string, unknown>>;
};

/**
 * Downloads all pages of a list. The file name contains the tenant's slug, the name of the list, and the current date.
 */
export function ListExport({ list, query = {} }: ListProps): ReactNode {
  const name = useFileName(list, today(useZone()));
  return <ExportButton fileName={`${name}.csv`} path={`/api/${list}${stringifySearch(query)}`} />;
}

/** Returns a file name that begins with the tenant's slug. */
export const useFileName = (...parts: readonly (string | undefined)[]): string =>
  fileNameOf(useMe()?.tenant?.slug ?? 'kontor', ...parts);

/** Joins the parts of a file name and removes characters that file systems reject. */
export const fileNameOf = (...parts: readonly (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined)
    .join('-')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
