import { timingSafeEqual, createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { MethodNotAllowedException, MisdirectedException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, invalid, notFound } from '../eventsourcing/domain-error.js';
import type { PermissionCode } from '../security/permissions.js';
import { clientNetwork } from '../security/addresses.js';
import type {
  Authenticator,
  OperatorPrincipal,
  PartnerPrincipal,
  Principal,
  RateLimiter,
  UserPrincipal,
} from '../security/principal.js';
import { factorRequired, isRecent, stepUpRequired } from '../security/step-up.js';
import type { Clock } from '../ports/time.js';
import { UUID } from '../ports/uuid.js';
import { isWrite, methodsAt, readsIfMatch, type Endpoint } from './endpoint.js';
import { PARTNER_PREFIX } from './problem.js';
import { partnerQuota, RateGate, type Quota } from './rate-limiter.js';
import { invalidKey, operatorsOnly, otherSite, permissionRequired, unauthenticated, usersOnly } from './refusals.js';
import { addressOf, liesBelow, pathOf, stateFor } from './request-state.js';

export type AdmissionOptions = {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly clock: Clock;
  /** Bearer token for `who: 'token'` routes. If no token is set, these routes serve only loopback clients. */
  readonly metricsToken?: string | undefined;
  readonly limits: RequestLimits;
  /** Allowed host names, in addition to IP addresses and the names of this machine. Default: any name. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Returns false during start-up, when only probes and metrics are served. Default: always true. */
  readonly isOpen?: () => boolean;
};

/** Limits on requests per minute. Partner keys have separate limits. */
export type RequestLimits = {
  /** Limit on writes to public routes from one network address. */
  readonly address: number;
  readonly user: number;
  readonly userWrites: number;
  /** Limit on the requests of all users of a tenant combined. */
  readonly tenant: number;
};

export const API_PREFIX = '/api/';

/** Headers of data responses. They prevent caching, MIME sniffing and framing. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;
/** HSTS for one year. Sent only over HTTPS, because browsers ignore it over plain HTTP. */
const ONLY_HTTPS = 'max-age=31536000';

const READS = new Set(['GET', 'HEAD']);
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const REVISION = /^"(0|[1-9]\d{0,14})"$/;
const KEY = /^[\x21-\x7e]{1,512}$/;
/** Maximum number of requests per window from an address without a valid key. */
const STRANGER_RATE_LIMIT = 60;
const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

const urlOf = ({ raw, url }: FastifyRequest): string => raw.url ?? url;

/** Paths served during start-up. */
const WHILE_STARTING = ['/livez', '/readyz', '/metrics'];

function mustBeServed(
  { host }: FastifyRequest,
  endpoint: Endpoint | undefined,
  { allowedHosts, isOpen }: AdmissionOptions,
): void {
  if (allowedHosts !== undefined && !isHostAllowed(host, allowedHosts)) throw new MisdirectedException();
  if (isOpen === undefined || isOpen() || WHILE_STARTING.includes(endpoint?.path ?? '')) return;
  throw new DomainError('unavailable', 'UNAVAILABLE', 'The service is starting. Try again.');
}

/** Checks each request before its body is read: host, credential, permission, rate limits, and ids in the path. */
export class Admission {
  private readonly rates: RateGate;

  /** `endpoints` grows while routes are registered. */
  constructor(
    private readonly options: AdmissionOptions,
    private readonly endpoints: readonly Endpoint[],
  ) {
    this.rates = new RateGate(options.rateLimiter, options.clock);
  }

  /** @throws DomainError: unauthenticated, forbidden, limited, not_found, invalid, unavailable */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { endpoint, ids = [] } = request.routeOptions.config;
    const state = (request.state = stateFor(endpoint));
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    if (request.protocol === 'https') reply.header('strict-transport-security', ONLY_HTTPS);
    try {
      mustBeServed(request, endpoint, this.options);
    } catch (error) {
      if (liesBelow(urlOf(request), PARTNER_PREFIX)) await this.countStranger(request, reply, error);
      throw error;
    }
    if (endpoint === undefined) {
      await this.admitUndeclared(request, reply);
      return;
    }
    if (endpoint.sameOrigin === true) mustBeSameOrigin(request);
    state.principal = await this.identify(endpoint, request, reply);
    this.checkProof(endpoint, state.principal);
    if (ids.length > 0) checkIds(ids, request);
    if (readsIfMatch(endpoint)) state.ifMatch = revisionOf(request.headers['if-match']);
  }

  private checkProof({ stepUp, withoutFactor }: Endpoint, principal: Principal | undefined): void {
    if (principal === undefined || principal.kind === 'partner') return;
    const { proof } = principal;
    if (proof.mustHaveFactor && !proof.hasFactor && withoutFactor !== true) throw factorRequired();
    if (stepUp === true && !isRecent(proof, this.options.clock.nowMs())) throw stepUpRequired();
  }

  /**
   * Handles undeclared addresses. Below /api, only authenticated callers learn which addresses exist. Elsewhere, the
   * only undeclared addresses are assets, which are admitted.
   */
  private async admitUndeclared(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const url = urlOf(request);
    if (liesBelow(url, PARTNER_PREFIX)) request.state.principal = await this.partner(request, reply);
    else if (liesBelow(url, API_PREFIX)) await this.bearer(request, reply);
    else if (!request.is404) return;
    const methods = methodsAt(pathOf(url), this.endpoints);
    if (methods.length > 0) {
      reply.header('allow', methods.join(', '));
      throw new MethodNotAllowedException();
    }
    throw new DomainError('not_found', 'NOT_FOUND', 'The address does not exist.');
  }

  private identify(
    endpoint: Endpoint,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal | undefined> | undefined {
    switch (endpoint.who) {
      case 'public':
        if (!isWrite(endpoint)) return undefined;
        return this.rates.count(reply, [this.ofAddress(request)]).then(() => undefined);
      case 'token':
        this.checkToken(request);
        return undefined;
      case 'partner':
        return this.partner(request, reply);
      case 'any':
        return this.bearer(request, reply);
      case 'platform':
        return this.bearer(request, reply).then(mustBeOperator);
      case 'tenant':
      case 'tenant-admin':
        return this.bearer(request, reply).then((principal) => mustHave(endpoint.permission, principal));
    }
  }

  /**
   * Authenticates a partner. Counts the request against the key or, if the key is invalid, against the network address.
   * @throws DomainError INVALID_KEY
   */
  private async partner(request: FastifyRequest, reply: FastifyReply): Promise<PartnerPrincipal> {
    const header = request.headers['x-integration-key'];
    let partner: PartnerPrincipal;
    try {
      if (typeof header !== 'string' || !KEY.test(header)) throw invalidKey();
      partner = await this.options.authenticator.partner(header);
    } catch (error) {
      await this.countStranger(request, reply, error);
      throw error;
    }
    // Set the principal before checking the rate limit, so that a rejected request's log line contains it.
    request.state.principal = partner;
    await this.rates.count(reply, [partnerQuota(partner)]);
    return partner;
  }

  /** Enforces the address's limit if the key is invalid. If the key could not be checked, only reports the limit. */
  private async countStranger(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> {
    const isRefused = error instanceof DomainError && error.kind === 'unauthenticated';
    const address = `partner-address:${clientNetwork(addressOf(request))}`;
    const bucket = isRefused ? address : `unchecked:${address}`;
    const quotas = [{ policy: 'address', bucket, limit: STRANGER_RATE_LIMIT }];
    await (isRefused ? this.rates.count(reply, quotas) : this.rates.report(reply, quotas));
  }

  /** Sets the principal before further checks, so that a rejected request's log line contains it. */
  private async bearer(request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated();
    const principal = await this.options.authenticator.bearer(token);
    request.state.principal = principal;
    await this.rates.count(reply, this.ofCaller(principal, request.method));
    return principal;
  }

  private ofCaller({ userId, ...caller }: UserPrincipal | OperatorPrincipal, method: string): Quota[] {
    const { user, userWrites, tenant } = this.options.limits;
    const quotas = [{ policy: 'user', bucket: `user:${userId}`, limit: user }];
    if (!READS.has(method)) quotas.push({ policy: 'user-writes', bucket: `user-writes:${userId}`, limit: userWrites });
    if (caller.kind === 'user') quotas.push({ policy: 'tenant', bucket: `tenant:${caller.tenantId}`, limit: tenant });
    return quotas;
  }

  private ofAddress(request: FastifyRequest): Quota {
    const bucket = `address:${clientNetwork(addressOf(request))}`;
    return { policy: 'address', bucket, limit: this.options.limits.address };
  }

  private checkToken(request: FastifyRequest): void {
    const { metricsToken } = this.options;
    if (metricsToken === undefined) {
      if (!this.isOfThisMachine(request)) throw unauthenticated();
      return;
    }
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || !sameSecret(token, metricsToken)) throw unauthenticated();
  }

  /** Whether a program on this machine sent the request. Rejects proxies, and pages that use DNS rebinding. */
  private isOfThisMachine({ headers, host, socket }: FastifyRequest): boolean {
    const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
    const isLoopback = LOOPBACK.test(socket.remoteAddress ?? '');
    return !isForwarded && isLoopback && isHostAllowed(host, this.options.allowedHosts ?? []);
  }
}

/** Compares digests, whose equal lengths keep the timing from revealing the length of a secret. */
const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());

