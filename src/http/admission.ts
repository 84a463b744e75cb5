import { timingSafeEqual, createHash } from 'node:crypto';
import { MethodNotAllowedException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, invalid, notFound } from '../platform/domain-error.js';
import type { PermissionCode } from '../platform/permissions.js';
import type { Authenticator, Principal, RateLimiter } from '../platform/principal.js';
import type { Clock } from '../ports/time.js';
import { UUID } from '../ports/uuid.js';
import { methodsAt } from './allowed-methods.js';
import { readsIfMatch, type Endpoint } from './endpoint.js';
import { PartnerGate } from './partner-gate.js';
import { PARTNER_PREFIX } from './problem.js';
import { liesBelow, pathOf, stateFor } from './request-state.js';

export type AdmissionOptions = {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  /** Bearer token of `who: 'token'` routes; without one they answer to loopback only. */
  readonly metricsToken?: string | undefined;
};

export const API_PREFIX = '/api/';

/** For answers that are data: nothing may be cached, sniffed or framed. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;
/** For browsers that came by HTTPS: never by anything else for a year. Without it, over plain HTTP, it would mean nothing. */
const ONLY_HTTPS = 'max-age=31536000';

const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const REVISION = /^"(0|[1-9]\d{0,14})"$/;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

const unauthenticated = (): DomainError =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'A valid bearer token is needed.');
const forbidden = (message: string): DomainError => new DomainError('forbidden', 'FORBIDDEN', message);

/** What happens before a request's body is read: who calls, may they, how often, and is the address well-formed. */
export class Admission {
  private readonly partners: PartnerGate;

  /** `endpoints`: of all routes, once they are registered. */
  constructor(
    private readonly options: AdmissionOptions,
    private readonly endpoints: readonly Endpoint[],
  ) {
    this.partners = new PartnerGate(options.authenticator, options.rateLimiter, options.clock);
  }

  /** @throws DomainError: unauthenticated, forbidden, limited, not_found, invalid, unavailable */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { endpoint, ids = [] } = request.routeOptions.config;
    const state = (request.state = stateFor(endpoint));
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    if (request.protocol === 'https') reply.header('strict-transport-security', ONLY_HTTPS);
    if (endpoint === undefined) {
      await this.admitUndeclared(request, reply);
      return;
    }
    if (endpoint.sameOrigin === true) mustBeSameOrigin(request);
    state.principal = await this.identify(endpoint, request, reply);
    if (ids.length > 0) checkIds(ids, request);
    if (readsIfMatch(endpoint)) state.ifMatch = revisionOf(request.headers['if-match']);
  }

  /** Nobody learns without a credential which addresses below /api exist. Elsewhere only assets are undeclared. */
  private async admitUndeclared(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const url = request.raw.url ?? request.url;
    if (liesBelow(url, PARTNER_PREFIX)) request.state.principal = await this.partners.admit(request, reply);
    else if (liesBelow(url, API_PREFIX)) request.state.principal = await this.bearer(request);
    else if (!request.is404) return;
    const methods = methodsAt(pathOf(url), this.endpoints);
    if (methods.length > 0) {
      reply.header('allow', methods.join(', '));
      throw new MethodNotAllowedException();
    }
    throw new DomainError('not_found', 'NOT_FOUND', 'There is nothing here.');
  }

  private async identify(
    endpoint: Endpoint,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal | undefined> {
    switch (endpoint.who) {
      case 'public':
        return undefined;
      case 'token':
        this.checkToken(request);
        return undefined;
      case 'partner':
        return this.partners.admit(request, reply);
      case 'any':
        return this.bearer(request);
      case 'platform':
        return mustBeOperator(await this.bearer(request));
      case 'tenant':
      case 'tenant-admin':
        return mustHave(endpoint.permission, await this.bearer(request));
    }
  }

  /** Who calls is known from here on, whatever is refused to them: for the request's log line. */
  private async bearer(request: FastifyRequest): Promise<Principal> {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated();
    return (request.state.principal = await this.options.authenticator.bearer(token));
  }

  private checkToken(request: FastifyRequest): void {
    const { metricsToken } = this.options;
    if (metricsToken === undefined) {
      const forwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
      if (forwarded || !LOOPBACK.test(request.socket.remoteAddress ?? '')) throw unauthenticated();
      return;
    }
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || !sameSecret(token, metricsToken)) throw unauthenticated();
  }
}

/** Digests have one length, so the comparison tells nothing of either's. */
const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/**
 * Browsers say of each request which site caused it (Fetch Metadata; over plain HTTP, where they do not, the origin of each
 * write). Neither can be set by a script. Programs that are no browsers send neither, and hold nobody else's cookie.
 */
function mustBeSameOrigin({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? isOriginOf(headers.origin, host) : site === 'same-origin';
  if (!isOwn) throw forbidden('Only pages of this service may do this.');
}

const isOriginOf = (origin: string | undefined, host: string): boolean =>
  origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);

function mustBeOperator(principal: Principal): Principal {
  if (principal.kind !== 'operator') throw forbidden('Only operators of the platform may do this.');
  return principal;
}

function mustHave(permission: PermissionCode, principal: Principal): Principal {
  if (principal.kind !== 'user') throw forbidden('Only users of a tenant may do this.');
  if (!principal.permissions.has(permission)) throw forbidden(`The permission ${permission} is needed.`);
  return principal;
}

function checkIds(names: readonly string[], request: FastifyRequest): void {
  const params = request.params as Record<string, string>;
  for (const name of names) {
    const id = (params[name] ?? '').toLowerCase();
    if (!UUID.test(id)) throw notFound('record');
    params[name] = id;
  }
}

function revisionOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const revision = REVISION.exec(header)?.[1];
  if (revision === undefined)
    throw invalid([{ path: 'If-Match', message: 'If-Match must be one revision in double quotes: "3".' }]);
  return Number(revision);
}
