import type { Listed, ListQuery } from '../../ports/read-store.js';
import type { Bound, Criterion, Sql, Target, Word } from './read-store.criteria.js';
import { all, sql } from './read-store.criteria.js';
import type { ReadStoreCodes } from './read-store.codes.js';
import {
  codesIn,
  columnOf,
  idColumn,
  NONE,
  NUMBERS,
  tailRows,
  type Sizes,
  type TailRow,
} from './read-store.columns.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { ordering } from './read-store.paths.js';
import { lowest, orderIndex, type TableShape } from './read-store.tables.js';

/** The documents with one value of the order's first field: a day's, say. */
type Bucket = { readonly code: number; readonly value: Value; readonly count: number };
/** Which of the documents of each block are found: 1 or 0. */
type Masks = readonly Uint8Array[];

/** Lists of large tables, answered from their columns: the time grows with the table, but hardly. See ColumnWriter. */
export class ReadStoreScan {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly codes: ReadStoreCodes,
    private readonly sizes: Sizes,
  ) {}

  /** Undefined where the columns do not have what is asked for. */
  list(target: Target, query: ListQuery, criteria: readonly Criterion[]): Listed | undefined {
    const { shape, scope, entry } = target;
    if (shape.coded.length === 0 || !entry.indexed || !criteria.every((each) => isCoded(shape, each))) return undefined;
    const columns = new Columns(this.db, shape, scope, this.sizes.block);
    const masks = columns.get(0).map(shown);
    for (const criterion of criteria) this.narrow(target, columns, masks, criterion);
    const buckets = this.buckets(target, query, criteria, count(columns.get(0), masks));
    const totalCount = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    return { totalCount, items: this.page(target, query, columns, masks, buckets) };
  }

  private narrow(target: Target, columns: Columns, masks: Masks, criterion: Criterion): void {
    if (criterion.kind === 'word') this.narrowByWord(target, columns, masks, criterion);
    if (criterion.kind !== 'filter' && criterion.kind !== 'several') return;
    const code = this.codes.find(target.scope, criterion.value);
    const column = columns.get(columnAt(target.shape, criterion.field));
    for (const [block, mask] of masks.entries()) keep(mask, column[block] ?? NOTHING, code);
  }

  private narrowByWord({ scope }: Target, columns: Columns, masks: Masks, word: Word): void {
    const own = this.numbers(word.own);
    const joined = word.joins.map((join) => ({
      ...join,
      codes: this.idsOf(scope, join.other, this.numbers(join.rows)),
    }));
    const numbers = columns.get(NUMBERS);
    const pointing = joined.map(({ field, codes }) => ({ column: columns.get(columnAt(columns.shape, field)), codes }));
    for (const [block, mask] of masks.entries()) {
      const found = new Uint8Array(mask.length);
      mark(found, numbers[block] ?? NOTHING, own);
      for (const { column, codes } of pointing) if (codes.length > 0) mark(found, column[block] ?? NOTHING, codes);
      for (let slot = 0; slot < mask.length; slot += 1) mask[slot] = (mask[slot] ?? 0) & (found[slot] ?? 0);
    }
  }

  /** Numbers of documents in one text, which costs a fraction of as many rows. */
  private numbers({ text, values }: Sql): Bits {
    const found = this.db.get(`SELECT json_group_array(w.doc) FROM ${text}`, ...values)?.[0];
    return new Bits(JSON.parse(String(found ?? '[]')) as number[]);
  }

  /** The codes of the ids of some documents of another large table. */
  private idsOf(scope: number, other: TableShape, some: Bits): Bits {
    const columns = new Columns(this.db, other, scope, this.sizes.block);
    const ids = columns.get(idColumn(other));
    const found: number[] = [];
    if (some.length === 0) return some;
    for (const [block, numbers] of columns.get(NUMBERS).entries())
      for (let slot = 0; slot < numbers.length; slot += 1)
        if (some.has(numbers[slot] ?? 0) === 1) found.push(ids[block]?.[slot] ?? NONE);
    return new Bits(found.filter((code) => code !== NONE));
  }

  /** In the list's order, those within the bounds. */
  private buckets(
    { shape }: Target,
    { reverse = false }: ListQuery,
    criteria: readonly Criterion[],
    counts: ReadonlyMap<number, number>,
  ): Bucket[] {
    const bounds = criteria.filter((each): each is Bound => each.kind === 'bound');
    const within = bounds.map(({ operator, value }) => sql(` AND value ${operator} ?`, value));
    const rest = all([sql('SELECT value FROM json_each(?))', JSON.stringify([...counts.keys()])), ...within], '');
    const way = shape.descending === reverse ? 'ASC' : 'DESC';
    return this.db
      .all(`SELECT code, value FROM kontor_codes WHERE code IN (${rest.text} ORDER BY value ${way}`, ...rest.values)
      .map(([code, value]) => ({ code: code as number, value: value ?? null, count: counts.get(code as number) ?? 0 }));
  }

  private page(target: Target, query: ListQuery, columns: Columns, masks: Masks, buckets: readonly Bucket[]): string[] {
    const { offset, limit } = query;
    const needed: Bucket[] = [];
    let before = 0;
    let seen = 0;
    for (const bucket of buckets) {
      if (seen >= offset + limit) break;
      if (seen + bucket.count > offset) needed.push(bucket);
      else before += bucket.count;
      seen += bucket.count;
    }
    if (needed.length === 0 || limit === 0) return [];
    const found = numbersIn(columns, masks, needed);
    const start = offset - before;
    // No range of the order's index has both what has no value in the first field and what has one.
    const none = target.shape.order[0] && lowest(target.shape.order[0]);
    if (found.length <= this.sizes.sorted || needed.some(({ value }) => value === none))
      return this.sorted(target, query, found, start);
    const ordered = this.walked(target, query, needed).filter((number) => found.has(number));
    return this.sorted(target, query, new Bits(ordered.slice(start, start + limit)), 0);
  }

  private sorted({ shape }: Target, query: ListQuery, numbers: Bits, offset: number): string[] {
    const text = `SELECT (SELECT d.json FROM ${shape.main} d WHERE d.number = p.number) FROM (
      SELECT m.number AS number FROM ${shape.main} m NOT INDEXED WHERE m.number IN (SELECT value FROM json_each(?))
      ORDER BY ${ordering(shape, query, 'm')} LIMIT ? OFFSET ?) p`;
    return this.db.all(text, JSON.stringify(numbers.all), query.limit, offset).map(([json]) => json as string);
  }

  /** All documents of some neighbouring buckets, in the list's order. */
  private walked({ shape, scope }: Target, query: ListQuery, buckets: readonly Bucket[]): number[] {
    const ends = [buckets.at(0), buckets.at(-1)].map((bucket) => bucket?.value ?? null);
    if (shape.descending !== (query.reverse ?? false)) ends.reverse();
    const text = `SELECT m.number FROM ${shape.main} m INDEXED BY ${orderIndex(shape)} WHERE m.scope = ? AND m.dead = 0
      AND m.${firstOf(shape)} BETWEEN ? AND ? ORDER BY ${ordering(shape, query, 'm')}`;
    return this.db.all(text, scope, ...ends).map(([number]) => number as number);
  }
}

