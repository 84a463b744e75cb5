import { Inject, type Type } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AnyTable, Listed, ListQuery, ReadModel, ReadStore, Scalar, Scope } from '../ports/read-store.js';
import { notFound } from './domain-error.js';
import type { FilledModels } from './filled-models.js';

/** A page as the API shows it. */
export type Page<Doc> = {
  readonly items: readonly Doc[];
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalCount: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
};

/** What of a list is asked for, whichever part of it. */
type Matching = Omit<ListQuery, 'offset' | 'limit' | 'after'>;

/** A list request after its schema: declared filters by name, ranges and search as the read store takes them. */
export type ListRequest = Matching & {
  readonly pageNumber: number;
  readonly pageSize: number;
};

/** The filters that were given: the others filter nothing. */
export const given = (filters: Readonly<Record<string, Scalar | undefined>>): Record<string, Scalar> =>
  Object.fromEntries(Object.entries(filters).filter((entry): entry is [string, Scalar] => entry[1] !== undefined));

/** How many documents are read at once where all are gone through. */
const PART = 1_000;

/** Reads documents of the live generation of each model. The only way in which queries reach the read store. */
export class ReadModels {
  private readonly tables = new Map<string, AnyTable>();
  /** Resolves when it is known which tables are live now; undefined where that is known. */
  whenKnown: () => Promise<void> | undefined = () => undefined;

  constructor(
    private readonly store: ReadStore,
    private readonly filled?: FilledModels,
  ) {}

  /** Tells which table serves a model from now on. */
  serve(table: AnyTable): void {
    this.tables.set(table.model.name, table);
  }

  async get<Doc extends object>(model: ReadModel<Doc>, scope: Scope, id: string): Promise<Doc | undefined> {
    const json = await this.getJson(model, scope, id);
    return json === undefined ? undefined : (JSON.parse(json) as Doc);
  }

  /** The document's text as stored. */
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
    const { pageNumber, pageSize, ...query } = request;
    const offset = (pageNumber - 1) * pageSize;
    const { items, totalCount } = await this.store.list(await this.tableOf(model), scope, {
      ...query,
      offset,
      limit: pageSize,
    });
    const documents = items.map((json) => JSON.parse(json) as Doc);
    return pageOf(documents, totalCount, pageNumber, pageSize);
  }

  /** How many documents match. */
  async count<Doc extends object>(model: ReadModel<Doc>, scope: Scope, query: Matching = {}): Promise<number> {
    return (await this.store.list(await this.tableOf(model), scope, { ...query, offset: 0, limit: 0 })).totalCount;
  }

  /** Every document that matches, in parts that all take as long as the first: for sums over a bounded set. */
  async *each<Doc extends object>(model: ReadModel<Doc>, scope: Scope, query: Matching = {}): AsyncIterable<Doc> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const part: Listed = await this.store.list(await this.tableOf(model), scope, {
        ...query,
        offset: 0,
        limit: PART,
        after,
      });
      for (const json of part.items) yield JSON.parse(json) as Doc;
      after = part.next;
    }
  }

  private async tableOf(model: { readonly name: string }): Promise<AnyTable> {
    const known = this.whenKnown();
    if (known) await known;
    const readable = this.filled?.whenReadable(model.name);
    if (readable) await readable;
    const table = this.tables.get(model.name);
    if (!table) throw new Error(`No table serves the read model ${model.name}`);
    return table;
  }
}

/** A page as the API shows it, of the documents that are on it and how many there are. */
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
 * A document as an answer shows it: with what is joined to it, and without what is given as undefined. It is the document
 * itself, which was parsed for this answer alone: copies of twenty took a quarter of a page's time.
 */
export const shown = <Doc extends object, More extends object>(document: Doc, more: More): Shown<Doc, More> =>
  Object.assign(document, more);

/** `class GetBranch extends getFrom(branches) {}` */
export const getFrom = <Doc extends object>(model: ReadModel<Doc>) =>
  class extends Query<Doc> {
    static readonly model = model;
    constructor(
      readonly scope: Scope,
      readonly id: string,
    ) {
      super();
    }
  };

/** `class ListBranches extends listFrom(branches) {}` */
export const listFrom = <Doc extends object>(model: ReadModel<Doc>) =>
  class extends Query<Page<Doc>> {
    static readonly model = model;
    constructor(
      readonly scope: Scope,
      readonly request: ListRequest,
    ) {
      super();
    }
  };

type GetType<Doc extends object> = Type<Query<Doc> & { scope: Scope; id: string }> & { model: ReadModel<Doc> };
type ListType<Doc extends object> = Type<Query<Page<Doc>> & { scope: Scope; request: ListRequest }> & {
  model: ReadModel<Doc>;
};

/** The handler of a query for one document by its id. */
export function getsFrom<Doc extends object>(get: GetType<Doc>): Type<IQueryHandler> {
  @QueryHandler(get)
  class GetHandler {
    constructor(@Inject(ReadModels) private readonly models: ReadModels) {}
    async execute({ scope, id }: { scope: Scope; id: string }): Promise<Doc> {
      const document = await this.models.get(get.model, scope, id);
      if (!document) throw notFound('record');
      return document;
    }
  }
  return GetHandler;
}

/** The handler of a list that needs nothing but its own documents. */
export function listsFrom<Doc extends object>(list: ListType<Doc>): Type<IQueryHandler> {
  @QueryHandler(list)
  class ListHandler {
    constructor(@Inject(ReadModels) private readonly models: ReadModels) {}
    execute({ scope, request }: { scope: Scope; request: ListRequest }): Promise<Page<Doc>> {
      return this.models.list(list.model, scope, request);
    }
  }
  return ListHandler;
}
