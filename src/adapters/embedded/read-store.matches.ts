import { LRUCache } from 'lru-cache';
import type { ListQuery, Scalar } from '../../ports/read-store.js';
import { searchWords } from '../../ports/search.js';
import { asked, columnOf, filterOf, requirePage } from '../read-model.declaration.js';
import { Bits } from './read-store.bits.js';
import type { ReadStoreCatalog, State } from './read-store.catalog.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { BASE, joinIndex, least, prefixFor, stored, termFor } from './read-store.shape.js';
import type { Column, TableShape } from './read-store.shape.js';

/** Part of a statement and its parameter values. */
export type Sql = { readonly text: string; readonly values: readonly Value[] };

export type Bound = {
  readonly column: Column;
  readonly operator: '=' | '>=' | '<=';
  readonly value: string | number;
};

/** Criteria of a list query, encoded like the stored values. */
export type Criteria = {
  readonly terms: readonly string[];
  /** Groups of terms. At least one term in each group must match. */
  readonly groups: readonly (readonly string[])[];
  readonly bounds: readonly Bound[];
  readonly words: readonly string[];
  /** Filters of the joined documents that contain the words (see `ListQuery.joinedWhere`). */
  readonly joinedWhere: NonNullable<ListQuery['joinedWhere']>;
};

/** A snapshot of one scope in a table. */
export type Target = {
  readonly shape: TableShape;
  readonly scope: number;
  readonly state: State;
  readonly isIndexed: boolean;
};

/**
 * Returns the criteria of a query, or undefined if no document can match the query.
 * @throws RangeError for a query that the declaration does not allow
 */
export function criteriaOf(shape: TableShape, scope: number, query: ListQuery): Criteria | undefined {
  requirePage(query);
  const termOf = (field: string, value: Scalar) => termIn(shape, scope, field, value);
  const terms = Object.entries(query.where ?? {}).map(([field, value]) => termOf(field, value));
  const groups = Object.entries(query.anyOf ?? {}).map(([field, values]) => values.map((each) => termOf(field, each)));
  const bounds = Object.entries(query.between ?? {}).flatMap(([field, { from, to }]): Bound[] => {
    const column = columnOf(shape, field);
    if (!shape.stored.includes(column))
      throw new RangeError(`${shape.model.name}.${field} can only be filtered for equality`);
    if (from === undefined && to === undefined) return [];
    // The index can apply bounds on the subsequent sort fields only after an equality.
    if (from === to && from !== undefined) return [{ column, operator: '=', value: valueOf(shape, column, from) }];
    // A lower bound is always needed to exclude the placeholder for null, which is less than every value.
    const lower: Bound = {
      column,
      operator: '>=',
      value: from === undefined ? least(column) : valueOf(shape, column, from),
    };
    return to === undefined ? [lower] : [lower, { column, operator: '<=', value: valueOf(shape, column, to) }];
  });
  const words = searchWords(query.search);
  if (words?.length === 0) return undefined;
  return { terms, groups, bounds, words: words ?? [], joinedWhere: query.joinedWhere ?? {} };
}

const valueOf = (shape: TableShape, column: Column, value: Scalar): string | number =>
  asked(column, value, () => stored(shape, column, value));

function termIn(shape: TableShape, scope: number, field: string, value: Scalar): string {
  const column = filterOf(shape, field);
  return termFor(shape, scope, column, valueOf(shape, column, value));
}

/** A set with at most this many hits is not worth caching. */
export const FEW = 1_000;
const KEPT_BYTES = 24 * 1024 * 1024;

/** `stamp` identifies the data from which the bits were computed, apart from new documents. */
type Kept = { readonly stamp: string; readonly bits: Bits };

/**
 * Finds the documents that meet each criterion, as bit sets. Large sets are cached. New documents have higher ordinals,
 * so only their part of the index is read to extend a cached set.
 */
