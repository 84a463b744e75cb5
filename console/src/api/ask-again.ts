import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries with this key prefix. Requests in flight are cancelled first: their responses may predate the
 * change, and a query without data would take such a response as current.
 */
export function askAgain(cache: QueryClient, queryKey: QueryKey): void {
  void cache.cancelQueries({ queryKey }).then(() => cache.invalidateQueries({ queryKey }));
}
