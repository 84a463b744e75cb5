import type { ListQuery, Range, Scalar, SearchJoin } from '../../ports/read-store.js';
import { searchWords } from '../../ports/search.js';
import { asked, columnOf, filterOf, requirePage } from '../read-model.declaration.js';
import type { Value } from './read-store.database.js';
import type { Entry, ReadStoreCatalog } from './read-store.catalog.js';
import { least, sideTable, stored, type Column, type TableShape } from './read-store.tables.js';

/** A piece of SQL with the values for its question marks. */
export type Sql = { readonly text: string; readonly values: readonly Value[] };

/** Which table the order's columns are read from: the main one, or that of a field with several values. */
export type Ordered = 'm' | 's';

/** One condition of a list. `check` tests it on a row of the main table `m`. */
type Checked = { readonly check: (ordered: Ordered) => Sql };
type Equal = Checked & { readonly field: string; readonly value: string | number };
export type Filter = Equal & { readonly kind: 'filter' };
export type SeveralFilter = Equal & { readonly kind: 'several'; readonly rows: Sql };
/** `order`: place of its field in the order, whose columns every path has at hand; -1 for other fields. */
export type Bound = Checked & {
  readonly kind: 'bound';
  readonly order: number;
  readonly operator: '>=' | '<=';
  readonly value: string | number;
};
export type Word = Checked & {
  readonly kind: 'word';
  readonly own: Sql;
  /** Of the words that have it as a prefix: the first, and what is behind the last. */
  readonly range: readonly [from: string, to: string];
  readonly joined: readonly Joined[];
  readonly joins: readonly WordJoin[];
};
/** The other model's own rows of a word, in the texts that count. */
export type WordJoin = {
  readonly field: string;
  readonly other: TableShape;
  readonly isIndexed: boolean;
  readonly rows: Sql;
};
/** The numbers, as `doc`, of documents that have a word by a join; `distinct` where none comes twice. */
export type Joined = { readonly rows: Sql; readonly distinct: boolean };

export type Criterion = Filter | SeveralFilter | Bound | Word;

export type Target = {
  readonly catalog: ReadStoreCatalog;
  readonly shape: TableShape;
  readonly entry: Entry;
  readonly scope: number;
};

export const sql = (text: string, ...values: Value[]): Sql => ({ text, values });
export const all = (parts: readonly Sql[], between: string): Sql => ({
  text: parts.map((part) => part.text).join(between),
  values: parts.flatMap((part) => part.values),
});

/** Greater than every letter and digit: words with a prefix are those from the prefix to prefix + LAST. */
const LAST = '\u{10FFFF}';

/** @throws RangeError for a value that the field cannot have */
const valueOf = (shape: TableShape, column: Column, value: Scalar): string | number =>
  asked(column, value, () => stored(shape, column, value));

const boundsOf = ({ from, to }: Range): Scalar[] => [from, to].filter((bound) => bound !== undefined);

/** Finds defects of the caller before anything is read. @throws RangeError */
export function validate(shape: TableShape, query: ListQuery): void {
  requirePage(query);
  for (const [field, value] of Object.entries(query.where ?? {})) valueOf(shape, filterOf(shape, field), value);
  for (const [field, range] of Object.entries(query.between ?? {})) {
    const column = columnOf(shape, field);
    for (const bound of boundsOf(range)) valueOf(shape, column, bound);
  }
}

/** What a query asks for; undefined when it cannot find anything. */
export function criteriaOf(target: Target, query: ListQuery): Criterion[] | undefined {
  const found = searchWords(query.search);
  if (found?.length === 0) return undefined;
  return [
    ...Object.entries(query.where ?? {}).map(([field, value]) => conditionOf(target, field, value)),
    ...Object.entries(query.between ?? {}).flatMap(([field, range]) => rangeOf(target, field, range)),
    ...(found ?? []).map((word) => wordOf(target, word)),
  ];
}

function conditionOf({ shape, entry, scope }: Target, field: string, value: Scalar): Filter | SeveralFilter {
  const column = columnOf(shape, field);
  const wanted = valueOf(shape, column, value);
  if (!entry.several.has(field)) {
    return { kind: 'filter', field, value: wanted, check: () => sql(`m.${column.sql} = ?`, wanted) };
  }
  return {
    kind: 'several',
    field,
    value: wanted,
    check: () => sql(`EXISTS (SELECT 1 FROM json_each(m.several, '$.${field}') v WHERE v.value = ?)`, wanted),
    rows: sql(`${sideTable(shape, field)} s WHERE s.scope = ? AND s.value = ?`, scope, wanted),
  };
}

