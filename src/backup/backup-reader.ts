import type { Decrypter } from 'age-encryption';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BEFORE_ALL } from '../ports/event-store.js';
import {
  AGE_HEADER_BYTES,
  BACKUP_FORMAT,
  BACKUP_VERSION,
  BackupError,
  BackupManifest,
  BackupTrailer,
  isEncrypted,
  LineChain,
  type BackupEvent,
  type BackupLine,
} from './backup-format.js';

/** Thrown for a file that is not a complete backup. `line` is the number of the first invalid line, counted from 1. */
export class DamagedBackup extends BackupError {
  constructor(
    readonly line: number,
    reason: string,
  ) {
    super(`Line ${line}: ${reason}`);
    this.name = 'DamagedBackup';
  }
}

/** The first and the last line of a backup. */
export type BackupSummary = { readonly manifest: BackupManifest; readonly trailer: BackupTrailer };

export type BackupReading = {
  /**
   * Receives verified events, and the total size of their lines in bytes. Reading continues when the promise resolves.
   */
  readonly onEvents?: (events: readonly BackupEvent[], bytes: number) => Promise<void>;
  /** Receives the progress as a percentage of the file, and the number of events read so far. */
  readonly report?: (progress: number, events: number) => void;
  /** Decrypts the backup if it is encrypted. */
  readonly decrypter?: Decrypter | undefined;
};

/**
 * When zlib finds damage, it discards the current chunk. The chunk size therefore limits how precisely the damaged line
 * can be located.
 */
const CHUNK_BYTES = 16 * 1024;
/** Maximum line length. An event takes at most 1 MiB. */
const LONGEST_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a backup and verifies every line against the chain. Events passed to `onEvents` are intact, but a later part of
 * the file may be damaged. Therefore, first read the whole file without using its events.
 * @throws DamagedBackup with the line number; Error if the file cannot be opened
 */
export async function readBackup(
  path: string,
  { onEvents, report, decrypter }: BackupReading = {},
): Promise<BackupSummary> {
  const lines = new LineReader();
  const { file, content, size, sizeBytes } = await opened(path, decrypter);
  // Chunks buffered in the stream would also be lost if zlib detected damage.
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES, ...{ readableHighWaterMark: 1 } });
  for (const source of new Set<Readable>([file, content])) source.on('error', (error) => gunzip.destroy(error));
  content.pipe(gunzip);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      const { events, bytes } = lines.take(chunk);
      if (events.length > 0) await onEvents?.(events, bytes);
      report?.(Math.floor((file.bytesRead / Math.max(size, 1)) * 100), lines.count);
    }
  } catch (error) {
    throw toDamage(error, lines.next);
  } finally {
    content.destroy();
    file.destroy();
    gunzip.destroy();
  }
  // zlib silently ignores bytes after the last gzip member.
  return lines.end(sizeBytes - gunzip.bytesWritten);
}

/**
 * Opens a backup. `size` is the size of the file in bytes. `sizeBytes` is the size of its content, which differs if the
 * file is encrypted.
 */
async function opened(path: string, decrypter: Decrypter | undefined) {
  const handle = await open(path);
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new BackupError(`${path} is not a file. Specify a backup file.`);
  }
  const { size } = stats;
  const start = Buffer.alloc(AGE_HEADER_BYTES);
  await handle.read(start, 0, AGE_HEADER_BYTES, 0);
  const file = handle.createReadStream({ start: 0 });
  if (!isEncrypted(start)) return { file, size, content: file, sizeBytes: size };
  try {
    const { decrypted } = await import('./backup-encryption.js');
    return { file, size, ...(await decrypted(file, size, decrypter)) };
  } catch (error) {
    file.destroy();
    throw error;
  }
}

function toDamage(error: unknown, line: number): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (message === 'invalid tag') return new DamagedBackup(line, 'the encrypted file is damaged here or truncated');
  if (code === 'Z_BUF_ERROR') return new DamagedBackup(line, 'the file is truncated here');
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error;
  if (line === 1)
    return new DamagedBackup(
      1,
      'the file is not a backup because it is not gzip-compressed, or its first lines are damaged',
    );
  return new DamagedBackup(line, 'the file is damaged here or within the next few lines: it cannot be decompressed');
}

/** Splits chunks into lines and verifies the lines in the order of the file. */
class LineReader {
  count = 0;
  private lineNumber = 0;
  private lastPosition = BEFORE_ALL;
  private readonly chain = new LineChain();
  private manifest: BackupManifest | undefined;
  private trailer: BackupTrailer | undefined;
  /** Start of a line that continues in the next chunk. */
  private begun: Buffer = Buffer.alloc(0);

