import type { FastifyRequest } from 'fastify';
import type { Actor, RequestContext } from '../platform/context.js';
import type { Principal } from '../platform/principal.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import type { Endpoint } from './endpoint.js';

/** What the kernel knows of a request under way. */
export type RequestState = {
  /** The matched route's declaration; undefined for unknown routes and assets. */
  readonly endpoint: Endpoint | undefined;
  principal: Principal | undefined;
  ifMatch: number | undefined;
  idempotencyKey: string | undefined;
  /** The body as parsed from JSON, before the declared schema. */
  received: unknown;
  /** Why the request failed, for its log line. */
  failure: { readonly code: string; readonly error: unknown } | undefined;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** The path parameters that must be UUIDs; worked out once, when the route is registered. */
    ids?: readonly string[];
  }
  interface FastifyRequest {
    /** Set by the kernel's first hook; undefined only where the request failed before it. */
    state: RequestState;
  }
}

export const stateFor = (endpoint: Endpoint | undefined): RequestState => ({
  endpoint,
  principal: undefined,
  ifMatch: undefined,
  idempotencyKey: undefined,
  received: undefined,
  failure: undefined,
});

const MAX_USER_AGENT_LENGTH = 512;

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

/** The context that the request's events carry. Reads need none, so it is made only for writes or when asked for. */
export function contextOf(request: FastifyRequest, commandId: string): RequestContext {
  const { principal, ifMatch } = request.state;
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  const branchId = principal?.kind === 'user' ? principal.branchId : null;
  return {
    tenantId: tenantOf(principal),
    actor: actorOf(principal),
    requestId: request.id,
    correlationId: request.id,
    commandId,
    ip: request.ip,
    ...(branchId === null ? {} : { branchId }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  };
}

/** The path of a request without its query, bounded: for logs. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return (end < 0 ? url : url.slice(0, end)).slice(0, 1024);
}

/** Whether a path, however encoded, lies below `prefix` (which ends in a slash) or is it. */
export function liesBelow(url: string, prefix: string): boolean {
  const raw = pathOf(url.replace(/^https?:\/\/[^/?#]*/i, ''));
  let path = raw;
  try {
    path = decodeURIComponent(raw);
  } catch {
    // An undecodable path is judged as it stands.
  }
  return path.startsWith(prefix) || path === prefix.slice(0, -1);
}
