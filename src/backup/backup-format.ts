import { hash } from 'node:crypto';
import { z } from 'zod';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';

// docs/backup-format.md specifies the format for other programs. Any change to the meaning of a line requires a new
// version. Old versions must remain readable.

export const BACKUP_FORMAT = 'kontor-backup';
export const BACKUP_VERSION = 1;

const position = z.int().min(BEFORE_ALL);

/** File name extension of an encrypted backup, and the first bytes of its content. */
export const ENCRYPTED = '.age';
const AGE_HEADER = Buffer.from('age-encryption.org/v1\n');
export const AGE_HEADER_BYTES = AGE_HEADER.length;
export const isEncrypted = (start: Uint8Array): boolean => AGE_HEADER.equals(start.subarray(0, AGE_HEADER_BYTES));

/** The first line, which describes the contents of the backup. */
export const BackupManifest = z.object({
  kind: z.literal('manifest'),
  format: z.literal(BACKUP_FORMAT),
  version: z.int(),
  /** Version of Kontor that wrote the backup. */
  service: z.string(),
  /** Time at which the backup began, ISO 8601 UTC. */
  madeAt: z.string(),
  /** Execution id of the job run that wrote the backup. */
  executionId: z.string(),
  /** Head of the history when the backup began. The backup contains no later events. */
  upTo: position,
  /** Name prefixes of the streams in the backup. */
  streams: z.array(z.string()).readonly(),
});
export type BackupManifest = z.output<typeof BackupManifest>;

/** An event. `position` and `recordedAt` belong to the source store. Everything else is restored unchanged. */
export type BackupEvent = {
  readonly kind: 'event';
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** Time at which the engine stored the event, ISO 8601 UTC. */
  readonly recordedAt: string;
  readonly data: object;
  readonly metadata: object;
};

/** The last line. A file without this line is truncated. */
export const BackupTrailer = z.object({
  kind: z.literal('trailer'),
  count: z.int().min(0),
  /** Position of the last event; −1 if there are no events. */
  lastPosition: position,
  /** The full link of the previous line, in hexadecimal. */
  sha256: z.string(),
});
export type BackupTrailer = z.output<typeof BackupTrailer>;

export type BackupLine = BackupManifest | BackupEvent | BackupTrailer;

/** Thrown if a backup cannot be written, read or restored. The message is intended for operators. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

const DIGEST_BYTES = 32;
/**
 * Each line contains 72 bits of its link. This is sufficient to locate a break. The trailer contains a full link of 256
 * bits.
 */
const LINK_CHARACTERS = 12;
const BEFORE_LINK = ',"chain":"';
const AFTER_LINK = '"}';
const ENDING_BYTES = BEFORE_LINK.length + LINK_CHARACTERS + AFTER_LINK.length;

/**
 * The hash chain over a backup's lines. The link of a line is a SHA-256 hash. Its input is the previous link (32 zero
 * bytes for the first line) followed by the line's bytes before its `chain` member. That member contains the first 12
 * characters of the link in base64url. A changed, missing, added or moved line breaks the chain at that line. The chain
 * is not a signature: anyone who can write the file can compute a new chain.
 */
export class LineChain {
  readonly #link = Buffer.alloc(DIGEST_BYTES);
  readonly #before = Buffer.alloc(DIGEST_BYTES);
  /** Contains the previous link followed by the line, so that a single call hashes both. */
  #scratch = Buffer.alloc(64 * 1024);

  /** The last link, in hexadecimal. */
  get sha256(): string {
    return this.#link.toString('hex');
  }

  /** The link before the last one, in hexadecimal. The trailer contains it. */
  get sha256Before(): string {
    return this.#before.toString('hex');
  }

  /** Returns the line with its link and a line feed. The bytes remain valid only until the next call. */
  seal(line: BackupLine): Buffer {
    const json = JSON.stringify(line);
    this.#reserve(DIGEST_BYTES + json.length * 3 + ENDING_BYTES + 1);
    // The closing brace is omitted, because the link becomes the last member.
    const end = DIGEST_BYTES + this.#scratch.write(json, DIGEST_BYTES) - 1;
    this.#advance(end);
    const ending = `${BEFORE_LINK}${this.#shown()}${AFTER_LINK}\n`;
    const written = this.#scratch.write(ending, end, 'latin1');
    return this.#scratch.subarray(DIGEST_BYTES, end + written);
  }

  /** Advances the chain by a line, without its line feed. Returns true if the line continues the chain. */
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
