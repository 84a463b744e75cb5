import type { ListQuery } from '../../ports/read-store.js';
import { all, sql, type Bound, type Criterion, type Filter, type Ordered } from './read-store.criteria.js';
import type { SeveralFilter, Sql, Target, Word } from './read-store.criteria.js';
import { filterIndex, orderIndex, type TableShape } from './read-store.tables.js';

/** A place to start from: rows found through one index, by which some of the criteria are met. */
export type Path = {
  /** What follows FROM; its table has the alias `ordered`. */
  readonly from: Sql;
  readonly ordered: Ordered;
  /** The rows of a search word come in no order; all others in the model's, so that a page needs no sorting. */
  readonly word?: Word;
  readonly meets: ReadonlySet<Criterion>;
  /** The rows' numbers alone, for counting a few of them; those of a word perhaps with repeats. */
  readonly probe: Sql;
};

/** Every index that could answer; a compound one stands for the filters in it. There is always one. */
export function pathsOf(target: Target, criteria: readonly Criterion[]): [Path, ...Path[]] {
  const ranges = rangesOf(criteria);
  const filters = criteria.filter((each) => each.kind === 'filter');
  const widest = widestCompound(target.shape, filters);
  const paths = criteria.flatMap((each): Path[] => {
    if (each.kind === 'filter')
      return widest.includes(each) || !target.shape.indexed.has(each.field) ? [] : [filterPath(target, [each], ranges)];
    if (each.kind === 'several') return [severalPath(each, ranges)];
    return each.kind === 'word' ? [wordPath(target, each)] : [];
  });
  if (widest.length > 0) paths.unshift(filterPath(target, widest, ranges));
  if (ranges.length > 0) paths.push(orderPath(target, criteria));
  const [first, ...others] = paths;
  return first ? [first, ...others] : [orderPath(target, criteria)];
}

/** The order's own index: every document of the scope, or those in the range of the order's first field. */
export function orderPath({ shape, scope }: Target, criteria: readonly Criterion[]): Path {
  return mainPath(shape, scope, orderIndex(shape), rangesOf(criteria));
}

const rangesOf = (criteria: readonly Criterion[]): Bound[] =>
  criteria.filter((each) => each.kind === 'bound' && each.order === 0) as Bound[];

function widestCompound(shape: TableShape, filters: readonly Filter[]): Filter[] {
  const given = shape.compounds.map((fields) => fields.map((field) => filters.find((each) => each.field === field)));
  const whole = given.filter((found) => found.every((each) => each !== undefined));
  return whole.sort((a, b) => b.length - a.length)[0] ?? [];
}

function filterPath({ shape, scope }: Target, filters: readonly Filter[], ranges: readonly Bound[]): Path {
  const fields = filters.map((filter) => filter.field);
  return mainPath(shape, scope, filterIndex(shape, fields), [...filters, ...ranges]);
}

function mainPath(shape: TableShape, scope: number, index: string, meets: readonly Criterion[]): Path {
  const where = all([sql('m.scope = ? AND m.dead = 0', scope), ...meets.map((each) => each.check('m'))], ' AND ');
  const from = sql(`${shape.main} m INDEXED BY ${index} WHERE ${where.text}`, ...where.values);
  return { from, ordered: 'm', meets: new Set(meets), probe: sql(`SELECT m.number FROM ${from.text}`, ...from.values) };
}

function severalPath(filter: SeveralFilter, ranges: readonly Bound[]): Path {
  const from = all([filter.rows, ...ranges.map((range) => range.check('s'))], ' AND ');
  const probe = sql(`SELECT s.doc FROM ${from.text}`, ...from.values);
  return { from, ordered: 's', meets: new Set([filter, ...ranges]), probe };
}

function wordPath({ shape, scope }: Target, word: Word): Path {
  const own = sql(`SELECT w.doc FROM ${word.own.text}`, ...word.own.values);
  const probe = all([own, ...word.joined.map(({ rows }) => rows)], ' UNION ALL ');
  const from = `${shape.main} m NOT INDEXED WHERE m.number IN (${probe.text}) AND m.scope = ? AND m.dead = 0`;
  return { from: sql(from, ...probe.values, scope), ordered: 'm', word, meets: new Set([word]), probe };
}

/** The rows of a path that meet the rest too; the main table is joined in only when one of the rest reads it. */
export function narrowed({ shape }: Target, path: Path, rest: readonly Criterion[]): Sql {
  const checks = rest.map((criterion) => criterion.check(path.ordered));
  const atHand = rest.every((criterion) => criterion.kind === 'bound' && criterion.order >= 0);
  if (path.ordered === 'm' || atHand) return all([path.from, ...checks], ' AND ');
  const text = path.from.text.replace(' WHERE ', ` CROSS JOIN ${shape.main} m ON m.number = s.doc WHERE `);
  return all([sql(text, ...path.from.values), ...checks], ' AND ');
}

/** The list's order, of columns that the path has at hand. */
export function ordering(shape: TableShape, query: ListQuery, ordered: Ordered): string {
  const way = shape.descending === (query.reverse ?? false) ? 'ASC' : 'DESC';
  return [...shape.order.map((column) => column.sql), 'id'].map((name) => `${ordered}.${name} ${way}`).join(', ');
}
