import type { CreateIndexesOptions, IndexDescription, ObjectId } from 'mongodb';
import type {
  AnyTable,
  DocumentKey,
  Field,
  Order,
  ReadModel,
  Scalar,
  Scope,
  SearchJoin,
} from '../../ports/read-store.js';
import type { DocumentWrite } from '../../ports/read-store.js';
import { words as wordsOf } from '../../ports/search.js';
import { bindable, unbindable } from '../bindable-text.js';
import {
  columnsOf,
  declarationOf,
  declared,
  requireSingle,
  requireType,
  tableName,
} from '../read-model.declaration.js';
import type { Stored } from './connection.js';
import { ordered, unordered } from './ordered-text.js';

export type Column = { readonly field: string; readonly path: string; readonly type: Field<never>['type'] };
export type SearchedText = { readonly name: string; readonly path: string; readonly of: (doc: never) => string | null };

/** Layout of a table in MongoDB. Each table is a separate collection. */
export type Shape = {
  readonly name: string;
  readonly model: ReadModel;
  readonly columns: ReadonlyMap<string, Column>;
  readonly order: readonly Column[];
  readonly descending: boolean;
  /** Variants of this layout, one for each additional sort order of the model. */
  readonly variants: ReadonlyMap<string, Shape>;
  /** Fields with their own index: selective filters, fields with selective ranges, and fields of search joins. */
  readonly indexed: readonly Column[];
  readonly compounds: readonly (readonly Column[])[];
  /**
   * Fields that have a total for each value. In a large model, totals are also kept by day, which is the first sort
   * field.
   */
  readonly counted: readonly Column[];
  readonly day: Column | undefined;
  readonly keepsTotals: boolean;
  readonly texts: readonly SearchedText[];
  readonly joins: readonly SearchJoin[];
  /** A string that is identical for all declarations with the same storage layout. */
  readonly declaration: string;
};

/**
 * Maximum size of a document's JSON. MongoDB limits a document to 16 MiB, which must also accommodate its fields and
 * words.
 */
const MAX_JSON_BYTES = 14 * 1024 * 1024;

/** @throws RangeError for a contradictory declaration, which is a programming error */
export function shapeOf(table: AnyTable): Shape {
  const { model } = table;
  const columns = columnsOf(model, ({ field, type }): Column => ({ field, path: `f_${field}`, type }));
  const column = declared(model, columns);
  const joins = model.searchJoins ?? [];
  const filters = model.filters.filter((field) => !model.common?.includes(field));
  const indexed = new Set([...filters, ...(model.ranged ?? []), ...joins.map((join) => join.field)].map(column));
  const orderedBy = ({ fields, direction }: Order) => ({
    order: fields.map(column),
    descending: direction === 'descending',
  });
  const variants = new Map<string, Shape>();
  const shape: Shape = {
    name: tableName(table),
    model,
    columns,
    ...orderedBy(model.order),
    variants,
    indexed: [...indexed],
    compounds: (model.compound ?? []).filter((fields) => fields.length > 1).map((fields) => fields.map(column)),
    counted: (model.counted ?? []).map(column),
    day: model.large && model.order.fields.slice(0, 1).map(column)[0],
    keepsTotals: model.counted !== undefined || model.large !== undefined,
    texts: textsOf(model),
    joins,
    declaration: declarationOf(model),
  };
  // Totals by day can locate pages only in the model's main sort order.
  for (const [name, order] of Object.entries(model.orders ?? {}))
    variants.set(name, { ...shape, ...orderedBy(order), day: undefined });
  return shape;
}

/** Returns the searchable strings, sorted by name so that storage does not depend on the declaration order. */
const textsOf = (model: ReadModel): SearchedText[] =>
  Object.entries(model.search ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of], at) => ({ name, path: `w${at}`, of }));

export type IndexOptions = CreateIndexesOptions & { readonly socketTimeoutMS: number };

/**
 * Returns the indexes of a table. Each index begins with the scope. All except the word index end with the sort fields.
 * Indexes are partial: they contain no tombstones, which have no scope, and no documents without the indexed value.
 */
