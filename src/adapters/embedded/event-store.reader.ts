import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Position } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import { HistoryReader } from './event-store.history.js';
import { HistoryQueries } from './event-store.query.js';
import { openHistoryForReading } from './event-store.schema.js';
import { CommitSignal, type Rest } from './event-store.signal.js';

export type EmbeddedEventReaderOptions = {
  readonly directory: string;
  readonly clock: Clock;
  /** Minimum pause between subscription wake-ups. Default: no pause. */
  readonly rest?: Rest;
};

/**
 * Reads the history over its own connection, in a worker thread of the writing process. Read operations see all
 * committed events. To deliver live events, subscriptions need `notify`: the writing thread must post each head that
 * `EmbeddedEventStore.onCommit` reports, and the worker must pass it to `notify`. The reader caches no stream data,
 * because another thread writes the streams. The worker must close its reader and exit on its own, because
 * `terminate()` during a driver call would abort the process.
 */
export class EmbeddedEventReader extends HistoryReader {
  private constructor(
    private readonly db: DatabaseSyncInstance,
    clock: Clock,
    rest: Rest | undefined,
  ) {
    const queries = new HistoryQueries(db);
    super({
      queries,
      last: () => queries.last(),
      revisionOf: (stream) => queries.revisionOf(stream),
      signal: new CommitSignal(rest),
      clock,
    });
  }

  /** @throws EventStoreUnavailable if there is no history yet; Error if the history was written by a newer release */
  static open({ directory, clock, rest }: EmbeddedEventReaderOptions): EmbeddedEventReader {
    return new EmbeddedEventReader(openHistoryForReading(directory), clock, rest);
  }

  /** Wakes subscriptions that are behind the committed `head`. */
  notify(head: Position): void {
    this.history.signal.announce(head);
  }

  /** Ends the subscriptions and closes the connection. Idempotent. */
  close(): Promise<void> {
    if (!this.history.signal.ended) {
      this.history.signal.end();
      this.db.close();
    }
    return Promise.resolve();
  }
}
