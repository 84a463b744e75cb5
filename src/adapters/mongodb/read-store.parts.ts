import type { Scalar } from '../../ports/read-store.js';
import { placeIn } from '../read-model.declaration.js';
import type { Stored } from './connection.js';
import type { Condition } from './read-store.filters.js';
import type { Shape } from './read-store.collections.js';

/** The values of the order's fields, and the key. */
export type Place = readonly (Scalar | null)[];

/** Nothing that could be taken for an operator. @throws RangeError for what is no place in this list */
export const placeAfter = (shape: Shape, after: string): Place =>
  placeIn(shape, after, (value) => typeof value !== 'object');

/** Where a document stands; undefined without one. */
export const placeOf = (shape: Shape, document: Stored | undefined): string | undefined =>
  document && JSON.stringify([...shape.order.map(({ path }) => document[path] ?? null), document._id]);

/**
 * Conditions for what comes after a place, in the list's order: first what is equal to the place in all but the last
 * field and beyond it in that, then what is equal in all but the last two, and so on. Without a place: for everything.
 */
export function stretchesAfter({ order }: Shape, place: Place | undefined, ascending: boolean): Condition[][] {
  if (!place) return [[]];
  const paths = [...order.map(({ path }) => path), '_id'];
  return paths
    .map((_, at) => paths.length - 1 - at)
    .flatMap((level) => {
      const equal = paths.slice(0, level).map((path, at) => ({ [path]: valueOrNone(place[at] ?? null) }));
      return beyonds(paths[level] ?? '_id', place[level] ?? null, ascending).map((beyond) => [...equal, beyond]);
    });
}

const valueOrNone = (value: Scalar | null) => value ?? { $exists: false };

/** What has no value comes before all that has one. */
function beyonds(path: string, value: Scalar | null, ascending: boolean): Condition[] {
  if (ascending) return [{ [path]: value === null ? { $exists: true } : { $gt: value } }];
  if (value === null) return [];
  const lower = { [path]: { $lt: value } };
  return path === '_id' ? [lower] : [lower, { [path]: { $exists: false } }];
}
