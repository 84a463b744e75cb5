import { createCipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';

/** What a browser gave for encrypting to it, base64url. */
export type BrowserKeys = { readonly p256dh: string; readonly auth: string };

const CURVE = 'prime256v1';
/** One record holds all: RFC 8291, section 4. */
const RECORD_BYTES = 4_096;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Salt, record size, length of the key's id, the key. */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + 65;
/** How long a message may be for what is sent to be no longer than a record. */
export const MAX_MESSAGE_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;

const LAST_RECORD = Buffer.from([2]);
const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** What is fresh for every message. */
export type Freshness = { readonly sender: ECDH; readonly salt: Buffer };

function fresh(): Freshness {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return { sender, salt: randomBytes(SALT_BYTES) };
}

/**
 * The body of a push message for one browser: Message Encryption for Web Push (RFC 8291) in the coding `aes128gcm`
 * (RFC 8188), one record.
 * @throws RangeError for a message that is too long; Error for a key that is not on the curve
 */
export function encryptedFor({ p256dh, auth }: BrowserKeys, message: Buffer, { sender, salt } = fresh()): Buffer {
  if (message.length > MAX_MESSAGE_BYTES)
    throw new RangeError(`A push message has at most ${MAX_MESSAGE_BYTES} bytes.`);
  const receiver = Buffer.from(p256dh, 'base64url');
  const shared = sender.computeSecret(receiver);
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, own]);
  const keyMaterial = derive(shared, Buffer.from(auth, 'base64url'), info, 32);
  const key = derive(keyMaterial, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(keyMaterial, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const record = [cipher.update(message), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, size, Buffer.from([own.length]), own, ...record]);
}

/** Whether a message can be encrypted with the browser's key: it is a point of the curve. */
export function isOnCurve(p256dh: string): boolean {
  try {
    fresh().sender.computeSecret(Buffer.from(p256dh, 'base64url'));
    return true;
  } catch {
    return false;
  }
}