export class Matches {
  private readonly kept = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bits }) => bits.bytes + 200,
  });

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly few: number,
  ) {}

  /**
   * Returns the documents that match all terms, groups and words, or undefined if the criteria contain none of these.
   */
  of(target: Target, { terms, groups, words, joinedWhere }: Criteria): Bits | undefined {
    const sets = words.map((word) => this.havingWord(target, word, joinedWhere));
    for (const group of groups)
      sets.push(
        group.map((term) => this.having(target, term)).reduce((some, one) => some.or(one), new Bits(target.state.last)),
      );
    if (terms.length > 0) sets.push(this.havingTerms(target, terms));
    return sets.length === 0 ? undefined : sets.reduce((all, one) => all.and(one));
  }

  /** Returns the documents from `first` to `last` that match all terms. Reads only this part of the index. */
  among({ shape, scope }: Target, terms: readonly string[], first: number, last: number): Set<number> {
    const sql = `SELECT json_group_array(rowid - ${BASE}) FROM ${shape.terms}(?)
      WHERE rowid BETWEEN ${BASE} + ? AND ${BASE} + ?`;
    const found = this.json(sql, scope, terms.map(quoted).join(' AND '), scope, first, scope, last);
    return new Set(JSON.parse(found) as number[]);
  }

  private havingTerms(target: Target, terms: readonly string[]): Bits {
    const { shape, scope, state } = target;
    const some = `SELECT json_group_array(rowid - ${BASE}) FROM (SELECT rowid FROM ${shape.terms}(?) LIMIT ?)`;
    const found = this.json(some, scope, terms.map(quoted).join(' AND '), this.few);
    const bits = new Bits(state.last).addJson(found);
    if (bits.count < this.few) return bits;
    return terms.map((term) => this.having(target, term)).reduce((all, one) => all.and(one));
  }

  private having(target: Target, term: string): Bits {
    const { terms } = target.shape;
    return this.keep(target, term, '', (after) => this.matching(target, terms, quoted(term), after));
  }

  /** Returns the documents that contain a word with the prefix, or that refer to a document with such a word. */
  private havingWord(target: Target, word: string, joinedWhere: Criteria['joinedWhere']): Bits {
    const { shape, scope } = target;
    const prefix = `${quoted(prefixFor(scope, word))}*`;
    const sets = shape.joins.map((join) => {
      const other = this.catalog.liveTable(join.model);
      if (!other) return new Bits(target.state.last);
      const { changes, last } = this.catalog.state(other, scope);
      const columns = join.texts.map((name) => `t${textAt(other, name)}`);
      const named = other.texts.length === 1 ? prefix : `{${columns.join(' ')}} : ${prefix}`;
      const terms = Object.entries(joinedWhere).map(([field, value]) => quoted(termIn(other, scope, field, value)));
      // The unary plus keeps SQLite from running the full-text query once for each row number.
      const within = terms.length === 0 ? '' : `AND +o.number IN (SELECT rowid FROM ${other.terms}(?))`;
      const among = terms.length === 0 ? [] : [terms.join(' AND ')];
      const index = target.isIndexed ? `INDEXED BY ${joinIndex(shape, join.column)}` : '';
      const sql = `SELECT json_group_array(m.number - ${BASE}) FROM ${other.words}(?) w
        CROSS JOIN ${other.main} o ON o.number = w.rowid ${within}
        CROSS JOIN ${shape.main} m ${index} ON m.scope = ? AND m.${join.column.sql} = o.id AND m.dead = 0 AND m.number > ${BASE} + ?`;
      return this.keep(target, [join.field, word, ...among].join(' '), `${other.name} ${changes} ${last}`, (after) =>
        this.json(sql, scope, named, ...among, scope, scope, after),
      );
    });
    if (shape.texts.length > 0)
      sets.push(this.keep(target, prefix, '', (after) => this.matching(target, shape.words, prefix, after)));
    return sets.reduce((some, others) => some.or(others), new Bits(target.state.last));
  }

  private matching({ scope }: Target, table: string, expression: string, after: number): string {
    const sql = `SELECT json_group_array(rowid - ${BASE}) FROM ${table}(?) WHERE rowid > ${BASE} + ?`;
    return this.json(sql, scope, expression, scope, after);
  }

  private keep({ shape, scope, state }: Target, what: string, on: string, read: (after: number) => string): Bits {
    const key = `${shape.name} ${scope} ${what}`;
    const stamp = `${state.changes} ${on}`;
    const known = this.kept.get(key);
    const isCurrent = known?.stamp === stamp && known.bits.last <= state.last;
    if (isCurrent && known.bits.last === state.last) return known.bits;
    const bits = isCurrent ? known.bits.upTo(state.last) : new Bits(state.last);
    bits.addJson(read(isCurrent ? known.bits.last : 0));
    this.kept.set(key, { stamp, bits });
    return bits;
  }

  private json(sql: string, ...values: Value[]): string {
    return this.db.get(sql, ...values)?.[0] as string;
  }
}

/**
 * Quotes a string for a full-text query. Terms and words contain only letters, digits and underscores, so nothing needs
 * to be escaped.
 */
const quoted = (word: string): string => `"${word}"`;

function textAt({ model, texts }: TableShape, name: string): number {
  const at = texts.indexOf(name);
  if (at < 0) throw new RangeError(`Read model ${model.name} has no searched text ${JSON.stringify(name)}`);
  return at;
}
