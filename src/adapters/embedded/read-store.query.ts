import type { Listed, ListQuery } from '../../ports/read-store.js';
import { inOrderOf, placeIn } from '../read-model.declaration.js';
import { Bits } from './read-store.bits.js';
import { unpack } from './packed-json.reader.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { criteriaOf, type Bound, type Criteria, type Sql, type Target } from './read-store.criteria.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { hasOrderIndex, orderColumns } from './read-store.ddl.js';
import { KeptBits } from './read-store.kept.js';
import { FEW, Matches } from './read-store.matches.js';
import { Ranges } from './read-store.ranges.js';
import { BASE, lowest, SPAN, type TableShape } from './read-store.shape.js';

/** Values of the sort columns, followed by the id. */
type Place = readonly Value[];
/** A traversal of the list in sort order, with its start, direction and bounds. */
type Walk = { readonly bounds: readonly Bound[]; readonly isAscending: boolean; readonly place?: Place | undefined };

/** Documents that match all criteria except `bounds`, which are checked in the list. */
type Hits = { readonly found: Bits; readonly bounds: readonly Bound[] };

/** Number of rows in the sort index that can be scanned for the cost of sorting one hit. */
const STEPS_PER_SORTED_HIT = 32;
const FIRST_STEPS = 1_000;
/** Number of rows to check directly for each match that a page requests. */
const NEAR_ROWS_PER_HIT = 4;
/**
 * Maximum span of the checked rows' ordinals, divided by the number of rows. Ordinals mostly increase with creation
 * time. A span of up to SHORT_SPAN is always accepted, because documents created together have ordinals in no
 * particular order.
 */
const NEAR_SPREAD = 8;
const SHORT_SPAN = 4_000;

