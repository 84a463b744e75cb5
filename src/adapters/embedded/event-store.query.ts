import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import {
  BEFORE_ALL,
  CorruptEvent,
  type Direction,
  type EventFilter,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';
import { isWanted, OF_SERVICE, ScanStatements } from './event-store.filter.js';
import { assertSound, COLUMNS, decoded, type EventRow, toRecordedEvent } from './event-store.record.js';

/** Events that one call returns: bounded in number and size, so that it holds the event loop for a few ms at most. */
export type Page = { readonly events: readonly RecordedEvent[]; readonly complete: boolean };

/** A page of a scan. `reached`: the last position that was looked at; undefined where there was nothing at all. */
export type ScannedPage = Page & { readonly reached: Position | undefined };

export type ScanRange = {
  /** Positions, both inclusive. */
  readonly low: Position;
  readonly high: Position;
  readonly filter: EventFilter | undefined;
  readonly direction: Direction;
  /** These records were written a moment ago: what is read is what was written. */
  readonly isFresh: boolean;
};

export type StreamRange = {
  readonly stream: string;
  /** Revisions, both inclusive. */
  readonly low: number;
  readonly high: number;
  readonly direction: Direction;
  /** Events recorded earlier are hidden. */
  readonly sinceMs: number;
};

/** Positions that one scan should look at, so that a filter that finds nothing takes a few ms: 3 µs a record. */
export const SCAN_STEP = 2_000;
export const PAGE_MAX_EVENTS = 1_000;
/** So few are fetched at once, which is faster; more are stopped at a page's size. */
const FEW_ROWS = 16;
const PAGE_MAX_CHARACTERS = 4 * 1024 * 1024;

/** Every reading statement on the history. Nothing is returned whose checksum does not hold. */
export class HistoryQueries {
  readonly #scans: ScanStatements;
  readonly #forwards: StatementSyncInstance;
  readonly #backwards: StatementSyncInstance;
  readonly #positions: StatementSyncInstance;
  readonly #row: StatementSyncInstance;
  readonly #tally: StatementSyncInstance;
  readonly #last: StatementSyncInstance;
  readonly #lastOfService: StatementSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    const prepare = (sql: string): StatementSyncInstance => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const ofStream = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ? AND recorded_at_ms >= ?`;
    this.#scans = new ScanStatements(db);
    this.#forwards = prepare(`${ofStream} ORDER BY revision LIMIT ?`);
    this.#backwards = prepare(`${ofStream} ORDER BY revision DESC LIMIT ?`);
    this.#positions = prepare('SELECT position FROM events WHERE stream = ? AND revision BETWEEN ? AND ? LIMIT ?');
    this.#row = prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    this.#tally = prepare('SELECT count(*), sum(position - ?1) FROM events WHERE position BETWEEN ?1 AND ?2');
    this.#last = prepare('SELECT max(position) FROM events');
    this.#lastOfService = prepare(`SELECT position FROM events WHERE ${OF_SERVICE} ORDER BY position DESC LIMIT 1`);
  }

  /** @throws CorruptEvent, EventStoreUnavailable */
  stream({ stream, low, high, direction, sinceMs }: StreamRange, limit: number): Page {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    const most = Math.min(limit, high - low + 1);
    const rows = (): Iterable<EventRow> =>
      (most <= FEW_ROWS
        ? statement.all(stream, low, high, sinceMs, limit)
        : statement.iterate(stream, low, high, sinceMs, limit)) as Iterable<EventRow>;
    return this.#guarded(
      () => take(rows(), limit, () => true),
      () => this.#positions.all(stream, low, high, PAGE_MAX_EVENTS).map((row: [number]) => row[0]),
    );
  }

  /**
   * Events of the filter between two positions. What damage has done to a record may be that the filter does not know it
   * any more, so that all are verified, and then filtered. Only fresh ones are left to the engine's own filter.
   * @throws CorruptEvent, EventStoreUnavailable
   */
  scan(range: ScanRange, limit: number): ScannedPage {
    const { low, high, direction } = range;
    const forwards = direction === 'forwards';
    const page = this.#guarded(
      () => this.#scanned(range, limit),
      () => span(low, high, forwards),
    );
    const reached = page.complete ? undefined : page.reached;
    const missing = this.#findMissing(forwards ? low : (reached ?? low), forwards ? (reached ?? high) : high, forwards);
    if (missing === undefined) return page;
    if (missing === (forwards ? low : high)) throw new CorruptEvent(missing);
    const events = page.events.filter(({ position }) => (forwards ? position < missing : position > missing));
    return { events, complete: false, reached: forwards ? missing - 1 : missing + 1 };
  }

  #scanned({ low, high, filter, direction, isFresh }: ScanRange, limit: number): ScannedPage {
    if (!isFresh) {
      const rows = this.#scans.everything(direction).iterate(low, high) as Iterable<EventRow>;
      return take(rows, limit, (row) => isWanted(row, filter));
    }
    const { statement, parameters } = this.#scans.prepare(filter, direction);
    return take(statement.iterate(low, high, limit, ...parameters) as Iterable<EventRow>, limit, () => true);
  }

  /** Position of the last record of any kind. */
  last(): Position {
    return this.#guarded(() => (this.#last.get() as [number | null])[0] ?? BEFORE_ALL);
  }

  /** Position of the last event that is not the system's own. */
  lastOfService(): Position {
    return this.#guarded(() => (this.#lastOfService.get() as [number] | undefined)?.[0] ?? BEFORE_ALL);
  }

  /**
   * Positions have no gaps in this engine: where those of a stretch do not add up, a damaged structure hides records from
   * a scan of it.
   */
  #findMissing(low: Position, high: Position, forwards: boolean): Position | undefined {
    const [count, sum] = this.#guarded(
      () => this.#tally.get(low, high) as [number, number | null],
      () => span(low, high, forwards),
    );
    const expected = high - low + 1;
    if (count === expected && sum === (expected * (expected - 1)) / 2) return undefined;
    return this.#findDamage(span(low, high, forwards)) ?? low;
  }

  /** Damage to SQLite's own structures shows as an error of the statement; `suspects` are then tried one by one. */
  #guarded<T>(query: () => T, suspects: () => Iterable<Position> = () => []): T {
    try {
      return query();
    } catch (error) {
      if (error instanceof CorruptEvent || error instanceof SyntaxError) throw error;
      const damaged = isDamage(error) ? this.#findDamage(suspects()) : undefined;
      if (damaged !== undefined) throw new CorruptEvent(damaged);
      throw new EventStoreUnavailable('The event history could not be read', error);
    }
  }

  #findDamage(suspects: Iterable<Position>): Position | undefined {
    for (const position of suspects) {
      try {
        const row = this.#row.get(position) as EventRow | undefined;
        if (!row) return position;
        toRecordedEvent(row);
      } catch (error) {
        if (error instanceof CorruptEvent || isDamage(error)) return position;
        throw error;
      }
    }
    return undefined;
  }
}

