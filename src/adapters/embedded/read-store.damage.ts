import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DamagedText } from './packed-json.reader.js';
import { isSqliteError } from './sqlite.js';

export const FILE = 'models.sqlite';

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their messages, because errors thrown by the binding's `all` have no code. */
const DAMAGE_CODES = [11, 26];
const DAMAGE_TEXTS = ['database disk image is malformed', 'file is not a database'];
/** SQLITE_READONLY_DBMOVED: the file was deleted or replaced. SQLITE_IOERR_SHORT_READ: the file was truncated. */
const LOSS_CODES = [1032, 522];

/**
 * Whether the file itself is damaged and must be replaced. A busy file, a locked file and a full disk do not count as
 * damage.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedText) return true;
  if (!isSqliteError(error)) return false;
  const { errcode, message } = error;
  if (errcode === undefined) return DAMAGE_TEXTS.includes(message);
  return DAMAGE_CODES.includes(errcode & 0xff) || LOSS_CODES.includes(errcode);
}

const suspectFile = (directory: string): string => join(directory, `${FILE}.suspect`);
export const isSuspected = (directory: string): boolean => existsSync(suspectFile(directory));

/** Marks the file so that the next writer moves it aside. */
export function suspect(directory: string): void {
  try {
    writeFileSync(
      suspectFile(directory),
      'The file is damaged. It will be moved aside and rebuilt when it is next opened.\n',
    );
  } catch {
    // Marking may fail because the disk is faulty. The original error is reported in any case.
  }
}

/** Renames the unusable file by appending a new number, so that the file can be analyzed. */
export function moveAside(directory: string): void {
  const file = join(directory, FILE);
  let n = 1;
  while (existsSync(`${file}.damaged-${n}`)) n += 1;
  if (existsSync(file)) renameSync(file, `${file}.damaged-${n}`);
  removeFile(directory);
}

export function removeFile(directory: string): void {
  for (const ending of ['', '-wal', '-shm', '.suspect']) rmSync(join(directory, FILE) + ending, { force: true });
}

/** Returns the inode of the file, or undefined if it does not exist. */
export const identityOf = (directory: string): number | undefined =>
  statSync(join(directory, FILE), { throwIfNoEntry: false })?.ino;

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 32;

/**
 * Returns false if the file was deleted, replaced or truncated, if its header is invalid, or if a reader has reported
 * damage. SQLite detects few of these faults while it reads from its cache. Must be called only in the writing thread,
 * between transactions.
 */
export function isWhole(directory: string, identity: number | undefined): boolean {
  let file: number | undefined;
  try {
    if (isSuspected(directory) || identityOf(directory) !== identity) return false;
    file = openSync(join(directory, FILE), 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    // The header encodes a page size of 65,536 as 1.
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const hasMagic = header.toString('latin1', 0, MAGIC.length) === MAGIC;
    return hasMagic && fstatSync(file).size >= Math.max(1, header.readUInt32BE(28)) * pageBytes;
  } catch {
    // A file system error during the check does not indicate that the file is damaged.
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
