import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries with this key prefix. First cancels requests in flight, because their responses may predate
 * the change. A query without data would treat such a response as up to date.
 */
export function askAgain(cache: QueryClient, queryKey: QueryKey): void {
  void cache.cancelQueries({ queryKey }).then(() => cache.invalidateQueries({ queryKey }));
}
