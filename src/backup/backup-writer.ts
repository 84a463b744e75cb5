import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { BEFORE_ALL, type EventReader, type Position, type RecordedEvent } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { BackupDraft } from './backup-archive.js';
import { BACKUP_FORMAT, BACKUP_VERSION, LineChain, type BackupLine } from './backup-format.js';
import { StreamRevisions } from './stream-revisions.js';

/** `batchSize` is a number of events. `blockBytes` applies before compression. */
type Steps = {
  readonly batchSize: number;
  readonly blockBytes: number;
  readonly compress: (block: Uint8Array) => Uint8Array | Promise<Uint8Array>;
};

// This level compresses almost as well as the default level, but takes only two thirds of the time.
const LEVEL = 4;
const inPool = promisify(gzip);

/**
 * Step sizes for a dedicated thread. Compression avoids the Node.js thread pool, because requests need that pool and
 * its priority cannot be lowered.
 */
const OWN_THREAD: Steps = {
  batchSize: 1_000,
  blockBytes: 1024 * 1024,
  compress: (block) => gzipSync(block, { level: LEVEL }),
};
const SHARED_THREAD: Steps = {
  batchSize: 50,
  blockBytes: 128 * 1024,
  compress: (block) => inPool(block, { level: LEVEL }),
};

export type BackupOptions = {
  /** Version of the service. */
  readonly service: string;
  readonly executionId: string;
  /** Name prefixes of the service's streams. */
  readonly streams: readonly string[];
  /** Whether the calling thread also serves requests. */
  readonly sharesThread: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives the progress as a percentage. */
  readonly report: (progress: number, message: string) => void;
};

/**
 * Writes the history up to its current head. Stored events never change, so the backup is a consistent snapshot despite
 * concurrent appends. Returns the number of events.
 * @throws EventStoreUnavailable, CorruptEvent, BackupError (also if a stream lacks events), the signal's reason
 */
export async function writeBackup(
  events: EventReader,
  draft: Pick<BackupDraft, 'write'>,
  options: BackupOptions,
): Promise<number> {
  const { service, executionId, streams, clock, signal, report, sharesThread } = options;
  const { batchSize: maxBatchSize, ...steps } = sharesThread ? SHARED_THREAD : OWN_THREAD;
  const upTo = await events.head();
  const lines = new LineWriter(draft, steps);
  const madeAt = new Date(clock.nowMs()).toISOString();
  const manifest = { kind: 'manifest', format: BACKUP_FORMAT, version: BACKUP_VERSION } as const;
  await lines.write({ ...manifest, service, madeAt, executionId, upTo, streams });
  // A subscription is used, because EventStoreDB filters subscriptions on the server, but not `readAll`.
  const subscription = {
    after: BEFORE_ALL,
    filter: { on: 'stream', prefixes: streams },
    maxBatchSize,
    signal,
  } as const;
  let reached = upTo === BEFORE_ALL;
  const batches = reached ? [] : events.subscribeToAll(subscription);
  for await (const batch of batches) {
    for (const event of batch.events) if (event.position <= upTo) await lines.writeEvent(event);
    signal.throwIfAborted();
    report(percentage(batch.position, upTo), `${lines.count} events`);
    reached = batch.position >= upTo || batch.caughtUp;
    if (reached) break;
  }
  signal.throwIfAborted();
  if (!reached) throw new Error(`The history could not be read up to position ${upTo}`);
  const { count, lastPosition } = lines;
  await lines.write({ kind: 'trailer', count, lastPosition, sha256: lines.chained });
  await lines.flush();
  return count;
}

const percentage = (position: Position, upTo: Position): number =>
  Math.min(99, Math.floor(((position + 1) / (upTo + 1)) * 100));

/** Collects lines into blocks and writes each block as one gzip member. */
class LineWriter {
  count = 0;
  lastPosition = BEFORE_ALL;
  private readonly chain = new LineChain();
  private readonly revisions = new StreamRevisions();
  private readonly block: Buffer;
  private used = 0;

  constructor(
    private readonly draft: Pick<BackupDraft, 'write'>,
    private readonly steps: Omit<Steps, 'batchSize'>,
  ) {
    this.block = Buffer.alloc(steps.blockBytes);
  }

  /** Link of the last line, in hexadecimal. */
  get chained(): string {
    return this.chain.sha256;
  }

  writeEvent(event: RecordedEvent): Promise<void> | undefined {
    const { position, stream, revision, id, type, recordedAtMs, data, metadata } = event;
    const gap = this.revisions.gapBefore(event);
    if (gap) throw gap;
    const recordedAt = new Date(recordedAtMs).toISOString();
    this.count += 1;
    this.lastPosition = position;
    return this.write({ kind: 'event', position, stream, revision, id, type, recordedAt, data, metadata });
  }

  /** Returns undefined instead of a promise if the block still has room, so that callers need not await anything. */
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
    await this.draft.write(await this.steps.compress(block));
  }
}
