import { words } from '../ports/search.js';

/** How many of the records found are compared: the newest of them, where there are more. */
export const CANDIDATES = 100;
const SHOWN = 20;

/**
 * The records that a look-up shows, the best match first: the code itself, the name itself, names that begin with the
 * words searched for, names that begin with their letters, then the others. Equal matches stay in the order found.
 */
export function bestMatches<T extends { readonly name: string; readonly code: string | null }>(
  found: readonly T[],
  search: string | undefined,
): T[] {
  const wanted = words(search ?? '').join(' ');
  if (wanted === '') return found.slice(0, SHOWN);
  const ranked = found.map((record) => ({ record, rank: rankOf(record, wanted) }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN)
    .map(({ record }) => record);
}

function rankOf({ name, code }: { readonly name: string; readonly code: string | null }, wanted: string): number {
  if (code !== null && words(code).join(' ') === wanted) return 0;
  const own = words(name).join(' ');
  if (own === wanted) return 1;
  if (own.startsWith(`${wanted} `)) return 2;
  return own.startsWith(wanted) ? 3 : 4;
}