function rangeOf({ shape, entry }: Target, field: string, { from, to }: Range): Bound[] {
  const column = columnOf(shape, field);
  if (entry.several.has(field)) throw new RangeError(`${shape.model.name}.${field} has several values: no range`);
  const order = shape.order.indexOf(column);
  const bound = (operator: '>=' | '<=', value: string | number): Bound => ({
    ...{ kind: 'bound', order, operator, value },
    check: (ordered) => sql(`${order < 0 ? 'm' : ordered}.${column.sql} ${operator} ?`, value),
  });
  if (from === undefined && to === undefined) return [];
  // Always with a lower bound, so that what stands for null in a table of several values is outside.
  const lower = bound('>=', from === undefined ? least(column) : valueOf(shape, column, from));
  return to === undefined ? [lower] : [lower, bound('<=', valueOf(shape, column, to))];
}

/** A search word: a prefix of one of the document's own words, or of a joined document's. */
function wordOf(target: Target, word: string): Word {
  const { shape, scope } = target;
  const joins = shape.joins.flatMap((join) => joinOf(target, join, word) ?? []);
  const own = sql('instr(m.words, ?) > 0', `"${word}`);
  return {
    kind: 'word',
    check: () => {
      const either = all([own, ...joins.map((join) => join.check)], ' OR ');
      return sql(`(${either.text})`, ...either.values);
    },
    own: sql(`${shape.words} w WHERE w.scope = ? AND w.word >= ? AND w.word < ?`, scope, word, word + LAST),
    range: [word, word + LAST],
    joined: joins,
    joins: joins.map((join) => join.by),
  };
}

/** Documents whose field points to one of the other model's documents that has the word in one of the named texts. */
function joinOf(target: Target, join: SearchJoin, word: string): (Joined & { check: Sql; by: WordJoin }) | undefined {
  const { shape, scope, entry, catalog } = target;
  const other = catalog.liveTable(join.model);
  if (!other) return undefined;
  const mask = join.texts.reduce((bits, name) => bits | bitOf(other, name), 0);
  const range = [scope, word, word + LAST, mask];
  const isIndexed = catalog.entry(other).indexed;
  const ids = isIndexed
    ? `SELECT DISTINCT o.id FROM ${other.words} w CROSS JOIN ${other.main} o ON o.number = w.doc
       WHERE w.scope = ? AND w.word >= ? AND w.word < ? AND w.mask & ? != 0`
    : `SELECT DISTINCT o.id FROM ${other.main} o, json_each(o.words) w
       WHERE o.scope = ? AND o.dead = 0 AND w.key >= ? AND w.key < ? AND w.value & ? != 0`;
  const field = `"f_${join.field}"`;
  const named = `${other.words} w WHERE w.scope = ? AND w.word >= ? AND w.word < ? AND w.mask & ? != 0`;
  const by: WordJoin = { field: join.field, other, isIndexed, rows: sql(named, ...range) };
  if (!entry.several.has(join.field)) {
    const rows = `SELECT j.number AS doc FROM (${ids}) p CROSS JOIN ${shape.main} j
      ON j.scope = ? AND j.dead = 0 AND j.${field} = p.id`;
    return { check: sql(`m.${field} IN (${ids})`, ...range), rows: sql(rows, ...range, scope), distinct: true, by };
  }
  const rows = `SELECT j.doc FROM (${ids}) p CROSS JOIN ${sideTable(shape, join.field)} j
    ON j.scope = ? AND j.value = p.id`;
  const check = `EXISTS (SELECT 1 FROM json_each(m.several, '$.${join.field}') v WHERE v.value IN (${ids}))`;
  return { check: sql(check, ...range), rows: sql(rows, ...range, scope), distinct: false, by };
}

function bitOf(other: TableShape, name: string): number {
  const text = other.texts.find((searched) => searched.name === name);
  if (!text) throw new RangeError(`Read model ${other.model.name} has no searched text ${JSON.stringify(name)}`);
  return text.bit;
}
