import type { Listed, ListQuery } from '../../ports/read-store.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { all, criteriaOf, sql, type Criterion, type Sql, type Target, type Word } from './read-store.criteria.js';
import type { ReadStoreCodes } from './read-store.codes.js';
import type { Sizes } from './read-store.columns.js';
import { ReadStoreScan } from './read-store.scan.js';
import { placeAfter, stretchesAfter, stretchOf } from './read-store.parts.js';
import { narrowed, ordering, orderPath, pathsOf, type Path } from './read-store.paths.js';

/** How many rows of each path are counted before one is chosen: enough to tell a few from many, at once. */
const PROBES = [100, 10_000];

/** The statements that answer a list. */
export type Plan = {
  readonly count: Sql;
  /** Finds the page among the first so many rows of the order, if it can: then without sorting all that matches. */
  readonly walk: Sql | undefined;
  readonly page: Sql;
};

/** Lists: which index to start from, and the SQL that follows. */
export class ReadStoreQuery {
  private readonly scan: ReadStoreScan;

  constructor(
    private readonly db: ReadStoreDatabase,
    codes: ReadStoreCodes,
    private readonly sizes: Sizes,
  ) {
    this.scan = new ReadStoreScan(db, codes, sizes);
  }

  list(target: Target, query: ListQuery): Listed {
    if (query.after !== undefined) return this.part(target, query, query.after);
    const criteria = this.isLong(target, query) ? criteriaOf(target, query) : undefined;
    return (criteria && this.scan.list(target, query, criteria)) ?? this.planned(target, query);
  }

  /** Whether the columns of a large table are faster than any index. */
  private isLong(target: Target, query: ListQuery): boolean {
    if (target.shape.coded.length === 0 || !target.entry.indexed) return false;
    const total = this.total(target);
    if (total < this.sizes.many) return false;
    if (query.offset >= total * this.sizes.skippedShare) return true;
    const criteria = criteriaOf(target, query) ?? [];
    if (criteria.length === 0) return false;
    const few = Math.max(this.sizes.few, Math.ceil(total * this.sizes.fewShare));
    const { path, hits } = this.choose(target, criteria, [few]);
    const rest = criteria.filter((each) => !path.meets.has(each));
    // An index that has all that is asked for is as fast as a column, and gives the rows in their order.
    if (hits >= few && (rest.length > 0 || path.word)) return true;
    return rest.some((each) => this.isLongToTest(each, few));
  }

  /** To test a word on a single row, all joined documents that have it must be found. */
  private isLongToTest(criterion: Criterion, few: number): boolean {
    const joins = criterion.kind === 'word' ? criterion.joins : [];
    return joins.some(
      ({ rows }) =>
        this.number(sql(`SELECT count(*) FROM (SELECT 1 FROM ${rows.text} LIMIT ?)`, ...rows.values, few)) >= few,
    );
  }

  private part(target: Target, query: ListQuery, after: string): Listed {
    const criteria = criteriaOf(target, query);
    if (!criteria || query.limit === 0) return { items: [], totalCount: -1 };
    const { path } = target.entry.indexed ? this.chosen(target, criteria) : { path: unindexed(target) };
    const place = after === '' ? undefined : placeAfter(target.shape, after);
    const items: string[] = [];
    let last: Value = null;
    for (const stretch of stretchesAfter(target.shape, query, path, place)) {
      const limit = query.limit - items.length;
      if (limit === 0) break;
      const { text, values } = stretchOf(target, query, criteria, path, stretch);
      for (const [json, number] of this.db.all(text, ...values, limit)) {
        items.push(json as string);
        last = number ?? null;
      }
    }
    if (items.length < query.limit) return { items, totalCount: -1 };
    const order = [...target.shape.order.map((column) => column.sql), 'id'].join(', ');
    const end = this.db.get(`SELECT ${order} FROM ${target.shape.main} WHERE number = ?`, last);
    return { items, totalCount: -1, next: JSON.stringify(end) };
  }

  private planned(target: Target, query: ListQuery): Listed {
    const plan = this.plan(target, query);
    if (!plan) return { items: [], totalCount: 0 };
    const totalCount = this.number(plan.count);
    const size = Math.min(query.limit, Math.max(0, totalCount - query.offset));
    if (size === 0) return { items: [], totalCount };
    const walked = plan.walk ? this.items(plan.walk) : [];
    return { items: walked.length === size ? walked : this.items(plan.page), totalCount };
  }

  /** Undefined: the query finds nothing, whatever there is. */
  plan(target: Target, query: ListQuery): Plan | undefined {
    const criteria = criteriaOf(target, query);
    if (!criteria) return undefined;
    if (!target.entry.indexed) return planWithoutIndexes(target, query, criteria);
    const { path, hits } = this.chosen(target, criteria);
    const rest = criteria.filter((criterion) => !path.meets.has(criterion));
    const page = paged(target, query, path, rest);
    const kept = keptCount(target, criteria);
    if (kept) return { count: kept, walk: undefined, page };
    const count = path.word && rest.length === 0 ? this.countWord(path.word) : counting(target, path, rest);
    return { count, walk: path.word && this.walk(target, query, criteria, hits), page };
  }

  /** As `choose`, where there is a choice. */
  private chosen(target: Target, criteria: readonly Criterion[]): { path: Path; hits: number } {
    const [path, another] = pathsOf(target, criteria);
    return another || path.word ? this.choose(target, criteria, PROBES) : { path, hits: 0 };
  }

