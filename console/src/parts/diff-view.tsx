import type { ReactNode } from 'react';
import { fieldWords } from './audit-words';
import { t } from '../messages/catalogue';

export type Change = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

/** Whether a value is a list of texts, which is shown without quotation marks. */
const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

function shown(value: unknown): string {
  if (value === undefined || value === null) return '—';
  if (isListOfTexts(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The name of a field. A name without a translation is shown as code. */
function FieldName({ path }: Pick<Change, 'path'>): ReactNode {
  const words = fieldWords(path);
  return words === path ? <code>{path}</code> : <span title={path}>{words}</span>;
}

/**
 * Changes of a record, field by field. Words and signs distinguish old values from new ones. Colors only reinforce the
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
                <FieldName path={path} />
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
