import type { ReactNode } from 'react';
import type { Form } from './form';
import { RemoteChoice, type Source } from './remote-choice';
import { t } from '../messages/catalogue';

type Props = {
  readonly form: Form;
  readonly name: string;
  readonly label: string;
  readonly source: Source;
  readonly hint?: string;
  readonly required?: boolean;
};

/** Form field for a reference to a record. */
export const RemoteField = ({ form, name, label, source, hint, required = false }: Props): ReactNode => (
  <RemoteChoice
    error={form.fault(name)}
    hint={hint}
    label={label}
    none={required ? t('Choose one') : t('None')}
    onChange={(id) => {
      form.set(name, id ?? '');
    }}
    required={required}
    source={source}
    value={form.values[name] === '' ? undefined : form.values[name]}
  />
);
