import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { ReadStoreUnavailable } from '../../ports/read-store.js';
import { DamagedText } from './packed-json.reader.js';
import { FILE, identityOf, isDamage, isSuspected, isWhole, moveAside, suspect } from './read-store.damage.js';
import { isNotUnique, isSqliteError, openDatabase } from './sqlite.js';
import { catalog, OtherSchema, refuseOther, replaceOlder } from './read-store.schema.js';

export type Value = string | number | null;
export type Row = readonly Value[];
export type Mode = 'readwrite' | 'readonly';

/**
 * Maximum number of cached statements. Each kind of list query has its own statement, but far fewer kinds than this are
 * in use.
 */
const MAX_STATEMENTS = 2_000;

/** Thrown if a table does not exist, for example because the writer has not created it yet. */
export class MissingTable extends ReadStoreUnavailable {}

/** A connection to models.sqlite. Manages prepared statements, transactions, errors and damage. */
export class ReadStoreDatabase {
  private readonly statements = new Map<string, StatementSyncInstance>();
  private open = true;
  private damaged = false;
  private readonly identity: number | undefined;

  private constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly directory: string,
    private readonly mode: Mode,
    /**
     * Whether the previous file was moved aside because it was damaged or had a newer schema. If so, every model must
     * be rebuilt.
     */
    readonly recreated: boolean,
    private readonly onDamaged: () => void,
  ) {
    this.identity = identityOf(directory);
  }

  /** `onDamaged` is called once, if the file is found to be damaged or missing. */
  static async open(
    directory: string,
    mode: Mode,
    waitMs: number,
    onDamaged: () => void = () => undefined,
    keptCheckpoints: readonly string[] = [],
  ): Promise<ReadStoreDatabase> {
    if (mode === 'readwrite') {
      const former = replaceOlder(directory, keptCheckpoints);
      const db = ReadStoreDatabase.openWriter(directory, waitMs, onDamaged);
      for (const row of former)
        db.run('INSERT OR IGNORE INTO kontor_checkpoints (key, position) VALUES (?, ?)', ...row);
      return db;
    }
    const db = await waitFor(() => connectReader(directory, waitMs), waitMs, unusable);
    return new ReadStoreDatabase(db, directory, mode, false, onDamaged);
  }

  private static openWriter(directory: string, waitMs: number, onDamaged: () => void): ReadStoreDatabase {
    mkdirSync(directory, { recursive: true });
    const connect = (recreated: boolean): ReadStoreDatabase =>
      new ReadStoreDatabase(connectWriter(directory, waitMs), directory, 'readwrite', recreated, onDamaged);
    const suspected = isSuspected(directory);
    if (suspected) moveAside(directory);
    try {
      return connect(suspected);
    } catch (error) {
      if (!isDamage(error) && !(error instanceof OtherSchema)) throw unavailable(error);
    }
    moveAside(directory);
    return translated(() => connect(true));
  }

  /** Returns rows as arrays of values, in the order of the selected columns. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.prepared(sql).all(...values) as Row[];
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.prepared(sql).get(...values) as Row | undefined;
  }

  run(sql: string, ...values: (Value | Uint8Array)[]): { changes: number; lastInsertRowid: number } {
    return this.prepared(sql).run(...values) as { changes: number; lastInsertRowid: number };
  }

  /**
   * Runs a statement that returns no rows. Like `run`, but uses `get`, because the binding's `run` creates an object
   * with the number of changes.
   */
  change(sql: string, ...values: Value[]): void {
    this.prepared(sql).get(...values);
  }

  /** Inserts a row. Returns false if a row with the same unique values exists. */
  insert(sql: string, ...values: Value[]): boolean {
    try {
      this.change(sql, ...values);
      return true;
    } catch (error) {
      if (isNotUnique(error)) return false;
      throw error;
    }
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** Returns a cached prepared statement. If the cache exceeds its limit, the oldest statement is evicted. */
  prepared(sql: string): StatementSyncInstance {
    const known = this.statements.get(sql);
    if (known) return known;
    const oldest = this.statements.keys().next().value;
    if (this.statements.size >= MAX_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
    const statement = this.db.prepare(sql, { returnArrays: true });
    this.statements.set(sql, statement);
    return statement;
  }

  /** Runs `work`, which reads from a single snapshot. */
  reading<T>(work: () => T): T {
    return this.guarded(() => this.transaction('BEGIN', work));
  }

  /** Commits all writes made by `work`, or none if `work` throws or returns `keep: false`. */
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

  /**
   * Runs `work` and converts engine errors to ReadStoreUnavailable. Marks a damaged file, so that the next writer moves
   * it aside.
   */
  guarded<T>(work: () => T): T {
    if (!this.open) throw new ReadStoreUnavailable('The read store is closed');
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) this.damage();
      throw unavailable(error);
    }
  }

  get isDamaged(): boolean {
    return this.damaged;
  }

  /**
   * Checks the file itself, because SQLite does not access the file while its cache is sufficient. Used only by the
   * writer.
   */
  inspect(): void {
    if (this.open && !this.damaged && !isWhole(this.directory, this.identity)) this.damage();
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    if (!this.damaged) this.emptyLog();
    this.statements.clear();
    this.db.close();
  }

  private emptyLog(): void {
    try {
      // The binding keeps the file open until the statements are garbage-collected, so the log is emptied here.
      this.db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A reader or a full disk may prevent the checkpoint. The next process that opens the file then also reads the
      // log.
    }
  }

  private damage(): void {
    if (this.damaged) return;
    this.damaged = true;
    // A reader may still have a file open that has already been replaced.
    if (this.mode === 'readwrite' || identityOf(this.directory) === this.identity) suspect(this.directory);
    this.onDamaged();
  }

  private transaction<T>(begin: string, work: () => T, keep: () => boolean = () => true): T {
    this.prepared(begin).run();
    try {
      const result = work();
      this.prepared(keep() ? 'COMMIT' : 'ROLLBACK').run();
      return result;
    } finally {
      // After some failures, such as a full disk, the engine has already rolled back the transaction.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
    }
  }
}

