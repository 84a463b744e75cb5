import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { bytesOf, codesIn, type ReadStoreCodes } from './read-store.codes.js';
import { lowest, type TableShape } from './read-store.tables.js';
import { WordListWriter } from './read-store.word-lists.js';

/*
 * What filters compare of a large table's documents, column by column: each value as a code of four bytes, those of
 * a block's documents of a scope together in one blob. A million documents are then four megabytes for each filter, which
 * are looked through in a few milliseconds. The newest documents of each scope wait as rows of `tail` until there are
 * enough of them for a block. Documents are in the order of their numbers; nothing here depends on the list's order.
 */

export type Sizes = {
  /** Documents in a block: the more, the faster blocks are read, and the more rows may wait in the tail. */
  readonly block: number;
  /** A word that so many of a block's documents have has a list of them there. */
  readonly listed: number;
  /** In a scope with fewer documents nothing takes long: its columns are not read. */
  readonly many: number;
  /** What an index finds fewer of is read by that index: so many, or this share of all. With more, columns are faster. */
  readonly few: number;
  readonly fewShare: number;
  /** Rows of an index are skipped up to this share of all; it takes longer than the columns beyond that. */
  readonly skippedShare: number;
  /** So many documents are sorted as they are found; more are taken from the order's index, which has them sorted. */
  readonly sorted: number;
  /** Of columns that are kept in memory between lists, bytes in all: a column of a million documents has four million. */
  readonly keptBytes: number;
};
export const SIZES: Sizes = {
  block: 2_048,
  listed: 16,
  many: 5_000,
  few: 1_000,
  fewShare: 0.001,
  skippedShare: 0.4,
  sorted: 2_000,
  keptBytes: 24 * 1024 * 1024,
};

/** In place of a column: the documents' numbers. */
export const NUMBERS = -1;
/** In place of a column: what tells that a scope's blocks are others than before. */
export const TAG = -2;
/** The code of the order's first field for what no list shows, and that of any other field without a value. */
export const NONE = 0;

/** For each coded column the code, or the codes where the document has several values. */
export type Codes = readonly (number | readonly number[])[];
export type TailRow = { readonly number: number; readonly codes: Codes };

/** Where the codes of documents' own ids are, in tables that others join. */
export const idColumn = (shape: TableShape): number => shape.coded.length;
const columnCount = (shape: TableShape): number => shape.coded.length + Number(shape.isJoined);

export const tailRows = (db: ReadStoreDatabase, shape: TableShape, scope: number, limit: number): TailRow[] =>
  db
    .all(`SELECT number, codes FROM ${shape.tail} WHERE scope = ? ORDER BY number LIMIT ?`, scope, limit)
    .map(([number, codes]) => ({ number: number as number, codes: JSON.parse(codes as string) as Codes }));

type Own = Codes[number] | undefined;
const countOf = (own: Own): number => (typeof own === 'object' ? own.length : 1);
const codeAt = (own: Own, plane: number): number =>
  (typeof own === 'object' ? own[plane] : plane === 0 ? own : NONE) ?? NONE;

/** One column of some documents: as many planes as one of them has values, each with a code for every document. */
export function columnOf(rows: readonly TailRow[], column: number): Uint32Array {
  let planes = 1;
  for (const { codes } of rows) planes = Math.max(planes, countOf(codes[column]));
  const data = new Uint32Array(planes * rows.length);
  for (const [slot, { codes }] of rows.entries()) {
    const own = codes[column] ?? NONE;
    if (typeof own === 'number') data[slot] = own;
    else for (const [plane, code] of own.entries()) data[plane * rows.length + slot] = code;
  }
  return data;
}

/** A document's row as the table writer compares it: `dead`, then the columns, those with several values as null. */
export type CodedRow = {
  readonly scope: number;
  readonly number: number;
  readonly id: string;
  readonly values: readonly (Value | undefined)[];
  readonly several: readonly (readonly [field: string, values: readonly Value[]])[];
};

