import { createECDH, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { join } from 'node:path';
import { importJWK, SignJWT, type CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../ports/time.js';
import { keyTextAt, UnusableKey } from './key-file.js';

/** ECDSA on P-256 with SHA-256: the only algorithm that RFC 8292 allows. */
const ALGORITHM = 'ES256';
const CURVE = 'prime256v1';
/** Lifetime of a token. RFC 8292 allows up to 24 hours. */
const TOKEN_MS = 12 * 60 * 60 * 1_000;
/** Minimum remaining lifetime of a reused token. */
const MIN_LEFT_MS = 60 * 60 * 1_000;
const MAX_AUDIENCES = 200;

/** Key source and operator contact URL. */
export type VapidOptions = {
  readonly directory: string;
  readonly clock: Clock;
  /** Contact URL for push service operators, with the `mailto:` or `https:` scheme. */
  readonly subject: string;
  /** Either both keys, in base64url, or neither. Without them, keys are loaded from the directory or created there. */
  readonly publicKey?: string | undefined;
  readonly privateKey?: string | undefined;
};

const keyPair = z.object({ publicKey: z.string(), privateKey: z.string() });
type KeyPair = z.output<typeof keyPair>;

/** The key pair that identifies this service to push services (RFC 8292). It is the same on every replica. */
export class VapidKeys {
  private readonly signed = new LRUCache<string, { readonly token: string; readonly expiresMs: number }>({
    max: MAX_AUDIENCES,
  });

  private constructor(
    /** The key with which browsers subscribe, in base64url. */
    readonly publicKey: string,
    private readonly key: CryptoKey,
    private readonly clock: Clock,
    private readonly subject: string,
  ) {}

  /**
   * Uses the given keys or those in `vapid-key.json`, which is created if necessary (readable only by the owner). If
   * the keys are lost, so are all subscriptions, because browsers bind each subscription to its key.
   * @throws UnusableKey if they are not a P-256 key pair (the error does not contain them)
   */
  static async open({ directory, clock, subject, publicKey, privateKey }: VapidOptions): Promise<VapidKeys> {
    const isGiven = publicKey !== undefined && privateKey !== undefined;
    const pair = isGiven ? { publicKey, privateKey } : await loadOrMake(join(directory, 'vapid-key.json'));
    const jwk = jwkOf(pair);
    if (!jwk) throw new UnusableKey('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are not a P-256 key pair.');
    const key = await importJWK(jwk as { kty: string }, ALGORITHM);
    return new VapidKeys(pair.publicKey.replace(/=+$/, ''), key as CryptoKey, clock, subject);
  }

  /**
   * Returns the `Authorization` header for a push service's origin. The token that it contains is cached and reused.
   */
  async authorizationFor(origin: string): Promise<string> {
    const nowMs = this.clock.nowMs();
    const known = this.signed.get(origin);
    const left = (known?.expiresMs ?? 0) - nowMs;
    if (known && left > MIN_LEFT_MS && left <= TOKEN_MS) return `vapid t=${known.token}, k=${this.publicKey}`;
    const expiresMs = nowMs + TOKEN_MS;
    const token = await new SignJWT({ aud: origin, exp: Math.floor(expiresMs / 1_000), sub: this.subject })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .sign(this.key);
    this.signed.set(origin, { token, expiresMs });
    return `vapid t=${token}, k=${this.publicKey}`;
  }
}

/** A damaged file is never replaced, because all subscriptions depend on it. */
async function loadOrMake(path: string): Promise<KeyPair> {
  const text = await keyTextAt(path, () => JSON.stringify(makePair()));
  try {
    const pair = keyPair.parse(JSON.parse(text));
    if (jwkOf(pair)) return pair;
  } catch {
    // The cause is omitted, because it may contain the secret.
  }
  throw new UnusableKey(`${path} contains no P-256 key pair. Restore it, or remove it to generate a new one.`);
}

function makePair(): KeyPair {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}

/** Returns the key pair as a JWK, or undefined if the public key does not match the private one. */
function jwkOf({ publicKey, privateKey }: KeyPair): JsonWebKey | undefined {
  const point = Buffer.from(publicKey, 'base64url');
  const secret = Buffer.from(privateKey, 'base64url');
  if (point.length !== 65 || secret.length !== 32) return undefined;
  const own = createECDH(CURVE);
  try {
    own.setPrivateKey(secret);
  } catch {
    return undefined;
  }
  if (!own.getPublicKey().equals(point)) return undefined;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  return { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '', d: secret.toString('base64url') };
}