const connectWriter = (directory: string, waitMs: number): DatabaseSyncInstance =>
  openDatabase(join(directory, FILE), { timeout: waitMs }, (db) => {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -24576;
      PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216;`);
    refuseOther(db);
    db.exec(`BEGIN IMMEDIATE; ${catalog} COMMIT;`);
  });

function connectReader(directory: string, waitMs: number): DatabaseSyncInstance {
  if (isSuspected(directory)) throw new ReadStoreUnavailable('models.sqlite is damaged');
  return openDatabase(join(directory, FILE), { readOnly: true, timeout: waitMs }, (db) => {
    db.exec('PRAGMA cache_size = -12288; PRAGMA temp_store = MEMORY;');
    refuseOther(db);
    db.prepare('SELECT count(*) FROM kontor_generations').get();
  });
}

/**
 * Accepts all errors that prevent a reader from opening the file, for example because the file does not exist yet.
 * These errors may disappear once a writer is running.
 */
const unusable = (): boolean => true;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Retries until `attempt` succeeds or fails with a permanent error, or until `waitMs` has elapsed.
 * @throws ReadStoreUnavailable
 */
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

/**
 * Converts engine and file system errors to the port's errors. Leaves errors caused by bugs in the caller unchanged.
 */
function unavailable(error: unknown): unknown {
  if (error instanceof ReadStoreUnavailable) return error;
  if (isSqliteError(error) && error.message.startsWith('no such table')) return new MissingTable(error.message, error);
  if (isUnusable(error) || isSqliteError(error) || isSystemError(error)) {
    return new ReadStoreUnavailable(`The read store is unavailable: ${error.message}`, error);
  }
  return error;
}

const isUnusable = (error: unknown): error is Error => error instanceof OtherSchema || error instanceof DamagedText;

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error;
