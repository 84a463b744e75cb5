import { hash } from 'node:crypto';
import type { Position } from '../ports/event-store.js';

// The format of a backup: docs/backup-format.md describes it for other programs. A change of what a line means is a new
// version, and the old ones stay readable.

/** What the first line of every backup says that it is: see docs/backup-format.md. */
export const BACKUP_FORMAT = 'kontor-backup';
export const BACKUP_VERSION = 1;

/** First line: what the backup is of. */
export type BackupManifest = {
  readonly kind: 'manifest';
  readonly format: typeof BACKUP_FORMAT;
  readonly version: number;
  /** Version of the Kontor that made it. */
  readonly service: string;
  /** ISO 8601 UTC. */
  readonly madeAt: string;
  /** The job's run that made it. */
  readonly executionId: string;
  /** The head of the history when it began: nothing beyond it is in here. */
  readonly upTo: Position;
  /** Beginnings of the names of the streams that were looked at. */
  readonly streams: readonly string[];
};

/** One event. Position and instant are those of the store that it was read from; the rest is restored as it is. */
export type BackupEvent = {
  readonly kind: 'event';
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** When the engine stored it, ISO 8601 UTC. */
  readonly recordedAt: string;
  readonly data: object;
  readonly metadata: object;
};

/** Last line: a file without it was cut. */
export type BackupTrailer = {
  readonly kind: 'trailer';
  readonly count: number;
  /** -1 where there are no events. */
  readonly lastPosition: Position;
  /** The whole chain after the line before this one, hex. */
  readonly sha256: string;
};

/** A line of a backup. */
export type BackupLine = BackupManifest | BackupEvent | BackupTrailer;

const DIGEST_BYTES = 32;
/** Of each link 72 bits stand in the line: enough to tell the line where a chain breaks; the trailer has all 256. */
const LINK_CHARACTERS = 12;
const BEFORE_LINK = ',"chain":"';
const AFTER_LINK = '"}';
const ENDING_BYTES = BEFORE_LINK.length + LINK_CHARACTERS + AFTER_LINK.length;

/**
 * The hash chain over a backup's lines: the link of a line is SHA-256 of the link before it (32 zero bytes before the
 * first) and the line's bytes up to its member `chain`, which holds the beginning of that link. A changed, missing,
 * added or moved line breaks the chain at that line. It is no signature: who can write the file can make a new chain.
 */
export class LineChain {
  readonly #link = Buffer.alloc(DIGEST_BYTES);
  readonly #before = Buffer.alloc(DIGEST_BYTES);
  /** The link before a line and the line itself, one after the other: hashed in one go. */
  #scratch = Buffer.alloc(64 * 1024);

  /** The last link, hex. */
  get sha256(): string {
    return this.#link.toString('hex');
  }

  /** The link before the last one, hex: what a trailer tells of the lines before it. */
  get sha256Before(): string {
    return this.#before.toString('hex');
  }

  /** The line as it is written, with its link and its line feed. The bytes are valid until the next call. */
  seal(line: BackupLine): Buffer {
    const json = JSON.stringify(line);
    this.#reserve(DIGEST_BYTES + json.length * 3 + ENDING_BYTES + 1);
    // Without the closing brace: the link becomes the last member.
    const end = DIGEST_BYTES + this.#scratch.write(json, DIGEST_BYTES) - 1;
    this.#advance(end);
    const ending = `${BEFORE_LINK}${this.#shown()}${AFTER_LINK}\n`;
    const written = this.#scratch.write(ending, end, 'latin1');
    return this.#scratch.subarray(DIGEST_BYTES, end + written);
  }

  /** Whether a line, without its line feed, is the one that comes next; the chain goes on behind it if so. */
  accepts(line: Uint8Array): boolean {
    const length = line.length - ENDING_BYTES;
    if (length < 1) return false;
    this.#reserve(DIGEST_BYTES + line.length);
    this.#scratch.set(line, DIGEST_BYTES);
    const end = DIGEST_BYTES + length;
    this.#advance(end);
    const ending = this.#scratch.toString('latin1', end, end + ENDING_BYTES);
    return ending === `${BEFORE_LINK}${this.#shown()}${AFTER_LINK}`;
  }

  #advance(end: number): void {
    this.#link.copy(this.#before);
    this.#link.copy(this.#scratch);
    hash('sha256', this.#scratch.subarray(0, end), 'buffer').copy(this.#link);
  }

  #shown(): string {
    return this.#link.toString('base64url').slice(0, LINK_CHARACTERS);
  }

  #reserve(bytes: number): void {
    if (this.#scratch.length < bytes) this.#scratch = Buffer.alloc(bytes * 2);
  }
}
