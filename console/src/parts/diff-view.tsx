import type { ReactNode } from 'react';
import { t } from '../messages/catalogue';

export type Change = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

const shown = (value: unknown): string =>
  value === undefined || value === null ? '—' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/**
 * Changes of a record, field by field. Words and signs distinguish old values from new ones. Colours only reinforce the
 * distinction.
 */
export function DiffView({ changes, label }: { changes: readonly Change[]; label: string }): ReactNode {
  if (changes.length === 0) return <p className="k-empty">{t('No visible changes.')}</p>;
  return (
    <div aria-label={label} className="k-scroll" role="group" tabIndex={0}>
      <table className="k-table k-diff">
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            <th scope="col">{t('Before')}</th>
            <th scope="col">{t('After')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>
                <del>{shown(before)}</del>
              </td>
              <td>
                <ins>{shown(after)}</ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
