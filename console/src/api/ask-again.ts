import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries with this key prefix. First cancels requests in flight: their responses may predate the
 * change, but a query without data would treat them as up to date.
 */
export function askAgain(cache: QueryClient, queryKey: QueryKey): void {
  void cache.cancelQueries({ queryKey }).then(() => cache.invalidateQueries({ queryKey }));
}
