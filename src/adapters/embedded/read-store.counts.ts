import type { ReadStoreDatabase, Value } from './read-store.database.js';
import type { TableShape } from './read-store.tables.js';

/** Field and value, or neither: all documents of the scope. */
type Count = { readonly scope: number; readonly field?: string; readonly value: Value; delta: number };

/** How many documents there are in a table, and with each value of its counted fields: what a batch makes of it. */
export class TableCounts {
  private readonly counts = new Map<string, Count>();
  /** Places of the counted fields among the compared columns, the first of which is `dead`. */
  private readonly fields: readonly (readonly [field: string, at: number])[];

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly shape: TableShape,
  ) {
    const names = [...shape.columns.keys()];
    this.fields = shape.counted.map((field) => [field, names.indexOf(field) + 1]);
  }

  /** A document with these compared columns comes (1) or goes (-1); a tombstone is none. */
  add(scope: number, compared: readonly (Value | undefined)[], delta: 1 | -1): void {
    if (compared[0] !== 0) return;
    this.change(String(scope), { scope, value: null, delta });
    for (const [field, at] of this.fields) {
      const value = compared[at] ?? null;
      if (value !== null) this.change(`${scope} ${field} ${value}`, { scope, field, value, delta });
    }
  }

  finish(): void {
    for (const { scope, field, value, delta } of this.counts.values()) {
      if (delta === 0) continue;
      if (field === undefined) this.db.run(ALL, this.shape.name, scope, delta);
      else this.db.run(OF_VALUE, this.shape.name, scope, field, value, delta);
    }
  }

  private change(key: string, count: Count): void {
    const known = this.counts.get(key);
    if (known) known.delta += count.delta;
    else this.counts.set(key, count);
  }
}

const add = (table: string, key: readonly string[]): string =>
  `INSERT INTO ${table} (${[...key, 'count'].join(', ')}) VALUES (${[...key, 'count'].map(() => '?').join(', ')})
   ON CONFLICT (${key.join(', ')}) DO UPDATE SET count = count + excluded.count`;
const ALL = add('kontor_counts', ['name', 'scope']);
const OF_VALUE = add('kontor_value_counts', ['name', 'scope', 'field', 'value']);
