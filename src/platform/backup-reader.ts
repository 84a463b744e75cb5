import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { BEFORE_ALL } from '../ports/event-store.js';
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  LineChain,
  type BackupEvent,
  type BackupLine,
  type BackupManifest,
  type BackupTrailer,
} from './backup-format.js';

/** A file that is not, or not any more, a whole backup. `line` counts from 1: the first that is wrong. */
export class DamagedBackup extends Error {
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

/** What is told while a backup is read. */
export type BackupReading = {
  /** Events as they come, each checked, with the bytes of their lines; the next ones are read when it has resolved. */
  readonly onEvents?: (events: readonly BackupEvent[], bytes: number) => Promise<void>;
  /** Share of the file that was read, in percent. */
  readonly report?: (progress: number, events: number) => void;
};

/** Small, so that what it holds when it is unzipped is no burden, whatever the file. */
const PIECE_BYTES = 64 * 1024;
/** What zlib had unzipped of a chunk when it met a fault is lost: this is how closely the line can be told then. */
const CHUNK_BYTES = 16 * 1024;
/** An event has 1 MiB at most. */
const LONGEST_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Reads a backup and checks every line by the chain. What `onEvents` was given is sound, but the file may turn out
 * damaged later on: read it once without, before anything is done with its events.
 * @throws DamagedBackup naming the line, Error where the file cannot be opened
 */
export async function readBackup(path: string, reading: BackupReading = {}): Promise<BackupSummary> {
  const { size } = await stat(path);
  const lines = new LineReader();
  const unzipping = new Unzipping();
  let bytesRead = 0;
  const take = async ({ chunks, error }: Unzipped): Promise<void> => {
    for (const chunk of chunks) {
      const { events, bytes } = lines.take(chunk);
      if (events.length > 0) await reading.onEvents?.(events, bytes);
    }
    if (error !== undefined) throw toDamage(error, lines.next);
    reading.report?.(Math.floor((bytesRead / Math.max(size, 1)) * 100), lines.count);
  };
  try {
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
      bytesRead += piece.length;
      await take(await unzipping.take(piece));
    }
    await take(await unzipping.end());
  } finally {
    unzipping.close();
  }
  // Bytes behind the last gzip member are passed over in silence by zlib.
  return lines.end(bytesRead - unzipping.bytesTaken);
}

/** What came of a piece, up to a fault in it. */
type Unzipped = { readonly chunks: readonly Buffer[]; readonly error: Error | undefined };

/** Decompresses piece by piece, and loses little of what lies before a fault. */
class Unzipping {
  private readonly gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  private chunks: Buffer[] = [];
  private settle: (error?: Error | null) => void = () => undefined;
  private isOver = false;

  constructor() {
    this.gunzip.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    // The callback of the call that met it is never called.
    this.gunzip.on('error', (error) => {
      this.settle(error);
    });
    // Nor is that of the call whose piece has zeros behind the last member: zlib takes no more then.
    this.gunzip.on('end', () => {
      this.isOver = true;
      this.settle();
    });
  }

  get bytesTaken(): number {
    return this.gunzip.bytesWritten;
  }

  take(piece: Buffer): Promise<Unzipped> {
    return this.unzipped((settle) => {
      if (this.isOver) settle();
      else this.gunzip.write(piece, settle);
    });
  }

  end(): Promise<Unzipped> {
    return this.unzipped((settle) => {
      if (this.isOver) settle();
      else this.gunzip.end();
    });
  }

  close(): void {
    this.gunzip.destroy();
  }

  private async unzipped(begin: (settle: (error?: Error | null) => void) => void): Promise<Unzipped> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.settle = resolve;
      begin(resolve);
    });
    const { chunks } = this;
    this.chunks = [];
    return { chunks, error: error ?? undefined };
  }
}

