import type { FastifyRequest } from 'fastify';
import { namedAddress } from '../security/addresses.js';
import type { Actor, RequestContext } from '../eventsourcing/context.js';
import type { Principal } from '../security/principal.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import type { Endpoint } from './endpoint.js';
import type { Creation } from './keyed-creations.js';

/** The kernel's state for a request in progress. */
export type RequestState = {
  /** The matched route's declaration; undefined for unknown routes and assets. */
  readonly endpoint: Endpoint | undefined;
  principal: Principal | undefined;
  ifMatch: number | undefined;
  idempotencyKey: string | undefined;
  /** The id of a record that the request creates; set before the handler runs. */
  newId: string | undefined;
  /** Set if the kernel implements the request's Idempotency-Key. */
  creation: Creation | undefined;
  /** The body as parsed from JSON, before the declared schema is applied. */
  received: unknown;
  /** `accepted`: number of sales that the request stored. `replayed`: number of its sales that were stored earlier. */
  sales: { readonly accepted: number; readonly replayed: number } | undefined;
  /** The error for the log line, if the request failed. */
  failure: { readonly code: string; readonly error: unknown } | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** Path parameters that must be UUIDs, computed when the route is registered. */
    ids?: readonly string[];
  }
  interface FastifyRequest {
    /** Set by the kernel's first hook; null if the request failed before it. */
    state: RequestState;
  }
}

export const stateFor = (endpoint: Endpoint | undefined): RequestState => ({
  endpoint,
  principal: undefined,
  ifMatch: undefined,
  idempotencyKey: undefined,
  newId: undefined,
  creation: undefined,
  received: undefined,
  sales: undefined,
  failure: undefined,
});

const MAX_USER_AGENT_LENGTH = 512;

/**
 * The client's address as reported by trusted proxies. If they report something other than an IP address, the socket's
 * address is used. Empty if the client has disconnected.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const peer = socket.remoteAddress ?? '';
  return ip === peer ? peer : (namedAddress(ip) ?? peer);
}

const actorOf = (principal: Principal | undefined): Actor => {
  switch (principal?.kind) {
    case undefined:
      return { kind: 'anonymous' };
    case 'partner':
      return { kind: 'partner', sourceId: principal.sourceId, keyId: principal.keyId };
    case 'user':
    case 'operator':
      return { kind: principal.kind, userId: principal.userId, sessionId: principal.sessionId };
  }
};

export const tenantOf = (principal: Principal | undefined): string =>
  principal === undefined || principal.kind === 'operator' ? PLATFORM_TENANT : principal.tenantId;

/** Returns the context for the request's events. Only writes and recorded reads need it. */
export function contextOf(request: FastifyRequest, commandId: string): RequestContext {
  const { principal, ifMatch } = request.state;
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  const ip = addressOf(request);
  const branchId = principal?.kind === 'user' ? principal.branchId : null;
  return {
    tenantId: tenantOf(principal),
    actor: actorOf(principal),
    requestId: request.id,
    correlationId: request.id,
    commandId,
    ...(ip === '' ? {} : { ip }),
    ...(branchId === null ? {} : { branchId }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
}

/** The path of a request without its query, truncated for logs. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end < 0 ? url : url.slice(0, end)).slice(0, 1024);
}

/**
 * Whether the target of a request is a path or an HTTP URL. Fastify would also route other targets, such as
 * `*api/wind`, as if their first character were a slash.
 */
export const isRoutable = (target: string): boolean =>
  target.startsWith('/') || (HTTP_URL.test(target) && URL.canParse(target));

/** Excludes URLs with a slash in the query but none in the path, because routers disagree on where the path begins. */
const HTTP_URL = /^https?:\/\/[^/?]+(?:\/|\?[^/]*$|$)/i;

/** Whether a path, in any encoding, equals `prefix` (which ends in a slash) or is below it. */
export function liesBelow(url: string, prefix: string): boolean {
  const raw = pathOf(url.replace(/^https?:\/\/[^/?#]*/i, ''));
  let path = raw;
  try {
    path = decodeURIComponent(raw);
  } catch {
    // A path with invalid escapes is compared without decoding.
  }
  return path.startsWith(prefix) || path === prefix.slice(0, -1);
}
