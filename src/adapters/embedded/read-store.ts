import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import { ReadStoreUnavailable, type ReadStore } from '../../ports/read-store.js';
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
import { bindable, unbindable } from '../bindable-text.js';
import { tableName } from '../read-model.declaration.js';
import { unpack } from './packed-json.reader.js';
import { ReadStoreCatalog } from './read-store.catalog.js';
import { MissingTable, ReadStoreDatabase, waitFor, type Mode, type Value } from './read-store.database.js';
import { FEW } from './read-store.matches.js';
import { ReadStoreQuery } from './read-store.query.js';
import type { TableShape } from './read-store.shape.js';
import { ReadStoreWriter } from './read-store.writer.js';

const connect = (options: Required<EmbeddedReadStoreOptions>): Promise<ReadStoreDatabase> =>
  ReadStoreDatabase.open(options.directory, options.mode, options.waitMs, options.onDamaged, options.keptCheckpoints);

export type EmbeddedReadStoreOptions = {
  /** Directory of models.sqlite. */
  readonly directory: string;
  /**
   * Only one connection may write. Any number of other connections may read at the same time, even in other threads or
   * processes.
   */
  readonly mode: Mode;
  /**
   * Lock timeout in milliseconds. In a `readonly` store, also the maximum time to wait for the writer to create a file
   * or table.
   */
  readonly waitMs?: number;
  /**
   * Called when the store detects that the file is damaged, deleted or replaced. The caller must then call `reopen`. A
   * writer checks the file every second.
   */
  readonly onDamaged?: () => void;
  /**
   * Keys of the checkpoints to carry over from a file with an older schema. Everything else in the file is rebuilt from
   * the history.
   */
  readonly keptCheckpoints?: readonly string[];
  /** Maximum number of hits that a list query sorts instead of caching bit sets. Set only by tests. */
  readonly few?: number;
};

/** The JSON of a document, or null for a tombstone. */
const jsonOf = (stored: Value | undefined): string | null => (typeof stored === 'string' ? unpack(stored) : null);

const WAIT_MS = 5_000;
const SCAN_STEP = 500;
const INSPECT_EVERY_MS = 1_000;

type ScannedDocument = DocumentKey & StoredDocument;

/**
 * A read store in an SQLite file, with one table per model, version and generation, and one column per declared field.
 */
export class EmbeddedReadStore implements ReadStore {
  private catalog!: ReadStoreCatalog;
  private writer!: ReadStoreWriter;
  private query!: ReadStoreQuery;
  private readonly prepared = new Map<string, AnyTable>();
  private readonly inspecting: NodeJS.Timeout | undefined;

  private constructor(
    private db: ReadStoreDatabase,
    private readonly options: Required<EmbeddedReadStoreOptions>,
  ) {
    this.use(db);
    // Each inspection takes a few tens of microseconds.
    if (options.mode === 'readwrite')
      this.inspecting = setInterval(() => {
        this.db.inspect();
      }, INSPECT_EVERY_MS).unref();
  }

  /**
   * A `readwrite` store renames a file that is damaged or has a newer schema to `models.sqlite.damaged-<n>`.
   * @throws ReadStoreUnavailable if the file is locked, cannot be created, or does not appear in time
   */
  static async open(given: EmbeddedReadStoreOptions): Promise<EmbeddedReadStore> {
    const options = { waitMs: WAIT_MS, few: FEW, keptCheckpoints: [], onDamaged: () => undefined, ...given };
    return new EmbeddedReadStore(await connect(options), options);
  }

  /** Switches to the current file after a writer has moved a damaged one aside. @throws ReadStoreUnavailable */
  async reopen(): Promise<void> {
    const { mode } = this.options;
    // A writer must release the old file before it creates the new one. A reader uses the old file until the new one is
    // open.
    if (mode === 'readwrite') this.db.close();
    const db = await connect(this.options);
    this.db.close();
    this.use(db);
    for (const table of this.prepared.values()) this.catalog.register(table);
  }

  fault(): EngineFault | undefined {
    return this.db.isDamaged ? { setting: 'DATA_DIR', reason: 'models.sqlite is damaged' } : undefined;
  }

  /** Whether the file was unusable and has been recreated. If so, every model must be rebuilt. */
  get recreated(): boolean {
    return this.db.recreated;
  }

  /** A `readonly` store only registers the tables. Its read operations wait until the writer has created them. */
  async prepare(tables: readonly AnyTable[], options: { readonly bulk?: boolean } = {}): Promise<void> {
    for (const table of tables) this.prepared.set(tableName(table), table);
    const shapes = tables.map((table) => this.catalog.register(table));
    if (this.options.mode === 'readonly') return;
    for (const shape of shapes) {
      this.catalog.create(shape);
      if (!options.bulk) await this.build(shape);
    }
  }

  async index(table: AnyTable): Promise<void> {
    this.mustWrite();
    await this.build(this.catalog.shape(table));
  }

  drop(table: AnyTable): Promise<void> {
    return this.now(() => {
      this.mustWrite();
      this.prepared.delete(tableName(table));
      this.catalog.drop(table);
    });
  }

  load(table: AnyTable, keys: readonly DocumentKey[]): Promise<(StoredDocument | undefined)[]> {
    return this.reading(() => {
      const { main } = this.catalog.shape(table);
      const sql = `SELECT json, position FROM ${main} WHERE scope = ? AND id = ?`;
      return keys.map(({ scope, id }) => {
        const number = this.catalog.scopeNumber(scope);
        const row = number === undefined ? undefined : this.db.get(sql, number, bindable(id));
        return row && { json: jsonOf(row[0]), position: row[1] as number };
      });
    });
  }

