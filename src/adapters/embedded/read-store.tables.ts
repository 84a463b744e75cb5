import type { AnyTable, Field, ReadModel, Scalar, SearchJoin } from '../../ports/read-store.js';
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
export type SearchedText = { readonly name: string; readonly bit: number; readonly of: (doc: never) => string | null };

/** What one table looks like in SQLite. Every name in here has been checked, so it may stand in SQL. */
export type TableShape = {
  readonly name: string;
  readonly model: ReadModel;
  readonly columns: ReadonlyMap<string, Column>;
  readonly order: readonly Column[];
  readonly descending: boolean;
  /** Fields with an index of their own: filters, and fields that search follows elsewhere. */
  readonly indexed: ReadonlySet<string>;
  readonly compounds: readonly (readonly string[])[];
  /** Fields whose values' numbers of documents are kept. */
  readonly counted: readonly string[];
  readonly texts: readonly SearchedText[];
  readonly joins: readonly SearchJoin[];
  /** Of a large model: the order's first column, then all that filters and joins compare. Else none. */
  readonly coded: readonly Column[];
  /** A large model whose documents' texts others search. */
  readonly isJoined: boolean;
  /** Quoted names. */
  readonly main: string;
  readonly words: string;
  readonly lists: string;
  readonly blocks: string;
  readonly tail: string;
  /** Two declarations that are stored in the same way have equal texts. */
  readonly declaration: string;
};

/** Masks of texts are integers of 32 bits on the JavaScript side. */
const MAX_TEXTS = 30;

/** @throws RangeError for a declaration that contradicts itself: a defect of the program, found at start */
export function shapeOf(table: AnyTable): TableShape {
  const { model } = table;
  const name = tableName(table);
  const columns = columnsOf(model, ({ field, type }): Column => ({ field, sql: `"f_${field}"`, type }));
  const column = declared(model, columns);
  const named = (fields: readonly string[]): string[] => fields.map((field) => column(field).field);
  const joins = model.searchJoins ?? [];
  const filters = named(model.filters);
  const compounds = (model.compound ?? []).map(named);
  const compared = new Set([...filters, ...named(joins.map((join) => join.field))]);
  const order = model.order.fields.map(column);
  if (model.large && !order[0]) throw new RangeError(`Read model ${model.name}: a large one needs a field to order by`);
  return {
    name,
    model,
    columns,
    order,
    descending: model.order.direction === 'descending',
    indexed: compared,
    coded: model.large ? [...new Set([...order.slice(0, 1), ...[...compared].map(column)])] : [],
    isJoined: model.large?.joined ?? false,
    compounds: compounds.filter((fields) => fields.length > 1),
    counted: named(model.counted ?? []),
    texts: textsOf(model),
    joins,
    main: `"${name}"`,
    words: `"${name}__words"`,
    lists: `"${name}__lists"`,
    blocks: `"${name}__blocks"`,
    tail: `"${name}__tail"`,
    declaration: declarationOf(model, { large: model.large, counted: model.counted }),
  };
}

