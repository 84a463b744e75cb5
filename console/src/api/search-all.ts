import { isOperator, type Me } from './me';
import { BOOKS } from './search-books';
import type { Found, Group, OpenPage } from './search-kind';
import { OPERATIONS } from './search-operations';

type FoundRecords = { readonly groups: readonly Group[]; readonly failures: readonly unknown[] };

/**
 * Returns matching records of the kinds whose pages the user may visit, and an error for each kind that could not be
 * searched.
 */
export async function findRecords(
  me: Me,
  open: readonly OpenPage[],
  search: string,
  signal: AbortSignal,
): Promise<FoundRecords> {
  const kinds = (isOperator(me) ? OPERATIONS : BOOKS).flatMap((kind) => {
    const label = open.find(({ to }) => to === kind.page)?.label;
    return label === undefined ? [] : [{ label, find: kind.find }];
  });
  const results = await Promise.allSettled(kinds.map(({ find }) => find(search, signal)));
  const found = new Map<string, readonly Found[]>();
  results.forEach((each, index) => {
    const label = kinds[index]?.label ?? '';
    if (each.status === 'fulfilled') found.set(label, [...(found.get(label) ?? []), ...each.value]);
  });
  return {
    groups: [...found].map(([label, entries]) => ({ label, found: entries })),
    failures: results.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : [])),
  };
}
