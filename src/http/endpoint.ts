import type { z } from 'zod';
import type { PermissionCode } from '../security/permissions.js';
import type { Tag } from './tags.js';

/**
 * The format of a successful body. `envelope`, `command` and `lookup` are wrapped in `{ statusCode, data }`, but `page`
 * and `plain` are not. `sse`, `file` and `page-html` are not JSON.
 */
export type Shape = 'envelope' | 'command' | 'page' | 'lookup' | 'plain' | 'sse' | 'file' | 'page-html';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Permitted callers. `any`: signed-in users and operators. `token`: holders of METRICS_TOKEN or, if no token is set,
 * clients on the loopback interface. A tenant route cannot be declared without its permission.
 */
export type Access =
  | { readonly who: 'public' | 'any' | 'platform' | 'partner' | 'token'; readonly permission?: never }
  | { readonly who: 'tenant'; readonly permission: PermissionCode }
  | { readonly who: 'tenant-admin'; readonly permission: 'notifications.send' };

export type HeaderNote = {
  readonly description: string;
  readonly required?: boolean;
  /** JSON Schema pattern for the value. */
  readonly pattern?: string;
};

export type Answers = {
  /** Status of a successful response. */
  readonly status: number;
  readonly shape: Shape;
  /**
   * The schema of `data` for `envelope`, of an item for `page`, and of the whole body for `plain`. For `command`, set
   * only if the schema is not CommandResponseDto. Not used for `lookup`.
   */
  readonly schema?: z.ZodType;
  /** Whether clients request the next page with `nextCursor` instead of a page number. */
  readonly cursor?: boolean;
  /** Whether the response carries the record's revision as its ETag. */
  readonly etag?: boolean;
  /**
   * When a response with X-Event-Position is sent. `awaited` (default for `command`): after the read models have caught
   * up, or with X-Read-Model if they have not caught up in time. `told`: immediately.
   */
  readonly position?: 'awaited' | 'told';
  /** Additional media types selectable by `Accept`; see `Call.prefers`. */
  readonly media?: readonly string[];
  /** Additional response statuses with their descriptions. */
  readonly also?: Readonly<Record<number, string>>;
  /** Schemas of `data` (for `plain`, of the whole body) for additional statuses that do not send ErrorResponseDto. */
  readonly bodies?: Readonly<Record<number, z.ZodType>>;
  readonly headers?: Readonly<Record<string, HeaderNote>>;
  /** Whether 401 and 403 responses are documented without a body. */
  readonly bareRefusals?: boolean;
};

export type CreationNote = {
  /** Body members that contain passwords. Only slow hashes of these passwords are stored. */
  readonly passwordsIn?: readonly string[];
  /** The response contains a secret that is shown once and not stored. A replay returns 409 SECRET_SHOWN_ONCE. */
  readonly showsSecret?: true;
};

/** A route: the checks that precede its handler, and its OpenAPI operation. */
export type Endpoint = Access & EndpointFacts;

export type EndpointFacts = {
  readonly method: Method;
  /** The full path, with parameters as `:name`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Default: derived from the method and the path. */
  readonly operationId?: string;
  /** The handler receives this schema's output as the query. Without a schema, every query parameter is rejected. */
  readonly query?: z.ZodType;
  /** Replaces `query` for clients that prefer CSV to JSON. */
  readonly csvQuery?: z.ZodType;
  /** The handler receives this schema's output as the body. Without a schema, every body except `{}` is rejected. */
  readonly body?: z.ZodType;
  /** Maximum number of members and elements in the body, counted before parsing. Default: 2,048. */
  readonly maxValues?: number;
  /** Maximum size of the body. Default: 4 KiB for public routes, and 1 MiB for all others. */
  readonly maxBytes?: number;
  /** Path parameters that must be UUIDs (any other value results in 404). Default: `id` if the path has it. */
  readonly ids?: readonly string[];
  /** Whether the `If-Match` header is read. Default: true for PATCH, PUT and DELETE. */
  readonly ifMatch?: boolean;
  /** Whether the `Idempotency-Key` header is read before the body is validated. The handler implements idempotency. */
  readonly idempotencyKey?: boolean;
  /** Whether an event with the request's context records that the data was read. */
  readonly isRecorded?: boolean;
  /** Set if the route creates the record whose id is `Call.id`. The kernel then implements Idempotency-Key. */
  readonly creates?: CreationNote;
  /** Whether the caller must have signed in or stepped up within the last 10 minutes (403 STEP_UP_REQUIRED). */
  readonly stepUp?: true;
  /** Whether a caller who must have a second factor may use the route without one (otherwise 403 FACTOR_REQUIRED). */
  readonly withoutFactor?: true;
  /** For routes that use a cookie: whether browser requests from other sites are rejected before the body is read. */
  readonly sameOrigin?: boolean;
  /** Additional request headers, for documentation only. */
  readonly requestHeaders?: Readonly<Record<string, HeaderNote>>;
  readonly answers: Answers;
};

/** The parameters of a path, in order. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');

export const isWrite = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

export const readsIdempotencyKey = ({ idempotencyKey, creates }: Endpoint): boolean =>
  idempotencyKey === true || creates !== undefined;

export const idParameters = (endpoint: Endpoint): readonly string[] =>
  endpoint.ids ?? pathParameters(endpoint.path).filter((name) => name === 'id');

export const readsIfMatch = ({ ifMatch, method }: Endpoint): boolean =>
  ifMatch ?? (method === 'PATCH' || method === 'PUT' || method === 'DELETE');

const fits = (declared: string, parts: readonly string[]): boolean => {
  const wanted = declared.split('/');
  return wanted.length === parts.length && wanted.every((want, index) => want === parts[index] || want.startsWith(':'));
};
const methodsOf = (endpoints: readonly Endpoint[]): string[] => [
  ...new Set(endpoints.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
];

/**
 * Returns the methods allowed for a path, for 405 responses (RFC 9110, section 15.5.6); empty if the path does not
 * exist.
 */
export function methodsAt(path: string, endpoints: readonly Endpoint[]): string[] {
  const parts = path.split('/');
  if (parts.includes('', 1)) return [];
  // Static paths take precedence. For example, `lookup` is not a record id.
  const own = endpoints.filter((endpoint) => endpoint.path === path);
  return methodsOf(own.length > 0 ? own : endpoints.filter((endpoint) => fits(endpoint.path, parts))).sort();
}
