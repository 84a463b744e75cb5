import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';

const TYPING_MS = 400;

type Props = {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
};

/** A filter by something typed exactly, such as an id. */
export function TextFilter({ label, value = '', onChange, placeholder }: Props): ReactNode {
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setTyped(value);
  }
  const tell = useDebouncedCallback((text: string) => {
    setShown(text);
    onChange(text === '' ? undefined : text);
  }, TYPING_MS);
  return (
    <TextInput
      className="k-choice"
      label={label}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value;
        setTyped(text);
        tell(text.trim());
      }}
      placeholder={placeholder}
      value={typed}
    />
  );
}