  /** The path with the fewest rows, and how many these are: at most the last of PROBES, since no more are counted. */
  private choose(
    target: Target,
    criteria: readonly Criterion[],
    probes: readonly number[],
  ): { path: Path; hits: number } {
    const paths = pathsOf(target, criteria);
    let hits = 0;
    const kept = paths.map(({ meets }) => {
      const count = keptCount(target, [...meets]);
      return count && this.number(count);
    });
    for (const limit of probes) {
      const found = paths.map(({ probe }, at) => {
        const count =
          kept[at] ?? this.number(sql(`SELECT count(*) FROM (${probe.text} LIMIT ?)`, ...probe.values, limit));
        return Math.min(count, limit);
      });
      hits = Math.min(...found);
      const path = paths[found.indexOf(hits)];
      if (path && hits < limit) return { path, hits };
    }
    // All are long: better one that comes in order, which need not be sorted.
    return { path: paths.find((path) => !path.word) ?? paths[0], hits };
  }

  /** Many hits among few rows: the first rows of the order hold a page of them. Unless they all lie far behind. */
  private walk(target: Target, query: ListQuery, criteria: readonly Criterion[], hits: number): Sql | undefined {
    const { shape } = target;
    const expected = Math.ceil(((query.offset + query.limit) * this.total(target)) / Math.max(1, hits));
    if (2 * expected > hits) return undefined;
    const path = orderPath(target, criteria);
    const checks = criteria.filter((each) => !path.meets.has(each)).map((each) => each.check('m'));
    const steps = sql(
      `SELECT m.number FROM ${path.from.text} ORDER BY ${ordering(target.shape, query, path.ordered)} LIMIT ?`,
    );
    const rows = all([sql('TRUE'), ...checks], ' AND ');
    // The rows keep the order of the inner query, since a CROSS JOIN is carried out as it is written.
    const text = `SELECT m.json FROM (${steps.text}) p CROSS JOIN ${shape.main} m ON m.number = p.number
      WHERE ${rows.text} LIMIT ? OFFSET ?`;
    return sql(text, ...path.from.values, 4 * expected + 100, ...rows.values, query.limit, query.offset);
  }

  /** How many documents have the word. Telling repeats apart takes long, so it is done only where there may be some. */
  private countWord({ own, joined }: Word): Sql {
    const ends = ['ASC', 'DESC'].map((way) =>
      this.first(sql(`SELECT w.word FROM ${own.text} ORDER BY w.word ${way}`, ...own.values)),
    );
    const ownRows = { rows: sql(`SELECT w.doc FROM ${own.text}`, ...own.values), distinct: ends[0] === ends[1] };
    const sources = [
      ...(ends[0] === undefined ? [] : [ownRows]),
      ...joined.filter(({ rows }) => this.first(rows) !== undefined),
    ];
    const [only] = sources;
    if (!only) return sql('SELECT 0');
    const docs = all(
      sources.map(({ rows }) => rows),
      ' UNION ALL ',
    );
    const counted = sources.length === 1 && only.distinct ? '*' : 'DISTINCT doc';
    return sql(`SELECT count(${counted}) FROM (${docs.text})`, ...docs.values);
  }

  private first({ text, values }: Sql): Value | undefined {
    return this.db.get(`${text} LIMIT 1`, ...values)?.[0];
  }

  private total(target: Target): number {
    return this.number(totalOf(target));
  }

  private number({ text, values }: Sql): number {
    return Number(this.db.get(text, ...values)?.[0] ?? 0);
  }

  private items({ text, values }: Sql): string[] {
    return this.db.all(text, ...values).map(([json]) => json as string);
  }
}

const totalOf = ({ shape, scope }: Target): Sql =>
  sql('SELECT count FROM kontor_counts WHERE name = ? AND scope = ?', shape.name, scope);

/** The number of what meets all of these, where it is kept beside the table. */
function keptCount(target: Target, criteria: readonly Criterion[]): Sql | undefined {
  const { shape, scope } = target;
  const [only, another] = criteria;
  if (!only) return totalOf(target);
  if (another || only.kind !== 'filter' || !shape.counted.includes(only.field)) return undefined;
  const text = 'SELECT count FROM kontor_value_counts WHERE name = ? AND scope = ? AND field = ? AND value = ?';
  return sql(text, shape.name, scope, only.field, only.value);
}

const counting = (target: Target, path: Path, rest: readonly Criterion[]): Sql => {
  const rows = narrowed(target, path, rest);
  return sql(`SELECT count(*) FROM ${rows.text}`, ...rows.values);
};

function paged(target: Target, query: ListQuery, path: Path, rest: readonly Criterion[]): Sql {
  const rows = narrowed(target, path, rest);
  const number = path.ordered === 's' ? 's.doc' : 'm.number';
  // The inner query reads an index alone, so that skipping to a far page touches no document.
  const text = `SELECT (SELECT d.json FROM ${target.shape.main} d WHERE d.number = p.number) FROM (
    SELECT ${number} AS number FROM ${rows.text} ORDER BY ${ordering(target.shape, query, path.ordered)} LIMIT ? OFFSET ?) p`;
  return sql(text, ...rows.values, query.limit, query.offset);
}

/** A table under construction: right, and slow. */
function planWithoutIndexes(target: Target, query: ListQuery, criteria: readonly Criterion[]): Plan {
  const path = unindexed(target);
  return { count: counting(target, path, criteria), walk: undefined, page: paged(target, query, path, criteria) };
}

function unindexed({ shape, scope }: Target): Path {
  const from = sql(`${shape.main} m WHERE m.scope = ? AND m.dead = 0`, scope);
  return { from, ordered: 'm', meets: new Set(), probe: from };
}
