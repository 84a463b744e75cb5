import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Form } from './form';

const SEPARATOR = ' ';

/** Returns the chosen values of a field that accepts several. */
export const chosenIn = (value: string | undefined): string[] =>
  (value ?? '').split(SEPARATOR).filter((each) => each !== '');

export const joined = (values: readonly string[]): string => values.join(SEPARATOR);

type Props = {
  readonly form: Form;
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
};

/** Checkboxes for a field that accepts several values. */
export const ManyOfField = ({ form, name, label, options }: Props): ReactNode => (
  <Checkbox.Group
    error={form.fault(name)}
    label={label}
    onChange={(values) => {
      // Chosen values that are not among the options are kept.
      const order = options.map(([value]) => value);
      form.set(name, joined([...values].sort((a, b) => order.indexOf(a) - order.indexOf(b))));
    }}
    value={chosenIn(form.values[name])}
  >
    <div className="k-checks">
      {options.map(([value, words]) => (
        <Checkbox key={value} label={words} value={value} />
      ))}
    </div>
  </Checkbox.Group>
);
