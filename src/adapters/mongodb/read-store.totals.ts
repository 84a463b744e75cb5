import { LRUCache } from 'lru-cache';
import { ReadConcern, type Document, type FindOptions } from 'mongodb';
import { atMost } from '../../ports/entry-limit.js';
import { ReadStoreUnavailable, type Scalar, type Scope } from '../../ports/read-store.js';
import type { MongoConnection, Stored } from './connection.js';
import { isDuplicateKey } from './connection.faults.js';
import type { Column, Shape } from './read-store.collections.js';

const TOTALS = 'kontor_totals';
/**
 * Number of changed documents after which the stored totals are updated. Until then, every query adds these documents'
 * changes.
 */
const SETTLE_EVERY = 500;
/**
 * Maximum number of unsettled documents. A larger number means that settling has failed. Queries then count the
 * documents instead.
 */
const MAX_UNSETTLED = 5_000;
const MAX_REMEMBERED = 10_000;
/**
 * Place of a change that was written without a checkpoint, such as a document repair. The change is never added to the
 * stored total, so every query adds it.
 */
const BESIDE = Number.MAX_SAFE_INTEGER;
/**
 * Local reads are sufficient, because a primary has every majority-acknowledged write, even before it receives the
 * acknowledgement.
 */
const local = new ReadConcern('local');

/** A document's contribution to totals: its day, then the keys of its totals. Empty for a tombstone. */
type Share = readonly string[];
/** Stored totals by key. `n` is the total over all days, and `d` contains the total for each day. */
type StoredTotals = Readonly<Record<string, { readonly n?: number; readonly d?: Readonly<Record<string, number>> }>>;
/** An earlier contribution, which applied from place `q`. */
type Past = { readonly q: number; readonly v: Share };
/** A document with the data needed for totals. */
type Traced = Stored & { q: number; o?: readonly Past[] };

/** Number of documents, in total and by day. */
export type Total = { readonly count: number; readonly days: ReadonlyMap<Scalar | null, number> };
/** Number of documents whose contribution a batch changed, by scope. */
export type Changes = Map<Scope, number>;

const ALL = 'all';
const encoded = (value: Scalar | null): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (day: string): Scalar | null => JSON.parse(Buffer.from(day, 'base64url').toString()) as Scalar | null;

/** Returns the key of a stored total: for all documents, or for those with a given value in a counted field. */
export const totalKey = (column?: Column, value: Scalar | null = null): string =>
  column ? `${column.field}-${encoded(value)}` : ALL;

const scalarOf = (document: Stored, path: string): Scalar | null => (document[path] ?? null) as Scalar | null;

function shareOf({ counted, day }: Shape, document: Stored): Share {
  if (!('s' in document)) return [];
  const keys = counted.flatMap((column) => {
    const value = scalarOf(document, column.path);
    return value === null ? [] : [totalKey(column, value)];
  });
  return [encoded(day ? scalarOf(document, day.path) : null), ALL, ...keys];
}

/** Returns a document's contribution at a place. */
function shareAt(shape: Shape, document: Traced, place: number): Share {
  if (document.q <= place) return shareOf(shape, document);
  return document.o?.findLast(({ q }) => q <= place)?.v ?? [];
}

const isSame = (a: Share, b: Share): boolean => a.join() === b.join();

/** Sums of contributions, by key and day. */
class Sums {
  readonly byKey = new Map<string, Map<string, number>>();

  add([day, ...keys]: Share, amount: 1 | -1): void {
    if (day === undefined) return;
    for (const key of keys) {
      const days = this.byKey.get(key) ?? new Map<string, number>();
      days.set(day, (days.get(day) ?? 0) + amount);
      this.byKey.set(key, days);
    }
  }

  /** Returns the `$inc` update for a document in TOTALS. */
  increments(): Record<string, number> {
    const all: Record<string, number> = {};
    for (const [key, days] of this.byKey) {
      for (const [day, amount] of days) {
        if (amount === 0) continue;
        all[`c.${key}.d.${day}`] = amount;
        all[`c.${key}.n`] = (all[`c.${key}.n`] ?? 0) + amount;
      }
    }
    return all;
  }
}

