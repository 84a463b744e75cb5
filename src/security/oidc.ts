import { createHash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { atMost } from '../ports/entry-limit.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { unauthenticated } from './access-tokens.js';
import { DomainError } from '../eventsourcing/domain-error.js';

/** The OpenID provider whose tokens are accepted. If no issuer is set, no such tokens are accepted. */
export type OidcOptions = {
  /**
   * Issuer URL, exactly as in the issuer's tokens and discovery document. If unset, no issuer's tokens are accepted.
   */
  readonly issuer?: string | undefined;
  readonly audience: string;
  /** `jwt` also accepts access tokens without the `at+jwt` type, unless they look like ID tokens. Default: `at+jwt`. */
  readonly tokenType?: 'at+jwt' | 'jwt';
  readonly clock: Clock;
  readonly logger: Logger;
  /** Timeout for a request to the issuer, in milliseconds. Default: 3,000. */
  readonly timeoutMs?: number;
  /**
   * Minimum time, in milliseconds, between requests to the issuer after a failure or after new keys were fetched.
   * Default: 5,000.
   */
  readonly cooldownMs?: number;
};

/** The identity in an issuer's token. */
export type OidcBearer = {
  readonly issuer: string;
  readonly subject: string;
  /** E-mail address verified by the issuer. */
  readonly email: string;
  readonly sessionId: string;
  /**
   * Time of the sign-in at the issuer (`auth_time`), in milliseconds since 1970, or 0 if the token does not contain it.
   */
  readonly signedInAtMs: number;
};
type Verified = OidcBearer & { readonly exp: number };

/**
 * Only asymmetric signatures are accepted. With a shared secret or unsigned tokens, others could impersonate the
 * issuer.
 */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const ACCESS_TOKEN = ['at+jwt', 'application/at+jwt'];
const ANY_TOKEN = [...ACCESS_TOKEN, 'jwt', undefined];
/** Claims found only in ID tokens (OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11). */
const OF_ID_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash'];
const MAX_ANSWER_BYTES = 1_048_576;
/** Maximum age of cached keys. An unknown key id triggers an earlier fetch. */
const KEYS_MS = 600_000;
const SESSION_PREFIX = 'oidc:';
const WARN_EVERY_MS = 1_000;

type Keys = ReturnType<typeof createRemoteJWKSet>;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const identity = z.object({
  sub: z.string().min(1),
  email: z.string().min(1).max(254),
  email_verified: z.literal(true),
  exp: z.number(),
  sid: z.string().optional(),
  auth_time: z.number().optional(),
});

/** Whether an issuer manages the session. The service stores no data about such a session. */
export const isOidcSession = (sessionId: string): boolean => sessionId.startsWith(SESSION_PREFIX);

/** Whether a URL is safe for sending secrets and fetching keys. Such a URL uses HTTPS, or HTTP with a loopback host. */
export function isTrustworthy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  );
}

/**
 * Verifies access tokens issued by an OpenID provider (OpenID Connect Discovery 1.0 and RFC 9068). Checks the
 * signature, the type, the issuer, the audience and the expiry. The provider must have verified the e-mail address.
 */
export class OidcTokens {
  private readonly verified = new LRUCache<string, Verified>(atMost(10_000));
  private keys: Promise<Keys> | undefined;
  private failedAtMs = Number.NEGATIVE_INFINITY;
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private readonly timeoutMs: number;
  private readonly cooldownMs: number;

  constructor(private readonly options: OidcOptions) {
    this.timeoutMs = options.timeoutMs ?? 3_000;
    this.cooldownMs = options.cooldownMs ?? 5_000;
  }

  /** Whether the unverified token names the issuer. */
  isFor(token: string): boolean {
    const { issuer } = this.options;
    if (issuer === undefined) return false;
    if (this.verified.has(token)) return true;
    try {
      return decodeJwt(token).iss === issuer;
    } catch {
      return false;
    }
  }

