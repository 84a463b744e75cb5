import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ListParams } from './list-state';

/** Navigation options for URL changes within a page, which add no history entry and do not scroll. */
export const IN_PLACE = { replace: true, resetScroll: false } as const;

type Change = (search: ListParams) => ListParams;
type Options = { readonly replace?: boolean; readonly resetScroll?: boolean };

/** The search parameters that describe a list, and a function that changes them. */
export function useListSearch(): readonly [ListParams, (to: Change, options?: Options) => void] {
  const search: ListParams = useSearch({ strict: false });
  const navigate = useNavigate();
  return [search, (to, options) => void navigate({ to: '.', search: (now: ListParams) => to(now), ...options })];
}