function toDamage(error: unknown, line: number): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'Z_BUF_ERROR') return new DamagedBackup(line, 'the file ends here: it was cut');
  if (typeof code !== 'string' || !code.startsWith('Z_')) return error;
  if (line === 1)
    return new DamagedBackup(
      1,
      'this is no backup, for it is not compressed with gzip; or it is damaged within its first lines',
    );
  return new DamagedBackup(line, 'here, or a few lines on, the file cannot be decompressed: it is damaged');
}

/** Cuts text into lines and checks each, in the order of the file. */
class LineReader {
  count = 0;
  private lineNumber = 0;
  private lastPosition = BEFORE_ALL;
  private readonly chain = new LineChain();
  private manifest: BackupManifest | undefined;
  private trailer: BackupTrailer | undefined;
  /** The beginning of a line whose end has not come yet. */
  private begun: Buffer = Buffer.alloc(0);

  /** Number of the line that comes next. */
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
    if (this.begun.length > LONGEST_LINE_BYTES) throw new DamagedBackup(this.next, 'it is too long for a backup');
    return { events, bytes: from };
  }

  /** @throws DamagedBackup where something is missing, or follows that does not belong here */
  end(bytesLeft: number): BackupSummary {
    const { manifest, trailer } = this;
    if (this.begun.length > 0) throw new DamagedBackup(this.next, 'it has no end');
    if (!manifest || !trailer) throw new DamagedBackup(this.next, 'the last line is missing: the file was cut');
    if (bytesLeft > 0) throw new DamagedBackup(this.next, 'something follows that does not belong to it');
    return { manifest, trailer };
  }

  private line(bytes: Buffer): BackupEvent | undefined {
    if (this.trailer) throw new DamagedBackup(this.next, 'it comes after the last line');
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
    if (position <= this.lastPosition) throw new DamagedBackup(this.next, 'it does not come after the line before it');
    this.lastPosition = position;
    this.count += 1;
  }

  private close(trailer: BackupTrailer): void {
    const { count, lastPosition, sha256 } = trailer;
    if (count !== this.count || lastPosition !== this.lastPosition || sha256 !== this.chain.sha256Before)
      throw new DamagedBackup(this.next, 'what it says of the lines before it is not true');
    this.trailer = trailer;
  }

  private parsed(bytes: Buffer): BackupLine {
    const line = parse(bytes);
    if (isEvent(line)) return line;
    const parsed = line.kind === 'manifest' ? manifest.safeParse(line) : trailer.safeParse(line);
    if (!parsed.success) throw new DamagedBackup(this.next, NOT_OURS);
    const { data } = parsed;
    if (data.kind === 'manifest' && data.version !== BACKUP_VERSION)
      throw new DamagedBackup(this.next, `the format's version ${data.version} is of a newer Kontor than this one`);
    return data;
  }

  private broken(bytes: Buffer): string {
    if (this.lineNumber === 0 && !bytes.includes(BACKUP_FORMAT)) return 'this is no backup of Kontor';
    return 'it was changed, or lines before it are missing or in another order';
  }
}

const NOT_OURS = 'it is not what a backup of Kontor says here';
const position = z.int().min(BEFORE_ALL);
const manifest = z.object({
  kind: z.literal('manifest'),
  format: z.literal(BACKUP_FORMAT),
  version: z.int(),
  service: z.string(),
  madeAt: z.string(),
  executionId: z.string(),
  upTo: position,
  streams: z.array(z.string()),
});
const trailer = z.object({
  kind: z.literal('trailer'),
  count: z.int().min(0),
  lastPosition: position,
  sha256: z.string(),
});

type Unknown = { readonly [member in keyof BackupEvent]?: unknown };

/** Nothing where it is no JSON object: then it is no line of a backup, whatever its chain says. */
function parse(bytes: Buffer): Unknown {
  try {
    return (JSON.parse(bytes.toString()) as Unknown | null) ?? {};
  } catch {
    return {};
  }
}

/** By hand: there are millions of them. */
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
