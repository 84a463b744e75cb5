import type { FindOptions, IndexDescription } from 'mongodb';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import type { ReadStore } from '../../ports/read-store.js';
import type {
  AnyTable,
  DocumentKey,
  Listed,
  ListQuery,
  Scope,
  StoredDocument,
  WriteBatch,
  WriteResult,
} from '../../ports/read-store.js';
import type { LeaseStore } from '../../ports/lease-store.js';
import { MongoConnection, type MongoDbOptions, type Stored } from './connection.js';
import { MongoLeaseStore } from './lease-store.js';
import { ReadStoreCatalog, unlessMissing } from './read-store.catalog.js';
import {
  indexesOf,
  isRequired,
  keyOf,
  partsOf,
  shapeOf,
  TOTALS_INDEX,
  type IndexOptions,
  type Shape,
} from './read-store.collections.js';
import { ReadStoreQuery } from './read-store.query.js';
import { ReadStoreTotals } from './read-store.totals.js';
import { CHECKPOINTS, placeOfCheckpoint, positionAt, ReadStoreWriter } from './read-store.writer.js';

export type MongoDb = {
  readonly reads: MongoReadStore;
  readonly leases: LeaseStore;
  /** Closes both stores. Idempotent. */
  close(): Promise<void>;
};

/**
 * The read store and the leases in one MongoDB database (5 or newer), sharing one client. Does not wait for the server.
 * While the server is unavailable, calls fail within `timeoutMs` with ReadStoreUnavailable. Calls succeed again once it
 * is back.
 * @throws RangeError for an invalid URL
 */
export function openMongoDb(options: MongoDbOptions): MongoDb {
  const mongo = new MongoConnection(options);
  return {
    reads: new MongoReadStore(mongo, options.settleEvery),
    leases: new MongoLeaseStore(mongo),
    close: () => mongo.close(),
  };
}

/** Number of documents to read at a time. */
const STEP = 500;

type ScannedDocument = DocumentKey & StoredDocument;

/**
 * A read store on MongoDB, with one collection per model, version and generation. Any number of processes may read and
 * write, but each must prepare the tables that it uses.
 */
export class MongoReadStore implements ReadStore {
  private readonly catalog: ReadStoreCatalog;
  private readonly writer: ReadStoreWriter;
  private readonly query: ReadStoreQuery;
  private readonly totals: ReadStoreTotals;

  constructor(
    private readonly mongo: MongoConnection,
    settleEvery?: number,
  ) {
    this.catalog = new ReadStoreCatalog(mongo);
    this.totals = new ReadStoreTotals(mongo, settleEvery);
    this.writer = new ReadStoreWriter(mongo, this.catalog, this.totals);
    this.query = new ReadStoreQuery(mongo, this.catalog, this.totals);
  }

  async prepare(tables: readonly AnyTable[], options: { readonly bulk?: boolean } = {}): Promise<void> {
    const shapes = tables.map((table) => this.catalog.register(table));
    await this.catalog.declare(shapes);
    for (const shape of shapes) {
      this.totals.forget(shape);
      const indexes = [...(options.bulk ? [] : indexesOf(shape)), ...this.indexesWhileWriting(shape)];
      if (indexes.length > 0) await this.complete(shape, indexes);
    }
  }

  async index(table: AnyTable): Promise<void> {
    const shape = this.catalog.shape(table);
    await this.build(shape, indexesOf(shape));
  }

  async drop(table: AnyTable): Promise<void> {
    const shape = shapeOf(table);
    if (shape.keepsTotals) await this.totals.drop(shape);
    await this.catalog.drop(shape);
  }

  async load(table: AnyTable, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    const wanted = keys.map(({ scope, id }) => keyOf(scope, id));
    const found = await this.byKey(this.catalog.shape(table), wanted, { projection: { p: 1, j: 1 } });
    return wanted.map((key) => {
      const document = found.get(key);
      return document && { json: document.j as string | null, position: document.p as number };
    });
  }

  async write(batch: WriteBatch): Promise<WriteResult> {
    return this.writer.write(batch);
  }

  async purge(table: AnyTable, keys: readonly DocumentKey[]): Promise<void> {
    return this.writer.purge(table, keys);
  }

  async get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined> {
    return (await this.getMany(table, scope, [id])).get(id);
  }

  async getMany(table: AnyTable, scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
    const keys = new Map([...new Set(ids)].map((id) => [id, keyOf(scope, id)]));
    const found = await this.byKey(this.catalog.shape(table), [...keys.values()], { projection: { j: 1 } });
    const documents = new Map<string, string>();
    for (const [id, key] of keys) {
      const json = found.get(key)?.j;
      if (typeof json === 'string') documents.set(id, json);
    }
    return documents;
  }