/** Answers list queries by combining bit sets of matching documents with the sort index. */
export class ReadStoreQuery {
  private readonly matches: Matches;
  private readonly ranges: Ranges;

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly few = FEW,
  ) {
    const kept = new KeptBits();
    this.matches = new Matches(db, catalog, kept, few);
    this.ranges = new Ranges(db, catalog, kept);
  }

  /** @param scope number of the scope, or undefined if nothing has ever been stored in it */
  list(declared: TableShape, scope: number | undefined, query: ListQuery): Listed {
    const shape = inOrderOf(declared, query);
    const criteria = criteriaOf(shape, scope ?? 0, query);
    const target = this.target(shape, scope ?? 0);
    if (query.after !== undefined) return this.part(target, query, criteria, query.after);
    if (!criteria || target.state.count === 0) return { items: [], totalCount: 0 };
    const hits = this.hitsOf(target, criteria);
    const walk = { bounds: hits?.bounds ?? criteria.bounds, isAscending: isAscending(shape, query) };
    return hits ? this.pageOfHits(target, query, walk, hits.found) : this.page(target, query, walk);
  }

  private target(shape: TableShape, scope: number): Target {
    const isIndexed = this.catalog.isIndexed(shape);
    return { shape, scope, state: this.catalog.state(shape, scope), isIndexed };
  }

  /** Returns undefined if the criteria contain nothing but bounds to be checked in the list. */
  private hitsOf(target: Target, criteria: Criteria): Hits | undefined {
    const matching = this.matches.of(target, criteria);
    // Checking few documents takes less time than reading the sets of their ranges.
    if (matching && matching.count <= this.few) return { found: matching, bounds: criteria.bounds };
    const { ranges, scanned } = this.ranges.split(target, criteria.bounds);
    const sets = [...(matching ? [matching] : []), ...ranges.map((range) => this.ranges.within(target, range))];
    return sets.length === 0 ? undefined : { found: sets.reduce((all, one) => all.and(one)), bounds: scanned };
  }

  /** Returns a page of a list that has neither filters nor a search, using only the sort index. */
  private page(target: Target, { offset, limit }: ListQuery, walk: Walk): Listed {
    const total = (): number => {
      const { text, values } = rowsOf(target, walk);
      return Number(this.db.get(`SELECT count(*) FROM ${text}`, ...values)?.[0] ?? 0);
    };
    const totalCount = walk.bounds.length === 0 ? target.state.count : total();
    const page = nearestEnd(walk, offset, limit, totalCount);
    const ordinals = this.ordinals(target, page.walk, page.limit, page.offset);
    return { items: this.documents(target, page.isReversed ? ordinals.reverse() : ordinals), totalCount };
  }

  private pageOfHits(target: Target, query: ListQuery, walk: Walk, found: Bits): Listed {
    const hits = found.count;
    if (hits <= this.few) return this.sortedPage(target, query, walk, found);
    const within = walk.bounds.length === 0 ? found : found.and(this.bounded(target, walk));
    const totalCount = within === found ? hits : within.count;
    return { items: this.documents(target, this.pageOf(target, query, walk, within, totalCount)), totalCount };
  }

  private sortedPage(target: Target, { offset, limit }: ListQuery, walk: Walk, found: Bits): Listed {
    const sorted = this.sorted(target, walk, found);
    return { items: this.documents(target, sorted.slice(offset, offset + limit)), totalCount: sorted.length };
  }

  /** Returns a page of a list with many hits. Scans the sort index as long as that is cheaper than sorting all hits. */
  private pageOf(target: Target, { offset, limit }: ListQuery, walk: Walk, found: Bits, hits: number): number[] {
    const page = nearestEnd(walk, offset, limit, hits);
    const needed = page.offset + page.limit;
    if (page.limit === 0) return [];
    const allowed = hits * STEPS_PER_SORTED_HIT;
    const isSoonFound = needed * target.state.count <= allowed * hits;
    const ordinals = isSoonFound ? this.along(target, page.walk, found, needed, allowed) : [];
    const all = ordinals.length === needed ? ordinals : this.sorted(target, page.walk, found);
    const own = all.slice(page.offset, needed);
    return page.isReversed ? own.reverse() : own;
  }

  /** Returns the page that follows a cursor (see `ListQuery.after`). */
  private part(target: Target, query: ListQuery, criteria: Criteria | undefined, after: string): Listed {
    const { shape } = target;
    const { limit } = query;
    if (!criteria || limit === 0) return { items: [], totalCount: -1 };
    const place = after === '' ? undefined : placeAfter(shape, after);
    const walk = { bounds: criteria.bounds, isAscending: isAscending(shape, query), place };
    const ordinals = this.near(target, walk, criteria, limit) ?? this.following(target, walk, criteria, limit);
    if (!ordinals) return this.partOfAll(target, walk, limit);
    const last = ordinals.at(-1);
    const items = this.documents(target, ordinals);
    if (last === undefined || items.length < limit) return { items, totalCount: -1 };
    return { items, totalCount: -1, next: JSON.stringify(this.placeOf(target, last)) };
  }

  /** Reads a page of a list that has neither filters nor a search, with a single statement. */
  private partOfAll(target: Target, walk: Walk, limit: number): Listed {
    const { text, values } = rowsOf(target, walk);
    const sql = `SELECT m.json, m.number FROM ${text} ORDER BY ${ordering(target, walk)} LIMIT ?`;
    const rows = this.db.all(sql, ...values, limit);
    const items = rows.map(([json]) => unpack(json as string));
    if (rows.length < limit) return { items, totalCount: -1 };
    const last = Number(rows.at(-1)?.[1]) % SPAN;
    return { items, totalCount: -1, next: JSON.stringify(this.placeOf(target, last)) };
  }

  /**
   * Returns the first `limit` matches in sort order if the next rows contain them, or undefined otherwise. This avoids
   * building the sets of all matches, which would have to be reread for every page if documents had changed in the
   * meantime.
   */
  private near(target: Target, walk: Walk, criteria: Criteria, limit: number): number[] | undefined {
    const { terms, groups, words, bounds } = criteria;
    const { ranges, scanned } = this.ranges.split(target, bounds);
    if (terms.length + ranges.length === 0 || groups.length + words.length > 0) return undefined;
    const size = limit * NEAR_ROWS_PER_HIT;
    const rows = this.ordinals(target, { ...walk, bounds: scanned }, size, 0);
    if (rows.length === 0) return rows;
    const [first, last] = [Math.min(...rows), Math.max(...rows)];
    if (last - first > Math.max(SHORT_SPAN, size * NEAR_SPREAD)) return undefined;
    const sets = ranges.map((range) => this.ranges.among(target, range, first, last));
    if (terms.length > 0) sets.push(this.matches.among(target, terms, first, last));
    const hits = rows.filter((ordinal) => sets.every((set) => set.has(ordinal)));
    return hits.length >= limit || rows.length < size ? hits.slice(0, limit) : undefined;
  }

  /** Returns the first `limit` matches in sort order, or undefined if there is no set of matches (see `hitsOf`). */
  private following(target: Target, from: Walk, criteria: Criteria, limit: number): number[] | undefined {
    const hits = this.hitsOf(target, criteria);
    if (!hits) return undefined;
    const { found, bounds } = hits;
    const walk = { ...from, bounds };
    const count = found.count;
    const isSoonFound = limit * target.state.count <= count * STEPS_PER_SORTED_HIT * count;
    if (count <= this.few || !isSoonFound) return this.sorted(target, walk, found).slice(0, limit);
    return this.along(target, walk, found, limit, Infinity);
  }

  /**
   * Returns the first `limit` matches in sort order. Stops after about `allowed` rows, even if these contain fewer
   * matches.
   */
  private along(target: Target, walk: Walk, found: Bits, limit: number, allowed: number): number[] {
    const ordinals: number[] = [];
    const rowsPerHit = target.state.count / found.count;
    let next = walk;
    for (let passed = 0; passed < allowed && ordinals.length < limit;) {
      const expected = Math.ceil((limit - ordinals.length) * rowsPerHit);
      const size = Math.max(FIRST_STEPS, expected, Math.ceil(passed / 4));
      const part = this.ordinals(target, next, size, 0);
      for (const ordinal of part) if (ordinals.length < limit && found.has(ordinal)) ordinals.push(ordinal);
      const last = part.at(-1);
      if (last === undefined || part.length < size) break;
      next = { ...walk, place: this.placeOf(target, last) };
      passed += size;
    }
    return ordinals;
  }

  private ordinals(target: Target, walk: Walk, limit: number, offset: number): number[] {
    const { text, values } = rowsOf(target, walk);
    const sql = `SELECT json_group_array(number - ${BASE}) FROM (
      SELECT m.number FROM ${text} ORDER BY ${ordering(target, walk)} LIMIT ? OFFSET ?)`;
    return this.numbers(sql, target.scope, ...values, limit, offset);
  }

  private bounded(target: Target, walk: Walk): Bits {
    const { text, values } = rowsOf(target, walk);
    const sql = `SELECT json_group_array(m.number - ${BASE}) FROM ${text}`;
    return new Bits(target.state.last).addJson(this.db.get(sql, target.scope, ...values)?.[0] as string);
  }

  private sorted(target: Target, walk: Walk, found: Bits): number[] {
    const rows = conditions(target, walk);
    const sql = `SELECT json_group_array(number - ${BASE}) FROM (SELECT m.number FROM json_each(?) n
      CROSS JOIN ${target.shape.main} m ON m.number = n.value + ${BASE} WHERE ${rows.text} ORDER BY ${ordering(target, walk)})`;
    return this.numbers(sql, target.scope, JSON.stringify([...found]), target.scope, ...rows.values);
  }

  private numbers(sql: string, ...values: Value[]): number[] {
    return JSON.parse(this.db.get(sql, ...values)?.[0] as string) as number[];
  }

  private documents({ shape, scope }: Target, ordinals: readonly number[]): string[] {
    const sql = `SELECT json FROM ${shape.main} WHERE number = ${BASE} + ?`;
    return ordinals.map((ordinal) => unpack(this.db.get(sql, scope, ordinal)?.[0] as string));
  }

  private placeOf({ shape, scope }: Target, ordinal: number): Place {
    return (
      this.db.get(`SELECT ${placeColumns(shape)} FROM ${shape.main} WHERE number = ${BASE} + ?`, scope, ordinal) ?? []
    );
  }
}

