import { isDeepStrictEqual } from 'node:util';
import type { AnyTable, DocumentKey, ReadStore, StoredDocument } from '../ports/read-store.js';

type Scanned = DocumentKey & StoredDocument;

/** One side of a comparison. */
export type Documents = {
  /** Ordered by scope and id. */
  scan(): AsyncIterable<Scanned>;
  /** Returned in the order of `keys`. */
  load(keys: readonly DocumentKey[]): Promise<readonly (StoredDocument | undefined)[]>;
};

/** A document in both generations. */
export type Pair = {
  readonly key: DocumentKey;
  readonly one: StoredDocument | undefined;
  readonly other: StoredDocument | undefined;
};

/** Candidates beyond this number are only counted. */
const MAX_CANDIDATES = 200_000;
const PART = 500;

/** All documents of a generation. */
export const documentsOfTable = (store: Pick<ReadStore, 'load' | 'scan'>, table: AnyTable): Documents => ({
  scan: () => store.scan(table),
  load: (keys) => store.load(table, keys),
});

/**
 * Compares two generations in two steps because both are written meanwhile. `candidates` scans them and returns the
 * documents that differed. Equal documents stay equal: both generations fold the same events. `pairsOf` then reloads
 * the candidates once both generations are at the same position.
 */
export async function candidates(
  one: Documents,
  other: Documents,
  goesOn: () => boolean,
): Promise<{ readonly keys: readonly DocumentKey[]; readonly more: number }> {
  const keys: DocumentKey[] = [];
  let more = 0;
  for await (const [a, b] of merged(one, other)) {
    if (!goesOn()) break;
    const first = a ?? b;
    if (!first || (a?.position === b?.position && isSame(a, b))) continue;
    if (keys.length < MAX_CANDIDATES) keys.push({ scope: first.scope, id: first.id });
    else more += 1;
  }
  return { keys, more };
}

/** Loads the current documents of both sides. */
export async function* pairsOf(one: Documents, other: Documents, keys: readonly DocumentKey[]): AsyncIterable<Pair> {
  for (let from = 0; from < keys.length; from += PART) {
    const part = keys.slice(from, from + PART);
    const [left, right] = [await one.load(part), await other.load(part)];
    for (const [at, key] of part.entries()) yield { key, one: left[at], other: right[at] };
  }
}

/** Whether both documents are equal or both absent. Their JSON text may differ: members keep insertion order. */
export function isSame(a: StoredDocument | undefined, b: StoredDocument | undefined): boolean {
  const [one, other] = [a?.json ?? null, b?.json ?? null];
  if (one === other) return true;
  return one !== null && other !== null && isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

async function* merged(one: Documents, other: Documents): AsyncIterable<readonly (Scanned | undefined)[]> {
  const [left, right] = [one.scan()[Symbol.asyncIterator](), other.scan()[Symbol.asyncIterator]()];
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

/** A finished scan sorts last. */
function compare(a: DocumentKey | undefined, b: DocumentKey | undefined): number {
  if (a === undefined) return 1;
  return b === undefined ? -1 : compareKeys(a, b);
}

/** Orders by scope and id. An engine with another text collation yields more candidates, never fewer. */
export function compareKeys(a: DocumentKey, b: DocumentKey): number {
  if (a.scope !== b.scope) return a.scope < b.scope ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
