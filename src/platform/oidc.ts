import { createHash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { unauthenticated } from './access-tokens.js';
import { DomainError } from './domain-error.js';

/** The provider whose tokens are accepted; without an issuer none are. */
export type OidcOptions = {
  /** Its address, as its tokens and its discovery document say it. Without one no token is an issuer's. */
  readonly issuer?: string | undefined;
  readonly audience: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long one answer of the issuer is waited for. Default 3,000. */
  readonly timeoutMs?: number;
  /** After a failure, and after a look for a new key, the issuer is left alone for so long. Default 5,000. */
  readonly cooldownMs?: number;
};

/** Whom an issuer's token speaks of. */
export type OidcIdentity = { readonly email: string; readonly sessionId: string };
type Verified = OidcIdentity & { readonly exp: number };

/** Signatures with a private key only: with a shared secret, or none, anybody could be the issuer. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const MAX_ANSWER_BYTES = 1_048_576;
/** How long keys count. One that is missing is looked for sooner. */
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
});

/** Whether a session is an issuer's, of which nothing is kept here. */
export const isOidcSession = (sessionId: string): boolean => sessionId.startsWith(SESSION_PREFIX);

/** Whether secrets may be asked for, or keys trusted, at this address: https, or this machine itself. */
export function isTrustworthy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  );
}

/**
 * Access tokens of an OpenID provider (OpenID Connect Discovery 1.0; JWT access tokens as in RFC 9068): signature,
 * issuer, audience and end are checked, and the provider must have verified the e-mail address.
 */
export class OidcTokens {
  private readonly verified = new LRUCache<string, Verified>({ max: 10_000 });
  private keys: Promise<Keys> | undefined;
  private failedAtMs = Number.NEGATIVE_INFINITY;
  private warnedAtMs = Number.NEGATIVE_INFINITY;
  private readonly timeoutMs: number;
  private readonly cooldownMs: number;

  constructor(private readonly options: OidcOptions) {
    this.timeoutMs = options.timeoutMs ?? 3_000;
    this.cooldownMs = options.cooldownMs ?? 5_000;
  }

  /** Whether the token says that it is the issuer's. */
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

  /** @throws DomainError unauthenticated; unavailable when the issuer does not answer and its keys are not known */
  async verify(token: string): Promise<OidcIdentity> {
    const nowMs = this.options.clock.nowMs();
    const known = this.verified.get(token);
    if (known) {
      if (known.exp * 1_000 <= nowMs) throw unauthenticated();
      return known;
    }
    const payload = await this.payloadOf(token, await this.keysOfIssuer(), nowMs);
    const parsed = identity.safeParse(payload);
    if (!parsed.success) throw unauthenticated();
    const { sub, sid = '', email, exp } = parsed.data;
    const digest = createHash('sha256')
      .update(JSON.stringify([this.options.issuer, sub, sid]))
      .digest('base64url');
    const verified = { email, exp, sessionId: `${SESSION_PREFIX}${digest}` };
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
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw unauthenticated();
      return payload;
    } catch (error) {
      if (isOfToken(error)) throw unauthenticated();
      // They may have moved.
      if (!keys.fresh) this.keys = undefined;
      throw this.away(error);
    }
  }

  /** The provider's keys, by way of its discovery document; asked for once for all who wait. */
  private async keysOfIssuer(): Promise<Keys> {
    if (this.keys) return this.keys;
    this.beAllowed();
    this.keys = this.discover().catch((error: unknown) => {
      this.keys = undefined;
      throw this.away(error);
    });
    return this.keys;
  }

  /** @throws DomainError unavailable while the issuer is left alone after a failure */
  private beAllowed(): void {
    if (this.options.clock.monotonicMs() - this.failedAtMs < this.cooldownMs) throw unavailable();
  }

  private async discover(): Promise<Keys> {
    const { issuer = '' } = this.options;
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await boundedFetch(url, { signal: AbortSignal.timeout(this.timeoutMs), redirect: 'manual' });
    if (response.status !== 200) throw new Error(`The issuer's discovery document: status ${response.status}`);
    const document = discovery.parse(await response.json());
    if (document.issuer !== issuer) throw new Error('The discovery document is of another issuer.');
    if (!isTrustworthy(document.jwks_uri)) throw new Error("The issuer's keys are not at an https address.");
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
      this.options.logger.warn({ err: error }, 'the OpenID issuer does not answer as it should');
    }
    return unavailable();
  }
}

const unavailable = () =>
  new DomainError('unavailable', 'UNAVAILABLE', 'The issuer of the token cannot be asked now. Try again.', {
    retryAfterSeconds: 5,
  });

/** What is wrong is the token, not the way to the issuer. */
function isOfToken(error: unknown): boolean {
  if (error instanceof DomainError) return true;
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  // The bare class is what jose throws for an answer that is no key set.
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code;
}

/** An answer that does not fit is an error: nobody's word makes this process hold more. */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('The issuer answers with more than 1 MiB.');
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
}
