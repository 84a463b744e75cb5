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
export function moveAside(directory: string, name = FILE): void {
  const file = join(directory, name);
  let n = 1;
  while (existsSync(`${file}.damaged-${n}`)) n += 1;
  if (existsSync(file)) renameSync(file, `${file}.damaged-${n}`);
  removeFile(directory, name);
}

export function removeFile(directory: string, name = FILE): void {
  for (const ending of ['', '-wal', '-shm', '.suspect']) rmSync(join(directory, name) + ending, { force: true });
}

/** Returns the inode of the file, or undefined if it does not exist. */
export const identityOf = (directory: string, name = FILE): number | undefined =>
  statSync(join(directory, name), { throwIfNoEntry: false })?.ino;

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 32;

/** Sizes of the headers of the write-ahead log and of each page in it. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offsets in the index of the log: the number of its pages, and of those that have been copied to the database. */
const LOGGED_AT = 16;
const COPIED_AT = 96;

/**
 * Whether all pages after `from`, up to and including `upTo`, are in the write-ahead log and have yet to be copied to
 * the database. On a full disk, a checkpoint may update the header of the file, but fail to extend the file. The file
 * is then too short, but no page is lost.
 */
function isInLog(directory: string, { from, upTo }: { from: number; upTo: number }, pageBytes: number): boolean {
  const path = join(directory, FILE);
  if (!existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) return false;
  const [logged = 0, copied = 0] = read(`${path}-shm`, [LOGGED_AT, COPIED_AT], (bytes) => bytes.readUInt32LE());
  const offsets: number[] = [];
  for (let frame = copied; frame < logged; frame += 1)
    offsets.push(LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes));
  const found = new Set(read(`${path}-wal`, offsets, (bytes) => bytes.readUInt32BE()));
  for (let page = from + 1; page <= upTo; page += 1) if (!found.has(page)) return false;
  return true;
}

/** Reads 32-bit numbers at the given offsets of a file. */
function read(path: string, offsets: readonly number[], numberIn: (bytes: Buffer) => number): number[] {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    return offsets.map((offset) => {
      readSync(file, bytes, 0, bytes.length, offset);
      return numberIn(bytes);
    });
  } finally {
    closeSync(file);
  }
}

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
    const pages = { from: Math.floor(fstatSync(file).size / pageBytes), upTo: Math.max(1, header.readUInt32BE(28)) };
    return hasMagic && (pages.from >= pages.upTo || isInLog(directory, pages, pageBytes));
  } catch {
    // A file system error during the check does not indicate that the file is damaged.
    return true;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
