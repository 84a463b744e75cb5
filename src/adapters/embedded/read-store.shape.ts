import { hash } from 'node:crypto';
import type { AnyTable, Field, Order, ReadModel, Scalar, SearchJoin } from '../../ports/read-store.js';
import { words as wordsOf } from '../../ports/search.js';
import { UUID } from '../../ports/uuid.js';
import { bindable } from '../bindable-text.js';
import {
  columnsOf,
  declarationOf,
  declared,
  requireSingle,
  requireType,
  tableName,
} from '../read-model.declaration.js';
import type { Value } from './read-store.database.js';

export type Column = { readonly field: string; readonly sql: string; readonly type: Field<never>['type'] };
/** The writer's SQL statements. Their text is built only once, because building it for every document would be slow. */
type Statements = { readonly find: string; readonly insert: string; readonly terms: string; readonly words: string };
/** A column with its indexes in `stored` and `filters`. An index is −1 if that array does not contain the column. */
type PlacedColumn = {
  readonly column: Column;
  readonly of: Field<never>['of'];
  readonly storedAt: number;
  readonly filterAt: number;
};

/** Layout of a table. All of its names have been validated, so they are safe to embed in SQL. */
export type TableShape = {
  readonly name: string;
  readonly model: ReadModel;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns of the main table: all fields except text that is used only for filters. */
  readonly stored: readonly Column[];
  readonly order: readonly Column[];
  readonly descending: boolean;
  readonly orderIndex: string;
  /** Variants of this layout, one for each additional sort order of the model. */
  readonly variants: ReadonlyMap<string, TableShape>;
  /** The columns of all sort orders. */
  readonly ordered: ReadonlySet<Column>;
  /** The filters, sorted by name because a filter's position in this list is part of its terms. */
  readonly filters: readonly Column[];
  /** All columns. Those of filters are in the order of `filters`, because a row lists its terms in this order. */
  readonly placed: readonly PlacedColumn[];
  /** Contents of the columns in `stored` if the document has no values. */
  readonly absent: readonly Value[];
  /** Names of searched texts, in the order of the columns of `words`. */
  readonly texts: readonly string[];
  readonly joins: readonly (SearchJoin & { readonly column: Column })[];
  /** Columns whose ranges have an index (see `ReadModel.ranged`). */
  readonly ranged: readonly Column[];
  /** Names of the columns from which sets of matches are computed, apart from filters and searched texts. */
  readonly matched: ReadonlySet<string>;
  /** Quoted names of the main table and of its full-text tables: `terms` for filters, `words` for searches. */
  readonly main: string;
  readonly terms: string;
  readonly words: string;
  readonly statements: Statements;
  /** A string that is identical for all declarations with the same storage layout. */
  readonly declaration: string;
};

/** @throws RangeError for an inconsistent declaration, which is a programming error */
export function shapeOf(table: AnyTable): TableShape {
  const { model } = table;
  const name = tableName(table);
  const columns = columnsOf(model, ({ field, type }): Column => ({ field, sql: `"f_${field}"`, type }));
  const column = declared(model, columns);
  const joins = (model.searchJoins ?? []).map((join) => ({ ...join, column: column(join.field) }));
  const ranged = (model.ranged ?? []).map(column);
  const orders = [model.order, ...Object.values(model.orders ?? {})];
  const ordered = new Set(orders.flatMap(({ fields }) => fields.map(column)));
  const needed = new Set([...ordered, ...joins.map((join) => join.column)]);
  const orderedBy = ({ fields, direction }: Order, index: string) => ({
    order: fields.map(column),
    descending: direction === 'descending',
    orderIndex: `"${name}__${index}"`,
  });
  const isStored = (each: Column) => needed.has(each) || each.type !== 'text' || !model.filters.includes(each.field);
  const variants = new Map<string, TableShape>();
  const stored = [...columns.values()].filter(isStored);
  const filters = [...model.filters].sort().map(column);
  const texts = Object.keys(model.search ?? {}).sort();
  const [main, terms, words] = [`"${name}"`, `"${name}__terms"`, `"${name}__words"`];
  const mainColumns = ['number', 'scope', 'id', 'position', 'dead', ...stored.map(({ sql }) => sql), 'json'];
  const shape: TableShape = {
    name,
    model,
    columns,
    stored,
    ...orderedBy(model.order, 'order'),
    variants,
    ordered,
    filters,
    placed: Object.entries(model.fields)
      .map(([field, { of }]) => ({ column: column(field), of }))
      .map((each) => ({ ...each, storedAt: stored.indexOf(each.column), filterAt: filters.indexOf(each.column) }))
      .sort((a, b) => a.filterAt - b.filterAt),
    absent: stored.map((each) => (ordered.has(each) ? lowest(each) : null)),
    ranged,
    matched: new Set([...joins.map((join) => join.column), ...ranged].map(({ sql }) => sql)),
    ...{ texts, joins, main, terms, words },
    statements: {
      find: `SELECT number, position, json FROM ${main} WHERE scope = ? AND id = ?`,
      insert: insertInto(main, mainColumns),
      terms: insertInto(terms, ['rowid', 't']),
      words: insertInto(words, ['rowid', ...texts.map((_, at) => `t${at}`)]),
    },
    declaration: declarationOf(model),
  };
  for (const [own, order] of Object.entries(model.orders ?? {}))
    variants.set(own, { ...shape, ...orderedBy(order, `order_${own}`) });
  return shape;
}

