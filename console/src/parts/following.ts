import { useState } from 'react';

/**
 * State that begins with what a page has, and again whenever that changes (or `of`, which it is made from): what holds the
 * focus stays where it is.
 */
export function useFollowing<T>(value: T, of: unknown = value): readonly [held: T, hold: (next: T) => void] {
  const [held, hold] = useState(value);
  const [from, setFrom] = useState(of);
  if (from === of) return [held, hold];
  setFrom(of);
  hold(value);
  return [value, hold];
}