const firstOf = (shape: TableShape): string => shape.order[0]?.sql ?? 'id';
const columnAt = (shape: TableShape, field: string): number => shape.coded.findIndex((each) => each.field === field);

/** The columns hold filters, joins and the order's first field, and no more. */
function isCoded(shape: TableShape, criterion: Criterion): boolean {
  if (criterion.kind === 'bound') return criterion.order === 0;
  return criterion.kind !== 'word' || criterion.joins.every(({ other, isIndexed }) => other.isJoined && isIndexed);
}

/** A scope's columns, each read when it is first asked for; the tail is the last block. */
class Columns {
  private readonly read = new Map<number, readonly Uint32Array[]>();
  private rows: readonly TailRow[] | undefined;

  constructor(
    private readonly db: ReadStoreDatabase,
    readonly shape: TableShape,
    private readonly scope: number,
    private readonly block: number,
  ) {}

  get(column: number): readonly Uint32Array[] {
    const known = this.read.get(column);
    if (known) return known;
    const text = `SELECT data FROM ${this.shape.blocks} WHERE scope = ? AND field = ? ORDER BY first`;
    const blocks = this.db.all(text, this.scope, column).map(([data]) => codesIn(data as unknown as Uint8Array));
    this.rows ??= tailRows(this.db, this.shape, this.scope, this.block);
    const last = column === NUMBERS ? Uint32Array.from(this.rows, ({ number }) => number) : columnOf(this.rows, column);
    const found = [...blocks, last];
    this.read.set(column, found);
    return found;
  }
}

