import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { COLUMNS, type EventRow, toRecordedEvent } from '../../../src/adapters/embedded/event-store.record.js';
import { openHistoryForReading } from '../../../src/adapters/embedded/event-store.schema.js';
import { BEFORE_ALL, type Direction, type Position, type RecordedEvent } from '../../../src/ports/event-store.js';

/** Limits the memory that one page uses. */
const PAGE_MAX_EVENTS = 256;
const PAGE_MAX_CHARACTERS = 2 * 1024 * 1024;

/**
 * Reads the engine's complete history, including the engine's own records. The port omits these records, but $all
 * includes them.
 */
export class LogReader {
  readonly #db: DatabaseSyncInstance;
  readonly #forwards: StatementSyncInstance;
  readonly #backwards: StatementSyncInstance;
  readonly #ofStream: StatementSyncInstance;
  readonly #last: StatementSyncInstance;
  readonly #endOfStream: StatementSyncInstance;

  constructor(directory: string) {
    this.#db = openHistoryForReading(directory);
    const prepare = (sql: string): StatementSyncInstance => {
      const statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const select = `SELECT ${COLUMNS} FROM events WHERE`;
    this.#forwards = prepare(`${select} position >= ? ORDER BY position LIMIT ${PAGE_MAX_EVENTS}`);
    this.#backwards = prepare(`${select} position <= ? ORDER BY position DESC LIMIT ${PAGE_MAX_EVENTS}`);
    this.#ofStream = prepare(`${select} stream = ? AND revision >= ? ORDER BY revision LIMIT ${PAGE_MAX_EVENTS}`);
    this.#last = prepare('SELECT max(position) FROM events');
    this.#endOfStream = prepare(
      'SELECT revision, position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
    );
  }

  /** Returns the position of the last record of any kind. */
  last(): Position {
    return (this.#last.get() as [number | null])[0] ?? BEFORE_ALL;
  }

  /** Returns the next records, starting at `from`. The page is empty only at the end of the log. */
  page(from: Position, direction: Direction): RecordedEvent[] {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    return take(statement.iterate(from) as Iterable<EventRow>);
  }

  /**
   * Returns the next records of a stream, starting at a revision. Includes records that the stream's metadata hides.
   */
  streamPage(stream: string, from: number): RecordedEvent[] {
    return take(this.#ofStream.iterate(stream, from) as Iterable<EventRow>);
  }

  /** Returns the revision and position of a stream's last record. */
  endOf(stream: string): { readonly revision: number; readonly position: Position } {
    const [revision, position] = (this.#endOfStream.get(stream) as [number, number] | undefined) ?? [-1, BEFORE_ALL];
    return { revision, position };
  }

  close(): void {
    this.#db.close();
  }
}

function take(rows: Iterable<EventRow>): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  let characters = 0;
  for (const row of rows) {
    events.push(toRecordedEvent(row));
    characters += row[5].length + row[6].length;
    if (characters > PAGE_MAX_CHARACTERS) break;
  }
  return events;
}
