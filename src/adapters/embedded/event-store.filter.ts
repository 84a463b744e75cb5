import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Direction, EventFilter } from '../../ports/event-store.js';
import { COLUMNS, type EventRow } from './event-store.record.js';

/** A prepared scan of the history: takes the lowest and the highest position, the limit, then `parameters`. */
export type Scan = { readonly statement: StatementSyncInstance; readonly parameters: readonly string[] };

const MAX_CACHED = 100;

/** What is not the system's own, as `isWanted` tells it. */
export const OF_SERVICE = "substr(stream, 1, 1) <> '$' AND substr(type, 1, 1) <> '$'";
const isOfSystem = (name: string): boolean => name.startsWith('$');

/** Whether a sound record is one of the filter: the same that its statement selects. */
export function isWanted([, stream, , , type]: EventRow, filter: EventFilter | undefined): boolean {
  if (isOfSystem(stream) || isOfSystem(type)) return false;
  if (!filter) return true;
  const name = filter.on === 'stream' ? stream : type;
  return filter.prefixes.some((prefix) => name.startsWith(prefix));
}

const between = (direction: Direction, also = ''): string =>
  `SELECT ${COLUMNS} FROM events WHERE position BETWEEN ?1 AND ?2 ${also}
   ORDER BY position ${direction === 'forwards' ? 'ASC' : 'DESC'}`;

/** Compiles filters to statements. */
export class ScanStatements {
  readonly #db: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  prepare(filter: EventFilter | undefined, direction: Direction): Scan {
    const wanted = `AND ${OF_SERVICE} AND ${this.#condition(filter)}`;
    const sql = `${between(direction, wanted)} LIMIT ?3`;
    return { statement: this.#statement(sql), parameters: filter?.prefixes ?? [] };
  }

  /** Every record between two positions, whatever it says of itself; takes the lowest and the highest position. */
  everything(direction: Direction): StatementSyncInstance {
    return this.#statement(between(direction));
  }

  #condition(filter: EventFilter | undefined): string {
    if (!filter) return 'TRUE';
    const each = filter.prefixes.map((_, n) => `substr(${filter.on}, 1, length(?${n + 4})) = ?${n + 4}`);
    return each.length === 0 ? 'FALSE' : `(${each.join(' OR ')})`;
  }

  #statement(sql: string): StatementSyncInstance {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    if (this.#statements.size < MAX_CACHED) this.#statements.set(sql, statement);
    return statement;
  }
}