/** Stops before a damaged record when there are sound ones before it; the next call then meets it. */
function take(rows: Iterable<EventRow>, limit: number, isToTake: (row: EventRow) => boolean): ScannedPage {
  const events: RecordedEvent[] = [];
  let reached: Position | undefined;
  let characters = 0;
  try {
    for (const row of rows) {
      assertSound(row);
      if (isToTake(row)) events.push(decoded(row));
      [reached] = row;
      characters += row[5].length + row[6].length;
      if (events.length >= limit || characters > PAGE_MAX_CHARACTERS) return { events, complete: false, reached };
    }
  } catch (error) {
    if (reached === undefined) throw error;
    return { events, complete: false, reached };
  }
  return { events, complete: true, reached };
}

function* span(low: Position, high: Position, forwards: boolean): Iterable<Position> {
  if (forwards) for (let position = low; position <= high; position += 1) yield position;
  else for (let position = high; position >= low; position -= 1) yield position;
}

const damage = /malformed|not a database/;

/** By its text: the driver gives SQLite's code for some calls only. A damaged integer may be too large for a number. */
function isDamage(error: unknown): boolean {
  const { name, message } = error as { name?: unknown; message?: unknown };
  return name === 'RangeError' || (typeof message === 'string' && damage.test(message));
}
