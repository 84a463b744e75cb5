import { Link, useLocation, type LinkProps } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { useMe } from '../api/me';
import type { ListParams } from './list-state';

/** The last search parameters of each list, keyed by user and path. They are lost when the page is reloaded. */
const visited = new Map<string, ListParams>();

const useKeyOf = (): ((path: string) => string) => {
  const userId = useMe()?.user.id ?? '';
  return (path) => `${userId} ${path}`;
};

/** Remembers the current list's filters and page for links that lead back to it. */
export function useVisitedList(search: ListParams): void {
  const key = useKeyOf()(useLocation().pathname);
  useEffect(() => {
    visited.set(key, search);
  }, [key, search]);
}

type Props = { readonly to: NonNullable<LinkProps['to']>; readonly children: ReactNode };

/** Link from a record to its list, with the filters and the page that the user last viewed. */
export function BackLink({ to, children }: Props): ReactNode {
  const search = visited.get(useKeyOf()(to));
  return (
    <Link search={search ?? {}} to={to}>
      {children}
    </Link>
  );
}
