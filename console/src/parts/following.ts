import { useState } from 'react';

/**
 * State that is reset to `value` whenever `of` changes. By default, `of` is `value`. The component is not remounted, so
 * it keeps the focus.
 */
export function useFollowing<T>(value: T, of: unknown = value): readonly [held: T, hold: (next: T) => void] {
  const [held, hold] = useState(value);
  const [from, setFrom] = useState(of);
  if (from === of) return [held, hold];
  setFrom(of);
  hold(value);
  return [value, hold];
}
