import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { KontorError } from '../api/problem';
import { amountOf, amountWords } from './amount';
import type { Version } from './edit-dialog';
import { useKeeping, useKeptDraft } from './kept-draft';
import { ProblemView } from './problem-view';
import { useUnsaved } from './unsaved';
import { t } from '../messages/catalogue';
import { serviceWords } from '../messages/service-words';

/** Form values by field path, in the service's notation (`owner.email`). */
export type Draft = Readonly<Record<string, string>>;

export type Form = {
  readonly values: Draft;
  readonly set: (name: string, value: string) => void;
  readonly replace: (values: Draft) => void;
  /** The service's validation error for a field. */
  readonly fault: (name: string) => string | undefined;
};

/** A form has one field for all items of a list, so an error in `types[0]` belongs to the `types` field. */
const fieldOf = (path: string): string => path.replace(/\[\d+\]$/, '');

/**
 * Form values with the service's validation errors. If the session ends, a form with a key restores its input after the
 * next sign-in. `base` is the version that the input changes.
 */
export function useForm(initial: Draft | (() => Draft), error: unknown, key?: string, base?: Version): Form {
  const draft = useKeptDraft(key);
  const [start] = useState(initial);
  const [values, replace] = useState(draft?.values ?? start);
  const isFilled = Object.keys(values).some((name) => values[name] !== start[name]);
  useUnsaved(isFilled);
  useKeeping(key, { values, ...(base && { base }) }, isFilled);
  return {
    values,
    replace,
    set: (name, value) => {
      replace((before) => ({ ...before, [name]: value }));
    },
    fault: (name) => {
      const fault = error instanceof KontorError ? error.errors.find(({ path }) => fieldOf(path) === name) : undefined;
      return fault && serviceWords(fault.message);
    },
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
  readonly inputMode?: 'decimal';
  readonly type?: 'time' | 'text' | 'email' | 'tel' | 'date' | 'password' | 'number' | 'datetime-local';
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
  inputMode,
}: TextProps): ReactNode => (
  <TextInput
    autoComplete={autoComplete ?? 'off'}
    data-autofocus={autoFocus}
    description={hint}
    error={form.fault(name)}
    inputMode={inputMode}
    label={label}
    onChange={({ currentTarget }) => {
      form.set(name, currentTarget.value);
    }}
    type={type ?? 'text'}
    value={form.values[name] ?? ''}
    required={required ?? false}
  />
);

type AmountProps = Omit<TextProps, 'type' | 'autoComplete' | 'inputMode'>;

/** Field for an amount in the viewer's notation, which `amountOf` converts for the service. */
export const AmountField = (props: AmountProps): ReactNode => (
  <TextField hint={t('For example, {value}', { value: amountWords('1250.00') })} inputMode="decimal" {...props} />
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

/** Error of the form as a whole. Does not repeat errors that are shown next to fields. */
export function FormProblem({ error, form }: { error: unknown; form: Form }): ReactNode {
  if (error === null) return null;
  const errors = error instanceof KontorError ? error.errors : [];
  const isAllShown = errors.length > 0 && errors.every(({ path }) => fieldOf(path) in form.values);
  if (!isAllShown) return <ProblemView error={error} />;
  return (
    <Text c="var(--k-bad)" role="alert" size="sm">
      {t('Nothing was saved. Correct the {errors, plural, one {marked field} other {# marked fields}}.', {
        errors: errors.length,
      })}
    </Text>
  );
}

/** Returns a field's trimmed value, or undefined if it is empty. */
export function given(values: Draft, name: string): string | undefined {
  const text = values[name]?.trim() ?? '';
  return text === '' ? undefined : text;
}

/** Returns the named fields that are not empty. */
export const someOf = <N extends string>(values: Draft, names: readonly N[]): Partial<Record<N, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given(values, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Partial<Record<N, string>>;

/** Prepares typed values for the service. Empty fields that may be cleared become null. */
export const cleared = (values: Draft, clearable: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(values).map(([name, typed]) => [
      name,
      clearable.includes(name) && typed.trim() === '' ? null : typed,
    ]),
  );

/** Converts the amounts in the named fields to the service's notation. */
export const withAmounts = (values: Draft, names: readonly string[]): Draft =>
  Object.fromEntries(
    Object.entries(values).map(([name, typed]) => [name, names.includes(name) ? amountOf(typed) : typed]),
  );
