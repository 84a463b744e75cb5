import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { atMost } from '../ports/entry-limit.js';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { DomainError } from '../eventsourcing/domain-error.js';
import { ALGORITHM, SigningKeys, type SigningKey } from './signing-keys.js';

/** Lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 900;

/** Claims of a token. All other data (role, permissions, session state) is looked up. */
export type TokenClaims = {
  /** Id of the user or operator. */
  readonly sub: string;
  /** Id of the tenant. Absent for operators. */
  readonly tid?: string | undefined;
  readonly sid: string;
  readonly scope: 'platform' | 'tenant';
};

const claims = z
  .object({
    sub: z.string(),
    tid: z.string().optional(),
    sid: z.string(),
    scope: z.enum(['platform', 'tenant']),
    exp: z.number(),
  })
  .refine(({ scope, tid }) => (scope === 'tenant') === (tid !== undefined));

type Options = {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Private key as a JWK or JWKS in JSON. If set, no key is read from or created in the directory. */
  readonly signingKey?: string | undefined;
};
/** Inputs that reproduce a token byte for byte: the same key, claims, time and id yield the same token. */
export type Signing = { readonly key: SigningKey; readonly issuedAtMs: number; readonly id: string };
type Verified = TokenClaims & { readonly exp: number; readonly keyId: string };

const TOKEN_TYPE = 'at+jwt';
const KEY_ID = /^[\w-]{43}$/;

/** Creates the error for any invalid token. The error does not reveal the reason. */
export const unauthenticated = () =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The access token is invalid.');

/**
 * Signs and verifies access tokens: JWTs (RFC 7519) of type `at+jwt` (RFC 9068), signed with Ed25519 (RFC 8037). The
 * algorithm is fixed, and `kid` selects one of the service's keys. Verified tokens are cached until they expire,
 * because a verification takes about 100 µs.
 */
export class AccessTokens {
  private readonly verified = new LRUCache<string, Verified>(atMost(10_000));

  private constructor(
    private readonly options: Options,
    readonly keys: SigningKeys,
  ) {}

  /**
   * Opens the keys as SigningKeys.open does.
   * @throws UnusableKey if they are not Ed25519 signing keys (the error does not contain them)
   */
  static async open(directory: string, options: Options): Promise<AccessTokens> {
    return new AccessTokens(options, await SigningKeys.open(directory, options));
  }

  /** Returns the public keys as a JWKS. */
  published(): Promise<JSONWebKeySet> {
    return this.keys.published();
  }

  async sign({ sub, tid, sid, scope }: TokenClaims, signing?: Signing): Promise<string> {
    const { key, issuedAtMs, id } = signing ?? {
      key: await this.keys.current(),
      issuedAtMs: this.options.clock.nowMs(),
      id: randomUUID(),
    };
    const issuedAtSeconds = Math.floor(issuedAtMs / 1_000);
    return new SignJWT({ sid, scope, ...(tid !== undefined && { tid }) })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.id, typ: TOKEN_TYPE })
      .setSubject(sub)
      .setIssuer(this.options.issuer)
      .setAudience(this.options.audience)
      .setIssuedAt(issuedAtSeconds)
      .setExpirationTime(issuedAtSeconds + ACCESS_TOKEN_SECONDS)
      .setJti(id)
      .sign(key.privateKey);
  }

  /** Returns the claims of a token. @throws DomainError unauthenticated UNAUTHENTICATED */
  async verify(token: string): Promise<TokenClaims> {
    const known = this.verified.get(token);
    if (known) {
      if (known.exp * 1_000 <= this.options.clock.nowMs() || !this.keys.has(known.keyId)) throw unauthenticated();
      return known;
    }
    try {
      const { keyId, key } = await this.keyOf(token);
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        typ: TOKEN_TYPE,
        issuer: this.options.issuer,
        audience: this.options.audience,
        currentDate: new Date(this.options.clock.nowMs()),
      });
      const verified = { ...claims.parse(payload), keyId };
      this.verified.set(token, verified);
      return verified;
    } catch {
      throw unauthenticated();
    }
  }

  private async keyOf(token: string) {
    const { kid = '' } = decodeProtectedHeader(token);
    const key = KEY_ID.test(kid) ? await this.keys.find(kid) : undefined;
    if (!key) throw unauthenticated();
    return { keyId: kid, key: key.publicKey };
  }
}
