import { createHash } from 'node:crypto';
import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import { BACKUP_FORMAT, BACKUP_VERSION, LineChain, type BackupLine } from './backup-format.js';

/** Where the bytes of a backup go. A write that is not awaited to its end may be lost. */
export type BackupDestination = { write(bytes: Uint8Array): Promise<void> };

/** What is backed up, in which steps, and who is told. */
export type BackupOptions = {
  /** Version of this service. */
  readonly service: string;
  readonly executionId: string;
  /** Beginnings of the names of the streams that belong to the service. */
  readonly streams: readonly string[];
  /** One gzip member of a block: compressing in the calling thread or beside it is the caller's choice. */
  readonly compress: (block: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** Events read at once. */
  readonly batchSize: number;
  /** Bytes compressed at once. */
  readonly blockBytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Progress in percent. */
  readonly report: (progress: number, message: string) => void;
};

/** What a backup has become. */
export type BackupTotals = {
  readonly count: number;
  readonly lastPosition: Position;
  /** Of the compressed file. */
  readonly sizeBytes: number;
  /** Of the compressed file, hex. */
  readonly sha256: string;
};

/**
 * Writes the history up to the head that it has at the beginning: a moment's state, whatever is appended meanwhile,
 * since what is stored never changes.
 * @throws EventStoreUnavailable, CorruptEvent, what `write` throws, the signal's reason
 */
export async function writeBackup(
  events: EventReader,
  destination: BackupDestination,
  options: BackupOptions,
): Promise<BackupTotals> {
  const { service, executionId, streams, clock, signal } = options;
  const upTo = await events.head();
  const lines = new LineWriter(destination, options);
  const madeAt = new Date(clock.nowMs()).toISOString();
  const manifest = { kind: 'manifest', format: BACKUP_FORMAT, version: BACKUP_VERSION } as const;
  await lines.write({ ...manifest, service, madeAt, executionId, upTo, streams });
  if (upTo > BEFORE_ALL) await writeEvents(events, upTo, lines, options);
  signal.throwIfAborted();
  const { count, lastPosition } = lines;
  await lines.write({ kind: 'trailer', count, lastPosition, sha256: lines.chained });
  await lines.flush();
  return { count, lastPosition, sizeBytes: lines.sizeBytes, sha256: lines.sha256 };
}

async function writeEvents(
  events: EventReader,
  upTo: Position,
  lines: LineWriter,
  { streams, batchSize: maxBatchSize, signal, report }: BackupOptions,
): Promise<void> {
  const filter = { on: 'stream', prefixes: streams } as const;
  // A read of everything could not be filtered by every engine.
  for await (const batch of events.subscribeToAll({ after: BEFORE_ALL, filter, maxBatchSize, signal })) {
    for (const event of batch.events) if (event.position <= upTo) await lines.writeEvent(event);
    signal.throwIfAborted();
    report(percentage(batch.position, upTo), `${lines.count} events`);
    if (batch.position >= upTo || batch.caughtUp) return;
  }
  signal.throwIfAborted();
  throw new Error(`The history could not be read up to position ${upTo}`);
}

const percentage = (position: Position, upTo: Position): number =>
  Math.min(99, Math.floor(((position + 1) / (upTo + 1)) * 100));

/** Gathers lines to blocks, each of which becomes a gzip member of its own. */
class LineWriter {
  count = 0;
  lastPosition = BEFORE_ALL;
  sizeBytes = 0;
  private readonly chain = new LineChain();
  private readonly file = createHash('sha256');
  private readonly block: Buffer;
  private used = 0;

  constructor(
    private readonly destination: BackupDestination,
    private readonly options: Pick<BackupOptions, 'compress' | 'blockBytes'>,
  ) {
    this.block = Buffer.alloc(options.blockBytes);
  }

  /** Over all lines so far, hex. */
  get chained(): string {
    return this.chain.sha256;
  }

  /** Of the bytes that were written, hex; the last thing to ask for. */
  get sha256(): string {
    return this.file.digest('hex');
  }

  writeEvent(event: RecordedEvent): Promise<void> | undefined {
    const { position, stream, revision, id, type, recordedAtMs, data, metadata } = event;
    const recordedAt = new Date(recordedAtMs).toISOString();
    this.count += 1;
    this.lastPosition = position;
    return this.write({ kind: 'event', position, stream, revision, id, type, recordedAt, data, metadata });
  }

  /** Nothing is to be waited for while the block has room. */
  write(line: BackupLine): Promise<void> | undefined {
    const sealed = this.chain.seal(line);
    if (this.used + sealed.length <= this.block.length) {
      this.used += sealed.copy(this.block, this.used);
      return undefined;
    }
    return this.overflow(Buffer.from(sealed));
  }

  async flush(): Promise<void> {
    const { used } = this;
    this.used = 0;
    if (used > 0) await this.emit(this.block.subarray(0, used));
  }

  private async overflow(line: Buffer): Promise<void> {
    await this.flush();
    if (line.length > this.block.length) await this.emit(line);
    else this.used = line.copy(this.block);
  }

  private async emit(block: Uint8Array): Promise<void> {
    const member = await this.options.compress(block);
    this.file.update(member);
    this.sizeBytes += member.length;
    await this.destination.write(member);
  }
}
