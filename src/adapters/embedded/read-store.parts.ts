import type { ListQuery } from '../../ports/read-store.js';
import { placeIn } from '../read-model.declaration.js';
import { all, sql, type Bound, type Criterion, type Sql, type Target } from './read-store.criteria.js';
import type { Value } from './read-store.database.js';
import { narrowed, ordering, pathsOf, type Path } from './read-store.paths.js';
import { lowest, type TableShape } from './read-store.tables.js';

/*
 * What comes after a place in a list, in stretches that an index gives each by itself, in the list's order: first what
 * is equal to the place in all but the last column and beyond it in that, then what is equal in all but the last two,
 * and so on. An `(a, b) > (?, ?)` would be shorter, and lose what has no value.
 */

/** The values of the order's columns, and the id. */
export type Place = readonly Value[];
type Stretch = {
  /** Conditions on the columns. */
  readonly where: readonly Sql[];
  /** Bounds on the first column that the stretch has by itself are left out, or SQLite might begin at those. */
  readonly drops: (bound: Bound) => boolean;
};

/** @throws RangeError for what is no place in this list */
export const placeAfter = (shape: TableShape, after: string): Place =>
  placeIn(shape, after, (value) => typeof value === 'string' || typeof value === 'number');

export function stretchesAfter(
  shape: TableShape,
  query: ListQuery,
  path: Path,
  place: Place | undefined,
): readonly Stretch[] {
  if (!place) return [{ where: [], drops: () => false }];
  const ascending = shape.descending === (query.reverse ?? false);
  const stretches: Stretch[] = [];
  for (let level = shape.order.length; level >= 0; level -= 1) {
    const equal = place.slice(0, level).map((value, at) => equals(shape, path, at, value));
    const drops = level > 0 ? () => true : ({ operator }: Bound) => (operator === '>=') === ascending;
    for (const beyond of beyonds(shape, path, level, place[level] ?? null, ascending))
      stretches.push({ where: [...equal, beyond], drops });
  }
  return stretches;
}

/** The statement for a stretch of a path; its limit is to be given. */
export function stretchOf(
  target: Target,
  query: ListQuery,
  criteria: readonly Criterion[],
  chosen: Path,
  { where, drops }: Stretch,
): Sql {
  const asked = criteria.filter((each) => each.kind !== 'bound' || each.order !== 0 || !drops(each));
  const met = (path: Path) => [...path.meets].filter((each) => each.kind !== 'bound' || each.order !== 0);
  const isChosen = (path: Path) =>
    met(path).length === met(chosen).length && met(path).every((each) => chosen.meets.has(each));
  const path = target.entry.indexed ? (pathsOf(target, asked).find(isChosen) ?? pathsOf(target, [])[0]) : chosen;
  const rest = asked.filter((criterion) => !path.meets.has(criterion));
  const rows = all([narrowed(target, path, rest), ...where], ' AND ');
  const number = path.ordered === 's' ? 's.doc' : 'm.number';
  const text = `SELECT (SELECT d.json FROM ${target.shape.main} d WHERE d.number = p.number), p.number FROM (
    SELECT ${number} AS number FROM ${rows.text} ORDER BY ${ordering(target.shape, query, path.ordered)} LIMIT ?) p`;
  return sql(text, ...rows.values);
}

const nameOf = (shape: TableShape, path: Path, at: number): string => `${path.ordered}.${shape.order[at]?.sql ?? 'id'}`;

/** In tables of several values something stands for null. */
const standIn = (shape: TableShape, path: Path, at: number, value: Value): Value => {
  const column = shape.order[at];
  return value === null && path.ordered === 's' && column ? lowest(column) : value;
};

function equals(shape: TableShape, path: Path, at: number, value: Value): Sql {
  const wanted = standIn(shape, path, at, value);
  const name = nameOf(shape, path, at);
  return wanted === null ? sql(`${name} IS NULL`) : sql(`${name} = ?`, wanted);
}

/** Null comes before every value. */
function beyonds(shape: TableShape, path: Path, at: number, value: Value, ascending: boolean): Sql[] {
  const wanted = standIn(shape, path, at, value);
  const name = nameOf(shape, path, at);
  if (ascending) return [wanted === null ? sql(`${name} IS NOT NULL`) : sql(`${name} > ?`, wanted)];
  if (wanted === null) return [];
  const lower = sql(`${name} < ?`, wanted);
  return path.ordered === 's' || !shape.order[at] ? [lower] : [lower, sql(`${name} IS NULL`)];
}
