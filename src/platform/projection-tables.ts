import { createHash } from 'node:crypto';
import type { EventReader } from '../ports/event-store.js';
import type { AnyTable, DocumentKey, ReadStore, StoredDocument } from '../ports/read-store.js';
import type { EventCatalogue } from './event-catalogue.js';
import { prefixesOf, type AnyProjection } from './projection.js';
import { project, Projector } from './projector.js';

/**
 * Folds the whole history, up to and including `upTo`, into a generation of a projection's table that nothing else
 * writes. Secondary indexes are built at the end. Answers how many events were folded.
 */
export async function rebuild(
  events: EventReader,
  store: ReadStore,
  catalogue: EventCatalogue,
  projection: AnyProjection,
  generation: number,
  upTo: number,
): Promise<number> {
  const table: AnyTable = { model: projection.model, generation };
  await store.drop(table);
  await store.prepare([table], { bulk: true });
  const projector = new Projector(store, { projection, table });
  const filter = { on: 'stream', prefixes: prefixesOf(projection, catalogue.streamPrefixes) } as const;
  const stop = new AbortController();
  let count = 0;
  for await (const batch of events.subscribeToAll({ after: -1, filter, maxBatchSize: 1_000, signal: stop.signal })) {
    const wanted = batch.events.filter(({ position }) => position <= upTo).map((event) => catalogue.decode(event));
    count += wanted.length;
    await project(store, [projector], wanted, Math.min(batch.position, upTo));
    if (batch.position >= upTo || batch.caughtUp) break;
  }
  stop.abort();
  await store.index(table);
  return count;
}

/** SHA-256 over all documents of a table with their positions, tombstones included: equal for equal contents. */
export async function hashOf(store: ReadStore, table: AnyTable): Promise<string> {
  const hash = createHash('sha256');
  for await (const { scope, id, json, position } of store.scan(table))
    hash.update(`${scope}\n${id}\n${position}\n${json ?? '-'}\n`);
  return hash.digest('hex');
}

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