const placeColumns = ({ order }: TableShape): string =>
  [...order.map((column) => `nullif(${column.sql}, ${lowest(column)})`), 'id'].join(', ');

const isAscending = ({ descending }: TableShape, { reverse = false }: ListQuery): boolean => descending === reverse;

/** @throws RangeError if the cursor is not valid for this list */
const placeAfter = (shape: TableShape, after: string): Place =>
  placeIn<Value>(shape, after, (value) => typeof value === 'string' || typeof value === 'number');

/** Returns the traversal that reads a page from the nearer end of the list. */
function nearestEnd(walk: Walk, offset: number, limit: number, total: number) {
  const size = Math.max(0, Math.min(limit, total - offset));
  if (offset <= total / 2) return { walk, offset, limit: size, isReversed: false };
  const reversed = { ...walk, isAscending: !walk.isAscending };
  return { walk: reversed, offset: Math.max(0, total - offset - size), limit: size, isReversed: true };
}

function rowsOf(target: Target, walk: Walk): Sql {
  const { shape, isIndexed } = target;
  const { text, values } = conditions(target, walk);
  return {
    text: `${shape.main} m ${isIndexed && hasOrderIndex(shape) ? `INDEXED BY ${shape.orderIndex}` : ''} WHERE ${text}`,
    values,
  };
}

function conditions({ shape, scope }: Target, { bounds, isAscending, place }: Walk): Sql {
  // The page starts within the bounds, so the bound at which the list starts is redundant. Keeping that bound would
  // only give the index a second starting point.
  const passed = isAscending ? '>=' : '<=';
  const checked = place ? bounds.filter((each) => each.column !== shape.order[0] || each.operator !== passed) : bounds;
  const texts = checked.map(({ column, operator }) => `m.${column.sql} ${operator} ?`);
  const values: Value[] = [scope, ...checked.map(({ value }) => value)];
  if (place) {
    const columns = orderColumns(shape).map((name) => `m.${name}`);
    texts.push(`(${columns.join(', ')}) ${isAscending ? '>' : '<'} (${columns.map(() => '?').join(', ')})`);
    values.push(...place.map((value, at) => (value === null && shape.order[at] ? lowest(shape.order[at]) : value)));
  }
  return { text: ['m.scope = ? AND m.dead = 0', ...texts].join(' AND '), values };
}

const ordering = ({ shape }: Target, { isAscending }: Walk): string =>
  orderColumns(shape)
    .map((name) => `m.${name} ${isAscending ? 'ASC' : 'DESC'}`)
    .join(', ');
