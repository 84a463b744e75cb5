import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../ports/time.js';
import { DomainError } from './domain-error.js';

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
  /** The private key as a JWK in JSON; where it is given, none is looked for or made in the directory. */
  readonly signingKey?: string | undefined;
};
type Verified = TokenClaims & { readonly exp: number };

const ALGORITHM = 'EdDSA';
const TOKEN_TYPE = 'at+jwt';

const unauthenticated = () => new DomainError('unauthenticated', 'UNAUTHENTICATED', 'The access token is not valid.');

/**
 * Signs and verifies access tokens: JWT (RFC 7519) of the type `at+jwt` (RFC 9068), signed with Ed25519 (RFC 8037). The
 * algorithm is pinned. A verified token is remembered until it expires, since verifying costs about 100 µs.
 */
export class AccessTokens {
  private readonly verified = new LRUCache<string, Verified>({ max: 10_000 });

  private constructor(
    private readonly options: Options,
    private readonly keyId: string,
    private readonly privateKey: CryptoKey,
    private readonly publicKey: CryptoKey,
    /** The public key as others may see it. */
    readonly publicJwk: JWK,
  ) {}

  /**
   * Takes the signing key that is given, or the one in `directory`, or makes one there (readable by the owner only).
   * @throws Error when the key is no Ed25519 signing key; its text is not told
   */
  static async open(directory: string, options: Options): Promise<AccessTokens> {
    const jwk =
      options.signingKey === undefined
        ? await loadOrMakeKey(directory)
        : parseKey(options.signingKey, 'JWT_SIGNING_KEY holds no Ed25519 signing key as a JWK.');
    const { d: _, ...publicJwk } = jwk;
    const keyId = await calculateJwkThumbprint(jwk);
    const privateKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
    const publicKey = (await importJWK(publicJwk, ALGORITHM)) as CryptoKey;
    const shown = { ...publicJwk, kid: keyId, alg: ALGORITHM, use: 'sig' };
    return new AccessTokens(options, keyId, privateKey, publicKey, shown);
  }

  async sign({ sub, tid, sid, scope }: TokenClaims): Promise<string> {
    const nowSeconds = Math.floor(this.options.clock.nowMs() / 1_000);
    return new SignJWT({ sid, scope, ...(tid !== undefined && { tid }) })
      .setProtectedHeader({ alg: ALGORITHM, kid: this.keyId, typ: TOKEN_TYPE })
      .setSubject(sub)
      .setIssuer(this.options.issuer)
      .setAudience(this.options.audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ACCESS_TOKEN_SECONDS)
      .setJti(randomUUID())
      .sign(this.privateKey);
  }

  /** What the token proves. @throws DomainError unauthenticated UNAUTHENTICATED */
  async verify(token: string): Promise<TokenClaims> {
    const nowMs = this.options.clock.nowMs();
    const known = this.verified.get(token);
    if (known) {
      if (known.exp * 1_000 <= nowMs) throw unauthenticated();
      return known;
    }
    try {
      const { payload } = await jwtVerify(token, this.publicKey, {
        algorithms: [ALGORITHM],
        typ: TOKEN_TYPE,
        issuer: this.options.issuer,
        audience: this.options.audience,
        currentDate: new Date(nowMs),
      });
      const verified = claims.parse(payload);
      this.verified.set(token, verified);
      return verified;
    } catch {
      throw unauthenticated();
    }
  }
}

async function loadOrMakeKey(directory: string): Promise<JWK> {
  const path = join(directory, 'signing-key.json');
  const known = await loadKey(path);
  if (known) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(privateKey);
  await mkdir(directory, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(jwk), { mode: 0o600, flush: true });
  try {
    // Unlike a rename, a link never replaces the key of another process that was faster.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  return (await loadKey(path)) ?? jwk;
}

/** Undefined where there is none. A damaged one is never replaced, and what it holds is not told: it is a secret. */
async function loadKey(path: string): Promise<JWK | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseKey(text, `${path} holds no Ed25519 signing key: restore it, or remove it to have a new one made.`);
}

function parseKey(text: string, fault: string): JWK {
  try {
    return signingKey.parse(JSON.parse(text));
  } catch {
    throw new Error(fault);
  }
}

const signingKey = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() });
