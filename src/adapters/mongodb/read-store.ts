import type { FindOptions } from 'mongodb';
import type { EngineFacts } from '../../ports/engine.js';
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
import { ReadStoreCatalog } from './read-store.catalog.js';
import { indexesOf, keyOf, partsOf, type IndexOptions, type Shape } from './read-store.collections.js';
import { ReadStoreQuery } from './read-store.query.js';
import { CHECKPOINTS, ReadStoreWriter } from './read-store.writer.js';

export type MongoDb = {
  readonly reads: MongoReadStore;
  readonly leases: LeaseStore;
  /** Closes both. Idempotent. */
  close(): Promise<void>;
};

/**
 * The read store and the leases in one database of MongoDB (5 or newer), over one client. Does not wait for the server:
 * while that is away, calls fail within `timeoutMs` with ReadStoreUnavailable, and work again by themselves.
 * @throws RangeError when the URL is none
 */
export function openMongoDb(options: MongoDbOptions): MongoDb {
  const mongo = new MongoConnection(options);
  return { reads: new MongoReadStore(mongo), leases: new MongoLeaseStore(mongo), close: () => mongo.close() };
}

/** How many documents are asked for at once. */
const STEP = 500;

type ScannedDocument = DocumentKey & StoredDocument;

/**
 * The read store in MongoDB: one collection per model, version and generation. Any number of processes may read and
 * write; each must prepare the tables that it uses.
 */
export class MongoReadStore implements ReadStore {
  private readonly catalog: ReadStoreCatalog;
  private readonly writer: ReadStoreWriter;
  private readonly query: ReadStoreQuery;

  constructor(private readonly mongo: MongoConnection) {
    this.catalog = new ReadStoreCatalog(mongo);
    this.writer = new ReadStoreWriter(mongo, this.catalog);
    this.query = new ReadStoreQuery(mongo, this.catalog);
  }

  async prepare(tables: readonly AnyTable[], options: { readonly bulk?: boolean } = {}): Promise<void> {
    const shapes = tables.map((table) => this.catalog.register(table));
    await this.catalog.declare(shapes);
    if (options.bulk) return;
    for (const shape of shapes) await this.build(shape);
  }

  async index(table: AnyTable): Promise<void> {
    await this.build(this.catalog.shape(table));
  }

  drop(table: AnyTable): Promise<void> {
    return this.catalog.drop(table);
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

  async get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined> {
    const key = keyOf(scope, id);
    const found = await this.byKey(this.catalog.shape(table), [key], { projection: { j: 1 } });
    return (found.get(key)?.j ?? undefined) as string | undefined;
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

  /** The page and its total are read one after the other: what is written in between may be in one of them only. */
  async list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed> {
    return this.query.list(this.catalog.shape(table), scope, query);
  }

  /**
   * How MongoDB goes about a list: the steps of its plan, those of an index with its name. For tests.
   * @throws ReadStoreUnavailable also where the server does not tell
   */
  async explain(table: AnyTable, scope: Scope, query: ListQuery): Promise<string[]> {
    return this.query.explain(this.catalog.shape(table), scope, query);
  }

  /** In steps, each of one moment; documents written meanwhile may or may not be among them. */
  async *scan(table: AnyTable): AsyncIterable<ScannedDocument> {
    const { name } = this.catalog.shape(table);
    let after = '';
    for (;;) {
      const from = after;
      const step = await this.mongo.within(() =>
        this.mongo
          .collection(name)
          .find({ _id: { $gt: from } }, { ...this.whole(STEP), projection: { p: 1, j: 1 }, limit: STEP })
          .sort({ _id: 1 })
          .toArray(),
      );
      for (const { _id, p, j } of step) yield { ...partsOf(_id), position: p as number, json: j as string | null };
      if (step.length < STEP) return;
      after = step.at(-1)?._id ?? after;
    }
  }

  async checkpoint(key: string): Promise<number> {
    return (await this.checkpoints([key]))[0] ?? -1;
  }

  /** As a majority knows them: a change of the primary takes none of them back. */
  async checkpoints(keys: readonly string[]): Promise<readonly number[]> {
    const found = await this.mongo.within(() =>
      this.mongo
        .collection(CHECKPOINTS)
        .find({ _id: { $in: [...keys] } }, { ...this.whole(keys.length), readConcern: 'majority' })
        .toArray(),
    );
    const positions = new Map(found.map(({ _id, position }) => [_id, position as number]));
    return keys.map((key) => positions.get(key) ?? -1);
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

  /** Closes the connection, and with it the leases that share it. */
  close(): Promise<void> {
    return this.mongo.close();
  }

  private async build(shape: Shape): Promise<void> {
    const options: IndexOptions = this.mongo.unhurried;
    await this.mongo.unhurriedly(() => this.mongo.collection(shape.name).createIndexes(indexesOf(shape), options));
  }

  private async byKey(shape: Shape, keys: readonly string[], options: FindOptions): Promise<Map<string, Stored>> {
    const found = new Map<string, Stored>();
    for (let at = 0; at < keys.length; at += STEP) {
      const some = keys.slice(at, at + STEP);
      const documents = await this.mongo.within(() =>
        this.mongo
          .collection(shape.name)
          .find({ _id: { $in: some } }, { ...this.whole(some.length), ...options })
          .toArray(),
      );
      for (const document of documents) found.set(document._id, document);
    }
    return found;
  }

  /** All of the answer in one reply, if it is not too large for that. */
  private whole(count: number): FindOptions {
    return { batchSize: count + 1, maxTimeMS: this.mongo.timeoutMs };
  }
}
