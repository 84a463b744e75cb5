import type { Filter } from 'mongodb';
import type { ListQuery, Range, Scalar, Scope } from '../../ports/read-store.js';
import { asked, columnOf, filterOf, requirePage } from '../read-model.declaration.js';
import type { Stored } from './connection.js';
import { LAST, ordered } from './ordered-text.js';
import { stored, type Column, type Shape } from './read-store.collections.js';

export type Condition = Filter<Stored>;

/**
 * Returns the stored form of a queried value. Accepts only text, numbers and booleans, so that no value is interpreted
 * as an operator. @throws RangeError for a value that is invalid for the field
 */
export const valueOf = (shape: Shape, column: Column, value: Scalar): Scalar =>
  asked(column, value, () => stored(shape, column, value));

/** Returns the conditions on fields. @throws RangeError for an invalid query, before anything is read */
export function fieldConditions(shape: Shape, query: ListQuery): Condition[] {
  requirePage(query);
  const equal = equalities(shape, query.where);
  const any = Object.entries(query.anyOf ?? {}).map(([field, values]): Condition => {
    const column = filterOf(shape, field);
    return { [column.path]: { $in: values.map((value) => valueOf(shape, column, value)) } };
  });
  const within = Object.entries(query.between ?? {}).flatMap(([field, range]) => rangeOf(shape, field, range));
  return [...equal, ...any, ...within];
}

const equalities = (shape: Shape, where: ListQuery['where'] = {}): Condition[] =>
  Object.entries(where).map(([field, value]) => {
    const column = filterOf(shape, field);
    return { [column.path]: valueOf(shape, column, value) };
  });

/**
 * Returns the conditions for a range. A single bound is sufficient to exclude missing values, because MongoDB compares
 * only values of the same type.
 */
function rangeOf(shape: Shape, field: string, { from, to }: Range): Condition[] {
  const column = columnOf(shape, field);
  const lower = from === undefined ? [] : [{ [column.path]: { $gte: valueOf(shape, column, from) } }];
  const upper = to === undefined ? [] : [{ [column.path]: { $lte: valueOf(shape, column, to) } }];
  return [...lower, ...upper];
}

/**
 * Matches if any word in the list begins with `word`. Without `$elemMatch`, two different words could each satisfy one
 * of the two bounds.
 */
const beginsWith = (word: string) => ({ $elemMatch: { $gte: ordered(word), $lt: ordered(word) + LAST } });

/** Documents of another model that a search considers, and the names of their searched strings. */
export type Joined = {
  readonly other: Shape;
  readonly texts: readonly string[];
  readonly where: ListQuery['joinedWhere'];
};

/** Selects the documents of `other` that contain the word in one of the named strings. */
export function namedWord({ other, texts: names, where }: Joined, scope: Scope, word: string): Condition {
  const named = names.map((name) => {
    const text = other.texts.find((searched) => searched.name === name);
    if (!text) throw new RangeError(`Read model ${other.model.name} has no searched text ${JSON.stringify(name)}`);
    return text;
  });
  // The index covers the words of all searchable strings. If a model has only one, its words are not stored separately.
  const inAny: Condition[] = [{ w: beginsWith(word) }, ...equalities(other, where)];
  if (named.length === other.texts.length) return all(scope, inAny);
  return all(scope, [...inAny, { $or: named.map(({ path }) => ({ [path]: beginsWith(word) })) }]);
}

/** Selects the documents that contain the word, or that refer to a joined document that contains it. */
export function wordCondition(scope: Scope, word: string, joined: readonly JoinedIds[]): Condition {
  const own: Condition = { w: beginsWith(word) };
  const by = joined.filter(({ ids }) => ids.length > 0);
  if (by.length === 0) return own;
  // The scope is repeated in each branch, so that the branch can use its own index.
  const branches = [own, ...by.map(({ path, ids }): Condition => ({ [path]: { $in: [...ids] } }))];
  return { $or: branches.map((branch) => ({ s: scope, ...branch })) };
}

/** Ids to match, encoded in the same way as the field at `path`. */
export type JoinedIds = { readonly path: string; readonly ids: readonly string[] };

export const all = (scope: Scope, conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? { s: scope } : { s: scope, $and: [...conditions] };
