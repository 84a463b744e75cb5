import { MongoServerError, type Document, type FindCursor, type Sort } from 'mongodb';
import { SearchTooBroad, type Listed, type ListQuery, type Scope } from '../../ports/read-store.js';
import { searchWords } from '../../ports/search.js';
import { inOrderOf } from '../read-model.declaration.js';
import type { MongoConnection, Stored } from './connection.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { idInKey, type Shape } from './read-store.collections.js';
import { dayOf, placeAfter, placeOf, placeProjection, stretchesAfter, type Place } from './read-store.parts.js';
import {
  all,
  fieldConditions,
  namedWord,
  valueOf,
  wordCondition,
  type Condition,
  type JoinedIds,
} from './read-store.filters.js';
import { totalKey, type ReadStoreTotals, type Total } from './read-store.totals.js';

/** Maximum value of `skip` and `limit`, which MongoDB represents in 32 bits. */
const MAX_COUNT = 2_147_483_647;
const MAX_REPLY_DOCUMENTS = 1_000;
/** Offset at and beyond which pages are found by sort key. With `skip`, MongoDB would read all skipped documents. */
const FAR = 1_000;
/** Maximum number of joined documents across all words of a search. */
const MAX_JOINED = 10_000;
/** Maximum total length of the ids of joined documents, in characters. MongoDB limits a command to 16 MiB. */
const MAX_JOINED_CHARACTERS = 8_000_000;
const MAX_TIME_EXPIRED = 50;
const SHARE_OF_TIME = 0.8;

export class ReadStoreQuery {
  constructor(
    private readonly mongo: MongoConnection,
    private readonly catalog: ReadStoreCatalog,
    private readonly totals: ReadStoreTotals,
  ) {}

  async list(declared: Shape, scope: Scope, query: ListQuery): Promise<Listed> {
    const shape = inOrderOf(declared, query);
    const filter = await this.filter(shape, scope, query);
    if (query.after !== undefined) return this.part(shape, filter, query, query.after);
    if (!filter) return { items: [], totalCount: 0 };
    const limit = Math.min(query.limit, MAX_COUNT);
    if (limit === 0 || query.offset > MAX_COUNT - limit) {
      return { items: [], ...(await this.total(shape, scope, { query, filter, seen: 0 })) };
    }
    const known = query.offset < FAR ? undefined : await this.kept(shape, scope, query, true);
    const items = await this.page(shape, filter, { ...query, limit }, known);
    const seen = items.length === 0 ? 0 : query.offset + items.length;
    // An incomplete page is the last one, so the total is known.
    if (items.length < limit && (seen > 0 || query.offset === 0)) return { items, totalCount: seen };
    return { items, ...(await this.total(shape, scope, { query, filter, seen, known })) };
  }

  /** Returns the page after a cursor. */
  private async part(shape: Shape, filter: Condition | undefined, query: ListQuery, after: string): Promise<Listed> {
    const place = after === '' ? undefined : placeAfter(shape, after);
    if (!filter) return { items: [], totalCount: -1 };
    const found = await this.following(shape, filter, query, place);
    const items = found.map(({ j }) => j as string);
    const next = items.length < query.limit ? undefined : placeOf(shape, found.at(-1));
    return { items, totalCount: -1, next };
  }

  /**
   * Returns the first documents after a place. Reads successive ranges, each of which an index supports (see
   * `stretchesAfter`).
   */
  private async following(shape: Shape, filter: Condition, query: ListQuery, place?: Place): Promise<Stored[]> {
    const found: Stored[] = [];
    const projection = { ...placeProjection(shape), j: 1 };
    for (const where of stretchesAfter(shape, place, isAscending(shape, query))) {
      const limit = query.limit - found.length;
      if (limit === 0) break;
      const stretch = narrowed(filter, where);
      found.push(...(await this.find(shape, stretch, { ...query, offset: 0, limit }, projection)));
    }
    return found;
  }

