import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { IQueryHandler, Query } from '@nestjs/cqrs';
import { notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import type { AnyTable, ListQuery, Range, ReadModel, ReadStore, Scalar, Scope } from '../ports/read-store.js';
import type { ReadModelReadiness } from '../projecting/read-model-readiness.js';

/** A page as returned by the API. */
export type Page<Doc> = {
  readonly items: readonly Doc[];
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalCount: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
  /** Set if `totalCount` and `totalPages` are lower bounds, because counting stopped at a limit. */
  readonly totalIsCapped?: true;
};

type Given<T> = { readonly [N in keyof T]: T[N] | undefined };
/** Selects documents for a list. Undefined fields do not restrict the list. */
export type Matching = {
  readonly where?: Given<Readonly<Record<string, Scalar>>>;
  readonly anyOf?: Given<Readonly<Record<string, readonly Scalar[]>>>;
  readonly between?: Readonly<Record<string, Given<Range>>>;
  readonly search?: string | undefined;
  readonly joinedWhere?: Readonly<Record<string, Scalar>>;
  /** Name of one of the model's additional orders, or `newest` for its default order. */
  readonly sort?: string | undefined;
  readonly reverse?: boolean;
};

/** Selects a model's default order. */
const NEWEST = 'newest';

/** Paging parameters after validation. */
export type Paging = { readonly pageNumber: number; readonly pageSize: number };
export type ListRequest = Matching & Paging;
/** Optional parameters of a list route, after validation. */
export type Filters<Name extends string> = Paging & { readonly [N in Name | 'search']?: string | undefined };

/** The items of all pages of a list, in batches. */
export type Rows<Doc> = AsyncIterable<readonly Doc[]>;
type Join<Doc, Joined> = (documents: readonly Doc[]) => readonly Joined[] | Promise<readonly Joined[]>;

const defined = <T>(given: Readonly<Record<string, T | undefined>>): Record<string, T> =>
  Object.fromEntries(Object.entries(given).filter((entry): entry is [string, T] => entry[1] !== undefined));

/**
 * Converts the selection to a query for the read store. Drops undefined fields and ranges that are open at both ends.
 */
function matchingOf(matching: Matching): Omit<ListQuery, 'offset' | 'limit'> {
  const { where = {}, anyOf = {}, between = {}, search, joinedWhere } = matching;
  const ranges = Object.entries(between).map(([name, range]) => [name, defined(range)] as const);
  const bounded = ranges.filter(([, range]) => Object.keys(range).length > 0);
  const choices = defined(anyOf);
  return {
    where: defined(where),
    ...(Object.keys(choices).length > 0 && { anyOf: choices }),
    ...(bounded.length > 0 && { between: Object.fromEntries(bounded) }),
    ...(search !== undefined && { search }),
    ...(joinedWhere && { joinedWhere }),
    ...orderOf(matching),
  };
}

const orderOf = ({ sort = NEWEST, reverse }: Matching): Pick<ListQuery, 'order' | 'reverse'> => ({
  ...(sort !== NEWEST && { order: sort }),
  ...(reverse !== undefined && { reverse }),
});

/** Limit at which counting stops in lists without a maintained total. */
export const COUNTED = 10_000;
/** Number of documents per read operation when iterating over a whole list, without and with joined models. */
const [PART, JOINED_PART] = [1_000, 200];

/** Maps each read model to its live table. */
export type LiveTables = {
  tableOf(model: string): AnyTable | undefined;
  /** Resolves once the live tables are known; undefined if they already are. @throws ReadStoreUnavailable */
  whenKnown(): Promise<void> | undefined;
};

/** Reads documents of the live generation of each model. Queries access the read store only through this class. */
export class ReadModels {
  constructor(
    private readonly store: ReadStore,
    private readonly live: LiveTables,
    private readonly filled?: ReadModelReadiness,
  ) {}

  async get<Doc extends object>(model: ReadModel<Doc>, scope: Scope, id: string): Promise<Doc | undefined> {
    const json = await this.getJson(model, scope, id);
    return json === undefined ? undefined : (JSON.parse(json) as Doc);
  }

  /** @throws DomainError not_found */
  async found<Doc extends object>(model: ReadModel<Doc>, scope: Scope, id: string, entity = 'record'): Promise<Doc> {
    const document = await this.get(model, scope, id);
    if (!document) throw notFound(entity);
    return document;
  }

  /** Returns the stored JSON text of the document. */
  async getJson<Doc extends object>(model: ReadModel<Doc>, scope: Scope, id: string): Promise<string | undefined> {
    return this.store.get(await this.tableOf(model), scope, id);
  }

  async getMany<Doc extends object>(
    model: ReadModel<Doc>,
    scope: Scope,
    ids: readonly string[],
  ): Promise<Map<string, Doc>> {
    if (ids.length === 0) return new Map();
    const found = await this.store.getMany(await this.tableOf(model), scope, ids);
    return new Map([...found].map(([id, json]) => [id, JSON.parse(json) as Doc]));
  }

  async list<Doc extends object>(model: ReadModel<Doc>, scope: Scope, request: ListRequest): Promise<Page<Doc>> {
    const { pageNumber, pageSize, ...matching } = request;
    const offset = offsetOf(pageNumber, pageSize);
    const { items, totalCount, isCapped } = await this.store.list(await this.tableOf(model), scope, {
      ...matchingOf(matching),
      offset,
      limit: pageSize,
      countUpTo: COUNTED,
    });
    const documents = items.map((json) => JSON.parse(json) as Doc);
    const page = pageOf(documents, totalCount, pageNumber, pageSize);
    return isCapped ? { ...page, hasNextPage: items.length === pageSize, totalIsCapped: true } : page;
  }

  /** Returns a page of documents completed by `join`. */
  async page<Doc extends object, Joined>(
    model: ReadModel<Doc>,
    scope: Scope,
    request: ListRequest,
    join: Join<Doc, Joined>,
  ): Promise<Page<Joined>> {
    const page = await this.list(model, scope, request);
    return { ...page, items: await join(page.items) };
  }

  /** Returns the first documents of a list, without counting it. */
  async first<Doc extends object>(
    model: ReadModel<Doc>,
    scope: Scope,
    limit: number,
    query: Matching = {},
  ): Promise<readonly Doc[]> {
    const part = { ...matchingOf(query), offset: 0, limit, countUpTo: 0 };
    const { items } = await this.store.list(await this.tableOf(model), scope, part);
    return items.map((json) => JSON.parse(json) as Doc);
  }

  /** Returns the exact number of matching documents. */
  async count<Doc extends object>(model: ReadModel<Doc>, scope: Scope, query: Matching = {}): Promise<number> {
    return (await this.store.list(await this.tableOf(model), scope, { ...matchingOf(query), offset: 0, limit: 0 }))
      .totalCount;
  }

  /** Iterates over all matches with keyset pagination, so that all read operations cost the same. */
  async *each<Doc extends object>(model: ReadModel<Doc>, scope: Scope, query: Matching = {}): AsyncIterable<Doc> {
    for await (const part of this.parts(model, scope, query)) yield* part;
  }

  /** Like `page`, for all pages of a list. */
  async *joined<Doc extends object, Joined>(
    model: ReadModel<Doc>,
    scope: Scope,
    query: Matching,
    join: Join<Doc, Joined>,
  ): Rows<Joined> {
    for await (const part of this.parts(model, scope, query, JOINED_PART)) yield await join(part);
  }

  /** Returns a batch of a list. The cursor is '' for the first batch, then the `next` of the previous batch. */
  async part<Doc extends object>(
    model: ReadModel<Doc>,
    scope: Scope,
    { limit, after, ...query }: Matching & Required<Pick<ListQuery, 'limit' | 'after'>>,
  ): Promise<{ readonly documents: readonly Doc[]; readonly next: string | undefined }> {
    const request: ListQuery = { ...matchingOf(query), offset: 0, limit, after };
    const { items, next } = await this.store.list(await this.tableOf(model), scope, request);
    return { documents: items.map((json) => JSON.parse(json) as Doc), next };
  }

  /**
   * Like `each`, but yields arrays, because awaiting every document would take longer than reading it. Other requests
   * are processed between two arrays.
   */
  async *parts<D extends object>(model: ReadModel<D>, scope: Scope, query: Matching = {}, limit = PART): Rows<D> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const part: { documents: readonly D[]; next: string | undefined } = await this.part(model, scope, {
        ...query,
        limit,
        after,
      });
      yield part.documents;
      after = part.next;
      if (after !== undefined) await nextTurn();
    }
  }

  /** Returns all matching documents. Intended for sets of limited size. */
  async all<Doc extends object>(model: ReadModel<Doc>, scope: Scope, query: Matching = {}): Promise<Doc[]> {
    const found: Doc[] = [];
    for await (const document of this.each(model, scope, query)) found.push(document);
    return found;
  }

  private async tableOf(model: { readonly name: string }): Promise<AnyTable> {
    const known = this.live.whenKnown();
    if (known) await known;
    const readable = this.filled?.whenReadable(model.name);
    if (readable) await readable;
    const table = this.live.tableOf(model.name);
    if (!table) throw new Error(`The read model ${model.name} has no table`);
    return table;
  }
}

