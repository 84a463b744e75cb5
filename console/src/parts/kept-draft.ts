import { useEffect, useState } from 'react';
import { useMe } from '../api/me';
import { hasEnded } from '../api/session';
import type { Version } from './edit-dialog';
import type { Draft } from './form';

/** Input, and the version of the record that it changes. */
type Input = { readonly values: Draft; readonly base?: Version };

type Kept = Input & { readonly key: string; readonly userId: string };

/**
 * Input in the form that was open when the session ended. It is kept only in memory, and only for the user who typed
 * it.
 */
let kept: Kept | undefined;

/** Returns a key that identifies a form by its page, label and subject. */
export const draftKey = ({ label, about = '' }: { readonly label: string; readonly about?: string }): string =>
  `${window.location.pathname} ${label} ${about}`;

/** Returns the input that the user typed into this form before the session ended, if any. */
export function useKeptDraft(key: string | undefined): Input | undefined {
  const userId = useMe()?.user.id;
  const [draft] = useState(() => (kept !== undefined && kept.key === key && kept.userId === userId ? kept : undefined));
  return draft;
}

/**
 * Keeps the input if the session ends while the form is open. Otherwise, the input is discarded when the form closes.
 */
export function useKeeping(key: string | undefined, { values, base }: Input, isFilled: boolean): void {
  const userId = useMe()?.user.id;
  useEffect(
    () => () => {
      if (key === undefined) return;
      if (!hasEnded()) kept = undefined;
      else if (isFilled && userId !== undefined) kept = { key, userId, values, ...(base && { base }) };
    },
    [key, values, base, isFilled, userId],
  );
}
