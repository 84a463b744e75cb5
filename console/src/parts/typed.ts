import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_MS = 300;

/** Converts between the text in a field and the value of its filter. An empty value sets no filter. */
type Notation = { readonly read: (text: string) => string; readonly write: (value: string) => string };
const AS_TYPED: Notation = { read: (text) => text, write: (value) => value };

/**
 * The text typed into a filter. It is reported when the user pauses, and replaced if the URL changes for another
 * reason.
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
    // If the typed text itself has changed the URL, the text is kept, because the user may still be typing.
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