const NOTHING = new Uint32Array();

// Loops rather than `from` and `map`, which take fifty times as long for a million codes.

function shown(codes: Uint32Array): Uint8Array {
  const mask = new Uint8Array(codes.length);
  for (let slot = 0; slot < codes.length; slot += 1) if (codes[slot] !== NONE) mask[slot] = 1;
  return mask;
}

/** A set of whole numbers. */
class Bits {
  private readonly words: Uint32Array;

  constructor(readonly all: readonly number[]) {
    let greatest = 0;
    for (const number of all) if (number > greatest) greatest = number;
    this.words = new Uint32Array((greatest >>> 5) + 1);
    for (const number of all) this.words[number >>> 5] = (this.words[number >>> 5] ?? 0) | (1 << (number & 31));
  }

  get length(): number {
    return this.all.length;
  }

  has(number: number): 0 | 1 {
    return (((this.words[number >>> 5] ?? 0) >>> (number & 31)) & 1) as 0 | 1;
  }
}

/** Leaves in the mask what has the code in any of the column's planes. */
function keep(mask: Uint8Array, column: Uint32Array, code: number): void {
  const count = mask.length;
  // No document has the value, and NONE is in the columns of those without any.
  if (code === NONE) mask.fill(0);
  else if (column.length === count) {
    for (let slot = 0; slot < count; slot += 1) if (column[slot] !== code) mask[slot] = 0;
  } else keepAny(mask, column, code);
}

function keepAny(mask: Uint8Array, column: Uint32Array, code: number): void {
  const count = mask.length;
  for (let slot = 0; slot < count; slot += 1) {
    if (mask[slot] === 0) continue;
    let at = slot;
    while (at < column.length && column[at] !== code) at += count;
    if (at >= column.length) mask[slot] = 0;
  }
}

/** Adds to the mask what has one of the codes. */
function mark(mask: Uint8Array, column: Uint32Array, codes: Bits): void {
  const count = mask.length;
  for (let at = 0, slot = 0; at < column.length; at += 1, slot = slot + 1 === count ? 0 : slot + 1)
    if (codes.has(column[at] ?? NONE) === 1) mask[slot] = 1;
}

/** How many are found of each code of the first column. Neighbours mostly have the same one. */
function count(column: readonly Uint32Array[], masks: Masks): Map<number, number> {
  const counts = new Map<number, number>();
  let last = NONE;
  let run = 0;
  const add = () => {
    if (run > 0) counts.set(last, (counts.get(last) ?? 0) + run);
  };
  for (const [block, mask] of masks.entries()) {
    const codes = column[block] ?? NOTHING;
    for (let slot = 0; slot < mask.length; slot += 1) {
      if (mask[slot] === 0) continue;
      const code = codes[slot] ?? NONE;
      if (code === last) run += 1;
      else {
        add();
        last = code;
        run = 1;
      }
    }
  }
  add();
  return counts;
}

function numbersIn(columns: Columns, masks: Masks, buckets: readonly Bucket[]): Bits {
  const wanted = new Bits(buckets.map(({ code }) => code));
  const numbers = columns.get(NUMBERS);
  const codes = columns.get(0);
  const found: number[] = [];
  for (const [block, mask] of masks.entries()) {
    const inBlock = codes[block] ?? NOTHING;
    for (let slot = 0; slot < mask.length; slot += 1)
      if (mask[slot] === 1 && wanted.has(inBlock[slot] ?? NONE) === 1) found.push(numbers[block]?.[slot] ?? 0);
  }
  return new Bits(found);
}
