import type { ListQuery, Range, Scalar } from '../../ports/read-store.js';
import { searchWords } from '../../ports/search.js';
import { asked, columnOf, filterOf, requirePage } from '../read-model.declaration.js';
import type { State } from './read-store.catalog.js';
import type { Value } from './read-store.database.js';
import { least, stored, termFor, type Column, type TableShape } from './read-store.shape.js';

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
  const bounds = Object.entries(query.between ?? {}).flatMap(([field, range]) => boundsOf(shape, field, range));
  const words = searchWords(query.search);
  if (words?.length === 0) return undefined;
  return { terms, groups, bounds, words: words ?? [], joinedWhere: query.joinedWhere ?? {} };
}

function boundsOf(shape: TableShape, field: string, { from, to }: Range): Bound[] {
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
}

const valueOf = (shape: TableShape, column: Column, value: Scalar): string | number =>
  asked(column, value, () => stored(shape, column, value));

export function termIn(shape: TableShape, scope: number, field: string, value: Scalar): string {
  const column = filterOf(shape, field);
  return termFor(shape, scope, column, valueOf(shape, column, value));
}