/**
 * Browsers report the site that caused a request (Fetch Metadata) or, over plain HTTP, the origin of each write.
 * Scripts cannot set these headers. Other clients do not send these headers, but they do not have another user's cookie
 * either.
 */
function mustBeSameOrigin({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? isOriginOf(headers.origin, host) : site === 'same-origin';
  if (!isOwn) throw otherSite();
}

const isOriginOf = (origin: string | undefined, host: string): boolean =>
  origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);

function mustBeOperator(principal: Principal): Principal {
  if (principal.kind !== 'operator') throw operatorsOnly();
  return principal;
}

function mustHave(permission: PermissionCode, principal: Principal): Principal {
  if (principal.kind !== 'user') throw usersOnly();
  if (!principal.permissions.has(permission)) throw permissionRequired(permission);
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
    throw invalid([{ path: 'If-Match', message: 'If-Match must be one revision in double quotes, such as "3".' }]);
  return Number(revision);
}

const LOOPBACK_NAME = /^(?:.+\.)?localhost$/;

/** Returns the host of a `Host` header without its port: `::1` for `[::1]:3000`. */
const nameIn = (host: string): string =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

// DNS rebinding requires a name whose address the attacker controls, so IP addresses and the names of this machine are
// safe.
/** Whether the host name rules out DNS rebinding. Non-browser clients may omit the host. */
function isHostAllowed(host: string | undefined, allowed: readonly string[]): boolean {
  const name = nameIn(host ?? '');
  return name === '' || isIP(name) !== 0 || LOOPBACK_NAME.test(name) || allowed.includes(name);
}
