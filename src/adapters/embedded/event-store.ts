import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type {
  AllRead,
  AllSubscription,
  Append,
  Appended,
  EventBatch,
  EventStore,
  ExpectedRevision,
  Position,
  RecordedEvent,
  StreamRead,
  StreamSlice,
} from '../../ports/event-store.js';
import type { EngineFacts } from '../../ports/engine.js';
import type { Clock } from '../../ports/time.js';
import { assertExpected, assertName, serializeAppend } from '../event-store.input.js';
import { Checkpointer } from './event-store.checkpointer.js';
import { CachedHeads } from './event-store.heads.js';
import { HistoryReader } from './event-store.history.js';
import { type DirectoryLock, lockDirectory } from './event-store.lock.js';
import { EventLog } from './event-store.log.js';
import { HistoryQueries } from './event-store.query.js';
import { historyFile, openHistory } from './event-store.schema.js';
import { CommitSignal, type Rest } from './event-store.signal.js';
import { GroupCommitWriter, type Step } from './event-store.writer.js';

export type EmbeddedEventStoreOptions = {
  /** Holds `history.sqlite` and its lock; made where it is missing. One process at a time may write to it. */
  readonly directory: string;
  readonly clock: Clock;
  /** How long subscriptions may rest after they were woken. Default: not at all. */
  readonly rest?: Rest;
};

/** About 10 MB at most. */
const CACHED_HEADS = 50_000;

/**
 * The event store in one SQLite file: WAL, flushed at every commit, a checksum on every record.
 * Answers as EventStoreDB does. One bound of its own: with `any`, a repeat is recognised among the newest 1,000 events
 * of its stream. After an I/O error at the very flush of a commit, a crash before the next commit may bring refused
 * appends back; a repeat of them is then answered as one.
 */
export class EmbeddedEventStore implements EventStore {
  readonly #db: DatabaseSyncInstance;
  readonly #lock: DirectoryLock;
  readonly #log: EventLog;
  readonly #writer: GroupCommitWriter;
  readonly #reader: HistoryReader;
  readonly #checkpointer: Checkpointer;
  readonly #signal: CommitSignal;
  readonly #listeners = new Set<(head: Position) => void>();
  #closing: Promise<void> | undefined;

  private constructor(
    db: DatabaseSyncInstance,
    lock: DirectoryLock,
    { directory, clock, rest }: EmbeddedEventStoreOptions,
  ) {
    this.#db = db;
    this.#lock = lock;
    this.#signal = new CommitSignal(rest);
    const queries = new HistoryQueries(db);
    const heads = new CachedHeads(db, CACHED_HEADS);
    this.#log = new EventLog(db, heads, { last: queries.last(), lastOfService: queries.lastOfService() });
    this.#checkpointer = new Checkpointer(db, historyFile(directory));
    this.#writer = new GroupCommitWriter(this.#log, clock, (head) => {
      this.#announce(head);
    });
    const history = { queries, last: () => this.#log.end.last, signal: this.#signal, clock };
    this.#reader = new HistoryReader(history, heads);
  }

  /** @throws Error where another process writes to the directory, a newer program has written it, or it is damaged */
  static open(options: EmbeddedEventStoreOptions): EmbeddedEventStore {
    const lock = lockDirectory(options.directory);
    let db: DatabaseSyncInstance | undefined;
    try {
      db = openHistory(options.directory);
      return new EmbeddedEventStore(db, lock, options);
    } catch (error) {
      db?.close();
      lock.release();
      throw error;
    }
  }

  async append(append: Append): Promise<Appended> {
    const serialized = serializeAppend(append);
    const [appended] = await this.#writer.run([(log, nowMs) => log.append(serialized, nowMs)], serialized.bytes);
    return appended as Appended;
  }

  async appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    const steps: Step[] = [];
    let bytes = 0;
    let invalid: Error | undefined;
    for (const append of appends) {
      try {
        const serialized = serializeAppend(append);
        bytes += serialized.bytes;
        steps.push((log, nowMs) => log.append(serialized, nowMs));
      } catch (error) {
        // Those before it are still to be tried.
        invalid = error as Error;
        break;
      }
    }
    const appended = steps.length > 0 ? await this.#writer.run(steps, bytes) : [];
    if (invalid) throw invalid;
    return appended;
  }

  readStream(stream: string, read?: StreamRead): Promise<StreamSlice> {
    return this.#reader.readStream(stream, read);
  }

  readAll(read?: AllRead): Promise<readonly RecordedEvent[]> {
    return this.#reader.readAll(read);
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    return this.#reader.subscribeToAll(subscription);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port promises; a failure must reject, not throw
  async head(): Promise<Position> {
    this.#reader.assertOpen();
    return this.#log.end.lastOfService;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port promises; a failure must reject, not throw
  async facts(): Promise<EngineFacts> {
    this.#reader.assertOpen();
    const { version } = this.#db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return { engine: 'sqlite', version };
  }

  async deleteStream(stream: string, expected: ExpectedRevision): Promise<void> {
    assertName('stream name', stream);
    assertExpected(expected);
    await this.#writer.run([(log, nowMs) => log.deleteSoftly(stream, expected, nowMs)], 0);
  }

  /** Deletes a stream for ever: reads and appends are refused with StreamTombstoned. @throws as `append` */
  async tombstoneStream(stream: string, expected: ExpectedRevision): Promise<void> {
    assertName('stream name', stream);
    assertExpected(expected);
    await this.#writer.run([(log, nowMs) => log.deleteForEver(stream, expected, nowMs)], 0);
  }

  /**
   * Calls `listener` once for each commit, with the position of its last record (one of the system's own, perhaps), when
   * its appends have been answered. For `EmbeddedEventReader.notify` in other threads. Returns how to stop.
   */
  onCommit(listener: (head: Position) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#writer.close();
    this.#signal.end();
    this.#listeners.clear();
    await this.#checkpointer.close();
    this.#db.close();
    this.#lock.release();
  }

  #announce(head: Position): void {
    this.#signal.announce(head);
    this.#checkpointer.noteCommit();
    for (const listener of this.#listeners) listener(head);
  }
}
