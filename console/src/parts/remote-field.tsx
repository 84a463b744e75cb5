import type { ReactNode } from 'react';
import type { Form } from './form';
import { RemoteChoice, type Source } from './remote-choice';

type Props = {
  readonly form: Form;
  readonly name: string;
  readonly label: string;
  readonly source: Source;
  readonly hint?: string;
};

/** Form field that holds a reference to a record. */
export const RemoteField = ({ form, name, label, source, hint }: Props): ReactNode => (
  <RemoteChoice
    error={form.fault(name)}
    hint={hint}
    label={label}
    none="None"
    onChange={(id) => {
      form.set(name, id ?? '');
    }}
    source={source}
    value={form.values[name] === '' ? undefined : form.values[name]}
  />
);
