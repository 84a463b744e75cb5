import { LRUCache } from 'lru-cache';
import { MongoBulkWriteError, ObjectId, type AnyBulkWriteOperation, type WriteConcernSettings } from 'mongodb';
import {
  PLATFORM,
  type AnyTable,
  type DocumentKey,
  type DocumentWrite,
  type WriteBatch,
  type WriteResult,
} from '../../ports/read-store.js';
import type { MongoConnection, Stored } from './connection.js';
import { isDuplicateKey, twice } from './connection.faults.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { keyOf, storedDocument, type Shape } from './read-store.collections.js';
import type { Changes, ReadStoreTotals } from './read-store.totals.js';

export const CHECKPOINTS = 'kontor_checkpoints';

type CheckpointPlace = { readonly id: string; readonly part: string | undefined };
/** Parsed checkpoint keys. They are cached because followers read the same thousand keys twice a second. */
const places = new LRUCache<string, CheckpointPlace>({ max: 5_000 });

/**
 * Returns the id of the document that stores a checkpoint and, if the key names one, the checkpoint's part. All parts
 * of a checkpoint are in the same document.
 */
export function placeOfCheckpoint(key: string): CheckpointPlace {
  const known = places.get(key);
  if (known) return known;
  const [id = '', part] = key.split('#');
  const place = { id, part };
  places.set(key, place);
  return place;
}

export const positionAt = (document: Stored | undefined, part: string | undefined): number =>
  ((part === undefined ? document?.position : (document?.parts as Record<string, number> | undefined)?.[part]) ??
    -1) as number;

/**
 * Maximum size of a bulk write. It is far below MongoDB's limits (100,000 documents, 48 MB), so that each bulk write is
 * quick.
 */
const MAX_PART_DOCUMENTS = 1_000;
const MAX_PART_CHARACTERS = 6_000_000;

type Prepared = { readonly write: DocumentWrite; readonly document: Stored };
type Part = readonly Prepared[];
type TableParts = {
  readonly table: AnyTable;
  readonly shape: Shape;
  readonly parts: readonly Part[];
  readonly changes: Changes;
  readonly platformUpTo: number | undefined;
};
type Sending = { readonly by: ObjectId; readonly concern: WriteConcernSettings; readonly hasCheckpoint: boolean };

/** Performs guarded bulk writes with the guarantees of `ReadStore.write`. */
export class ReadStoreWriter {
  constructor(
    private readonly mongo: MongoConnection,
    private readonly catalog: ReadStoreCatalog,
    private readonly totals: ReadStoreTotals,
  ) {}

  async write(batch: WriteBatch): Promise<WriteResult> {
    const by = new ObjectId();
    // Prepare all documents before sending any, so that nothing is stored if the batch contains a document that cannot
    // be stored.
    const tables = batch.tables.map(({ table, writes, platformUpTo }): TableParts => {
      const shape = this.catalog.shape(table);
      const parts = partsOf(writes.map((write) => prepare(shape, write, by)));
      return { table, shape, changes: new Map(), parts, platformUpTo };
    });
    const hasCheckpoint = batch.checkpoints.length > 0;
    // When a checkpoint is journaled, all earlier writes have been journaled as well.
    const concern = hasCheckpoint ? this.mongo.majority : this.mongo.journaled;
    const done = await Promise.allSettled(
      tables.map((parts) => this.writeTable(parts, { by, concern, hasCheckpoint })),
    );
    const conflicts = done.flatMap((table) => {
      if (table.status === 'rejected') throw table.reason;
      return table.value;
    });
    if (conflicts.length > 0 || !hasCheckpoint) return { conflicts };
    await this.checkpoints(batch.checkpoints);
    const reached = Math.min(...batch.checkpoints.map(({ position }) => position));
    await Promise.all(
      tables.map(({ shape, changes, platformUpTo = reached }) =>
        this.totals.settle(shape, changes, (scope) => (scope === PLATFORM ? platformUpTo : reached)),
      ),
    );
    return { conflicts };
  }

  async purge(table: AnyTable, keys: readonly DocumentKey[]): Promise<void> {
    const collection = this.mongo.collection(this.catalog.shape(table).name);
    const tombstones = { _id: { $in: keys.map(({ scope, id }) => keyOf(scope, id)) }, j: null };
    const remove = () => collection.deleteMany(tombstones, { writeConcern: this.mongo.journaled });
    await this.mongo.within(() => twice(remove));
  }

