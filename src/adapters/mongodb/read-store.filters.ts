import type { Filter } from 'mongodb';
import type { ListQuery, Range, Scalar, Scope } from '../../ports/read-store.js';
import type { Stored } from './connection.js';
import { LAST, ordered } from './ordered-text.js';
import { stored, type Column, type Shape } from './read-store.collections.js';

export type Condition = Filter<Stored>;

const columnOf = (shape: Shape, field: string): Column => {
  const column = shape.columns.get(field);
  if (!column) throw new RangeError(`Read model ${shape.model.name} has no field ${JSON.stringify(field)}`);
  return column;
};

/**
 * Only text, numbers and booleans pass, so that no value can be taken for an operator.
 * @throws RangeError for a value that the field cannot have
 */
function asked(shape: Shape, column: Column, value: Scalar): Scalar {
  // A bound may lie between two integers, and beyond all of them.
  if (column.type === 'integer' && typeof value === 'number' && !Number.isNaN(value)) return value;
  try {
    return stored(shape, column, value);
  } catch (error) {
    throw new RangeError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Finds defects of the caller before anything is read. @throws RangeError */
export function fieldConditions(shape: Shape, query: ListQuery): Condition[] {
  for (const [name, value] of Object.entries({ offset: query.offset, limit: query.limit })) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number from 0`);
  }
  const equal = Object.entries(query.where ?? {}).map(([field, value]): Condition => {
    if (!shape.model.filters.includes(field)) {
      throw new RangeError(`Read model ${shape.model.name} has no filter ${JSON.stringify(field)}`);
    }
    const column = columnOf(shape, field);
    return { [column.path]: asked(shape, column, value) };
  });
  const within = Object.entries(query.between ?? {}).flatMap(([field, range]) => rangeOf(shape, field, range));
  return [...equal, ...within];
}

/** One bound is enough to leave out what has no value: MongoDB compares values of one type only. */
function rangeOf(shape: Shape, field: string, { from, to }: Range): Condition[] {
  const column = columnOf(shape, field);
  const lower = from === undefined ? [] : [{ [column.path]: { $gte: asked(shape, column, from) } }];
  const upper = to === undefined ? [] : [{ [column.path]: { $lte: asked(shape, column, to) } }];
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