/**
 * Maintains exact totals without transactions or counting. A stored total covers everything written up to a checkpoint,
 * the place `p`. Each document records the place from which its current contribution applies (`q`) and its earlier
 * contributions (`o`). A total is therefore the stored total plus the changes from the documents whose `q` is beyond
 * `p`. Only a few such documents exist. After a few hundred changes, an update conditional on `p` adds these changes to
 * the stored total. A crash at any point leaves either the old or the new place.
 */
export class ReadStoreTotals {
  /** Last known place of each stored total and the number of changes since then. */
  private readonly settled = new LRUCache<string, { place: number; changes: number }>(atMost(MAX_REMEMBERED));

  constructor(
    private readonly mongo: MongoConnection,
    private readonly settleEvery = SETTLE_EVERY,
  ) {}

  /**
   * Records earlier contributions in the documents about to be written. @returns the documents that must not be
   * written, because their stored version is not the expected one
   */
  async trace(
    shape: Shape,
    writes: readonly { readonly document: Stored; readonly scope: Scope; readonly expected: number | null }[],
    hasCheckpoint: boolean,
    changes: Changes,
  ): Promise<Set<Stored>> {
    const updates = writes.filter(({ expected }) => expected !== null);
    const before = await this.before(
      shape,
      updates.map(({ document }) => document._id),
    );
    const outdated = new Set<Stored>();
    for (const { document, scope, expected } of writes) {
      const known = this.settled.get(idOf(shape, scope))?.place ?? -1;
      const traced = Object.assign(document, { t: scope, q: hasCheckpoint ? placeOf(document, known) : BESIDE });
      const old = before.get(document._id);
      if (expected !== null && old?.p !== expected) outdated.add(document);
      else if (!old || this.follow(shape, traced, old, known)) note(changes, scope);
    }
    return outdated;
  }

  /** @returns whether the document's contribution changed */
  private follow(shape: Shape, traced: Traced, old: Traced, known: number): boolean {
    const was = shareOf(shape, old);
    if (isSame(was, shareOf(shape, traced))) {
      Object.assign(traced, { q: old.q }, old.o && { o: old.o });
      return false;
    }
    const past = [...(old.o ?? []), { q: old.q, v: was }].filter(({ q }) => q < traced.q);
    // Of the contributions at settled places, only the last is needed.
    traced.o = past.slice(
      Math.max(
        0,
        past.findLastIndex(({ q }) => q <= known),
      ),
    );
    return true;
  }

  /**
   * Counts the changes of a batch. After enough changes, adds all changes up to a stored checkpoint to the stored
   * totals. Does not throw ReadStoreUnavailable.
   */
  async settle(shape: Shape, changes: Changes, checkpointOf: (scope: Scope) => number): Promise<void> {
    for (const [scope, count] of changes) {
      const id = idOf(shape, scope);
      const known = this.settled.get(id);
      if (known && known.changes + count < this.settleEvery) known.changes += count;
      else await this.settleOne(shape, scope, checkpointOf(scope));
    }
  }

  /** Returns a total, or undefined if the documents must be counted. */
  async read(shape: Shape, scope: Scope, key: string, withDays: boolean): Promise<Total | undefined> {
    const projection = { p: 1, [withDays ? `c.${key}` : `c.${key}.n`]: 1 };
    const stored = await this.mongo.findById(TOTALS, idOf(shape, scope), { projection });
    const place = (stored?.p ?? -1) as number;
    const options = { limit: MAX_UNSETTLED + 1, maxTimeMS: this.mongo.timeoutMs };
    const found = await this.mongo.within(() => this.changedSince(shape, scope, place, options).toArray());
    if (found.length > MAX_UNSETTLED) return undefined;
    const sums = new Sums();
    // A document that changes during the query may be returned twice. Only its last state is used.
    for (const document of new Map(found.map((each) => [each._id, each])).values()) {
      sums.add(shareOf(shape, document), 1);
      sums.add(shareAt(shape, document, place), -1);
    }
    return totalOf((stored?.c as StoredTotals | undefined)?.[key], sums.byKey.get(key) ?? new Map());
  }

