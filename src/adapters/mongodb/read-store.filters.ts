import type { Filter } from 'mongodb';
import type { ListQuery, Range, Scalar, Scope } from '../../ports/read-store.js';
import { asked, columnOf, filterOf, requirePage } from '../read-model.declaration.js';
import type { Stored } from './connection.js';
import { LAST, ordered } from './ordered-text.js';
import { stored, type Column, type Shape } from './read-store.collections.js';

export type Condition = Filter<Stored>;

/**
 * Only text, numbers and booleans pass, so that no value can be taken for an operator.
 * @throws RangeError for a value that the field cannot have
 */
const valueOf = (shape: Shape, column: Column, value: Scalar): Scalar =>
  asked(column, value, () => stored(shape, column, value));

/** Finds defects of the caller before anything is read. @throws RangeError */
export function fieldConditions(shape: Shape, query: ListQuery): Condition[] {
  requirePage(query);
  const equal = Object.entries(query.where ?? {}).map(([field, value]): Condition => {
    const column = filterOf(shape, field);
    return { [column.path]: valueOf(shape, column, value) };
  });
  const within = Object.entries(query.between ?? {}).flatMap(([field, range]) => rangeOf(shape, field, range));
  return [...equal, ...within];
}

/** One bound is enough to leave out what has no value: MongoDB compares values of one type only. */
function rangeOf(shape: Shape, field: string, { from, to }: Range): Condition[] {
  const column = columnOf(shape, field);
  const lower = from === undefined ? [] : [{ [column.path]: { $gte: valueOf(shape, column, from) } }];
  const upper = to === undefined ? [] : [{ [column.path]: { $lte: valueOf(shape, column, to) } }];
  return [...lower, ...upper];
}

/** One of a list's words begins with the word. `$elemMatch`, or two words could meet one bound each. */
const beginsWith = (word: string) => ({ $elemMatch: { $gte: ordered(word), $lt: ordered(word) + LAST } });

/** Documents of the other model that have the word in one of the named texts. */
export function namedWord(other: Shape, scope: Scope, names: readonly string[], word: string): Condition {
  const named = names.map((name) => {
    const text = other.texts.find((searched) => searched.name === name);
    if (!text) throw new RangeError(`Read model ${other.model.name} has no searched text ${JSON.stringify(name)}`);
    return text;
  });
  // The index is that of the words of all texts; where there is only one, its words are not stored apart.
  const inAny: Condition = { s: scope, w: beginsWith(word) };
  if (named.length === other.texts.length) return inAny;
  return { ...inAny, $or: named.map(({ path }) => ({ [path]: beginsWith(word) })) };
}

/** Documents that have the word themselves, or by the documents that they point to. */
export function wordCondition(scope: Scope, word: string, joined: readonly JoinedIds[]): Condition {
  const own: Condition = { w: beginsWith(word) };
  const by = joined.filter(({ ids }) => ids.length > 0);
  if (by.length === 0) return own;
  // The scope is repeated, so that each branch has an index of its own to begin with.
  const branches = [own, ...by.map(({ path, ids }): Condition => ({ [path]: { $in: [...ids] } }))];
  return { $or: branches.map((branch) => ({ s: scope, ...branch })) };
}

/** Ids, as the field of this path holds them. */
export type JoinedIds = { readonly path: string; readonly ids: readonly string[] };

export const all = (scope: Scope, conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? { s: scope } : { s: scope, $and: [...conditions] };
