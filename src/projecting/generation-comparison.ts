import { isDeepStrictEqual } from 'node:util';
import type { AnyTable, DocumentKey, ReadStore, StoredDocument } from '../ports/read-store.js';

type Scanned = DocumentKey & StoredDocument;
type Store = Pick<ReadStore, 'load' | 'scan'>;

/** Maximum number of candidates whose keys are kept. Additional candidates are only counted. */
const MAX_CANDIDATES = 200_000;
const PART = 500;

/**
 * Compares two generations in two steps, because documents are still being written to both. `candidates` scans both
 * generations and returns the documents that differ. Equal documents remain equal, because both generations fold the
 * same events. `countChanged` then reloads the candidates once both generations are at the same position.
 */
export async function candidates(
  store: Store,
  one: AnyTable,
  other: AnyTable,
  goesOn: () => boolean,
): Promise<{ readonly keys: readonly DocumentKey[]; readonly more: number }> {
  const keys: DocumentKey[] = [];
  let more = 0;
  for await (const [a, b] of merged(store.scan(one), store.scan(other))) {
    if (!goesOn()) break;
    const first = a ?? b;
    if (!first || (a?.position === b?.position && isSame(a, b))) continue;
    if (keys.length < MAX_CANDIDATES) keys.push({ scope: first.scope, id: first.id });
    else more += 1;
  }
  return { keys, more };
}

/** Returns the number of candidates that still differ. */
export async function countChanged(
  store: Store,
  one: AnyTable,
  other: AnyTable,
  keys: readonly DocumentKey[],
): Promise<number> {
  let changed = 0;
  for (let from = 0; from < keys.length; from += PART) {
    const part = keys.slice(from, from + PART);
    const [left, right] = [await store.load(one, part), await store.load(other, part)];
    changed += part.filter((_, at) => !isSame(left[at], right[at])).length;
  }
  return changed;
}

/** Number of comparisons after which documents whose positions still differ are considered changed. */
const MAX_COMPARISONS = 50;

/**
 * Returns the number of candidates that differ although both generations contain the same events. If a document's
 * positions differ because another process is writing it, repeats the comparison after `pause`.
 */
export async function countSettled(
  store: Store,
  one: AnyTable,
  other: AnyTable,
  keys: readonly DocumentKey[],
  pause: () => Promise<boolean>,
): Promise<number> {
  let changed = 0;
  let open = keys;
  for (let round = 0; open.length > 0; round += 1) {
    const moving: DocumentKey[] = [];
    for (let from = 0; from < open.length; from += PART) {
      const part = open.slice(from, from + PART);
      const [left, right] = [await store.load(one, part), await store.load(other, part)];
      const different = part.map((_, at) => at).filter((at) => !isSame(left[at], right[at]));
      const settled = different.filter((at) => left[at]?.position === right[at]?.position);
      changed += settled.length;
      for (const at of different) if (!settled.includes(at)) moving.push(part[at] as DocumentKey);
    }
    open = moving;
    if (round === MAX_COMPARISONS || (open.length > 0 && !(await pause()))) break;
  }
  return changed + open.length;
}

/**
 * Whether the two documents are equal, or both are absent. The JSON of equal documents may list their members in different
 * orders.
 */
export function isSame(a: StoredDocument | undefined, b: StoredDocument | undefined): boolean {
  const [one, other] = [a?.json ?? null, b?.json ?? null];
  if (one === other) return true;
  return one !== null && other !== null && isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

async function* merged(
  one: AsyncIterable<Scanned>,
  other: AsyncIterable<Scanned>,
): AsyncIterable<readonly (Scanned | undefined)[]> {
  const [left, right] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()];
  let [a, b] = [await next(left), await next(right)];
  while (a !== undefined || b !== undefined) {
    const order = compare(a, b);
    yield [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
    if (order <= 0) a = await next(left);
    if (order >= 0) b = await next(right);
  }
}

const next = async (scan: AsyncIterator<Scanned>): Promise<Scanned | undefined> => {
  const { done, value } = (await scan.next()) as IteratorResult<Scanned, undefined>;
  return done ? undefined : value;
};

/**
 * Orders by scope and id. A finished scan sorts last. If an engine collates text differently, the comparison yields
 * more candidates, never fewer.
 */
function compare(a: DocumentKey | undefined, b: DocumentKey | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