  /** Discards the cached places of a table that another process may have dropped. */
  forget({ name }: Shape): void {
    for (const id of [...this.settled.keys()]) if (id.startsWith(`${name}\0`)) this.settled.delete(id);
  }

  /** Must be called before the documents are dropped, because totals that outlive them would be wrong. */
  async drop({ name }: Shape): Promise<void> {
    await this.mongo.within(() => this.totals.deleteMany({ _id: { $gt: `${name}\0`, $lt: `${name}\u0001` } }));
  }

  private async settleOne(shape: Shape, scope: Scope, checkpoint: number): Promise<void> {
    const _id = idOf(shape, scope);
    try {
      const stored = await this.mongo.findById(TOTALS, _id, { projection: { p: 1 } });
      const place = (stored?.p ?? -1) as number;
      if (place < checkpoint) {
        const $inc = await this.changesBetween(shape, scope, place, checkpoint);
        await this.mongo.within(() => this.move(_id, stored ? place : undefined, checkpoint, $inc));
      }
      this.settled.set(_id, { place, changes: 0 });
    } catch (error) {
      // The documents are stored, and the totals remain correct. Queries only have to add more changes.
      if (!(error instanceof ReadStoreUnavailable)) throw error;
    }
  }

  private async changesBetween(shape: Shape, scope: Scope, from: number, to: number): Promise<Record<string, number>> {
    const sums = new Sums();
    const seen = new Set<string>();
    await this.mongo.unhurriedly(async () => {
      for await (const document of this.changedSince(shape, scope, from, {
        readConcern: local,
        ...this.mongo.unhurried,
      })) {
        if (seen.has(document._id)) continue;
        seen.add(document._id);
        sums.add(shareAt(shape, document, to), 1);
        sums.add(shareAt(shape, document, from), -1);
      }
    });
    return sums.increments();
  }

  /** Advances the place of a stored total. Has no effect if another process has already advanced it. */
  private async move(_id: string, from: number | undefined, to: number, $inc: Record<string, number>): Promise<void> {
    const update: Document = { $set: { p: to }, ...(Object.keys($inc).length > 0 && { $inc }) };
    try {
      await this.totals.updateOne({ _id, p: from ?? { $exists: false } }, update, { upsert: from === undefined });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private changedSince(shape: Shape, scope: Scope, place: number, options: FindOptions) {
    return this.mongo
      .collection(shape.name)
      .find({ t: scope, q: { $gt: place } }, { projection: projectionOf(shape), batchSize: 1_000, ...options })
      .map((document) => document as Traced);
  }

  private async before(shape: Shape, ids: readonly string[]): Promise<Map<string, Traced>> {
    if (ids.length === 0) return new Map();
    const options = { projection: projectionOf(shape), readConcern: local };
    const found = await this.mongo.find(shape.name, { _id: { $in: [...ids] } }, options);
    return new Map(found.map((document) => [document._id, document as Traced]));
  }

  private get totals() {
    return this.mongo.collection(TOTALS);
  }
}

function totalOf(stored: StoredTotals[string] | undefined, changed: ReadonlyMap<string, number>): Total {
  const days = new Map(Object.entries(stored?.d ?? {}));
  let count = stored?.n ?? 0;
  for (const [day, amount] of changed) {
    days.set(day, (days.get(day) ?? 0) + amount);
    count += amount;
  }
  return { count, days: new Map([...days].map(([day, of]) => [decoded(day), of])) };
}

/**
 * Returns the place from which a contribution applies. Settled places are never read again, so a change at a settled
 * place is stored as BESIDE.
 */
const placeOf = ({ p }: Stored, settled: number): number => ((p as number) > settled ? (p as number) : BESIDE);

const note = (changes: Changes, scope: Scope): unknown => changes.set(scope, (changes.get(scope) ?? 0) + 1);

const idOf = ({ name }: Shape, scope: Scope): string => `${name}\0${scope}`;

const projectionOf = ({ counted, day }: Shape): Record<string, 1> =>
  Object.fromEntries(
    ['p', 'q', 'o', 's', ...[...counted, ...(day ? [day] : [])].map(({ path }) => path)].map((path) => [path, 1]),
  );
