import type { DocumentWrite } from '../../ports/read-store.js';
import type { ReadStoreCodes } from './read-store.codes.js';
import { ColumnWriter, type Sizes } from './read-store.columns.js';
import type { ReadStoreDatabase, Row as Stored, Value } from './read-store.database.js';
import { TableCounts } from './read-store.counts.js';
import { lowest, sideTable, wordsJson, type Row, type TableShape } from './read-store.tables.js';

export type PreparedWrite = {
  readonly write: DocumentWrite;
  readonly scope: number;
  readonly id: string;
  readonly json: string | null;
  readonly row: Row;
};
type Word = readonly [scope: number, word: string, doc: number, mask: number];
/** What columns are made with. */
export type Coding = { readonly codes: ReadStoreCodes; readonly sizes: Sizes };
type Masks = ReadonlyMap<string, number>;
type Several = readonly (readonly [field: string, values: readonly Value[]])[];
/** Where a document's row stands: its key, and the values of the order's columns. */
type Place = { readonly doc: number; readonly scope: number; readonly id: string; readonly order: readonly Value[] };

/** Rows of one INSERT: enough to make its fixed cost small, more gain nothing. */
const WORDS_AT_ONCE = 16;
/** The columns whose values are compared by an update begin after these. */
const BEFORE_COMPARED = 2;

const entries = <T>(json: Value | undefined): [string, T][] =>
  typeof json === 'string' ? Object.entries(JSON.parse(json) as Record<string, T>) : [];

const wordsWithout = (some: Masks, others: Masks): string[] => [...some.keys()].filter((word) => !others.has(word));

/** The SQL for a table, made once. */
type Statements = {
  readonly compared: readonly string[];
  readonly insert: string;
  readonly find: string;
  readonly update: string;
  readonly addWord: string;
  readonly addWords: string;
  readonly dropWord: string;
};
const statements = new WeakMap<TableShape, Statements>();

function statementsOf(shape: TableShape): Statements {
  const known = statements.get(shape);
  if (known) return known;
  const compared = ['dead', ...[...shape.columns.values()].map((column) => column.sql), 'words', 'several'];
  const inserted = ['scope', 'id', 'position', ...compared, 'json'];
  // Or SQLite would keep a copy of each page, to undo the statement alone; a failure undoes the whole batch anyway.
  const word = `INSERT OR FAIL INTO ${shape.words} (scope, word, doc, mask) VALUES `;
  const made: Statements = {
    compared,
    insert: `INSERT INTO ${shape.main} (${inserted.join(', ')}) VALUES (${inserted.map(() => '?').join(', ')})
      ON CONFLICT (scope, id) DO NOTHING`,
    find: `SELECT number, position, ${compared.join(', ')} FROM ${shape.main} WHERE scope = ? AND id = ?`,
    update: `UPDATE ${shape.main} SET position = ?, json = ? WHERE number = ?`,
    addWord: `${word} (?, ?, ?, ?)`,
    addWords: word + Array.from({ length: WORDS_AT_ONCE }, () => '(?, ?, ?, ?)').join(', '),
    dropWord: `DELETE FROM ${shape.words} WHERE scope = ? AND word = ? AND doc = ?`,
  };
  statements.set(shape, made);
  return made;
}

/** The writes of one batch to one table, inside its transaction. */
export class TableWriter {
  private readonly sql: Statements;
  private readonly counts: TableCounts;
  private readonly orderAt: readonly number[];
  private newWords: Word[] = [];
  private readonly columns: ColumnWriter | undefined;

  constructor(
    private readonly db: ReadStoreDatabase,
    { codes, sizes }: Coding,
    private readonly shape: TableShape,
    private readonly several: ReadonlySet<string>,
    private readonly indexed: boolean,
  ) {
    this.sql = statementsOf(shape);
    const columns = [...shape.columns.values()];
    this.counts = new TableCounts(db, shape);
    this.orderAt = shape.order.map((column) => columns.indexOf(column) + 1);
    if (indexed && shape.coded.length > 0) this.columns = new ColumnWriter(db, codes, shape, sizes);
  }

  /** False: the stored document is not at the expected position. */
  write(prepared: PreparedWrite): boolean {
    const several: [string, readonly Value[]][] = [];
    const values = this.compared(prepared, several);
    if (prepared.write.expected === null) return this.insert(prepared, values, several);
    const found = this.db.get(this.sql.find, prepared.scope, prepared.id);
    if (found?.[1] !== prepared.write.expected) return false;
    this.update(prepared, values, several, found);
    return true;
  }

  finish(): void {
    this.flushWords();
    this.columns?.finish();
    this.counts.finish();
  }

  /** The values of the compared columns; the fields with several values are put into `several` in their stead. */
  private compared({ json, row }: PreparedWrite, several: [string, readonly Value[]][]): Value[] {
    const values: Value[] = [Number(json === null)];
    let at = 0;
    for (const field of this.shape.columns.keys()) {
      const value = row.values[at++] ?? null;
      if (value !== null && this.several.has(field)) {
        several.push([field, typeof value === 'object' ? value : [value]]);
        values.push(null);
      } else values.push(value as Value);
    }
    values.push(wordsJson(row.words), several.length === 0 ? null : JSON.stringify(Object.fromEntries(several)));
    return values;
  }

