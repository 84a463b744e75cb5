import { useEffect, useState } from 'react';
import { useMe } from '../api/me';
import { hasEnded } from '../api/session';
import type { Draft } from './form';

type Kept = { readonly key: string; readonly userId: string; readonly values: Draft };

/**
 * Input in the form that was open when the session ended. It is kept only in memory, and only for the user who typed
 * it.
 */
let kept: Kept | undefined;

/** Returns a key that identifies a form by its page, label and subject. */
export const draftKey = ({ label, about = '' }: { readonly label: string; readonly about?: string }): string =>
  `${window.location.pathname} ${label} ${about}`;

/** Returns the input that the user typed into this form before the session ended, if any. */
export function useKeptDraft(key: string | undefined): Draft | undefined {
  const userId = useMe()?.user.id;
  const [draft] = useState(() =>
    kept !== undefined && kept.key === key && kept.userId === userId ? kept.values : undefined,
  );
  return draft;
}

/**
 * Keeps the input if the session ends while the form is open. Otherwise, the input is discarded when the form closes.
 */
export function useKeeping(key: string | undefined, values: Draft, isFilled: boolean): void {
  const userId = useMe()?.user.id;
  useEffect(
    () => () => {
      if (key === undefined) return;
      if (!hasEnded()) kept = undefined;
      else if (isFilled && userId !== undefined) kept = { key, userId, values };
    },
    [key, values, isFilled, userId],
  );
}