  /** Returns the conditions of a query, or undefined if no document can match the query. */
  private async filter(shape: Shape, scope: Scope, query: ListQuery): Promise<Condition | undefined> {
    const conditions = fieldConditions(shape, query);
    const words = searchWords(query.search);
    if (words === undefined) return all(scope, conditions);
    if (words.length === 0) return undefined;
    const joins = await Promise.all(
      shape.joins.map(async ({ field, model, texts }) => {
        const other = await this.catalog.liveTable(model);
        return { path: shape.columns.get(field)?.path ?? '', other, texts };
      }),
    );
    const budget = { ids: MAX_JOINED, characters: MAX_JOINED_CHARACTERS };
    for (const word of words) {
      const joined: JoinedIds[] = [];
      for (const { path, other, texts } of joins) {
        if (!other) continue;
        const named = namedWord({ other, texts, where: query.joinedWhere }, scope, word);
        joined.push({ path, ids: await this.ids(other, named, budget) });
      }
      conditions.push(wordCondition(scope, word, joined));
    }
    return all(scope, conditions);
  }

  /** @throws SearchTooBroad if there are more ids than one command can contain */
  private ids({ name }: Shape, filter: Condition, budget: { ids: number; characters: number }): Promise<string[]> {
    return this.searching(async () => {
      const ids: string[] = [];
      const options = { projection: { _id: 1 }, batchSize: MAX_JOINED + 1, limit: budget.ids + 1 };
      const found = this.mongo.collection(name).find(filter, { ...options, maxTimeMS: this.maxTimeMs });
      for await (const { _id } of found) {
        const id = idInKey(_id);
        budget.ids -= 1;
        budget.characters -= id.length;
        if (budget.ids < 0 || budget.characters < 0) throw new SearchTooBroad();
        ids.push(id);
      }
      return ids;
    });
  }

  private async page(shape: Shape, filter: Condition, query: ListQuery, total: Total | undefined): Promise<string[]> {
    const found = await this.pageDocuments(shape, filter, query, total);
    return found.map(({ j }) => j as string);
  }

  private async pageDocuments(shape: Shape, filter: Condition, query: ListQuery, total?: Total): Promise<Stored[]> {
    const { offset, limit } = query;
    if (offset < FAR) return this.find(shape, filter, query, { j: 1 });
    if (!total) return this.beyond(shape, filter, query);
    if (offset >= total.count) return [];
    const day = dayOf(total, offset, isAscending(shape, query));
    if (shape.day && day) {
      const bound = { [shape.day.path]: { [isAscending(shape, query) ? '$gte' : '$lte']: day.value } };
      return this.beyond(shape, narrowed(filter, [bound]), { ...query, offset: offset - day.before });
    }
    const end = total.count - offset - limit;
    if (end >= offset) return this.beyond(shape, filter, query);
    const mirrored = { ...query, reverse: !query.reverse, offset: Math.max(0, end), limit: limit + Math.min(0, end) };
    return (await this.beyond(shape, filter, mirrored)).reverse();
  }

  /**
   * Returns a page that may begin far from the start of the list. Skips entries in the index and reads only the
   * documents on the page.
   */
  private async beyond(shape: Shape, filter: Condition, query: ListQuery): Promise<Stored[]> {
    if (query.offset < FAR) return this.find(shape, filter, query, { j: 1 });
    const last = { ...query, offset: query.offset - 1, limit: 1 };
    const place = placeOf(shape, (await this.find(shape, filter, last, placeProjection(shape)))[0]);
    return place === undefined ? [] : this.following(shape, filter, query, placeAfter(shape, place));
  }

  private find(shape: Shape, filter: Condition, query: ListQuery, projection: Document): Promise<Stored[]> {
    const read = () => this.cursor(shape, filter, query).project<Stored>(projection).toArray();
    return query.search ? this.searching(read) : this.mongo.within(read);
  }

