import { Inject, Injectable, type InjectionToken } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CommandBus, QueryBus, type Command, type Query } from '@nestjs/cqrs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { currentContext } from '../eventsourcing/context.js';
import type { Receipt, Target } from '../eventsourcing/command.js';
import type { Scope } from '../ports/read-store.js';
import type { Rows } from '../queries/query.js';
import type { Resource } from '../security/permissions.js';
import { answer, sendAnswer, type Answer, type AnswerOptions } from './answer.js';
import { Call, type Callers } from './call.js';
import type { Access, Answers, Endpoint, EndpointFacts } from './endpoint.js';
import { begun, csvColumns, csvStream } from './csv.js';
import { optionalPaging } from './input.js';
import { ReadYourWrites } from './read-your-writes.js';
import type { Tag } from './tags.js';

type Positioned = { readonly position: number };
const shownReceipt = ({ id, revision }: Receipt): object => ({ success: true, id, revision });

/** Dependencies of route handlers. */
@Injectable()
export class Services {
  constructor(
    @Inject(CommandBus) readonly commands: CommandBus,
    @Inject(QueryBus) readonly queries: QueryBus,
    @Inject(ReadYourWrites) private readonly writes: ReadYourWrites,
    @Inject(ModuleRef) private readonly module: ModuleRef,
  ) {}

  /** Returns a provider that has no field in this class. */
  get<T>(token: InjectionToken<T>): T {
    return this.module.get<T>(token, { strict: false });
  }

  /** Executes a command, waits for the read models to catch up, and returns the command's receipt. */
  async send(command: Command<Receipt>): Promise<Answer> {
    const result = await this.commands.execute(command);
    return this.settled(shownReceipt(result), result);
  }

  /** Returns the response to an executed command. */
  async settled(body: unknown, { position }: Positioned, options: AnswerOptions = {}): Promise<Answer> {
    return answer(body, { ...(await this.writes.settled(position, currentContext().tenantId)), ...options });
  }
}

export type Route = {
  readonly endpoint: Endpoint;
  readonly handle: (request: FastifyRequest, services: Services) => unknown;
};

/** Declarations shared by the routes of a group. */
type Shared = Access & Pick<EndpointFacts, 'tag'> & Partial<Omit<EndpointFacts, 'path' | 'summary'>>;
/** Declarations of a single route. `path` is appended to the path of the group. */
type Details = Partial<Omit<EndpointFacts, 'tag' | 'summary'>>;
type Answering = Details & Pick<EndpointFacts, 'answers'>;
/** Rejects misspelled members, which type inference would accept. */
type Checked<D> = D & Readonly<Record<Exclude<keyof D, keyof EndpointFacts>, never>>;
type CallOf<Path extends string, S extends Shared, D> = Call<
  S['who'],
  D extends { readonly path: infer More extends string } ? `${Path}${More}` : Path,
  D
>;

type OfScope<Args extends readonly unknown[], Result> = new (scope: Scope, ...args: Args) => Query<Result>;
type OfRecord<Schema extends z.ZodType, By> = {
  readonly schema: Schema;
  new (target: Target, data: z.output<Schema>, by: By): Command<Receipt>;
};
const isEmpty = (schema: z.ZodType): boolean => schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;

/** A group of routes below a path, with the same permitted callers. Each route has a summary, details and a handler. */
class RouteGroup<const Path extends string, const S extends Shared> {
  constructor(
    private readonly path: Path,
    private readonly shared: S,
  ) {}

  /** Declares a route with a custom handler. */
  route<const D extends Answering>(
    summary: string,
    details: D & Checked<D>,
    handle: (call: CallOf<Path, S, D>, services: Services) => unknown,
  ): Route {
    const { path = '', ...own } = details as Answering;
    return {
      endpoint: { method: 'GET', ...this.shared, summary, ...own, path: this.path + path },
      handle: (request, services) => handle(new Call(request), services),
    };
  }

  /** Declares a route that executes a query. `show` converts the result to the body. */
  query<const D extends Answering, Result>(
    summary: string,
    details: D & Checked<D>,
    queryOf: (call: CallOf<Path, S, D>) => Query<Result>,
    show: (result: Result, call: CallOf<Path, S, D>) => unknown = (result) => result,
  ): Route {
    return this.route<D>(summary, details, async (call, { queries }) => {
      const result = await queries.execute(queryOf(call));
      const body = show(result, call);
      return details.answers.etag === true
        ? answer(body, { revision: (result as { revision: number }).revision })
        : body;
    });
  }

  /** Declares a route that returns a page of the caller's records. */
  list<Schema extends z.ZodType>(
    summary: string,
    query: Schema,
    item: z.ZodType,
    List: OfScope<[request: z.output<Schema>], unknown>,
  ): Route {
    return this.query(summary, { query, answers: pageOf(item) }, (call) => new List(call.scope, call.query as never));
  }

