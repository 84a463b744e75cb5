import type { AnyTable, DocumentKey, ReadStore, StoredDocument } from '../ports/read-store.js';

type Scanned = DocumentKey & StoredDocument;

/**
 * Keys of documents that may differ between two tables: those in which they did when both were gone through, which takes
 * its time. Neither needs to stand still, as long as both are fed alike: what was equal stays so.
 */
export async function* differing(store: ReadStore, one: AnyTable, other: AnyTable): AsyncIterable<DocumentKey> {
  const left = store.scan(one)[Symbol.asyncIterator]();
  const right = store.scan(other)[Symbol.asyncIterator]();
  let [a, b] = [await next(left), await next(right)];
  while (a !== undefined || b !== undefined) {
    const order = compare(a, b);
    const first = order <= 0 ? a : b;
    if (first && (order !== 0 || isOther(a, b))) yield { scope: first.scope, id: first.id };
    if (order <= 0) a = await next(left);
    if (order >= 0) b = await next(right);
  }
}

const isOther = (a: Scanned | undefined, b: Scanned | undefined): boolean =>
  a?.json !== b?.json || a?.position !== b?.position;

const next = async (scan: AsyncIterator<Scanned>): Promise<Scanned | undefined> => {
  const { done, value } = (await scan.next()) as IteratorResult<Scanned, undefined>;
  return done ? undefined : value;
};

/** A scan that has ended comes after everything. Engines may order text otherwise: then more keys are told, never less. */
function compare(a: DocumentKey | undefined, b: DocumentKey | undefined): number {
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

const PART = 500;

/** How many of these documents differ now: in what they say, not in how far they are. */
export async function countDiffering(
  store: ReadStore,
  one: AnyTable,
  other: AnyTable,
  keys: readonly DocumentKey[],
): Promise<number> {
  let count = 0;
  for (let from = 0; from < keys.length; from += PART) {
    const part = keys.slice(from, from + PART);
    const [left, right] = [await store.load(one, part), await store.load(other, part)];
    count += part.filter((_, at) => (left[at]?.json ?? null) !== (right[at]?.json ?? null)).length;
  }
  return count;
}
