import 'reflect-metadata';
import { applyDecorators, createParamDecorator, HttpCode, RequestMapping, RequestMethod } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { PermissionCode } from '../platform/permissions.js';
import { prefers } from './accept.js';
import type { Tag } from './tags.js';

/**
 * How the body of a success looks. `envelope`, `command` and `lookup` are wrapped in `{ statusCode, data }`; `page` and
 * `plain` go out as they are; `sse`, `file` and `page-html` are no JSON.
 */
export type Shape = 'envelope' | 'command' | 'page' | 'lookup' | 'plain' | 'sse' | 'file' | 'page-html';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call. `any`: every signed-in user and operator; `token`: whoever holds METRICS_TOKEN (without one, loopback).
 * A tenant's route can't be declared without its permission.
 */
export type Access =
  | { readonly who: 'public' | 'any' | 'platform' | 'partner' | 'token'; readonly permission?: never }
  | { readonly who: 'tenant'; readonly permission: PermissionCode }
  | { readonly who: 'tenant-admin'; readonly permission: 'notifications.send' };

export type HeaderNote = {
  readonly description: string;
  readonly required?: boolean;
  /** Of its value, as JSON Schema has it. */
  readonly pattern?: string;
};

export type Answers = {
  /** Status of the ordinary success. */
  readonly status: number;
  readonly shape: Shape;
  /**
   * `envelope`: of `data`; `page`: of one item; `plain`: of the whole body; `command`: where it has more than
   * CommandResponseDto; not for `lookup`.
   */
  readonly schema?: z.ZodType;
  /** The answer carries the record's revision as its ETag. */
  readonly etag?: boolean;
  /**
   * The answer carries X-Event-Position: `awaited` by the read models, or with X-Read-Model (the default of `command`);
   * `told` at once.
   */
  readonly position?: 'awaited' | 'told';
  /** Further media types that `Accept` may choose (a handler asks with `@Wants`). */
  readonly media?: readonly string[];
  /** Further statuses, with what they mean. */
  readonly also?: Readonly<Record<number, string>>;
  /** `data` (or, for `plain`, the whole body) of those of them that are no error: what is sent is not ErrorResponseDto. */
  readonly bodies?: Readonly<Record<number, z.ZodType>>;
  readonly headers?: Readonly<Record<string, HeaderNote>>;
  /** 401 and 403 without a described body, for operations that a scope protects. */
  readonly bareRefusals?: boolean;
};

/** Everything about a route: what is checked before its handler runs, and what the OpenAPI document says of it. */
export type Endpoint = Access & {
  readonly method: Method;
  /** The whole path, parameters as `:name`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Made from method and path when absent. */
  readonly operationId?: string;
  /** Replaces the request's query by its output. Without one, any query parameter is refused. */
  readonly query?: z.ZodType;
  /** Replaces the request's body by its output. Without one, any body but `{}` is refused. */
  readonly body?: z.ZodType;
  /** Path parameters that are UUIDs (anything else is 404). Default: `id`, where the path has it. */
  readonly ids?: readonly string[];
  /** Whether If-Match is read. Default: PATCH, PUT and DELETE. */
  readonly ifMatch?: boolean;
  /** Whether Idempotency-Key is read (before the body's content is looked at). */
  readonly idempotencyKey?: boolean;
  /** For what a cookie opens: a browser's request that another site caused is refused before its body is read. */
  readonly sameOrigin?: boolean;
  /** Further request headers, for the document only. */
  readonly requestHeaders?: Readonly<Record<string, HeaderNote>>;
  readonly answers: Answers;
};

/** The names of a path's parameters, in order. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');

export const isWrite = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

export const idParameters = (endpoint: Endpoint): readonly string[] =>
  endpoint.ids ?? pathParameters(endpoint.path).filter((name) => name === 'id');

export const readsIfMatch = ({ ifMatch, method }: Endpoint): boolean =>
  ifMatch ?? (method === 'PATCH' || method === 'PUT' || method === 'DELETE');

/** Declares a controller's method as a route. The kernel refuses to start with a route under /api that lacks this. */
export const Endpoint = (endpoint: Endpoint): MethodDecorator =>
  applyDecorators(
    RequestMapping({ path: endpoint.path, method: RequestMethod[endpoint.method] }),
    HttpCode(endpoint.answers.status),
    RouteConfig({ endpoint }),
  );

/** The principal: a UserPrincipal, OperatorPrincipal or PartnerPrincipal, as the declaration's `who` promises. */
export const Caller = createParamDecorator(
  (_: unknown, context) => context.switchToHttp().getRequest<FastifyRequest>().state.principal,
);

/** The Idempotency-Key, its form checked; undefined when absent. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context) => context.switchToHttp().getRequest<FastifyRequest>().state.idempotencyKey,
);

/** The body as it was sent, before defaults and coercions. */
export const Received = createParamDecorator(
  (_: unknown, context) => context.switchToHttp().getRequest<FastifyRequest>().state.received,
);

/** Whether the client prefers a media type to JSON: `@Wants('text/csv') csv: boolean`. */
export const Wants = createParamDecorator((type: string, context) =>
  prefers(context.switchToHttp().getRequest<FastifyRequest>().headers.accept, type),
);