  /** Like `list`, but returns all pages as CSV if the client prefers CSV. `page` describes a page as JSON. */
  listWithCsv<Schema extends z.ZodObject>(
    summary: string,
    query: Schema,
    item: z.ZodType,
    [List, Each]: readonly [
      OfScope<[request: z.output<Schema>], unknown>,
      OfScope<[request: z.output<Schema>], Rows<object>>,
    ],
    page: Answers = pageOf(item),
  ): Route {
    const csvQuery = 'pageNumber' in query.shape ? query.safeExtend(optionalPaging) : query;
    const columns = csvColumns(item);
    const fileName = `${this.path.split('/').at(-1) ?? ''}.csv`;
    const description = 'A CSV response contains all pages.';
    const details = { query, csvQuery, description, answers: { ...page, media: ['text/csv'] } };
    return this.route<typeof details>(summary, details, async (call, { queries }) => {
      const given = [call.scope, call.query as never] as const;
      if (!call.prefers('text/csv')) return queries.execute(new List(...given));
      return csvStream(await begun(await queries.execute(new Each(...given))), columns, fileName);
    });
  }

  /** Declares a route that returns one of the caller's records. */
  get(summary: string, record: z.ZodType, Get: OfScope<[id: string], unknown>): Route {
    return this.query(summary, { path: '/:id', answers: recordOf(record) }, ({ scope, id }) => new Get(scope, id));
  }

  /** Declares a route that returns only a few fields of the caller's records, for selection lists. */
  lookUp<Schema extends z.ZodType<{ search?: string | undefined }>>(
    summary: string,
    query: Schema,
    LookUp: OfScope<[search: z.output<Schema>['search']], unknown>,
  ): Route {
    const answers = { status: 200, shape: 'lookup' } as const;
    return this.query(
      summary,
      { path: '/lookup', query, answers },
      (call) => new LookUp(call.scope, call.query.search),
    );
  }

  /**
   * Executes a command and waits for the read models to catch up (unless the route's position is `told`). Returns the
   * command's receipt, or the result of `show`.
   */
  command<const D extends Details>(
    summary: string,
    details: D & Checked<D>,
    commandOf: (call: CallOf<Path, S, D>) => Command<Receipt>,
  ): Route;
  command<const D extends Details, Result extends Positioned>(
    summary: string,
    details: D & Checked<D>,
    commandOf: (call: CallOf<Path, S, D>) => Command<Result>,
    show: (result: Result, call: CallOf<Path, S, D>) => unknown,
  ): Route;
  command(
    summary: string,
    details: Details,
    commandOf: (call: never) => Command<Receipt>,
    show: (result: Receipt, call: never) => unknown = shownReceipt,
  ): Route {
    const { method = 'POST' } = details;
    const answers: Answers = details.answers ?? this.shared.answers ?? receipt(method === 'POST' ? 201 : 200);
    return this.route(summary, { ...details, method, answers }, async (call, services) => {
      const result = await services.commands.execute(commandOf(call as never));
      const body = show(result, call as never);
      const { position } = result;
      return answers.position === 'told' ? answer(body, { position }) : services.settled(body, result);
    });
  }

  /**
   * Executes a command on the record in the path, or on a new record. The command's schema is also the schema of the
   * body.
   */
  change<Schema extends z.ZodType>(
    summary: string,
    details: Omit<Details, 'body'>,
    Change: OfRecord<Schema, Callers[S['who']]>,
  ): Route {
    const body = isEmpty(Change.schema) ? {} : { body: Change.schema };
    return this.command(summary, { ...details, ...body }, ({ target, request, caller }) => {
      return new Change(target, (request.body ?? {}) as z.output<Schema>, caller);
    });
  }
}

export const routesAt = <const Path extends string, const S extends Shared>(
  path: Path,
  shared: S & Checked<Omit<S, 'who' | 'permission'>>,
): RouteGroup<Path, S> => new RouteGroup(path, shared);

/** The routes that read and change a tenant's records. */
export function tenantRoutes<const Path extends string>(path: Path, tag: Tag, of: Resource, answers?: Answers) {
  const shared = { who: 'tenant', tag } as const;
  return {
    read: routesAt(path, { ...shared, permission: `${of}.read` }),
    write: routesAt(path, { ...shared, permission: `${of}.write`, ...(answers && { answers }) }),
  };
}

/** The response to most commands. */
export const receipt = (status: number) => ({ status, shape: 'command' }) as const;
/** A value in an envelope. */
export const valueOf = <S extends z.ZodType>(schema: S) => ({ status: 200, shape: 'envelope', schema }) as const;
/** A record, with its revision as ETag. */
export const recordOf = <S extends z.ZodType>(schema: S) => ({ ...valueOf(schema), etag: true }) as const;
/** A page of records. */
export const pageOf = <S extends z.ZodType>(schema: S) => ({ status: 200, shape: 'page', schema }) as const;

/** The routes for one subject. */
export type Controller = { readonly routes: readonly Route[] };
export const controllerOf = (...routes: readonly Route[]): Controller => ({ routes });

/** Returns the endpoints of the controllers' routes. */
export const endpointsOf = (controllers: readonly Controller[]): Endpoint[] =>
  controllers.flatMap(({ routes }) => routes.map(({ endpoint }) => endpoint));

/** Registers the routes with Fastify itself, because the kernel replaces everything that Nest's router would add. */
export function installRoutes(server: FastifyInstance, controllers: readonly Controller[], services: Services): void {
  for (const { endpoint, handle } of controllers.flatMap(({ routes }) => routes))
    installRoute(server, endpoint, (request) => handle(request, services));
}

export function installRoute(
  server: FastifyInstance,
  endpoint: Endpoint,
  handle: (request: FastifyRequest) => unknown,
): void {
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { endpoint },
    handler: async (request, reply) => {
      sendAnswer(reply, endpoint, await handle(request));
      return reply;
    },
  });
}
