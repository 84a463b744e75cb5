import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_MS = 300;

/** Converts between the text in a field and its filter value. An empty value clears the filter. */
type Notation = { readonly read: (text: string) => string; readonly write: (value: string) => string };
const AS_TYPED: Notation = { read: (text) => text, write: (value) => value };

/**
 * Holds the text typed into a filter. The text is reported when the user pauses, and replaced if the URL changes for
 * another reason.
 */
export function useTyped(
  value = '',
  onChange: (value: string | undefined) => void,
  { read, write } = AS_TYPED,
): readonly [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(write(value));
  const [told, setTold] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setTold(value);
    // If the typed text itself caused the URL change, it is kept, because the user may still be typing.
    if (told !== value) setTyped(write(value));
  }
  const tell = useDebouncedCallback((text: string) => {
    const next = read(text);
    setTold(next);
    onChange(next === '' ? undefined : next);
  }, TYPING_MS);
  const type = (text: string): void => {
    setTyped(text);
    tell(text.trim());
  };
  return [typed, type];
}
