import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { ReadStoreUnavailable } from '../../ports/read-store.js';

export type Value = string | number | null;
export type Row = readonly Value[];
export type Mode = 'readwrite' | 'readonly';

const FILE = 'models.sqlite';
/**
 * Written into the file (`user_version`); a file with a higher one was made by a newer Kontor. From 2 on there are lists of
 * words, which a version that does not keep them in step must not write beside.
 */
const SCHEMA_VERSION = 2;
/** Each shape of a list is a statement of its own; far more shapes than this are not in use at once. */
const MAX_STATEMENTS = 2_000;

/** SQLITE_CORRUPT and SQLITE_NOTADB, and their texts: the binding's `all` gives its errors no number. */
const DAMAGE_CODES = [11, 26];
const DAMAGE_TEXTS = ['database disk image is malformed', 'file is not a database'];

const catalog = `
  CREATE TABLE IF NOT EXISTS kontor_scopes (number INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS kontor_tables (
    name TEXT PRIMARY KEY, declaration TEXT NOT NULL, indexed INTEGER NOT NULL, several TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_counts (
    name TEXT NOT NULL, scope INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (name, scope)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_value_counts (
    name TEXT NOT NULL, scope INTEGER NOT NULL, field TEXT NOT NULL, value ANY NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (name, scope, field, value)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_codes (
    code INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, value ANY NOT NULL, UNIQUE (scope, value)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS kontor_checkpoints (key TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kontor_generations (
    model TEXT NOT NULL, version INTEGER NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (model, version)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION};`;

/** What SQLite says of a failure; known by its looks, since the binding makes its errors in a realm of its own. */
type EngineError = { readonly message: string; readonly errcode?: number };
const isEngineError = (error: unknown): error is EngineError =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SQLITE_ERROR';

/** The file itself is at fault: it can only be put aside and made anew. Being busy, locked or full is not that. */
const isDamage = (error: unknown): boolean =>
  isEngineError(error) &&
  (error.errcode === undefined ? DAMAGE_TEXTS.includes(error.message) : DAMAGE_CODES.includes(error.errcode & 0xff));

/** The table is not there (yet). */
export class MissingTable extends ReadStoreUnavailable {}

class NewerSchema extends Error {}

/** One connection to models.sqlite: opening, damage, prepared statements, transactions, errors. */
export class ReadStoreDatabase {
  private readonly statements = new Map<string, StatementSyncInstance>();
  private open = true;

  private constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly directory: string,
    /** The former file was damaged or newer, and has been moved aside: everything must be rebuilt. */
    readonly recreated: boolean,
  ) {}

  static async open(directory: string, mode: Mode, waitMs: number): Promise<ReadStoreDatabase> {
    if (mode === 'readwrite') return ReadStoreDatabase.openWriter(directory, waitMs);
    return new ReadStoreDatabase(
      await waitFor(() => connectReader(directory, waitMs), waitMs, unusable),
      directory,
      false,
    );
  }

  private static openWriter(directory: string, waitMs: number): ReadStoreDatabase {
    mkdirSync(directory, { recursive: true });
    const suspected = existsSync(join(directory, `${FILE}.suspect`));
    if (suspected) moveAside(directory);
    try {
      return new ReadStoreDatabase(connectWriter(directory, waitMs), directory, suspected);
    } catch (error) {
      if (!isDamage(error) && !(error instanceof NewerSchema)) throw unavailable(error);
    }
    moveAside(directory);
    return translated(() => new ReadStoreDatabase(connectWriter(directory, waitMs), directory, true));
  }

  /** Rows as arrays of values, in the order of the selected columns. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.prepared(sql).all(...values) as Row[];
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.prepared(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: (Value | Uint8Array)[]): { changes: number; lastInsertRowid: number } {
    return this.prepared(sql).run(...values) as { changes: number; lastInsertRowid: number };
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** A prepared statement, kept; the least recently made one goes when there are too many. */
  prepared(sql: string): StatementSyncInstance {
    const known = this.statements.get(sql);
    if (known) return known;
    const oldest = this.statements.keys().next().value;
    if (this.statements.size >= MAX_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
    const statement = this.db.prepare(sql, { returnArrays: true });
    this.statements.set(sql, statement);
    return statement;
  }

  /** Everything that `work` reads is of one moment. */
  reading<T>(work: () => T): T {
    return this.guarded(() => this.transaction('BEGIN', work));
  }

  /** All of what `work` writes is kept or, when it throws or answers `keep: false`, nothing. */
  writing<T>(work: () => { readonly keep: boolean; readonly result: T }): T {
    return this.guarded(() => {
      let kept = false;
      return this.transaction(
        'BEGIN IMMEDIATE',
        () => {
          const { keep, result } = work();
          kept = keep;
          return result;
        },
        () => kept,
      );
    });
  }

  /** Runs `work` and turns what the engine throws into ReadStoreUnavailable; damage is remembered for the next start. */
  guarded<T>(work: () => T): T {
    if (!this.open) throw new ReadStoreUnavailable('The read store is closed');
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) this.remember();
      throw unavailable(error);
    }
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    try {
      // The binding frees statements, and with them the file, only when they are collected: so leave nothing in the log.
      this.db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A reader, or a full disk, is in the way: whoever opens the file next finds the log beside it.
    }
    this.statements.clear();
    this.db.close();
  }

  private transaction<T>(begin: string, work: () => T, keep: () => boolean = () => true): T {
    this.prepared(begin).run();
    try {
      const result = work();
      this.prepared(keep() ? 'COMMIT' : 'ROLLBACK').run();
      return result;
    } finally {
      // After a failure; the engine itself has rolled back already when the disk was full, say.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
    }
  }

  private remember(): void {
    try {
      writeFileSync(
        join(this.directory, `${FILE}.suspect`),
        'damaged: will be put aside and rebuilt at the next start\n',
      );
    } catch {
      // The disk may be the very trouble; the error that led here is reported in any case.
    }
  }
}

