import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import {
  BEFORE_ALL,
  CorruptEvent,
  DamagedStore,
  type Direction,
  type EventFilter,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';
import { passes } from '../event-store.input.js';
import {
  assertSound,
  COLUMNS,
  decoded,
  type EventRow,
  type StoredEvent,
  toRecordedEvent,
  undecoded,
} from './event-store.record.js';

/** A range of positions or revisions. Both bounds are inclusive. The range is empty if `low` exceeds `high`. */
export type Span = { readonly low: number; readonly high: number };

/** Range and filter of a scan. `low` and `high` are positions. */
export type Scan = Span & {
  readonly filter: EventFilter | undefined;
  readonly direction: Direction;
  /**
   * Whether the records were written moments ago. Recent records are assumed to be undamaged, so SQLite can filter
   * them.
   */
  readonly isFresh: boolean;
  readonly textOnly?: boolean;
};

/** `reached` is the last position scanned. In a backward scan, it is the lowest position. */
export type ScannedPage = {
  readonly events: readonly RecordedEvent[];
  readonly reached: Position;
  /** Total length, in characters, of the data and metadata in all records read. */
  readonly characters: number;
};

/** Number of positions per scan. A scan without a match takes a few milliseconds (3 µs per record). */
export const SCAN_STEP = 2_000;
/** Limits on one call, so that no call blocks the event loop for more than a few milliseconds. */
const PAGE_MAX_EVENTS = 1_000;
const PAGE_MAX_CHARACTERS = 4 * 1024 * 1024;
/**
 * Results with up to this many rows are fetched with one call, which is faster than iterating. Larger results are
 * iterated over, up to the page size.
 */
const FEW_ROWS = 16;
const MAX_CACHED_STATEMENTS = 100;

/** Contains all statements that read the history. Never returns an event whose checksum does not match. */
export class HistoryQueries {
  private readonly scans = new Map<string, StatementSyncInstance>();
  private readonly streams: Readonly<Record<Direction, StatementSyncInstance>>;
  private readonly positions: StatementSyncInstance;
  private readonly row: StatementSyncInstance;
  private readonly tally: StatementSyncInstance;
  private readonly lastPosition: StatementSyncInstance;
  private readonly revision: StatementSyncInstance;

  constructor(private readonly db: DatabaseSyncInstance) {
    const ofStream = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ?`;
    this.streams = {
      forwards: this.prepare(`${ofStream} ORDER BY revision LIMIT ?`),
      backwards: this.prepare(`${ofStream} ORDER BY revision DESC LIMIT ?`),
    };
    this.positions = this.prepare('SELECT position FROM events WHERE stream = ? AND revision BETWEEN ? AND ? LIMIT ?');
    this.row = this.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    this.tally = this.prepare('SELECT count(*), sum(position - ?1) FROM events WHERE position BETWEEN ?1 AND ?2');
    this.lastPosition = this.prepare('SELECT max(position) FROM events');
    this.revision = this.prepare('SELECT max(revision) FROM events WHERE stream = ?');
  }

  /**
   * Returns the next events of a stream. The result is empty only if there are no more events.
   * @throws CorruptEvent, EventStoreUnavailable
   */
  stream(stream: string, { low, high }: Span, direction: Direction, maxCount: number): readonly RecordedEvent[] {
    const statement = this.streams[direction];
    const limit = Math.min(maxCount, PAGE_MAX_EVENTS);
    const isShort = Math.min(limit, high - low + 1) <= FEW_ROWS;
    return this.guarded(
      () => {
        const rows = isShort ? statement.all(stream, low, high, limit) : statement.iterate(stream, low, high, limit);
        return take(rows as Iterable<EventRow>, limit, () => true).events;
      },
      () => this.positions.all(stream, low, high, PAGE_MAX_EVENTS).map((row: [number]) => row[0]),
    );
  }

  /**
   * Returns the matching events between two positions. A damaged record may no longer match the filter, so records are
   * verified before they are filtered. SQLite filters only fresh records.
   * @throws CorruptEvent, EventStoreUnavailable
   */
  scan(scan: Scan, maxCount: number): ScannedPage {
    const { low, high, direction } = scan;
    const forwards = direction === 'forwards';
    const {
      events,
      reached = forwards ? high : low,
      characters,
    } = this.guarded(
      () => this.scanned(scan, Math.min(maxCount, PAGE_MAX_EVENTS)),
      () => positions(scan, forwards),
    );
    const missing = this.findMissing(forwards ? { low, high: reached } : { low: reached, high }, forwards);
    if (missing === undefined) return { events, reached, characters };
    if (missing === (forwards ? low : high)) throw new CorruptEvent(missing);
    return forwards
      ? { events: events.filter(({ position }) => position < missing), reached: missing - 1, characters }
      : { events: events.filter(({ position }) => position > missing), reached: missing + 1, characters };
  }

  /** Position of the last event. @throws EventStoreUnavailable */
  last(): Position {
    return this.guarded(() => (this.lastPosition.get() as [number | null])[0] ?? BEFORE_ALL);
  }

  /** Returns a stream's last revision, or −1 if the stream was never written to. @throws EventStoreUnavailable */
  revisionOf(stream: string): number {
    return this.guarded(() => (this.revision.get(stream) as [number | null])[0] ?? -1);
  }

  private scanned({ low, high, filter, direction, isFresh, textOnly = false }: Scan, limit: number): Taken {
    const prefixes = isFresh && filter ? filter.prefixes : [];
    const rows = this.scanStatement(isFresh ? filter : undefined, direction).iterate(low, high, ...prefixes);
    const isWanted = passes(filter);
    const isSelected = isFresh && !filter?.narrowing;
    const isTaken = ([, stream, , , type]: EventRow): boolean => isSelected || isWanted({ stream, type });
    return take(rows as Iterable<EventRow>, limit, isTaken, textOnly ? undecoded : decoded);
  }

  private scanStatement(filter: EventFilter | undefined, direction: Direction): StatementSyncInstance {
    const sql = `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ?1 AND ?2 AND ${conditionOf(filter)}
       ORDER BY position ${direction === 'forwards' ? 'ASC' : 'DESC'}`;
    const cached = this.scans.get(sql);
    if (cached) return cached;
    const statement = this.prepare(sql);
    if (this.scans.size < MAX_CACHED_STATEMENTS) this.scans.set(sql, statement);
    return statement;
  }

  private prepare(sql: string): StatementSyncInstance {
    const statement = this.db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  /**
   * This engine's positions have no gaps, so an incorrect sum of positions means that a damaged structure hides records
   * from a scan.
   */
  private findMissing(span: Span, forwards: boolean): Position | undefined {
    const { low, high } = span;
    const suspects = () => positions(span, forwards);
    const [count, sum] = this.guarded(() => this.tally.get(low, high) as [number, number | null], suspects);
    const expected = high - low + 1;
    if (count === expected && sum === (expected * (expected - 1)) / 2) return undefined;
    return this.findDamage(suspects()) ?? low;
  }

  /**
   * Runs a query. If it fails because SQLite's own structures are damaged, reads the `suspects` individually to find
   * the damaged record.
   */
  private guarded<T>(query: () => T, suspects: () => Iterable<Position> = () => []): T {
    try {
      return query();
    } catch (error) {
      if (error instanceof CorruptEvent || error instanceof SyntaxError) throw error;
      const message = 'The event history could not be read';
      if (!isDamage(error)) throw new EventStoreUnavailable(message, error);
      const damaged = this.findDamage(suspects());
      throw damaged === undefined ? new DamagedStore(message, error) : new CorruptEvent(damaged);
    }
  }

  private findDamage(suspects: Iterable<Position>): Position | undefined {
    for (const position of suspects) {
      try {
        const row = this.row.get(position) as EventRow | undefined;
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

/** Returns the SQL condition for a filter. The filter's prefixes are bound to parameters ?3, ?4 and so on. */
function conditionOf(filter: EventFilter | undefined): string {
  if (!filter) return 'TRUE';
  const each = filter.prefixes.map((_, n) => `substr(${filter.on}, 1, length(?${n + 3})) = ?${n + 3}`);
  return each.length === 0 ? 'FALSE' : `(${each.join(' OR ')})`;
}

/** `reached` is undefined if all rows were read. */
type Taken = Omit<ScannedPage, 'reached'> & { readonly reached: Position | undefined };

/** Stops before a damaged record if valid ones precede it. The next call then fails at the damaged record. */
function take(
  rows: Iterable<EventRow>,
  limit: number,
  isWanted: (row: EventRow) => boolean,
  eventOf: (row: EventRow) => StoredEvent = decoded,
): Taken {
  const events: RecordedEvent[] = [];
  let reached: Position | undefined;
  let characters = 0;
  try {
    for (const row of rows) {
      assertSound(row);
      let [, , , , , data, metadata] = row;
      if (isWanted(row)) {
        const event = eventOf(row);
        [data, metadata] = event.storedText;
        events.push(event);
      }
      [reached] = row;
      characters += data.length + metadata.length;
      if (events.length >= limit || characters > PAGE_MAX_CHARACTERS) return { events, reached, characters };
    }
  } catch (error) {
    if (reached === undefined) throw error;
    return { events, reached, characters };
  }
  return { events, reached: undefined, characters };
}

function* positions({ low, high }: Span, forwards: boolean): Iterable<Position> {
  if (forwards) for (let position = low; position <= high; position += 1) yield position;
  else for (let position = high; position >= low; position -= 1) yield position;
}

const DAMAGE = /malformed|not a database/;

/**
 * Recognizes damage by the error message, because only some driver calls provide the SQLite error code. The driver
 * throws a RangeError if a damaged integer is too large for a JavaScript number.
 */
function isDamage(error: unknown): boolean {
  const { name, message } = error as { name?: unknown; message?: unknown };
  return name === 'RangeError' || (typeof message === 'string' && DAMAGE.test(message));
}
