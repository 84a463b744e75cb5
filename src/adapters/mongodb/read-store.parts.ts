import type { Scalar } from '../../ports/read-store.js';
import { placeIn } from '../read-model.declaration.js';
import type { Stored } from './connection.js';
import type { Condition } from './read-store.filters.js';
import type { Shape } from './read-store.collections.js';
import type { Total } from './read-store.totals.js';

/** Sort key of a document: the values of the sort fields, followed by the document's key. */
export type Place = readonly (Scalar | null)[];

/**
 * Rejects values that could be interpreted as operators.
 * @throws RangeError if the cursor is not valid for this list
 */
export const placeAfter = (shape: Shape, after: string): Place =>
  placeIn(shape, after, (value) => typeof value !== 'object');

/** Returns the cursor of a document, or undefined if there is no document. */
export const placeOf = (shape: Shape, document: Stored | undefined): string | undefined =>
  document && JSON.stringify([...shape.order.map(({ path }) => document[path] ?? null), document._id]);

export const placeProjection = ({ order }: Shape): Record<string, 1> =>
  Object.fromEntries([...order.map(({ path }) => path), '_id'].map((path) => [path, 1]));

/**
 * Returns the day (see `Shape.day`) of the document at `offset` in the list, and the number of documents before that
 * day. Returns undefined if documents without a day come first, because no index bound covers both these documents and
 * those with a day.
 */
export function dayOf(
  { days }: Total,
  offset: number,
  ascending: boolean,
): { value: Scalar; before: number } | undefined {
  const known = [...days]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a !== null && b !== null && a < b ? -1 : 1));
  let before = 0;
  for (const [value, count] of ascending ? known : known.reverse()) {
    if (value === null || known.some(([other]) => other === null)) return undefined;
    if (before + count > offset) return { value, before };
    before += count;
  }
  return undefined;
}

/**
 * Returns conditions for the documents after a place, in list order. The first condition selects the documents that
 * equal the place in all fields but the last, and are beyond it in that field. The next one does the same for all
 * fields but the last two, and so on. Without a place, returns one condition that matches everything.
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

/** Missing values sort before all others. */
function beyonds(path: string, value: Scalar | null, ascending: boolean): Condition[] {
  if (ascending) return [{ [path]: value === null ? { $exists: true } : { $gt: value } }];
  if (value === null) return [];
  const lower = { [path]: { $lt: value } };
  return path === '_id' ? [lower] : [lower, { [path]: { $exists: false } }];
}