  private async writeTable(
    { table, shape, parts, changes }: TableParts,
    sending: Sending,
  ): Promise<(DocumentKey & { table: AnyTable })[]> {
    const conflicts: (DocumentKey & { table: AnyTable })[] = [];
    for (const part of parts) {
      const outdated = await this.outdated(shape, part, sending, changes);
      const current = part.filter(({ document }) => !outdated.has(document));
      const refused = current.length === 0 ? [] : await this.writePart(shape, current, sending);
      for (const { write } of [...part.filter(({ document }) => outdated.has(document)), ...refused]) {
        conflicts.push({ table, scope: write.scope, id: write.id });
      }
    }
    return conflicts;
  }

  /** Returns the writes that will conflict. Conflicts can be detected in advance only if totals are maintained. */
  private async outdated(shape: Shape, part: Part, sending: Sending, changes: Changes): Promise<Set<Stored>> {
    if (!this.catalog.keepsTotals(shape)) return new Set();
    const traced = part.map(({ write: { scope, expected }, document }) => ({ document, scope, expected }));
    return this.totals.trace(shape, traced, sending.hasCheckpoint, changes);
  }

  /** Returns the rejected writes, and the applied writes that another write has already replaced. */
  private async writePart(shape: Shape, part: Part, { by, concern: writeConcern }: Sending): Promise<Part> {
    const operations = part.map(operationOf);
    const { refused, matched } = await this.mongo.within(async () => {
      try {
        const result = await this.mongo.collection(shape.name).bulkWrite(operations, { ordered: false, writeConcern });
        return { refused: new Set<number>(), matched: result.matchedCount };
      } catch (error) {
        return { refused: alreadyThere(error), matched: (error as MongoBulkWriteError).matchedCount };
      }
    });
    const updates = part.filter(({ write }) => write.expected !== null);
    const overtaken = matched < updates.length ? await this.overtaken(shape, updates, by) : new Set<Prepared>();
    return part.filter((prepared, at) => refused.has(at) || overtaken.has(prepared));
  }

  /**
   * Finds the updates that did not match. MongoDB reports only the number of matches, so the documents must be read to
   * identify these updates.
   */
  private async overtaken(shape: Shape, updates: Part, by: ObjectId): Promise<Set<Prepared>> {
    const ids = updates.map(({ document }) => document._id);
    const found = await this.mongo.find(shape.name, { _id: { $in: ids } }, { projection: { p: 1, b: 1 } });
    const ours = new Map(found.filter(({ b }) => by.equals(b as ObjectId)).map(({ _id, p }) => [_id, p]));
    return new Set(updates.filter(({ document }) => ours.get(document._id) !== document.p));
  }

  private async checkpoints(checkpoints: WriteBatch['checkpoints']): Promise<void> {
    const fields = new Map<string, Record<string, number>>();
    for (const { key, position } of checkpoints) {
      const { id, part } = placeOfCheckpoint(key);
      const known = fields.get(id) ?? {};
      known[part === undefined ? 'position' : `parts.${part}`] = position;
      fields.set(id, known);
    }
    const operations = [...fields].map(([_id, $max]) => ({
      updateOne: { filter: { _id }, update: { $max }, upsert: true },
    }));
    const write = () =>
      this.mongo.collection(CHECKPOINTS).bulkWrite(operations, { ordered: false, writeConcern: this.mongo.journaled });
    await this.mongo.within(() => twice(write));
  }
}

const prepare = (shape: Shape, write: DocumentWrite, by: ObjectId): Prepared => ({
  write,
  document: storedDocument(shape, write, by),
});

function operationOf({ write, document }: Prepared): AnyBulkWriteOperation<Stored> {
  if (write.expected === null) return { insertOne: { document } };
  return { replaceOne: { filter: { _id: document._id, p: write.expected }, replacement: document } };
}

/** Returns the indexes of the inserts whose documents already exist. @throws any other error */
function alreadyThere(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refused = [error.writeErrors].flat();
  if (refused.length === 0 || !refused.every(isDuplicateKey)) throw error;
  return new Set(refused.map(({ index }) => index));
}

/**
 * Divides writes into bulk writes while preserving the given order. A bulk write never contains two writes to the same
 * document, because MongoDB may execute the writes in any order.
 */
function partsOf(all: readonly Prepared[]): Part[] {
  const parts: Prepared[][] = [];
  let part: Prepared[] = [];
  let characters = 0;
  let ids = new Set<string>();
  for (const prepared of all) {
    const { _id, j } = prepared.document;
    const size = typeof j === 'string' ? j.length : 0;
    const full = part.length === MAX_PART_DOCUMENTS || characters + size > MAX_PART_CHARACTERS || ids.has(_id);
    if (part.length === 0 || full) {
      part = [];
      parts.push(part);
      characters = 0;
      ids = new Set();
    }
    part.push(prepared);
    characters += size;
    ids.add(_id);
  }
  return parts;
}
