import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
} from 'jose';
import { z } from 'zod';
import { silentLogger, type Logger } from '../ports/log.js';
import type { Clock } from '../ports/time.js';
import { keyTextAt, readIfExists, UnusableKey } from './key-file.js';

/** JWS with Ed25519 (RFC 8037), the only algorithm used for the service's tokens. */
export const ALGORITHM = 'EdDSA';

/** A key pair for access tokens (Ed25519) and the secret for refresh tokens. */
export type SigningKey = {
  /** The thumbprint of the key (RFC 7638), so that all replicas use the same id. */
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly publicJwk: JWK;
  /** Key from which refresh tokens are derived. It is independent of the signatures (HKDF, RFC 5869). */
  readonly refreshSecret: Buffer;
  /** Expiry in milliseconds since 1970, or Infinity if the key does not expire. */
  readonly endsAtMs: number;
};

type Options = {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** A JWK or JWKS in JSON. If set, no key is read from or created in the directory. */
  readonly signingKey?: string | undefined;
};

/** Access tokens are valid for 15 minutes, and a process may sign with a superseded key for a few more seconds. */
const KEPT_MS = 30 * 60_000;
/** Maximum age of the key set for signing and publishing. A rotation reaches every replica within this time. */
const MAX_AGE_MS = 10_000;
/** Minimum time before the file is reread, even if tokens refer to an unknown key. */
const REREAD_MS = 1_000;
/**
 * Maximum number of tokens with unknown keys that wait for the file to be reread. Additional tokens are rejected
 * immediately.
 */
const MAX_WAITING = 1_000;

/**
 * The keys for access and refresh tokens. The first key signs and all keys verify. A superseded key continues to verify
 * for half an hour after its `supersededAt`. The keys are stored in `signing-key.json` or in a setting. A rotation
 * replaces the file, which every process rereads. The setting is read only once.
 */
export class SigningKeys {
  private readonly logger: Logger;
  private byId: ReadonlyMap<string, SigningKey>;
  private readAtMs: number;
  private reading: Promise<void> | undefined;
  private waiting = 0;

  private constructor(
    private readonly clock: Clock,
    logger: Logger | undefined,
    private readonly path: string | undefined,
    private keys: readonly [SigningKey, ...SigningKey[]],
  ) {
    this.logger = logger ?? silentLogger;
    this.byId = new Map(keys.map((key) => [key.id, key]));
    this.readAtMs = clock.monotonicMs();
  }

  /**
   * Uses the given keys or those in `directory`, where one is created if necessary (readable only by the owner).
   * @throws UnusableKey if they are not Ed25519 signing keys (the error does not contain them)
   */
  static async open(directory: string, { clock, logger, signingKey }: Options): Promise<SigningKeys> {
    if (signingKey !== undefined) {
      const given = await parseKeys(signingKey, 'JWT_SIGNING_KEY contains no Ed25519 signing key as a JWK or JWKS.');
      return new SigningKeys(clock, logger, undefined, given);
    }
    const path = join(directory, 'signing-key.json');
    return new SigningKeys(clock, logger, path, await loadOrMakeKey(path));
  }

  /** Returns the current signing key. */
  async current(): Promise<SigningKey> {
    await this.renew(MAX_AGE_MS);
    return this.keys[0];
  }

  /** Returns all valid keys. The first one is used for signing. */
  async all(): Promise<readonly SigningKey[]> {
    await this.renew(MAX_AGE_MS);
    return this.known();
  }

  /** Returns the public keys as a JWKS, for other services that verify tokens. */
  async published(): Promise<JSONWebKeySet> {
    return { keys: (await this.all()).map(({ publicJwk }) => publicJwk) };
  }

  /** Whether the key is still valid. Tokens that were verified with a key become invalid together with the key. */
  has(id: string): boolean {
    void this.renew(MAX_AGE_MS);
    return this.knownBy(id) !== undefined;
  }