  /** @throws DomainError unauthenticated; unavailable if the issuer does not respond and its keys are not cached */
  async verify(token: string): Promise<OidcBearer> {
    const nowMs = this.options.clock.nowMs();
    const known = this.verified.get(token);
    if (known) {
      if (known.exp * 1_000 <= nowMs) throw unauthenticated();
      return known;
    }
    const payload = await this.payloadOf(token, await this.keysOfIssuer(), nowMs);
    const parsed = identity.safeParse(payload);
    if (!parsed.success) throw unauthenticated();
    const { sub, sid = '', email, exp, auth_time: signedInAt = 0 } = parsed.data;
    const { issuer = '' } = this.options;
    const digest = createHash('sha256')
      .update(JSON.stringify([issuer, sub, sid]))
      .digest('base64url');
    const sessionId = `${SESSION_PREFIX}${digest}`;
    const verified = { issuer, subject: sub, email, exp, sessionId, signedInAtMs: signedInAt * 1_000 };
    this.verified.set(token, verified);
    return verified;
  }

  private async payloadOf(token: string, keys: Keys, nowMs: number): Promise<JWTPayload> {
    if (!keys.fresh) this.beAllowed();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: this.options.issuer ?? '',
        audience: this.options.audience,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(nowMs),
      });
      if (!this.isAccessToken(protectedHeader.typ?.toLowerCase(), payload)) throw unauthenticated();
      return payload;
    } catch (error) {
      if (isOfToken(error)) throw unauthenticated();
      // The keys may have moved to another URL, so discovery runs again.
      if (!keys.fresh) this.keys = undefined;
      throw this.away(error);
    }
  }

  /**
   * RFC 9068 (sections 2.1 and 4) identifies access tokens by their type. If a provider omits the type, ID tokens are
   * recognized by claims that only they contain (Keycloak also sets `typ`). They are also recognized by `azp`, which in
   * an ID token names the client for which the token is intended.
   */
  private isAccessToken(type: string | undefined, payload: JWTPayload): boolean {
    const { audience, tokenType = 'at+jwt' } = this.options;
    if (OF_ID_TOKENS.some((claim) => claim in payload) || payload['typ'] === 'ID') return false;
    if (type !== undefined && ACCESS_TOKEN.includes(type)) return true;
    return tokenType === 'jwt' && ANY_TOKEN.includes(type) && payload['azp'] !== audience;
  }

  /**
   * Returns the provider's keys from the location that its discovery document specifies. Concurrent callers share one
   * request.
   */
  private async keysOfIssuer(): Promise<Keys> {
    if (this.keys) return this.keys;
    this.beAllowed();
    this.keys = this.discover().catch((error: unknown) => {
      this.keys = undefined;
      throw this.away(error);
    });
    return this.keys;
  }

  /** @throws DomainError unavailable during the cooldown after a failure */
  private beAllowed(): void {
    if (this.options.clock.monotonicMs() - this.failedAtMs < this.cooldownMs) throw unavailable();
  }

  private async discover(): Promise<Keys> {
    const { issuer = '' } = this.options;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await boundedFetch(url, { signal: AbortSignal.timeout(this.timeoutMs), redirect: 'manual' });
    if (response.status !== 200)
      throw new Error(`The request for the issuer's discovery document failed with status ${response.status}.`);
    const document = discovery.parse(await response.json());
    if (document.issuer !== issuer) throw new Error('The discovery document belongs to another issuer.');
    if (!isTrustworthy(document.jwks_uri)) throw new Error("The address of the issuer's keys does not use https.");
    return createRemoteJWKSet(new URL(document.jwks_uri), {
      timeoutDuration: this.timeoutMs,
      cooldownDuration: this.cooldownMs,
      cacheMaxAge: KEYS_MS,
      [customFetch]: boundedFetch,
    });
  }

  private away(error: unknown): DomainError {
    const nowMs = (this.failedAtMs = this.options.clock.monotonicMs());
    if (nowMs - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = nowMs;
      this.options.logger.warn({ err: error }, 'the OpenID issuer does not respond as expected');
    }
    return unavailable();
  }
}

const unavailable = () =>
  new DomainError('unavailable', 'UNAVAILABLE', 'The issuer of the token is unavailable. Try again.', {
    retryAfterSeconds: 5,
  });

/** Whether the error was caused by the token rather than by the connection to the issuer. */
function isOfToken(error: unknown): boolean {
  if (error instanceof DomainError) return true;
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // If a response is not a key set, jose throws a base-class error.
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code;
}

/**
 * Fetches a response up to a maximum size, so that the issuer cannot exhaust memory.
 * @throws Error for a larger response
 */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("The issuer's response exceeds 1 MiB.");
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}
