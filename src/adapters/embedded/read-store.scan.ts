import type { Listed, ListQuery } from '../../ports/read-store.js';
import type { Bound, Criterion, Target, Word } from './read-store.criteria.js';
import { all, sql } from './read-store.criteria.js';
import type { ReadStoreCodes } from './read-store.codes.js';
import { idColumn, NONE, NUMBERS, type Sizes } from './read-store.columns.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { ordering } from './read-store.paths.js';
import { Columns, KeptColumns } from './read-store.places.js';
import { Bits, type Places } from './read-store.sets.js';
import { lowest, orderIndex, type TableShape } from './read-store.tables.js';
import { docsOf, WordLists } from './read-store.word-lists.js';

/** The documents with one value of the order's first field: a day's, say. */
type Bucket = { readonly code: number; readonly value: Value; readonly count: number };
/** Opens a table's columns, of one scope in one transaction. */
type ColumnsOf = (shape: TableShape) => Columns;
/** In one of the columns one of the codes. */
type InColumn = { readonly column: number; readonly codes: Bits };
/** That, or one of the places that are found already. */
type Having = InColumn | { readonly places: Places };

/** Lists of large tables, answered from their columns: the time grows with the table, but hardly. See ColumnWriter. */
export class ReadStoreScan {
  private readonly kept: KeptColumns;

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly codes: ReadStoreCodes,
    private readonly sizes: Sizes,
  ) {
    this.kept = new KeptColumns(db, sizes.keptBytes);
  }

  /** Undefined where the columns do not have what is asked for. */
  list(target: Target, query: ListQuery, criteria: readonly Criterion[]): Listed | undefined {
    const { shape, entry } = target;
    if (shape.coded.length === 0 || !entry.indexed || !criteria.every((each) => isCoded(shape, each))) return undefined;
    const columnsOf = this.opener(target.scope);
    const columns = columnsOf(shape);
    let places: Places | undefined;
    for (const either of this.asked(target, criteria, columnsOf)) {
      const among = places;
      const each = either.map((having) => {
        if ('column' in having) return columns.having(having.column, having.codes, among);
        return among ? having.places.and(among) : having.places;
      });
      places = each.reduce((all, others) => all.or(others));
    }
    const found = places ?? columns.all();
    const buckets = this.buckets(target, query, criteria, countsOf(columns, found));
    const totalCount = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
    return { totalCount, items: this.page(target, query, columns, found, buckets) };
  }

  /** The columns of a scope, each table's once. */
  private opener(scope: number): ColumnsOf {
    const opened = new Map<TableShape, Columns>();
    return (shape) => {
      const columns = opened.get(shape) ?? new Columns(this.db, this.kept, shape, scope, this.sizes.block);
      opened.set(shape, columns);
      return columns;
    };
  }

  /** What documents must have, what few have first: for each a choice. */
  private asked(target: Target, criteria: readonly Criterion[], columnsOf: ColumnsOf): (readonly Having[])[] {
    const { shape, scope } = target;
    const lists = new WordLists(this.db, shape, scope, columnsOf(shape).spans());
    const words: (readonly Having[])[] = [];
    const filters: (readonly Having[])[] = [];
    for (const criterion of criteria) {
      if (criterion.kind === 'word') words.push(this.havingWord(shape, criterion, columnsOf, lists));
      if (criterion.kind !== 'filter' && criterion.kind !== 'several') continue;
      const code = this.codes.find(scope, criterion.value);
      // NONE is in the columns of documents without any value.
      filters.push([{ column: columnAt(shape, criterion.field), codes: new Bits(code === NONE ? [] : [code]) }]);
    }
    const hits = (having: Having) => ('codes' in having ? having.codes.length : having.places.size);
    const rows = (either: readonly Having[]) => either.reduce((sum, having) => sum + hits(having), 0);
    words.sort((a, b) => a.length - b.length || rows(a) - rows(b));
    return words[0]?.length === 1 ? [words[0], ...filters, ...words.slice(1)] : [...filters, ...words];
  }

  /** A word of their own, or one of a document that they point to. */
  private havingWord(shape: TableShape, { range, joins }: Word, columnsOf: ColumnsOf, words: WordLists): Having[] {
    const { lists, numbers } = words.between(...range);
    const own = { column: NUMBERS, codes: new Bits(numbers) };
    const pointing = joins
      .map(({ field, other, rows }) => ({
        column: columnAt(shape, field),
        codes: idsOf(columnsOf, other, new Bits(docsOf(this.db, rows.text, ...rows.values))),
      }))
      .filter(({ codes }) => codes.length > 0);
    return [lists.length === 0 ? own : { places: columnsOf(shape).listed(lists, own.codes) }, ...pointing];
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

  private page(
    target: Target,
    query: ListQuery,
    columns: Columns,
    places: Places,
    buckets: readonly Bucket[],
  ): string[] {
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
    const found = numbersIn(columns, places, needed);
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

/** The codes of the ids of some documents of another large table. */
function idsOf(columnsOf: ColumnsOf, other: TableShape, some: Bits): Bits {
  if (some.length === 0) return some;
  const columns = columnsOf(other);
  const found: number[] = [];
  columns.each(idColumn(other), columns.having(NUMBERS, some), (code) => {
    if (code !== NONE) found.push(code);
  });
  return new Bits(found);
}

const firstOf = (shape: TableShape): string => shape.order[0]?.sql ?? 'id';
const columnAt = (shape: TableShape, field: string): number => shape.coded.findIndex((each) => each.field === field);

/** The columns hold filters, joins and the order's first field, and no more. */
function isCoded(shape: TableShape, criterion: Criterion): boolean {
  if (criterion.kind === 'bound') return criterion.order === 0;
  return criterion.kind !== 'word' || criterion.joins.every(({ other, isIndexed }) => other.isJoined && isIndexed);
}

/** How many are found of each code of the first column, but of what no list shows. Neighbours mostly have the same one. */
function countsOf(columns: Columns, places: Places): Map<number, number> {
  const counts = new Map<number, number>();
  let last = NONE;
  let run = 0;
  const add = () => {
    if (run > 0 && last !== NONE) counts.set(last, (counts.get(last) ?? 0) + run);
  };
  columns.each(0, places, (code) => {
    if (code === last) run += 1;
    else {
      add();
      last = code;
      run = 1;
    }
  });
  add();
  return counts;
}

function numbersIn(columns: Columns, places: Places, buckets: readonly Bucket[]): Bits {
  const found: number[] = [];
  const within = columns.having(0, new Bits(buckets.map(({ code }) => code)), places);
  columns.each(NUMBERS, within, (number) => {
    found.push(number);
  });
  return new Bits(found);
}
