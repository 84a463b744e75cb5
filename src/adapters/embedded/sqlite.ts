import { accessSync, constants } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

type OpenOptions = ConstructorParameters<typeof DatabaseSync>[1];

/** Primary SQLite result codes and their messages, because some errors from the binding have no code. */
const FULL = { code: 13, text: 'database or disk is full' };
const READ_ONLY = { code: 8, text: 'attempt to write a readonly database' };
const IO = { code: 10, text: 'disk I/O error' };

export type SqliteError = { readonly message: string; readonly errcode?: number };
/** Recognizes errors by their properties, because the binding creates them in another JavaScript realm. */
export const isSqliteError = (error: unknown): error is SqliteError =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SQLITE_ERROR';

const BUSY = 5;
/** SQLITE_CONSTRAINT_UNIQUE */
const NOT_UNIQUE = 2067;
/** Whether the error means that another connection holds a lock. */
export const isBusy = (error: unknown): boolean => (error as { errcode?: unknown } | null)?.errcode === BUSY;
export const isNotUnique = (error: unknown): boolean => (error as { errcode?: unknown } | null)?.errcode === NOT_UNIQUE;

/** Opens a database file. Closes it again if `configure` fails. */
export function openDatabase(
  file: string,
  options: OpenOptions,
  configure: (db: DatabaseSyncInstance) => void,
): DatabaseSyncInstance {
  const db = new DatabaseSync(file, options);
  try {
    configure(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** @throws Error if the file system does not support write-ahead logging */
export function useWriteAheadLog(db: DatabaseSyncInstance, file: string): void {
  const { journal_mode: mode } = db.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  if (mode !== 'wal') throw new Error(`${file}: the file system does not support WAL mode`);
}

/** Returns a short reason why files in a directory cannot be written, or undefined for any other error. */
export function diskFault(error: unknown, directory: string): string | undefined {
  if (!isSqliteError(error)) return undefined;
  const is = ({ code, text }: typeof FULL): boolean =>
    error.errcode === undefined ? error.message === text : (error.errcode & 0xff) === code;
  if (is(FULL)) return 'disk full';
  if (!is(READ_ONLY) && !is(IO)) return undefined;
  if (!isWritable(directory)) return 'read-only file system';
  return is(IO) ? 'disk I/O error' : 'the file cannot be written';
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