function textsOf(model: ReadModel): SearchedText[] {
  // By name, so that the bits do not depend on how the declaration happens to be written down.
  const texts = Object.entries(model.search ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (texts.length > MAX_TEXTS) throw new RangeError(`Read model ${model.name}: more than ${MAX_TEXTS} searched texts`);
  return texts.map(([name, of], at) => ({ name, bit: 1 << at, of }));
}

const sqlType = (column: Column): string => (column.type === 'text' ? 'TEXT' : 'INTEGER');

/**
 * The main table and its words. `dead` marks tombstones. `words` and `several` hold what the side tables hold of the
 * document, so that an update writes the difference only. `json` comes last: reading the columns before it never
 * touches the pages that a long document spills over to.
 */
export const createTable = (shape: TableShape): string => `
  CREATE TABLE ${shape.main} (
    number INTEGER PRIMARY KEY, scope INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL,
    dead INTEGER NOT NULL, ${[...shape.columns.values()].map((column) => `${column.sql} ${sqlType(column)}, `).join('')}
    words TEXT, several TEXT, json TEXT, UNIQUE (scope, id)
  ) STRICT;
  CREATE TABLE ${shape.words} (
    scope INTEGER NOT NULL, word TEXT NOT NULL, doc INTEGER NOT NULL, mask INTEGER NOT NULL,
    PRIMARY KEY (scope, word, doc)
  ) STRICT, WITHOUT ROWID;
  ${shape.coded.length === 0 ? '' : createColumns(shape)}`;

/** See WordListWriter. Tables that were made before there were lists get theirs empty, which is right. */
export const createLists = (shape: TableShape): string => `
  CREATE TABLE IF NOT EXISTS ${shape.lists} (
    scope INTEGER NOT NULL, word TEXT NOT NULL, first INTEGER NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (scope, word, first)
  ) STRICT, WITHOUT ROWID;`;

/** See ColumnWriter. */
const createColumns = (shape: TableShape): string => `
  CREATE TABLE ${shape.blocks} (
    scope INTEGER NOT NULL, field INTEGER NOT NULL, first INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (scope, field, first)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ${shape.tail} (
    scope INTEGER NOT NULL, number INTEGER NOT NULL, codes TEXT NOT NULL, PRIMARY KEY (scope, number)
  ) STRICT, WITHOUT ROWID;
  ${createLists(shape)}`;

const orderColumns = (shape: TableShape): string => shape.order.map((column) => `${column.sql}, `).join('') + 'id';

export const orderIndex = (shape: TableShape): string => `"${shape.name}__order"`;
export const filterIndex = (shape: TableShape, fields: readonly string[]): string =>
  `"${shape.name}__by_${fields.join('__')}"`;

/**
 * Partial: tombstones are in no index, nor are documents without the value. `dead = 0` comes last, or SQLite does not
 * see that an index on several columns has all that a list reads.
 */
export function createIndexes(shape: TableShape): string[] {
  const byFields = [...[...shape.indexed].map((field) => [field]), ...shape.compounds].map((fields) => {
    const columns = fields.map((field) => `"f_${field}"`);
    return `CREATE INDEX IF NOT EXISTS ${filterIndex(shape, fields)}
      ON ${shape.main} (scope, ${columns.join(', ')}, ${orderColumns(shape)})
      WHERE ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')} AND dead = 0`;
  });
  const byOrder = `CREATE INDEX IF NOT EXISTS ${orderIndex(shape)}
    ON ${shape.main} (scope, ${orderColumns(shape)}) WHERE dead = 0`;
  return [byOrder, ...byFields];
}

/** Fills the words of a table that was written in bulk, in their order. */
const fillWords = (shape: TableShape): string => `
  INSERT INTO ${shape.words} (scope, word, doc, mask)
  SELECT m.scope, w.key, m.number, w.value FROM ${shape.main} m, json_each(m.words) w
  WHERE m.dead = 0 ORDER BY 1, 2, 3`;

export const sideTable = (shape: TableShape, field: string): string => `"${shape.name}__several_${field}"`;

/**
 * A field's values where documents have several, in lists' order. The key of such a table takes no null: `lowest`
 * stands for it, a value of another type that sorts before all of the column's own.
 */
export const createSideTable = (shape: TableShape, column: Column): string => `
  CREATE TABLE ${sideTable(shape, column.field)} (
    scope INTEGER NOT NULL, value ${sqlType(column)} NOT NULL,
    ${shape.order.map((ordering) => `${ordering.sql} ANY NOT NULL, `).join('')}
    id TEXT NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (scope, value, ${orderColumns(shape)})
  ) STRICT, WITHOUT ROWID`;

export const lowest = (column: Column): number => (column.type === 'text' ? 0 : -Infinity);
/** The least value that a column can have when it is not null. */
export const least = (column: Column): string | number => (column.type === 'text' ? '' : -Number.MAX_SAFE_INTEGER);

/** Keeps the single values that were stored before the field's first list of values as lists of one. */
export const listSingleValues = (shape: TableShape, column: Column): string => `
  UPDATE ${shape.main} SET ${column.sql} = NULL,
    several = json_set(coalesce(several, '{}'), '$.${column.field}', json_array(${column.sql}))
  WHERE dead = 0 AND ${column.sql} IS NOT NULL`;

/** Fills a side table from what the documents' rows repeat of it. */
export const fillSideTable = (shape: TableShape, column: Column): string => `
  INSERT INTO ${sideTable(shape, column.field)}
  SELECT m.scope, v.value, ${shape.order.map((each) => `coalesce(m.${each.sql}, ${each.type === 'text' ? '0' : '-9e999'}), `).join('')}
    m.id, m.number FROM ${shape.main} m, json_each(m.several, '$.${column.field}') v
  WHERE m.dead = 0 ORDER BY 1, 2`;

/** What a table that was written in bulk lacks beside its indexes. */
export const fills = (shape: TableShape, several: ReadonlySet<string>): string[] => [
  fillWords(shape),
  ...[...shape.columns.values()].flatMap((each) => (several.has(each.field) ? fillSideTable(shape, each) : [])),
];

/** A value as it is stored. @throws TypeError when it is not of the field's type */
export function stored(shape: TableShape, column: Column, value: Scalar): string | number {
  requireType(shape, column, value);
  return typeof value === 'string' ? bindable(value) : Number(value);
}

/** `values`: one or several for each column. `words`: each with the texts it is in, as bits. */
export type Row = {
  readonly values: readonly (Value | readonly Value[])[];
  readonly words: ReadonlyMap<string, number>;
};

const noWords: ReadonlyMap<string, number> = new Map();

/** What a document's row holds beside its JSON. @throws TypeError when `of` gives what the field cannot hold */
export function rowOf(shape: TableShape, document: object | null, wordsOf: (text: string) => string[]): Row {
  if (document === null) return { values: Array.from(shape.columns, () => null), words: noWords };
  const values: (Value | readonly Value[])[] = [];
  for (const column of shape.columns.values()) {
    const value = shape.model.fields[column.field]?.of(document as never) ?? null;
    if (value === null || typeof value !== 'object') {
      values.push(value === null ? null : stored(shape, column, value));
    } else {
      requireSingle(shape.model, column.field);
      values.push([...new Set(value.map((each) => stored(shape, column, each)))]);
    }
  }
  return { values, words: searchedWords(shape, document, wordsOf) };
}

function searchedWords(shape: TableShape, document: object, wordsOf: (text: string) => string[]): Row['words'] {
  if (shape.texts.length === 0) return noWords;
  const masks = new Map<string, number>();
  for (const { bit, of } of shape.texts) {
    for (const word of wordsOf(of(document as never) ?? '')) masks.set(word, (masks.get(word) ?? 0) | bit);
  }
  return masks;
}

/** Words as the main table repeats them. They are letters and digits only, so nothing needs escaping. */
export function wordsJson(words: Row['words']): string | null {
  let text = '';
  for (const [word, mask] of words) text += `${text === '' ? '{' : ','}"${word}":${mask}`;
  return text === '' ? null : text + '}';
}