const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

/**
 * Returns the placeholder for null in sort columns. The placeholder sorts before every value, so that SQL row values
 * can be compared.
 */
export const lowest = ({ type }: Column): number => (type === 'text' ? 0 : -(2 ** 53));
/** Returns the smallest non-null value of a column. */
export const least = ({ type }: Column): string | number => (type === 'text' ? '' : -Number.MAX_SAFE_INTEGER);

/** A scope's documents have contiguous numbers (scope * SPAN + ordinal), so that a bit set of them is dense. */
export const SPAN = 2 ** 32;
/**
 * SQL expression for the start of a scope's number range. Computed in SQL, because the binding passes integers of more
 * than 32 bits as reals, which cannot be rowids.
 */
export const BASE = '(? << 32)';

/** Maximum number of results that each caching function keeps. */
const MAX_REMEMBERED = 2_000;

/**
 * Caches the results of a pure function. Discards all of them when there are too many. Frequent results are soon cached
 * again.
 */
function remembering<K, V>(of: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const result = of(key);
    known.set(key, result);
    return result;
  };
}

/** Returns the prefix of all terms and words in a scope. Its length determines the `prefix` option in `createTable`. */
const codeOf = remembering((scope: number): string => scope.toString(36).padStart(5, '0'));

/** Encodes a value for storage. @throws TypeError unless the value has the field's type */
export function stored(shape: TableShape, column: Column, value: Scalar): string | number {
  requireType(shape, column, value);
  return typeof value === 'string' ? bindable(value) : Number(value);
}

const MAX_TERM_BYTES = 64;
const UUID_LENGTH = 36;

/**
 * Encodes a value as one ASCII word, because the tokenizer would fold upper case and split at other characters. Only
 * the words of short values are cached. Types, statuses and account ids, for example, recur in most documents.
 */
function wordFor(value: string | number): string {
  const text = String(value);
  return text.length <= MAX_TERM_BYTES ? wordOf(text) : encode(text);
}

/** Concatenates slices, which is faster than replacing the hyphens. */
const wordOfUuid = (id: string): string =>
  `u${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;

function encode(text: string): string {
  if (text.length === UUID_LENGTH && UUID.test(text)) return wordOfUuid(text);
  const bytes = Buffer.from(text);
  return bytes.length > MAX_TERM_BYTES ? `s${hash('sha256', bytes, 'hex')}` : `h${bytes.toString('hex')}`;
}

const wordOf = remembering(encode);

export const termFor = (shape: TableShape, scope: number, column: Column, value: string | number): string =>
  termOf(codeOf(scope), shape.filters.indexOf(column), value);
const termOf = (code: string, filter: number, value: string | number): string => `${code}_${filter}_${wordFor(value)}`;
export const prefixFor = (scope: number, word: string): string => codeOf(scope) + word;

/**
 * Data stored in addition to a document's JSON. If `terms` or `words` is empty, the document has no row in that table.
 */
export type Row = { readonly values: readonly Value[]; readonly terms: string; readonly words: readonly string[] };

/** @throws TypeError if a field's `of` returns a value that does not have the field's type */
export function rowOf(shape: TableShape, scope: number, document: object | null): Row {
  const values = [...shape.absent];
  if (!document) return { values, terms: '', words: [] };
  const code = codeOf(scope);
  let terms = '';
  const add = ({ column, storedAt, filterAt }: PlacedColumn, value: Scalar, isOnly: boolean): void => {
    const encoded = stored(shape, column, value);
    if (isOnly && storedAt >= 0) values[storedAt] = encoded;
    if (filterAt >= 0) terms += (terms === '' ? '' : ' ') + termOf(code, filterAt, encoded);
  };
  // Values are added as they are found. Collecting them first would allocate an array for each field of every document.
  for (const placed of shape.placed) {
    const value = placed.of(document as never) ?? null;
    if (value === null) continue;
    if (typeof value !== 'object') add(placed, value, true);
    else {
      requireMultiValued(shape, placed.column);
      for (const each of value) add(placed, each, value.length === 1);
    }
  }
  return { values, terms, words: searchedTexts(shape, code, document) };
}

/**
 * Columns that may have several values. Each column is checked only once, because the check takes longer than adding
 * its values.
 */
const multiValued = new WeakSet<Column>();

/** @throws TypeError if the declaration requires a single value */
function requireMultiValued({ name, model, joins }: TableShape, column: Column): void {
  if (multiValued.has(column)) return;
  requireSingle(model, column.field);
  if (joins.some((join) => join.column === column)) throw new TypeError(`${name}: a joined field has one value`);
  multiValued.add(column);
}

function searchedTexts({ model, texts }: TableShape, code: string, document: object): string[] {
  const found = texts.map((name) => {
    const words = wordsOf(model.search?.[name]?.(document as never) ?? '');
    return words.length === 0 ? '' : code + words.join(` ${code}`);
  });
  return found.some((text) => text !== '') ? found : [];
}