  /**
   * Returns the key with the given id. If the id is unknown, reads the file, because another process may have rotated
   * the keys.
   */
  async find(id: string): Promise<SigningKey | undefined> {
    await this.renew(MAX_AGE_MS);
    const known = this.knownBy(id);
    if (known || this.path === undefined || this.waiting >= MAX_WAITING) return known;
    const isUnderWay = this.reading !== undefined;
    this.waiting += 1;
    try {
      await this.reread();
      // The read in progress may have started before the rotation.
      if (isUnderWay && !this.knownBy(id)) await this.reread();
    } finally {
      this.waiting -= 1;
    }
    return this.knownBy(id);
  }

  /**
   * Returns all valid keys, including those that another process has just added. May wait up to REREAD_MS for the file
   * to be reread.
   */
  async allNow(): Promise<readonly SigningKey[]> {
    await this.renew(0);
    return this.known();
  }

  private known(): readonly SigningKey[] {
    return this.keys.filter(({ endsAtMs }) => endsAtMs > this.clock.nowMs());
  }

  private knownBy(id: string): SigningKey | undefined {
    const key = this.byId.get(id);
    return key && key.endsAtMs > this.clock.nowMs() ? key : undefined;
  }

  /** Reads the file unless it was read less than `maxAgeMs` ago. */
  private async renew(maxAgeMs: number): Promise<void> {
    if (this.path === undefined || this.clock.monotonicMs() - this.readAtMs < maxAgeMs) return;
    await this.reread();
  }

  /** Reads the file once for all concurrent callers, at least REREAD_MS after the previous read. */
  private reread(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    const { path } = this;
    if (path === undefined) return;
    await this.clock.sleep(this.readAtMs + REREAD_MS - this.clock.monotonicMs());
    this.readAtMs = this.clock.monotonicMs();
    try {
      const keys = await loadKeys(path);
      if (!keys) throw new Error(`${path} no longer exists.`);
      this.keys = keys;
      this.byId = new Map(keys.map((key) => [key.id, key]));
    } catch (error) {
      // Keep the known keys, because a mistake in the file must not prevent sign-ins.
      this.logger.error({ err: error }, 'the signing keys could not be reread');
    }
  }
}

type Keys = readonly [SigningKey, ...SigningKey[]];

async function newKeyText(): Promise<string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return JSON.stringify(await exportJWK(privateKey));
}

const loadOrMakeKey = async (path: string): Promise<Keys> =>
  parseKeys(await keyTextAt(path, newKeyText), faultOf(path));

/** Returns undefined if there is no file. A damaged file is never replaced, and errors do not contain its content. */
async function loadKeys(path: string): Promise<Keys | undefined> {
  const text = await readIfExists(path);
  return text === undefined ? undefined : parseKeys(text, faultOf(path));
}

const faultOf = (path: string): string =>
  `${path} contains no Ed25519 signing key. Restore it, or remove it to generate a new one.`;

const privateJwk = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() });
const olderJwk = privateJwk.extend({ supersededAt: z.iso.datetime().optional() });
const keySet = z.union([
  z.object({ keys: z.tuple([privateJwk], olderJwk) }).transform(({ keys }) => keys),
  privateJwk.transform((jwk) => [jwk] as const),
]);

async function parseKeys(text: string, fault: string): Promise<Keys> {
  try {
    const [first, ...others] = keySet.parse(JSON.parse(text));
    const older = others.map(({ supersededAt, ...jwk }) =>
      keyOf(jwk, supersededAt === undefined ? Infinity : Date.parse(supersededAt) + KEPT_MS),
    );
    return [await keyOf(first, Infinity), ...(await Promise.all(older))];
  } catch {
    throw new UnusableKey(fault);
  }
}

async function keyOf(jwk: z.output<typeof privateJwk>, endsAtMs: number): Promise<SigningKey> {
  const { d, ...publicJwk } = jwk;
  const id = await calculateJwkThumbprint(jwk);
  return {
    id,
    privateKey: await importKey(jwk),
    publicKey: await importKey(publicJwk),
    publicJwk: { ...publicJwk, kid: id, alg: ALGORITHM, use: 'sig' },
    refreshSecret: Buffer.from(hkdfSync('sha256', Buffer.from(d, 'base64url'), '', 'kontor refresh tokens', 32)),
    endsAtMs,
  };
}

/** importJWK returns bytes only for a shared secret, never for a key pair. */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('The key does not belong to a key pair.');
  return key;
}
