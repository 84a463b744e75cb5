import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type CreationOptions = { readonly challenge: string; readonly rp: { readonly id: string } };
type RequestOptions = {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly id: string }[];
};

/** Encodes integers, strings, bytes and maps as CBOR (RFC 8949), to the extent that attestations require. */
function cbor(value: number | string | Uint8Array | ReadonlyMap<number | string, unknown>): Buffer {
  const head = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, each]) => [cbor(key), cbor(each as never)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** A software authenticator (WebAuthn Level 3) with one ES256 credential, which pages from any origin can use. */
export class SoftAuthenticator {
  readonly id = randomBytes(16).toString('base64url');
  private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
  });

  /** `counter` is the signature counter. A counter of 0 never increases, as with most passkeys. */
  constructor(
    private readonly origin: string,
    public counter = 0,
  ) {}

  /** Returns the result of `navigator.credentials.create`. */
  create({ challenge, rp }: CreationOptions, attestation: ReadonlyMap<string, unknown> = new Map()): object {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, left],
      [-3, right],
    ]);
    const credentialId = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([0, credentialId.length]);
    const data = Buffer.concat([this.dataFor(rp.id, 0x41), Buffer.alloc(16), length, credentialId, cbor(key)]);
    const object = new Map<string, unknown>([
      ['fmt', attestation.size === 0 ? 'none' : 'packed'],
      ['attStmt', attestation],
      ['authData', data],
    ]);
    return this.credential({
      clientDataJSON: this.clientData('webauthn.create', challenge),
      attestationObject: cbor(object).toString('base64url'),
      transports: ['internal'],
    });
  }

  /**
   * Returns the result of `navigator.credentials.get`. If `counts` is false, the counter does not increase, as with a
   * cloned authenticator.
   */
  get({ challenge, rpId }: RequestOptions, counts = this.counter > 0, origin = this.origin): object {
    if (counts) this.counter += 1;
    const data = this.dataFor(rpId, 0x01);
    const clientDataJSON = this.clientData('webauthn.get', challenge, origin);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
    });
  }

  private credential(response: object): object {
    const extensions = { clientExtensionResults: {}, authenticatorAttachment: 'platform' };
    return { id: this.id, rawId: this.id, type: 'public-key', response, ...extensions };
  }

  private dataFor(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  private clientData(type: string, challenge: string, origin = this.origin): string {
    const data = { type, challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }
}