/** The columns of one table, kept in step with its documents inside the writer's transaction. */
export class ColumnWriter {
  private readonly changed = new Map<number, TailRow[]>();
  private readonly grown = new Set<number>();
  private readonly written = new Set<number>();
  private readonly places: readonly number[];
  private readonly insert: string;
  private readonly block: number;
  private readonly lists: WordListWriter;

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly codes: ReadStoreCodes,
    private readonly shape: TableShape,
    { block, listed }: Sizes,
  ) {
    this.block = block;
    this.lists = new WordListWriter(db, shape, listed);
    this.insert = `INSERT INTO ${shape.tail} (scope, number, codes) VALUES (?, ?, ?)`;
    const columns = [...shape.columns.values()];
    this.places = shape.coded.map((column) => columns.indexOf(column) + 1);
  }

  /** Places in `values` whose change is one of the columns. */
  isCoded(place: number): boolean {
    return place === 0 || this.places.includes(place);
  }

  add(row: CodedRow): void {
    this.wait(row.scope, { number: row.number, codes: this.codesOf(row) });
    this.grown.add(row.scope);
  }

  change(row: CodedRow): void {
    const codes = this.codesOf(row);
    const sql = `UPDATE ${this.shape.tail} SET codes = ? WHERE scope = ? AND number = ?`;
    if (this.db.run(sql, JSON.stringify(codes), row.scope, row.number).changes > 0) return;
    const waiting = this.changed.get(row.scope) ?? [];
    if (waiting.length === 0) this.changed.set(row.scope, waiting);
    waiting.push({ number: row.number, codes });
  }

  /** The words of a stored document are others now, and are in its row. */
  changeWords(scope: number, number: number, gone: readonly string[], come: readonly string[]): void {
    const first = this.blockOf(scope, number);
    const slot = first === undefined ? -1 : this.get(scope, NUMBERS, first).indexOf(number);
    if (first !== undefined && slot >= 0) this.lists.change({ scope, first, slot }, gone, come);
  }

  /** Once all of the batch is in the other tables. */
  finish(): void {
    for (const [scope, rows] of this.changed) this.changeBlocks(scope, rows);
    for (const scope of this.grown) {
      for (let rows = this.full(scope); rows.length === this.block; rows = this.full(scope)) {
        this.writeBlock(scope, rows);
        const sql = `DELETE FROM ${this.shape.tail} WHERE scope = ? AND number <= ?`;
        this.db.run(sql, scope, rows.at(-1)?.number ?? 0);
      }
    }
    this.tag();
  }

  /** All documents of a table that was written in bulk. */
  fill(documents: Iterable<CodedRow>): void {
    const waiting = new Map<number, TailRow[]>();
    for (const row of documents) {
      const rows = waiting.get(row.scope) ?? [];
      rows.push({ number: row.number, codes: this.codesOf(row) });
      if (rows.length === this.block) this.writeBlock(row.scope, rows);
      waiting.set(row.scope, rows.length === this.block ? [] : rows);
    }
    for (const [scope, rows] of waiting) for (const row of rows) this.wait(scope, row);
    this.tag();
  }

  /** Random, so that no table that comes by the same name later has it. */
  private tag(): void {
    const sql = `INSERT INTO ${this.shape.blocks} (scope, field, first, data) VALUES (?, ${TAG}, 0, randomblob(8))
      ON CONFLICT (scope, field, first) DO UPDATE SET data = excluded.data`;
    for (const scope of this.written) this.db.run(sql, scope);
    this.written.clear();
  }

  private wait(scope: number, { number, codes }: TailRow): void {
    this.db.run(this.insert, scope, number, JSON.stringify(codes));
  }

  private codesOf({ scope, id, values, several }: CodedRow): Codes {
    if (values[0] === 1) return [NONE];
    const codes = this.shape.coded.map((column, at): number | number[] => {
      const list = several.find(([field]) => field === column.field);
      if (list) return list[1].map((value) => this.codes.give(scope, value));
      const value = values[this.places[at] ?? 0] ?? null;
      if (value !== null) return this.codes.give(scope, value);
      return at === 0 ? this.codes.give(scope, lowest(column)) : NONE;
    });
    return this.shape.isJoined ? [...codes, this.codes.give(scope, id)] : codes;
  }

  /** The oldest of the tail, if they make a block. */
  private full(scope: number): TailRow[] {
    const { tail } = this.shape;
    const last = `SELECT 1 FROM ${tail} WHERE scope = ? LIMIT 1 OFFSET ${this.block - 1}`;
    return this.db.get(last, scope) ? tailRows(this.db, this.shape, scope, this.block) : [];
  }

  private writeBlock(scope: number, rows: readonly TailRow[]): void {
    const numbers = Uint32Array.from(rows, ({ number }) => number);
    const first = numbers[0] ?? 0;
    this.put(scope, NUMBERS, first, numbers);
    this.lists.add(scope, numbers);
    for (let at = 0; at < columnCount(this.shape); at += 1) this.put(scope, at, first, columnOf(rows, at));
  }

  private put(scope: number, column: number, first: number, data: Uint32Array): void {
    const sql = `INSERT INTO ${this.shape.blocks} (scope, field, first, data) VALUES (?, ?, ?, ?)
      ON CONFLICT (scope, field, first) DO UPDATE SET data = excluded.data`;
    this.db.run(sql, scope, column, first, bytesOf(data));
    this.written.add(scope);
  }

  private get(scope: number, column: number, first: number): Uint32Array {
    const sql = `SELECT data FROM ${this.shape.blocks} WHERE scope = ? AND field = ? AND first = ?`;
    return codesIn(this.db.get(sql, scope, column, first)?.[0] as unknown as Uint8Array);
  }

  /** The block that has the document, or would have it if it were not in the tail. */
  private blockOf(scope: number, number: number): number | undefined {
    const sql = `SELECT first FROM ${this.shape.blocks} WHERE scope = ? AND field = ${NUMBERS} AND first <= ?
      ORDER BY first DESC LIMIT 1`;
    return this.db.get(sql, scope, number)?.[0] as number | undefined;
  }

  private changeBlocks(scope: number, rows: readonly TailRow[]): void {
    const byBlock = new Map<number, TailRow[]>();
    for (const row of rows) {
      const first = this.blockOf(scope, row.number);
      if (first === undefined) throw new Error('A document is neither in a block nor in the tail');
      const changes = byBlock.get(first) ?? [];
      if (changes.length === 0) byBlock.set(first, changes);
      changes.push(row);
    }
    for (const [first, changes] of byBlock) this.changeBlock(scope, first, changes);
  }

  private changeBlock(scope: number, first: number, changes: readonly TailRow[]): void {
    const numbers = this.get(scope, NUMBERS, first);
    const slots = changes.map(({ number, codes }) => ({ slot: numbers.indexOf(number), codes }));
    for (let at = 0; at < columnCount(this.shape); at += 1) {
      const old = this.get(scope, at, first);
      let planes = old.length / numbers.length;
      for (const { codes } of slots) planes = Math.max(planes, countOf(codes[at]));
      const data = new Uint32Array(planes * numbers.length);
      data.set(old);
      let isChanged = false;
      for (const { slot, codes } of slots)
        for (let plane = 0, place = slot; plane < planes; plane += 1, place += numbers.length) {
          const code = codeAt(codes[at], plane);
          if (data[place] === code) continue;
          data[place] = code;
          isChanged = true;
        }
      if (isChanged) this.put(scope, at, first, data);
    }
  }
}