function connectWriter(directory: string, waitMs: number): DatabaseSyncInstance {
  const db = new DatabaseSync(join(directory, FILE), { timeout: waitMs });
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -24576;
      PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;`);
    refuseNewer(db);
    db.exec(`BEGIN IMMEDIATE; ${catalog} COMMIT;`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function connectReader(directory: string, waitMs: number): DatabaseSyncInstance {
  if (existsSync(join(directory, `${FILE}.suspect`))) throw new ReadStoreUnavailable('models.sqlite is damaged');
  const db = new DatabaseSync(join(directory, FILE), { readOnly: true, timeout: waitMs });
  try {
    db.exec('PRAGMA cache_size = -12288; PRAGMA temp_store = MEMORY;');
    refuseNewer(db);
    db.prepare('SELECT count(*) FROM kontor_generations').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function refuseNewer(db: DatabaseSyncInstance): void {
  const row = db.prepare('PRAGMA user_version', { returnArrays: true }).get() as Row;
  if (Number(row[0]) > SCHEMA_VERSION) throw new NewerSchema('models.sqlite was made by a newer version');
}

/** Keeps the unusable file for whoever wants to look into it, under a number of its own. */
function moveAside(directory: string): void {
  const file = join(directory, FILE);
  let n = 1;
  while (existsSync(`${file}.damaged-${n}`)) n += 1;
  if (existsSync(file)) renameSync(file, `${file}.damaged-${n}`);
  for (const ending of ['-wal', '-shm', '.suspect']) rmSync(file + ending, { force: true });
}

/** Whatever keeps a reader from opening (no file yet, not yet replaced, no tables) may pass once the writer is there. */
const unusable = (): boolean => true;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tries until it works, the error is not one that time mends, or `waitMs` are over. @throws ReadStoreUnavailable */
export async function waitFor<T>(attempt: () => T, waitMs: number, passes: (error: unknown) => boolean): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!passes(error) || performance.now() >= deadline) throw unavailable(error);
    }
    await sleep(10);
  }
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Errors of the engine and of the file system become the port's; a caller's own defects stay what they are. */
function unavailable(error: unknown): unknown {
  if (error instanceof ReadStoreUnavailable) return error;
  if (isEngineError(error) && error.message.startsWith('no such table')) return new MissingTable(error.message, error);
  if (error instanceof NewerSchema || isEngineError(error) || isSystemError(error)) {
    return new ReadStoreUnavailable(`The read store cannot serve: ${error.message}`, error);
  }
  return error;
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error;
