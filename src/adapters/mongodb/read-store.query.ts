import type { Document, FindCursor, Sort } from 'mongodb';
import { ReadStoreUnavailable, type Listed, type ListQuery, type Scope } from '../../ports/read-store.js';
import { searchWords } from '../../ports/search.js';
import type { MongoConnection, Stored } from './connection.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import { idInKey, type Shape } from './read-store.collections.js';
import { placeAfter, placeOf, stretchesAfter } from './read-store.parts.js';
import {
  all,
  fieldConditions,
  namedWord,
  wordCondition,
  type Condition,
  type JoinedIds,
} from './read-store.filters.js';

/** MongoDB counts pages in 32 bits. */
const MAX_COUNT = 2_147_483_647;
const MAX_REPLY_DOCUMENTS = 1_000;
/** Of all documents that a search looks through by their ids: a command of MongoDB has at most 16 MiB. */
const MAX_JOINED_CHARACTERS = 8_000_000;

/** Lists: conditions, order, page, total. */
export class ReadStoreQuery {
  constructor(
    private readonly mongo: MongoConnection,
    private readonly catalog: ReadStoreCatalog,
  ) {}

  async list(shape: Shape, scope: Scope, query: ListQuery): Promise<Listed> {
    const filter = await this.filter(shape, scope, query);
    if (query.after !== undefined) return this.part(shape, filter, query, query.after);
    if (!filter) return { items: [], totalCount: 0 };
    const limit = Math.min(query.limit, MAX_COUNT);
    const paged = limit > 0 && query.offset <= MAX_COUNT - limit;
    const items = paged ? await this.page(shape, filter, { ...query, limit }) : [];
    // A page that is not full is the last one, so the total is known.
    const last = paged && items.length < limit && (items.length > 0 || query.offset === 0);
    const totalCount = last ? query.offset + items.length : await this.count(shape, filter);
    return { items, totalCount: items.length === 0 ? totalCount : Math.max(totalCount, query.offset + items.length) };
  }

  /** What follows a place in the list, as stretches of its own that an index gives each: see `stretchesAfter`. */
  private async part(shape: Shape, filter: Condition | undefined, query: ListQuery, after: string): Promise<Listed> {
    const place = after === '' ? undefined : placeAfter(shape, after);
    if (!filter) return { items: [], totalCount: -1 };
    const ascending = (shape.model.order.direction === 'descending') === (query.reverse ?? false);
    const found: Stored[] = [];
    for (const where of stretchesAfter(shape, place, ascending)) {
      const limit = query.limit - found.length;
      if (limit > 0) found.push(...(await this.stretch(shape, filter, where, { ...query, offset: 0, limit })));
    }
    const items = found.map(({ j }) => j as string);
    const next = items.length < query.limit ? undefined : placeOf(shape, found.at(-1));
    return { items, totalCount: -1, next };
  }

  private stretch(shape: Shape, filter: Condition, where: Condition[], query: ListQuery): Promise<Stored[]> {
    const whole = where.length === 0 ? filter : { ...filter, $and: [...(filter.$and ?? []), ...where] };
    const projection = Object.fromEntries(['j', ...shape.order.map(({ path }) => path)].map((path) => [path, 1]));
    return this.mongo.within(() => this.cursor(shape, whole, query).project<Stored>(projection).toArray());
  }

  async explain(shape: Shape, scope: Scope, query: ListQuery): Promise<string[]> {
    const filter = await this.filter(shape, scope, query);
    if (!filter) return [];
    const plan = await this.mongo.within(() => this.cursor(shape, filter, query).explain('queryPlanner'));
    return stagesOf((plan.queryPlanner as Document | undefined)?.winningPlan);
  }

  /** Undefined: the query finds nothing, whatever there is. */
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
    const budget = { characters: MAX_JOINED_CHARACTERS };
    for (const word of words) {
      const joined: JoinedIds[] = [];
      for (const { path, other, texts } of joins) {
        if (other) joined.push({ path, ids: await this.ids(other, namedWord(other, scope, texts, word), budget) });
      }
      conditions.push(wordCondition(scope, word, joined));
    }
    return all(scope, conditions);
  }

  /** @throws ReadStoreUnavailable when there are more of them than a command can name */
  private ids({ name }: Shape, filter: Condition, budget: { characters: number }): Promise<string[]> {
    return this.mongo.within(async () => {
      const ids: string[] = [];
      const found = this.mongo
        .collection(name)
        .find(filter, { projection: { _id: 1 }, batchSize: 10 * MAX_REPLY_DOCUMENTS, maxTimeMS: this.mongo.timeoutMs });
      for await (const { _id } of found) {
        const id = idInKey(_id);
        budget.characters -= id.length;
        if (budget.characters < 0) throw new ReadStoreUnavailable('The search is too broad: give longer words');
        ids.push(id);
      }
      return ids;
    });
  }

  private async page(shape: Shape, filter: Condition, query: ListQuery): Promise<string[]> {
    const found = await this.mongo.within(() => this.cursor(shape, filter, query).toArray());
    return found.map(({ j }) => j as string);
  }

  private cursor(shape: Shape, filter: Condition, query: ListQuery): FindCursor<Stored> {
    return this.mongo.collection(shape.name).find(filter, {
      projection: { _id: 0, j: 1 },
      sort: sortOf(shape, query),
      skip: query.offset,
      limit: query.limit,
      batchSize: Math.min(query.limit, MAX_REPLY_DOCUMENTS),
      // For what no index brings in order: slow rather than refused.
      allowDiskUse: true,
      maxTimeMS: this.mongo.timeoutMs,
    });
  }

  private count(shape: Shape, filter: Condition): Promise<number> {
    return this.mongo.within(() =>
      this.mongo.collection(shape.name).countDocuments(filter, { maxTimeMS: this.mongo.timeoutMs }),
    );
  }
}

function sortOf({ model, order }: Shape, query: ListQuery): Sort {
  const way = (model.order.direction === 'descending') === (query.reverse ?? false) ? 1 : -1;
  return Object.fromEntries([...order.map(({ path }) => path), '_id'].map((path) => [path, way]));
}

/** The steps of a plan, from the last to the first; MongoDB nests them, in more than one way. */
function stagesOf(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const { stage, indexName } = plan as { stage?: unknown; indexName?: unknown };
  const own = typeof stage === 'string' ? [typeof indexName === 'string' ? `${stage} ${indexName}` : stage] : [];
  return [...own, ...Object.values(plan).flatMap(stagesOf)];
}
