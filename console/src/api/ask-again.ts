import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Has queries whose keys begin so answered anew. An answer that is still under way is called off: it may be older than
 * what has happened, and a query that never had one would take it for the new one.
 */
export function askAgain(cache: QueryClient, queryKey: QueryKey): void {
  void cache.cancelQueries({ queryKey }).then(() => cache.invalidateQueries({ queryKey }));
}
