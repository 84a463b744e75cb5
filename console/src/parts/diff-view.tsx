import type { ReactNode } from 'react';
import { FieldValue } from './field-value';
import { t } from '../messages/catalogue';
import { fieldWords } from '../messages/field-words';

export type Change = { readonly path: string; readonly before?: unknown; readonly after?: unknown };

type Props = {
  readonly changes: readonly Change[];
  readonly label: string;
  /** Tenant of the record, for operators. */
  readonly tenantId?: string;
};

/**
 * Changes to a record, field by field. Words and signs distinguish old values from new ones, and colors only reinforce
 * this distinction.
 */
export function DiffView({ changes, label, tenantId }: Props): ReactNode {
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
              <th scope="row" title={path}>
                {fieldWords(path)}
              </th>
              <td>
                <del>
                  <FieldValue path={path} tenantId={tenantId} value={before} />
                </del>
              </td>
              <td>
                <ins>
                  <FieldValue path={path} tenantId={tenantId} value={after} />
                </ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