  private place(doc: number, { scope, id }: PreparedWrite, compared: readonly (Value | undefined)[]): Place {
    const order = this.shape.order.map((column, at) => compared[this.orderAt[at] ?? 0] ?? lowest(column));
    return { doc, scope, id, order };
  }

  private insert(prepared: PreparedWrite, values: Value[], several: Several): boolean {
    const { write, scope, id, json, row } = prepared;
    const { changes, lastInsertRowid } = this.db.run(this.sql.insert, scope, id, write.position, ...values, json);
    if (changes === 0) return false;
    this.columns?.add({ scope, number: lastInsertRowid, id, values, several });
    if (json === null) return true;
    this.counts.add(scope, values, 1);
    if (!this.indexed) return true;
    for (const [word, mask] of row.words) this.newWords.push([scope, word, lastInsertRowid, mask]);
    if (several.length > 0) this.addSeveral(this.place(lastInsertRowid, prepared, values), several);
    return true;
  }

  /** Sets only what has changed: an index whose columns stay as they are is then not touched at all. */
  private update(prepared: PreparedWrite, values: Value[], several: Several, found: Stored): void {
    const { write, scope, json, row } = prepared;
    const doc = found[0] as number;
    const old = found.slice(BEFORE_COMPARED);
    const changed = values.flatMap((value, at) => (value === old[at] ? [] : [at]));
    if (changed.length === 0) {
      this.db.run(this.sql.update, write.position, json, doc);
      return;
    }
    const sets = ['position = ?', 'json = ?', ...changed.map((at) => `${this.sql.compared[at] ?? ''} = ?`)].join(', ');
    const sql = `UPDATE ${this.shape.main} SET ${sets} WHERE number = ?`;
    this.db.run(sql, write.position, json, ...changed.map((at) => values[at] ?? null), doc);
    this.counts.add(scope, old, -1);
    this.counts.add(scope, values, 1);
    if (this.columns && changed.some((at) => this.isCoded(at, values.length - 1)))
      this.columns.change({ scope, number: doc, id: prepared.id, values, several });
    // In bulk the side tables are left out; the main table repeats what they hold, and `index` fills them from there.
    if (!this.indexed) return;
    const [wordsAt, severalAt] = [values.length - 2, values.length - 1];
    if (changed.includes(wordsAt)) this.changeWords(scope, doc, new Map(entries<number>(old[wordsAt])), row.words);
    // The values' own tables repeat the order's columns.
    if (changed.includes(severalAt) || this.orderAt.some((at) => changed.includes(at))) {
      this.dropSeveral(this.place(doc, prepared, old), entries(old[severalAt]));
      this.addSeveral(this.place(doc, prepared, values), several);
    }
  }

  private isCoded(at: number, severalAt: number): boolean {
    return at === severalAt || (this.columns?.isCoded(at) ?? false);
  }

  private addSeveral({ doc, scope, id, order }: Place, several: Several): void {
    for (const [field, values] of several) {
      const sql = `INSERT INTO ${sideTable(this.shape, field)} VALUES (?, ?, ${'?, '.repeat(order.length)}?, ?)`;
      for (const value of values) this.db.run(sql, scope, value, ...order, id, doc);
    }
  }

  private dropSeveral({ scope, id, order }: Place, several: Several): void {
    const where = ['scope', 'value', ...this.shape.order.map((column) => column.sql), 'id'].map(
      (name) => `${name} = ?`,
    );
    for (const [field, values] of several) {
      const sql = `DELETE FROM ${sideTable(this.shape, field)} WHERE ${where.join(' AND ')}`;
      for (const value of values) this.db.run(sql, scope, value, ...order, id);
    }
  }

  private changeWords(scope: number, doc: number, old: Masks, now: Masks): void {
    const gone = [...old].filter(([word, mask]) => now.get(word) !== mask);
    // A second write of the same document must find what its first one left waiting.
    if (gone.length > 0) this.flushWords();
    for (const [word] of gone) this.db.run(this.sql.dropWord, scope, word, doc);
    this.columns?.changeWords(scope, doc, wordsWithout(old, now), wordsWithout(now, old));
    for (const [word, mask] of now) if (old.get(word) !== mask) this.newWords.push([scope, word, doc, mask]);
  }

  /** In the order of the table, so that neighbours are written together. */
  private flushWords(): void {
    const rows = this.newWords.sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)));
    this.newWords = [];
    const whole = rows.length - (rows.length % WORDS_AT_ONCE);
    for (let from = 0; from < whole; from += WORDS_AT_ONCE) {
      this.db.run(this.sql.addWords, ...rows.slice(from, from + WORDS_AT_ONCE).flat());
    }
    for (const row of rows.slice(whole)) this.db.run(this.sql.addWord, ...row);
  }
}
