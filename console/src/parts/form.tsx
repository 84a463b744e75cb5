import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { KontorError } from '../api/problem';
import { ProblemView } from './problem-view';

/** What a form holds: text by the field's name, as the service names it (`owner.email`). */
export type Draft = Readonly<Record<string, string>>;

export type Form = {
  readonly values: Draft;
  readonly set: (name: string, value: string) => void;
  /** The service's own words about a field of what was sent. */
  readonly fault: (name: string) => string | undefined;
};

type FormState = Form & { readonly replace: (values: Draft) => void };

/** A form's values, and what the service found wrong with them. */
export function useForm(initial: Draft, error: unknown): FormState {
  const [values, replace] = useState(initial);
  return {
    values,
    replace,
    set: (name, value) => {
      replace((before) => ({ ...before, [name]: value }));
    },
    fault: (name) => (error instanceof KontorError ? error.fault(name) : undefined),
  };
}

type FieldProps = {
  readonly form: Form;
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
};

type TextProps = FieldProps & {
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'password' | 'number';
  readonly autoComplete?: string;
  readonly autoFocus?: boolean;
};

export const TextField = ({
  form,
  name,
  label,
  hint,
  required,
  type,
  autoComplete,
  autoFocus,
}: TextProps): ReactNode => (
  <TextInput
    autoComplete={autoComplete ?? 'off'}
    data-autofocus={autoFocus}
    description={hint}
    error={form.fault(name)}
    label={label}
    onChange={({ currentTarget }) => {
      form.set(name, currentTarget.value);
    }}
    type={type ?? 'text'}
    value={form.values[name] ?? ''}
    required={required ?? false}
  />
);

export const AreaField = ({ form, name, label, hint, required }: FieldProps): ReactNode => (
  <Textarea
    autosize
    description={hint}
    error={form.fault(name)}
    label={label}
    maxRows={8}
    minRows={2}
    onChange={({ currentTarget }) => {
      form.set(name, currentTarget.value);
    }}
    value={form.values[name] ?? ''}
    required={required ?? false}
  />
);

type OneOfProps = FieldProps & { readonly options: readonly (readonly [value: string, words: string])[] };

/** One of a few values. */
export const OneOfField = ({ form, name, label, hint, required, options }: OneOfProps): ReactNode => (
  <Select
    allowDeselect={false}
    checkIconPosition="right"
    data={options.map(([value, words]) => ({ value, label: words }))}
    description={hint}
    error={form.fault(name)}
    label={label}
    onChange={(chosen) => {
      form.set(name, chosen ?? '');
    }}
    value={form.values[name] ?? ''}
    required={required ?? false}
  />
);

/** What went wrong with a form as a whole: what is said at its fields is not said twice. */
export function FormProblem({ error, form }: { error: unknown; form: Form }): ReactNode {
  if (error === null) return null;
  const errors = error instanceof KontorError ? error.errors : [];
  const isAllShown = errors.length > 0 && errors.every(({ path }) => path in form.values);
  if (!isAllShown) return <ProblemView error={error} />;
  return (
    <Text c="var(--k-bad)" role="alert" size="sm">
      Nothing was saved: see the {errors.length === 1 ? 'field that is' : `${errors.length} fields that are`} marked.
    </Text>
  );
}

/** What was typed, without what surrounds it; undefined where nothing was. */
export function given(values: Draft, name: string): string | undefined {
  const text = values[name]?.trim() ?? '';
  return text === '' ? undefined : text;
}

/** The named values that were given. */
export const someOf = <N extends string>(values: Draft, names: readonly N[]): Partial<Record<N, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given(values, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Record<N, string>>;

/** What was typed as the service takes it: one of those that can be cleared is null where it was emptied. */
export const cleared = (values: Draft, clearable: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(values).map(([name, typed]) => [
      name,
      clearable.includes(name) && typed.trim() === '' ? null : typed,
    ]),
  );
