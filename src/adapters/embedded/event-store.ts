import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { AppendPipeline, Pipelined } from '../../ports/append-pipeline.js';
import type { EngineFacts, EngineFault } from '../../ports/engine.js';
import type { Append, Appended, EventStore, Position } from '../../ports/event-store.js';
import type { HistoryIdentity } from '../../ports/history.js';
import { serializeAppend } from '../event-store.input.js';
import { convertLeading } from '../leading.js';
import { Pipeline } from '../pipeline.js';
import { Checkpointer } from './event-store.checkpointer.js';
import { HistoryFiles } from './event-store.files.js';
import { HistoryReader } from './event-store.history.js';
import { type DirectoryLock, lockDirectory } from './event-store.lock.js';
import { EventLog } from './event-store.log.js';
import { HistoryQueries } from './event-store.query.js';
import type { EmbeddedEventReaderOptions } from './event-store.reader.js';
import { historyFile, openHistory } from './event-store.schema.js';
import { CommitSignal } from './event-store.signal.js';
import { GroupCommitWriter, type PipelineState } from './event-store.writer.js';

/** `directory` contains `history.sqlite` and its lock, and is created if missing. Only one process may write to it. */
export type EmbeddedEventStoreOptions = EmbeddedEventReaderOptions;

/**
 * An event store in one SQLite file, with a write-ahead log that is flushed on every commit, and a checksum in every
 * record. If a commit fails with an I/O error during its flush, a crash before the next commit may restore the rejected
 * appends. A retry is then recognized as a duplicate.
 */
export class EmbeddedEventStore extends HistoryReader implements EventStore, Pipelined, HistoryIdentity {
  private readonly writer: GroupCommitWriter;
  private readonly checkpointer: Checkpointer;
  private readonly files: HistoryFiles;
  private readonly listeners = new Set<(head: Position) => void>();
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly lock: DirectoryLock,
    { directory, clock, rest }: EmbeddedEventStoreOptions,
  ) {
    const queries = new HistoryQueries(db);
    const log = new EventLog(db, queries.last(), (stream) => queries.revisionOf(stream));
    super({
      queries,
      last: () => log.last,
      revisionOf: (stream) => log.revisionOf(stream),
      recent: log.recent,
      signal: new CommitSignal(rest),
      clock,
    });
    this.checkpointer = new Checkpointer(db, historyFile(directory));
    this.files = new HistoryFiles(historyFile(directory));
    this.writer = new GroupCommitWriter(log, clock, directory, this.files, (head) => {
      this.announce(head);
    });
  }

  /**
   * @throws Error if another process writes to the directory, or if the history is damaged or was written by a newer
   * release
   */
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

  revisionOf(stream: string): number | undefined {
    return this.history.signal.ended ? undefined : this.history.revisionOf(stream);
  }

  async append(append: Append): Promise<Appended> {
    const [appended] = await this.writer.run([serializeAppend(append)]);
    return appended as Appended;
  }

  async appendInOrder(appends: readonly Append[]): Promise<Appended[]> {
    const { converted, refusal } = convertLeading(appends, serializeAppend);
    const appended = converted.length > 0 ? await this.writer.run(converted) : [];
    if (refusal) throw refusal;
    return appended;
  }

  pipeline(): AppendPipeline {
    const state: PipelineState = {};
    return new Pipeline(async (append) => {
      const [appended] = await this.writer.run([append], state);
      return appended as Appended;
    });
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port returns a promise; a failure must reject it, not throw
  async facts(): Promise<EngineFacts> {
    this.assertOpen();
    const { version } = this.db.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return { engine: 'sqlite', version };
  }

  override async head(): Promise<Position> {
    const { loss } = this.files;
    if (loss) throw loss;
    return super.head();
  }

  fault(): EngineFault | undefined {
    const reason = this.files.loss?.reason;
    return reason === undefined ? undefined : { setting: 'DATA_DIR', reason };
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port returns a promise; a failure must reject it, not throw
  async current(): Promise<string> {
    this.assertOpen();
    return (this.db.prepare('SELECT id FROM kontor_history').get() as { id: string }).id;
  }

  /** Must be called before the first append, because the update is a separate transaction. */
  async renew(known: string, next: string): Promise<string> {
    this.assertOpen();
    this.db.prepare('UPDATE kontor_history SET id = ? WHERE id = ?').run(next, known);
    return this.current();
  }

  end(): Promise<Position> {
    return this.head();
  }

  /**
   * After the appends of a commit have resolved, calls `listener` with the position of the commit's last event. The
   * listener can call `EmbeddedEventReader.notify` in other threads. Returns a function that removes the listener.
   */
  onCommit(listener: (head: Position) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  close(): Promise<void> {
    this.closing ??= this.release();
    return this.closing;
  }

  private async release(): Promise<void> {
    this.writer.close();
    this.history.signal.end();
    this.listeners.clear();
    await this.checkpointer.close();
    this.db.close();
    this.lock.release();
  }

  private announce(head: Position): void {
    this.history.signal.announce(head);
    this.checkpointer.noteCommit();
    for (const listener of this.listeners) listener(head);
  }
}