  /** Number of the next line, counted from 1. */
  get next(): number {
    return this.lineNumber + 1;
  }

  take(chunk: Buffer): { events: BackupEvent[]; bytes: number } {
    const events: BackupEvent[] = [];
    const text = this.begun.length === 0 ? chunk : Buffer.concat([this.begun, chunk]);
    let from = 0;
    for (let to = text.indexOf(10); to >= 0; to = text.indexOf(10, from)) {
      const event = this.line(text.subarray(from, to));
      if (event) events.push(event);
      from = to + 1;
    }
    this.begun = text.subarray(from);
    if (this.begun.length > LONGEST_LINE_BYTES)
      throw new DamagedBackup(this.next, 'the line is longer than any line of a backup');
    return { events, bytes: from };
  }

  /** @throws DamagedBackup if the file is truncated or contains data after the backup */
  end(bytesLeft: number): BackupSummary {
    const { manifest, trailer } = this;
    if (this.begun.length > 0) throw new DamagedBackup(this.next, 'the end is missing: the file is truncated');
    if (!manifest || !trailer) throw new DamagedBackup(this.next, 'the last line is missing: the file is truncated');
    if (bytesLeft > 0) throw new DamagedBackup(this.next, 'extra data follows the backup');
    return { manifest, trailer };
  }

  private line(bytes: Buffer): BackupEvent | undefined {
    if (this.trailer) throw new DamagedBackup(this.next, 'the line follows the end of the backup');
    if (!this.chain.accepts(bytes)) throw new DamagedBackup(this.next, this.broken(bytes));
    const line = this.parsed(bytes);
    if ((line.kind === 'manifest') !== (this.lineNumber === 0)) throw new DamagedBackup(this.next, NOT_OURS);
    if (line.kind === 'manifest') this.manifest = line;
    else if (line.kind === 'event') this.note(line);
    else this.close(line);
    this.lineNumber += 1;
    return line.kind === 'event' ? line : undefined;
  }

  private note({ position }: BackupEvent): void {
    if (position <= this.lastPosition)
      throw new DamagedBackup(this.next, 'the line does not follow the previous one in order');
    this.lastPosition = position;
    this.count += 1;
  }

  private close(trailer: BackupTrailer): void {
    const { count, lastPosition, sha256 } = trailer;
    if (count !== this.count || lastPosition !== this.lastPosition || sha256 !== this.chain.sha256Before)
      throw new DamagedBackup(this.next, 'the summary in this line does not match the preceding lines');
    this.trailer = trailer;
  }

  private parsed(bytes: Buffer): BackupLine {
    const line = parse(bytes);
    if (isEvent(line)) return line;
    const parsed = line.kind === 'manifest' ? BackupManifest.safeParse(line) : BackupTrailer.safeParse(line);
    if (!parsed.success) throw new DamagedBackup(this.next, NOT_OURS);
    const { data } = parsed;
    if (data.kind === 'manifest' && data.version !== BACKUP_VERSION)
      throw new DamagedBackup(
        this.next,
        `the format version ${data.version} belongs to a newer version of Kontor. Use that version to restore it.`,
      );
    return data;
  }

  private broken(bytes: Buffer): string {
    if (this.lineNumber === 0 && !bytes.includes(BACKUP_FORMAT)) return 'the file is not a Kontor backup';
    return 'the line was changed, or preceding lines are missing or reordered';
  }
}

const NOT_OURS = 'the line is not valid in a Kontor backup';

type Unknown = { readonly [member in keyof BackupEvent]?: unknown };

/**
 * Returns an empty object for invalid JSON and for null. Validation then rejects the line, even if the chain is intact.
 */
function parse(bytes: Buffer): Unknown {
  try {
    return (JSON.parse(bytes.toString()) as Unknown | null) ?? {};
  } catch {
    return {};
  }
}

/** Avoids zod for speed, because a backup may contain millions of events. */
function isEvent(line: Unknown): line is BackupEvent {
  const { kind, position: at, revision, stream, id, type, recordedAt, data, metadata } = line;
  const texts = [stream, id, type, recordedAt];
  return (
    kind === 'event' &&
    [at, revision].every((number) => Number.isSafeInteger(number) && (number as number) >= 0) &&
    texts.every((text) => typeof text === 'string' && text !== '') &&
    [data, metadata].every((part) => typeof part === 'object' && part !== null)
  );
}