  private cursor(shape: Shape, filter: Condition, query: ListQuery): FindCursor<Stored> {
    return this.mongo.collection(shape.name).find(filter, {
      sort: sortOf(shape, query),
      skip: query.offset,
      limit: query.limit,
      batchSize: Math.min(query.limit, MAX_REPLY_DOCUMENTS),
      // Without this option, MongoDB would reject a large sort that no index supports instead of executing it slowly.
      allowDiskUse: true,
      maxTimeMS: this.maxTimeMs,
    });
  }

  private async total(
    shape: Shape,
    scope: Scope,
    { query, filter, seen, known }: { query: ListQuery; filter: Condition; seen: number; known?: Total | undefined },
  ): Promise<Pick<Listed, 'totalCount' | 'isCapped'>> {
    const { countUpTo } = query;
    if (countUpTo !== undefined && countUpTo <= 0) return { totalCount: seen, isCapped: true };
    const kept = known ?? (await this.kept(shape, scope, query, false));
    if (kept) return { totalCount: Math.max(kept.count, seen) };
    if (countUpTo !== undefined && seen > countUpTo) return { totalCount: seen, isCapped: true };
    const count = await this.count(shape, filter, query);
    if (countUpTo === undefined || count <= countUpTo) return { totalCount: Math.max(count, seen) };
    return { totalCount: countUpTo, isCapped: true };
  }

  /** Returns the stored total for exactly this query, if there is one. */
  private async kept(shape: Shape, scope: Scope, query: ListQuery, withDays: boolean): Promise<Total | undefined> {
    const key = this.catalog.keepsTotals(shape) ? keptKey(shape, query) : undefined;
    return key === undefined ? undefined : this.totals.read(shape, scope, key, withDays);
  }

  /** Counts documents. Returns `countUpTo` + 1 if there are more than `countUpTo` documents. */
  private count(shape: Shape, filter: Condition, { search, countUpTo }: ListQuery): Promise<number> {
    const limit = countUpTo === undefined ? {} : { limit: countUpTo + 1 };
    const options = { ...limit, maxTimeMS: this.maxTimeMs };
    const read = () => this.mongo.collection(shape.name).countDocuments(filter, options);
    return search ? this.searching(read) : this.mongo.within(read);
  }

  /**
   * Runs a search. A timeout means that the search is too broad, not that the server is unavailable.
   * @throws SearchTooBroad
   */
  private searching<T>(read: () => Promise<T>): Promise<T> {
    return this.mongo.within(async () => {
      try {
        return await read();
      } catch (error) {
        if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) throw new SearchTooBroad();
        throw error;
      }
    });
  }

  /** Server-side timeout. It is shorter than the call timeout, so that the server's error arrives first. */
  private get maxTimeMs(): number {
    return Math.ceil(this.mongo.timeoutMs * SHARE_OF_TIME);
  }
}

/** Returns the key of the stored total, or undefined if no total is maintained for the query. */
function keptKey(shape: Shape, { where = {}, anyOf, between = {}, search = '' }: ListQuery): string | undefined {
  const [only, another] = Object.entries(where);
  if (another || anyOf || search !== '' || Object.keys(between).length > 0) return undefined;
  if (!only) return totalKey();
  const column = shape.counted.find(({ field }) => field === only[0]);
  return column && totalKey(column, valueOf(shape, column, only[1]));
}

const isAscending = ({ descending }: Shape, { reverse = false }: ListQuery): boolean => descending === reverse;

const narrowed = (filter: Condition, more: readonly Condition[]): Condition =>
  more.length === 0 ? filter : { ...filter, $and: [...(filter.$and ?? []), ...more] };

function sortOf(shape: Shape, query: ListQuery): Sort {
  const way = isAscending(shape, query) ? 1 : -1;
  return Object.fromEntries([...shape.order.map(({ path }) => path), '_id'].map((path) => [path, way]));
}
