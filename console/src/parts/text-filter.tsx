import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTyped } from './typed';

type Props = {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
};

/** Filter for an exact value, such as an id. */
export function TextFilter({ label, value, onChange, placeholder }: Props): ReactNode {
  const [typed, type] = useTyped(value, onChange);
  return (
    <TextInput
      className="k-choice"
      label={label}
      onChange={({ currentTarget }) => {
        type(currentTarget.value);
      }}
      placeholder={placeholder}
      value={typed}
    />
  );
}