export function indexesOf(shape: Shape): IndexDescription[] {
  const orderOf = (each: Shape) => [...each.order.map(({ path }) => path), '_id'];
  const order = orderOf(shape);
  const index = (name: string, paths: readonly string[], present: readonly string[]): IndexDescription => ({
    name,
    key: new Map([...new Set(['s', ...paths])].map((path) => [path, 1])),
    partialFilterExpression: Object.fromEntries(present.map((path) => [path, { $exists: true }])),
  });
  const byFields = [...shape.indexed.map((column) => [column]), ...shape.compounds].map((columns) => {
    const paths = columns.map(({ path }) => path);
    return index(`by_${columns.map(({ field }) => field).join('_')}`, [...paths, ...order], paths);
  });
  const byWord = shape.texts.length === 0 ? [] : [index('words', ['w'], ['s'])];
  const further = [...shape.variants].map(([name, each]) => {
    const within = each.columns.get(shape.model.orderedWithin?.[name] ?? '');
    if (!within) return index(`order_${name}`, orderOf(each), ['s']);
    return index(`order_${name}_by_${within.field}`, [within.path, ...orderOf(each)], [within.path]);
  });
  return [index('order', order, ['s']), ...further, ...byFields, ...byWord];
}

/** Whether a table must not be used without the index. All other indexes only make queries faster. */
export const isRequired = ({ name }: IndexDescription): boolean => name === 'order' || name === TOTALS_INDEX.name;

/** Index of the documents that have changed since the totals were last settled. */
export const TOTALS_INDEX: IndexDescription = { name: 'totals', key: { t: 1, q: 1 } };

const SEPARATOR = '\0';

/**
 * Returns the `_id` of a document. It combines scope and id, so that the mandatory `_id` index also serves scans and
 * lookups.
 */
export const keyOf = (scope: Scope, id: string): string => ordered(bindable(scope)) + SEPARATOR + ordered(id);

export function partsOf(key: string): DocumentKey {
  const end = key.indexOf(SEPARATOR);
  return { scope: unbindable(unordered(key.slice(0, end))) as Scope, id: unordered(key.slice(end + 1)) };
}

/** Returns the id contained in a key. It has the same encoding as in fields that refer to the document. */
export const idInKey = (key: string): string => key.slice(key.indexOf(SEPARATOR) + 1);

/** Encodes a value for storage. @throws TypeError unless the value has the field's type */
export function stored(shape: Shape, column: Column, value: Scalar): Scalar {
  requireType(shape, column, value);
  return typeof value === 'string' ? ordered(value) : value;
}

/**
 * Returns a document in its stored form:
 * - `j`: the document's JSON; null in a tombstone, which otherwise contains only `p` and `b`.
 * - `s`: scope. `p`: position. `b`: id of the write that stored the document.
 * - `f_…`: fields. `w`: words of all searchable strings. `w0`, `w1`, …: words of each searchable string.
 * - If totals are maintained, `t`: scope, even in tombstones. `q` and `o`: see ReadStoreTotals.
 * @throws TypeError if `of` returns a value that does not have the field's type
 * @throws RangeError for a document that exceeds MongoDB's limit
 */
export function storedDocument(shape: Shape, write: DocumentWrite, by: ObjectId): Stored {
  const { scope, id, document, position: p } = write;
  const _id = keyOf(scope, id);
  if (document === null) return { _id, p, b: by, j: null };
  const j = JSON.stringify(document);
  if (j.length > MAX_JSON_BYTES / 3 && Buffer.byteLength(j) > MAX_JSON_BYTES) {
    throw new RangeError(`Read model ${shape.model.name}: document ${JSON.stringify(id)} is too large to store`);
  }
  const found: Stored = { _id, s: scope, p, b: by };
  for (const column of shape.columns.values()) {
    const value = valueOf(shape, column, document);
    if (value !== undefined) found[column.path] = value;
  }
  addWords(found, shape, document);
  found.j = j;
  return found;
}

function valueOf(shape: Shape, column: Column, document: object): Scalar | Scalar[] | undefined {
  const value = shape.model.fields[column.field]?.of(document as never) ?? null;
  if (value === null) return undefined;
  if (typeof value !== 'object') return stored(shape, column, value);
  requireSingle(shape.model, column.field);
  const values = [...new Set(value.map((each) => stored(shape, column, each)))];
  return values.length === 0 ? undefined : values;
}

function addWords(target: Stored, shape: Shape, document: object): void {
  const all = new Set<string>();
  for (const { path, of } of shape.texts) {
    const words = wordsOf(of(document as never) ?? '').map(ordered);
    for (const word of words) all.add(word);
    if (shape.texts.length > 1 && words.length > 0) target[path] = words;
  }
  if (all.size > 0) target.w = [...all];
}
