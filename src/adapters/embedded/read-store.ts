import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineFacts } from '../../ports/engine.js';
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
import { ReadStoreCodes } from './read-store.codes.js';
import { SIZES, type Sizes } from './read-store.columns.js';
import { ReadStoreCatalog } from './read-store.catalog.js';
import { MissingTable, ReadStoreDatabase, waitFor, type Mode, type Row } from './read-store.database.js';
import { validate, type Target } from './read-store.criteria.js';
import { ReadStoreQuery } from './read-store.query.js';
import type { TableShape } from './read-store.tables.js';
import { ReadStoreWriter } from './read-store.writer.js';

export type EmbeddedReadStoreOptions = {
  /** Where models.sqlite is, or is to be made. */
  readonly directory: string;
  /** One connection writes; any number, in other threads or processes too, may read beside it. */
  readonly mode: Mode;
  /** How long to wait for another's lock, and in a `readonly` store for the file or a table that its writer makes. */
  readonly waitMs?: number;
  /** When and how columns of large tables are used. All that use a file must have the same. For tests. */
  readonly sizes?: Sizes;
};

const WAIT_MS = 5_000;
const SCAN_STEP = 500;

type ScannedDocument = DocumentKey & StoredDocument;

/** The read store in a SQLite file: one table per model, version and generation, a column per declared field. */
export class EmbeddedReadStore implements ReadStore {
  private readonly catalog: ReadStoreCatalog;
  private readonly writer: ReadStoreWriter;
  private readonly query: ReadStoreQuery;

  private constructor(
    private readonly db: ReadStoreDatabase,
    private readonly mode: Mode,
    private readonly waitMs: number,
    sizes: Sizes,
  ) {
    const codes = new ReadStoreCodes(db);
    this.catalog = new ReadStoreCatalog(db, codes, sizes);
    this.writer = new ReadStoreWriter(db, this.catalog, { codes, sizes });
    this.query = new ReadStoreQuery(db, codes, sizes);
  }

  /**
   * A damaged file, or one of a newer schema, is moved aside to `models.sqlite.damaged-<n>` by a `readwrite` store.
   * @throws ReadStoreUnavailable when the file is locked or not to be made, or does not appear in time
   */
  static async open(options: EmbeddedReadStoreOptions): Promise<EmbeddedReadStore> {
    const { directory, mode, waitMs = WAIT_MS, sizes = SIZES } = options;
    return new EmbeddedReadStore(await ReadStoreDatabase.open(directory, mode, waitMs), mode, waitMs, sizes);
  }

  /** The file was unusable and began anew: every model must be rebuilt. */
  get recreated(): boolean {
    return this.db.recreated;
  }

  /** A `readonly` store only takes note of the tables; it waits for its writer to make them when it reads. */
  async prepare(tables: readonly AnyTable[], options: { readonly bulk?: boolean } = {}): Promise<void> {
    const shapes = tables.map((table) => this.catalog.register(table));
    if (this.mode === 'readonly') return;
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
        return row && { json: row[0] as string | null, position: row[1] as number };
      });
    });
  }

  write(batch: WriteBatch): Promise<WriteResult> {
    return this.now(() => {
      this.mustWrite();
      return this.writer.write(batch);
    });
  }

  get(table: AnyTable, scope: Scope, id: string): Promise<string | undefined> {
    return this.once(() => {
      const { main } = this.catalog.shape(table);
      const number = this.catalog.scopeNumber(scope);
      const sql = `SELECT json FROM ${main} WHERE scope = ? AND id = ? AND dead = 0`;
      return this.db.get(sql, number ?? null, bindable(id))?.[0] as string | undefined;
    });
  }

  getMany(table: AnyTable, scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
    return this.reading(() => {
      const { main } = this.catalog.shape(table);
      const number = this.catalog.scopeNumber(scope);
      const sql = `SELECT json FROM ${main} WHERE scope = ? AND id = ? AND dead = 0`;
      const found = new Map<string, string>();
      for (const id of ids) {
        const json = this.db.get(sql, number ?? null, bindable(id))?.[0];
        if (typeof json === 'string') found.set(id, json);
      }
      return found;
    });
  }

  list(table: AnyTable, scope: Scope, query: ListQuery): Promise<Listed> {
    return this.reading(() => {
      const target = this.target(table, scope, query);
      return target ? this.query.list(target, query) : { items: [], totalCount: 0 };
    });
  }

  /** How SQLite goes about a list: its query plans, one line a step. For tests. */
  explain(table: AnyTable, scope: Scope, query: ListQuery): Promise<string[]> {
    return this.reading(() => {
      const target = this.target(table, scope, query);
      const plan = target && this.query.plan(target, query);
      return [plan?.count, plan?.walk, plan?.page].flatMap((sql) =>
        sql ? this.db.all(`EXPLAIN QUERY PLAN ${sql.text}`, ...sql.values).map((row) => String(row[3])) : [],
      );
    });
  }

  /** In steps, each of one moment; documents written meanwhile may or may not be among them. */
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
        ON CONFLICT (model, version) DO UPDATE SET generation = excluded.generation`;
      this.db.guarded(() => this.db.run(sql, bindable(model), version, generation));
    });
  }

  facts(): Promise<EngineFacts> {
    return this.once(() => ({ engine: 'sqlite', version: String(this.db.get('SELECT sqlite_version()')?.[0]) }));
  }

  close(): Promise<void> {
    return this.now(() => {
      this.db.close();
    });
  }

  private async *scanScope(shape: TableShape, scope: string, number: number): AsyncGenerator<ScannedDocument> {
    const step = (operator: string, from: string): Promise<Row[]> => {
      const sql = `SELECT id, position, json FROM ${shape.main} WHERE scope = ? AND id ${operator} ? ORDER BY id LIMIT ?`;
      return this.once(() => this.db.all(sql, number, from, SCAN_STEP));
    };
    for (let rows = await step('>=', ''); rows.length > 0; rows = await step('>', String(rows.at(-1)?.[0]))) {
      for (const [id, position, json] of rows as [string, number, string | null][]) {
        yield { scope: unbindable(scope) as Scope, id: unbindable(id), position, json };
      }
      await nextTurn();
    }
  }

  private positionOf(key: string): number {
    const row = this.db.get('SELECT position FROM kontor_checkpoints WHERE key = ?', bindable(key));
    return Number(row?.[0] ?? -1);
  }

  private target(table: AnyTable, scope: Scope, query: ListQuery): Target | undefined {
    const shape = this.catalog.shape(table);
    validate(shape, query);
    const entry = this.catalog.entry(shape);
    const number = this.catalog.scopeNumber(scope);
    return number === undefined ? undefined : { catalog: this.catalog, shape, entry, scope: number };
  }

  private async build(shape: TableShape): Promise<void> {
    for (const step of this.catalog.buildIndexes(shape)) await nextTurn(step);
  }

  private mustWrite(): void {
    if (this.mode === 'readonly') throw new ReadStoreUnavailable('This read store was opened for reading only');
  }

  /** Reads that must agree with each other. */
  private reading<T>(work: () => T): Promise<T> {
    return this.attempt(() => this.db.reading(work));
  }

  /** A single read, which is of one moment by itself. */
  private once<T>(work: () => T): Promise<T> {
    return this.attempt(() => this.db.guarded(work));
  }

  private async attempt<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      if (this.mode === 'readwrite' || !(error instanceof MissingTable)) throw error;
      return waitFor(work, this.waitMs, (again) => again instanceof MissingTable);
    }
  }

  /** The engine is synchronous; its errors are to arrive as rejections all the same. */
  private now<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      resolve(work());
    });
  }
}
