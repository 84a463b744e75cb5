import { accessSync, constants } from 'node:fs';

/** Primary result codes of SQLite, with messages, because some errors of the binding have no code. */
const FULL = { code: 13, text: 'database or disk is full' };
const READ_ONLY = { code: 8, text: 'attempt to write a readonly database' };
const IO = { code: 10, text: 'disk I/O error' };

export type SqliteError = { readonly message: string; readonly errcode?: number };
/** Recognized structurally: the binding creates its errors in another realm. */
export const isSqliteError = (error: unknown): error is SqliteError =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SQLITE_ERROR';

/** Short reason why files in a directory cannot be written; undefined for any other error. */
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
