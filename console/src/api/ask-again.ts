import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries with this key prefix. First cancels in-flight requests, because their responses may predate
 * the change. A query without data would otherwise treat such a response as current.
 */
export function askAgain(cache: QueryClient, queryKey: QueryKey): void {
  void cache.cancelQueries({ queryKey }).then(() => cache.invalidateQueries({ queryKey }));
}
