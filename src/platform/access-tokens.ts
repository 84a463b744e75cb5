import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { DomainError } from './domain-error.js';
import { ALGORITHM, SigningKeys, type SigningKey } from './signing-keys.js';

/** Lifetime of an access token, seconds. */
export const ACCESS_TOKEN_SECONDS = 900;

/** What a token proves; everything else (role, permissions, whether the session still stands) is looked up. */
export type TokenClaims = {
  /** The user's or operator's id. */
  readonly sub: string;
  /** The tenant's id; absent for operators. */
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
  /** The private key as a JWK or JWKS in JSON; where it is given, none is looked for or made in the directory. */
  readonly signingKey?: string | undefined;
};
/** What makes the same token again: with the same key, claims, instant and id its bytes are the same. */
export type Signing = { readonly key: SigningKey; readonly issuedAtMs: number; readonly id: string };
type Verified = TokenClaims & { readonly exp: number; readonly keyId: string };

const TOKEN_TYPE = 'at+jwt';
const KEY_ID = /^[\w-]{43}$/;

/** The refusal of a token, whatever is wrong with it: whoever tries tokens learns nothing. */
export const unauthenticated = () =>
  new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The access token is not valid.');

/**
 * Signs and verifies access tokens: JWT (RFC 7519) of the type `at+jwt` (RFC 9068), signed with Ed25519 (RFC 8037). The
 * algorithm is pinned; `kid` picks one of our keys. A verified token is remembered until it expires, since verifying
 * costs about 100 µs.
 */
export class AccessTokens {
  private readonly verified = new LRUCache<string, Verified>({ max: 10_000 });

  private constructor(
    private readonly options: Options,
    readonly keys: SigningKeys,
  ) {}

  /**
   * With the keys that SigningKeys finds.
   * @throws Error when they are no Ed25519 signing keys; their text is not told
   */
  static async open(directory: string, options: Options): Promise<AccessTokens> {
    return new AccessTokens(options, await SigningKeys.open(directory, options));
  }

  /** The public keys as others may see them. */
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

  /** What the token proves. @throws DomainError unauthenticated UNAUTHENTICATED */
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
