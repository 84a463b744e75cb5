import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type {
  AllRead,
  AllSubscription,
  EventBatch,
  Position,
  RecordedEvent,
  StreamRead,
  StreamSlice,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import { StoredHeads } from './event-store.heads.js';
import { HistoryReader } from './event-store.history.js';
import { HistoryQueries } from './event-store.query.js';
import { openHistoryForReading } from './event-store.schema.js';
import { CommitSignal, type Rest } from './event-store.signal.js';

export type EmbeddedEventReaderOptions = {
  readonly directory: string;
  readonly clock: Clock;
  /** How long subscriptions may rest after they were woken. Default: not at all. */
  readonly rest?: Rest;
};

/**
 * The reading half of the event store on a connection of its own, for a worker thread beside the process that writes.
 * Reads see whatever is committed. Subscriptions go live by `notify`: the writing thread posts the heads that
 * `EmbeddedEventStore.onCommit` reports. Nothing about streams is cached, since another thread writes them.
 * A worker that holds one must be asked to close it and to end: `terminate()` within a call of the driver aborts the
 * whole process.
 */
export class EmbeddedEventReader {
  readonly #db: DatabaseSyncInstance;
  readonly #queries: HistoryQueries;
  readonly #signal: CommitSignal;
  readonly #reader: HistoryReader;

  private constructor(db: DatabaseSyncInstance, clock: Clock, rest: Rest | undefined) {
    this.#db = db;
    this.#signal = new CommitSignal(rest);
    this.#queries = new HistoryQueries(db);
    const history = { queries: this.#queries, last: () => this.#queries.last(), signal: this.#signal, clock };
    this.#reader = new HistoryReader(history, new StoredHeads(db));
  }

  /** @throws EventStoreUnavailable where there is no history yet, Error where a newer program has written it */
  static open({ directory, clock, rest }: EmbeddedEventReaderOptions): EmbeddedEventReader {
    return new EmbeddedEventReader(openHistoryForReading(directory), clock, rest);
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
    return this.#queries.lastOfService();
  }

  /** Something up to `head` has been committed: wakes the subscriptions that have not seen it. */
  notify(head: Position): void {
    this.#signal.announce(head);
  }

  /** Ends the subscriptions and closes the connection. Idempotent. */
  close(): Promise<void> {
    if (!this.#signal.ended) {
      this.#signal.end();
      this.#db.close();
    }
    return Promise.resolve();
  }
}
