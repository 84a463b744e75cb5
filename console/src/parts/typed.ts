import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const TYPING_MS = 300;

/**
 * The text typed into a filter. It is reported when the user pauses, and replaced if the URL changes for another
 * reason.
 */
export function useTyped(
  value = '',
  onChange: (value: string | undefined) => void,
): readonly [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const [told, setTold] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setTold(value);
    // If the typed text itself has changed the URL, the text is kept, because the user may still be typing.
    if (told !== value) setTyped(value);
  }
  const tell = useDebouncedCallback((text: string) => {
    setTold(text);
    onChange(text === '' ? undefined : text);
  }, TYPING_MS);
  const type = (text: string): void => {
    setTyped(text);
    tell(text.trim());
  };
  return [typed, type];
}
