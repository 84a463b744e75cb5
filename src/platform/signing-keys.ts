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
import { makeKeyFile, readKeyFile, UnusableKey } from './key-file.js';

/** JWS with Ed25519 (RFC 8037), the only algorithm of our own tokens. */
export const ALGORITHM = 'EdDSA';

/** A key pair of access tokens (Ed25519), and what refresh tokens are derived from. */
export type SigningKey = {
  /** The thumbprint (RFC 7638), so that all replicas give a key the same name. */
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The key as others may see it. */
  readonly publicJwk: JWK;
  /** What refresh tokens are derived from; independent of the signatures (HKDF, RFC 5869). */
  readonly refreshSecret: Buffer;
  /** When it is known no longer, since the epoch: the first never ends, one that was superseded does. */
  readonly endsAtMs: number;
};

type Options = {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** A JWK or a JWKS in JSON; where it is given, nothing is looked for or made in the directory. */
  readonly signingKey?: string | undefined;
};

/** Access tokens live for 15 minutes, and a process signs with a superseded key for some seconds more. */
const KEPT_MS = 30 * 60_000;
/** A key set is at most so old when it signs or is shown: by then a rotation has reached every replica. */
const MAX_AGE_MS = 10_000;
/** A token of an unknown key makes the file be read again no sooner than this after it was read last. */
const REREAD_MS = 1_000;
/** Tokens of unknown keys that wait for that at the same time; the others are refused at once. */
const MAX_WAITING = 1_000;

/**
 * The keys of access and refresh tokens: the first signs, all verify, those with a `supersededAt` for half an hour after
 * it. Kept in `signing-key.json`, which a rotation replaces and processes read again; or in a setting, which stays as it is.
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
   * Takes the keys that are given, or those in `directory`, or makes one there (readable by the owner only).
   * @throws UnusableKey when they are no Ed25519 signing keys; their text is not told
   */
  static async open(directory: string, { clock, logger, signingKey }: Options): Promise<SigningKeys> {
    if (signingKey !== undefined) {
      const given = await parseKeys(signingKey, 'JWT_SIGNING_KEY holds no Ed25519 signing key as a JWK or JWKS.');
      return new SigningKeys(clock, logger, undefined, given);
    }
    const path = join(directory, 'signing-key.json');
    return new SigningKeys(clock, logger, path, await loadOrMakeKey(path));
  }

  /** The key that signs now. */
  async current(): Promise<SigningKey> {
    await this.renew(MAX_AGE_MS);
    return this.keys[0];
  }

  /** All keys, the one that signs first. */
  async all(): Promise<readonly SigningKey[]> {
    await this.renew(MAX_AGE_MS);
    return this.known();
  }

  /** The public halves, for whoever verifies our tokens. */
  async published(): Promise<JSONWebKeySet> {
    return { keys: (await this.all()).map(({ publicJwk }) => publicJwk) };
  }

  /** Whether the key is known: without it a token that was verified before is good no longer. */
  has(id: string): boolean {
    void this.renew(MAX_AGE_MS);
    return this.knownBy(id) !== undefined;
  }

  /** The key of that name. An unknown one may come from a rotation that another process knows of already. */
  async find(id: string): Promise<SigningKey | undefined> {
    await this.renew(MAX_AGE_MS);
    const known = this.knownBy(id);
    if (known || this.path === undefined || this.waiting >= MAX_WAITING) return known;
    const isUnderWay = this.reading !== undefined;
    this.waiting += 1;
    try {
      await this.reread();
      // What was being read already may be from before the rotation.
      if (isUnderWay && !this.knownBy(id)) await this.reread();
    } finally {
      this.waiting -= 1;
    }
    return this.knownBy(id);
  }

  /** All keys, also those that another process put in a moment ago. May take as long as the file is not read again. */
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

  /** Reads the file unless it was read at most `maxAgeMs` ago. */
  private async renew(maxAgeMs: number): Promise<void> {
    if (this.path === undefined || this.clock.monotonicMs() - this.readAtMs < maxAgeMs) return;
    await this.reread();
  }

  /** Reads the file once for all who ask meanwhile, not before REREAD_MS have passed since the last time. */
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
      if (!keys) throw new Error(`${path} is gone.`);
      this.keys = keys;
      this.byId = new Map(keys.map((key) => [key.id, key]));
    } catch (error) {
      // Those that are known go on; who signs in must not suffer from a slip of the hand.
      this.logger.error({ err: error }, 'the signing keys cannot be read again');
    }
  }
}

type Keys = readonly [SigningKey, ...SigningKey[]];

async function loadOrMakeKey(path: string): Promise<Keys> {
  const known = await loadKeys(path);
  if (known) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const text = JSON.stringify(await exportJWK(privateKey));
  await makeKeyFile(path, text);
  return (await loadKeys(path)) ?? parseKeys(text, 'A new key is none.');
}

/** Undefined where there is none. A damaged one is never replaced, and what it holds is not told: it is a secret. */
async function loadKeys(path: string): Promise<Keys | undefined> {
  const text = await readKeyFile(path);
  if (text === undefined) return undefined;
  return parseKeys(text, `${path} holds no Ed25519 signing key: restore it, or remove it to have a new one made.`);
}

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

/** A key of a key pair is never the bytes that the library gives for a shared secret. */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('No key of a key pair.');
  return key;
}