/** An offset that is greater than the length of any list and is supported by every engine. */
const MAX_OFFSET = 1_000_000_000_000;

/** Returns the number of records before a page. */
export const offsetOf = (pageNumber: number, pageSize: number): number =>
  Math.min((pageNumber - 1) * pageSize, MAX_OFFSET);

/** Builds a page for the API from its documents and the total. */
export const pageOf = <Doc>(
  items: readonly Doc[],
  totalCount: number,
  pageNumber: number,
  pageSize: number,
): Page<Doc> => {
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    items,
    pageNumber,
    pageSize,
    totalPages,
    totalCount,
    hasPreviousPage: pageNumber > 1,
    hasNextPage: pageNumber < totalPages,
  };
};

type HiddenBy<More> = { [Name in keyof More]: More[Name] extends undefined ? Name : never }[keyof More];
type Shown<Doc, More> = Omit<Doc, HiddenBy<More>> & Omit<More, HiddenBy<More>>;

/**
 * Adds fields to a document and removes those given as undefined. Mutates the document, because it was parsed only for
 * this response. Copying would take a quarter of the time needed for a page of twenty documents.
 */
export const shown = <Doc extends object, More extends object>(document: Doc, more: More): Shown<Doc, More> =>
  Object.assign(document, more);

type GetType<Doc extends object> = Type<Query<Doc> & { args: readonly [scope: Scope, id: string] }> & {
  readonly model: ReadModel<Doc>;
};
type ListType<Doc extends object> = Type<Query<Page<Doc>> & { args: readonly [scope: Scope, request: ListRequest] }> & {
  readonly model: ReadModel<Doc>;
};

/** `class GetBranch extends getFrom(branches) {}` */
export const getFrom = <Doc extends object>(model: ReadModel<Doc>) =>
  class extends query<Doc, [scope: Scope, id: string]>() {
    static readonly model = model;
  };

/** `class ListBranches extends listFrom(branches) {}` */
export const listFrom = <Doc extends object>(model: ReadModel<Doc>) =>
  class extends query<Page<Doc>, [scope: Scope, request: ListRequest]>() {
    static readonly model = model;
  };

/** Creates the handler for a query that gets one document by id. */
export const getsFrom = <Doc extends object>(get: GetType<Doc>): Type<IQueryHandler> =>
  answers(get, [ReadModels], (models, scope, id) => models.found(get.model, scope, id));

/** Creates the handler for a list without joins. */
export const listsFrom = <Doc extends object>(list: ListType<Doc>): Type<IQueryHandler> =>
  answers(list, [ReadModels], (models, scope, request) => models.list(list.model, scope, request));