  /** Reads the page and its total one after the other, so a write in between may affect only one of them. */
  async list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed> {
    return this.query.list(this.catalog.shape(table), scope, query);
  }

  /** Reads in steps, each from a consistent snapshot. Concurrent writes may or may not be included. */
  async *scan(table: AnyTable): AsyncIterable<ScannedDocument> {
    const { name } = this.catalog.shape(table);
    let after = '';
    for (;;) {
      const options = { projection: { p: 1, j: 1 }, sort: { _id: 1 }, limit: STEP } as const;
      const step = await this.mongo.find(name, { _id: { $gt: after } }, options);
      for (const { _id, p, j } of step) yield { ...partsOf(_id), position: p as number, json: j as string | null };
      if (step.length < STEP) return;
      after = step.at(-1)?._id ?? after;
    }
  }

  async checkpoint(key: string): Promise<number> {
    return (await this.checkpoints([key]))[0] ?? -1;
  }

  /** Reads majority-committed checkpoints, so that a new primary does not revert any of them. */
  async checkpoints(keys: readonly string[]): Promise<readonly number[]> {
    const places = keys.map(placeOfCheckpoint);
    const found = await this.mongo.find(CHECKPOINTS, { _id: { $in: [...new Set(places.map(({ id }) => id))] } });
    const documents = new Map(found.map((document) => [document._id, document]));
    return places.map(({ id, part }) => positionAt(documents.get(id), part));
  }

  liveGeneration(model: string, version: number): Promise<number | undefined> {
    return this.catalog.liveGeneration(model, version);
  }

  setLiveGeneration(model: string, version: number, generation: number): Promise<void> {
    return this.catalog.setLiveGeneration(model, version, generation);
  }

  async facts(): Promise<EngineFacts> {
    return { engine: 'mongodb', version: await this.mongo.version() };
  }

  fault(): EngineFault | undefined {
    return this.mongo.fault();
  }

  /** Closes the connection, which is shared with the lease store. */
  close(): Promise<void> {
    return this.mongo.close();
  }

  /**
   * Returns the indexes that are needed before the first document is written. They are cheap to maintain while
   * documents arrive in order.
   */
  private indexesWhileWriting(shape: Shape): readonly IndexDescription[] {
    return this.catalog.keepsTotals(shape) ? [TOTALS_INDEX] : [];
  }

  /**
   * Builds missing indexes. If a table has its sort index, an earlier release completed it. The start then does not
   * wait for the indexes that this release adds, because building them takes minutes for millions of documents.
   */
  private async complete(shape: Shape, indexes: readonly IndexDescription[]): Promise<void> {
    const present = await this.indexNames(shape);
    const isComplete = present.includes('order');
    // Waits for required indexes even if they are present, because another process may be building them.
    const awaited = isComplete ? indexes.filter(isRequired) : indexes;
    if (awaited.length > 0) await this.build(shape, awaited);
    const added = indexes.filter((index) => !awaited.includes(index) && !present.includes(index.name ?? ''));
    if (added.length === 0) return;
    const fields = { table: shape.name, indexes: added.map(({ name }) => name) };
    this.mongo.inBackground(
      () => this.build(shape, added),
      fields,
      'indexes could not be built; lists that need them are slow until the next start',
    );
  }

  private async indexNames({ name }: Shape): Promise<string[]> {
    const options = { maxTimeMS: this.mongo.timeoutMs };
    const list = () => this.mongo.collection(name).listIndexes(options).toArray().catch(unlessMissing);
    const indexes = (await this.mongo.within(list)) ?? [];
    return indexes.map((index) => String((index as IndexDescription).name));
  }

  private async build(shape: Shape, indexes: readonly IndexDescription[]): Promise<void> {
    const options: IndexOptions = this.mongo.unhurried;
    // The usual write timeout would abort the construction of a large index.
    const collection = this.mongo.collection(shape.name, { writeConcern: { w: 'majority' } });
    await this.mongo.unhurriedly(() => collection.createIndexes([...indexes], options));
  }

  private async byKey(shape: Shape, keys: readonly string[], options: FindOptions): Promise<Map<string, Stored>> {
    const found = new Map<string, Stored>();
    for (let at = 0; at < keys.length; at += STEP) {
      const some = keys.slice(at, at + STEP);
      const documents = await this.mongo.find(shape.name, { _id: { $in: some } }, options);
      for (const document of documents) found.set(document._id, document);
    }
    return found;
  }
}