  write(batch: WriteBatch): Promise<WriteResult> {
    return this.now(() => {
      this.mustWrite();
      return this.writer.write(batch);
    });
  }

  purge(table: AnyTable, keys: readonly DocumentKey[]): Promise<void> {
    return this.now(() => {
      this.mustWrite();
      this.writer.purge(table, keys);
    });
  }

  get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined> {
    return this.once(() => this.documentOf(table, scope)(id));
  }

  getMany(table: AnyTable, scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
    return this.reading(() => {
      const documentOf = this.documentOf(table, scope);
      const found = new Map<string, string>();
      for (const id of ids) {
        const json = documentOf(id);
        if (json !== undefined) found.set(id, json);
      }
      return found;
    });
  }

  list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed> {
    return this.reading(() => this.query.list(this.catalog.shape(table), this.catalog.scopeNumber(scope), query));
  }

  /** Reads in steps, each from a consistent snapshot. Concurrent writes may or may not be included. */
  async *scan(table: AnyTable): AsyncIterable<ScannedDocument> {
    const shape = this.catalog.shape(table);
    let scope: string | undefined = '';
    while (scope !== undefined) {
      const after = scope;
      const next = await this.once(() =>
        this.db.get('SELECT scope, number FROM kontor_scopes WHERE scope > ? ORDER BY scope LIMIT 1', after),
      );
      if (next) yield* this.scanScope(shape, next[0] as string, next[1] as number);
      scope = next?.[0] as string | undefined;
    }
  }

  checkpoint(key: string): Promise<number> {
    return this.once(() => this.positionOf(key));
  }

  checkpoints(keys: readonly string[]): Promise<readonly number[]> {
    return this.reading(() => keys.map((key) => this.positionOf(key)));
  }

  liveGeneration(model: string, version: number): Promise<number | undefined> {
    return this.once(() => this.catalog.liveGeneration(bindable(model), version));
  }

  setLiveGeneration(model: string, version: number, generation: number): Promise<void> {
    return this.now(() => {
      this.mustWrite();
      const sql = `INSERT INTO kontor_generations (model, version, generation) VALUES (?, ?, ?)
        ON CONFLICT (model, version) DO UPDATE SET generation = max(generation, excluded.generation)`;
      this.db.guarded(() => this.db.run(sql, bindable(model), version, generation));
    });
  }

  facts(): Promise<EngineFacts> {
    return this.once(() => ({ engine: 'sqlite', version: String(this.db.get('SELECT sqlite_version()')?.[0]) }));
  }

  close(): Promise<void> {
    clearInterval(this.inspecting);
    return this.now(() => {
      this.db.close();
    });
  }

  private use(db: ReadStoreDatabase): void {
    this.db = db;
    this.catalog = new ReadStoreCatalog(db);
    this.writer = new ReadStoreWriter(db, this.catalog);
    this.query = new ReadStoreQuery(db, this.catalog, this.options.few);
  }

  private async *scanScope(shape: TableShape, scope: string, number: number): AsyncGenerator<ScannedDocument> {
    const step = (operator: string, from: string): Promise<[string, number, string | null][]> => {
      const sql = `SELECT id, position, json FROM ${shape.main} WHERE scope = ? AND id ${operator} ? ORDER BY id LIMIT ?`;
      return this.once(() =>
        this.db.all(sql, number, from, SCAN_STEP).map((row) => [String(row[0]), Number(row[1]), jsonOf(row[2])]),
      );
    };
    for (let rows = await step('>=', ''); rows.length > 0; rows = await step('>', String(rows.at(-1)?.[0]))) {
      for (const [id, position, json] of rows)
        yield { scope: unbindable(scope) as Scope, id: unbindable(id), position, json };
      await nextTurn();
    }
  }

  private documentOf(table: AnyTable, scope: Scope): (id: string) => string | undefined {
    const { main } = this.catalog.shape(table);
    const number = this.catalog.scopeNumber(scope) ?? null;
    const sql = `SELECT json FROM ${main} WHERE scope = ? AND id = ? AND dead = 0`;
    return (id) => jsonOf(this.db.get(sql, number, bindable(id))?.[0]) ?? undefined;
  }

  private positionOf(key: string): number {
    const row = this.db.get('SELECT position FROM kontor_checkpoints WHERE key = ?', bindable(key));
    return Number(row?.[0] ?? -1);
  }

  private async build(shape: TableShape): Promise<void> {
    for (const step of this.catalog.buildIndexes(shape)) await nextTurn(step);
  }

  private mustWrite(): void {
    if (this.options.mode === 'readonly') throw new ReadStoreUnavailable('This read store is read-only');
  }

  /** Runs read operations that need a common snapshot. */
  private reading<T>(work: () => T): Promise<T> {
    return this.attempt(() => this.db.reading(work));
  }

  /** Runs a single read operation, which needs no transaction to be consistent. */
  private once<T>(work: () => T): Promise<T> {
    return this.attempt(() => this.db.guarded(work));
  }

  private async attempt<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (this.options.mode === 'readwrite' || !(error instanceof MissingTable)) throw error;
      return waitFor(work, this.options.waitMs, (again) => again instanceof MissingTable);
    }
  }

  /** Converts errors thrown by the synchronous engine to rejections. */
  private now<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      resolve(work());
    });
  }
}
