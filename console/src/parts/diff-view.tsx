import type { ReactNode } from 'react';
import { fieldWords } from './audit-words';
import { FieldValue } from './field-value';
import { t } from '../messages/catalogue';

export type Change = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

/** A field's name. A name without a translation is shown as code. */
function FieldName({ path }: Pick<Change, 'path'>): ReactNode {
  const words = fieldWords(path);
  return words === path ? <code>{path}</code> : <span title={path}>{words}</span>;
}

/**
 * Changes to a record, field by field. Words and signs distinguish old values from new ones, and colors only reinforce
 * this distinction.
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
                <FieldName path={path} />
              </th>
              <td>
                <del>
                  <FieldValue path={path} value={before} />
                </del>
              </td>
              <td>
                <ins>
                  <FieldValue path={path} value={after} />
                </ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
