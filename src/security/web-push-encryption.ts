import { createCipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';

/** Encryption keys of a browser's subscription, in base64url. */
export type BrowserKeys = { readonly p256dh: string; readonly auth: string };

const CURVE = 'prime256v1';
/** A push message is a single record (RFC 8291, section 4). */
const RECORD_BYTES = 4_096;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/**
 * The header contains the salt, the record size, the length of the key id, and the key id (the sender's public key).
 */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + 65;
/** Maximum length of a message whose encrypted form fits in a single record. */
export const MAX_MESSAGE_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;

const LAST_RECORD = Buffer.from([2]);
const derive = (secret: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** Random values generated for each message. */
export type Freshness = { readonly sender: ECDH; readonly salt: Buffer };

function fresh(): Freshness {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return { sender, salt: randomBytes(SALT_BYTES) };
}

/**
 * Encrypts a push message for one browser: Message Encryption for Web Push (RFC 8291) with the `aes128gcm` content
 * coding (RFC 8188), as a single record.
 * @throws RangeError if the message is too long; Error if the browser's key is not on the curve
 */
export function encryptedFor({ p256dh, auth }: BrowserKeys, message: Buffer, { sender, salt } = fresh()): Buffer {
  if (message.length > MAX_MESSAGE_BYTES)
    throw new RangeError(`A push message can have at most ${MAX_MESSAGE_BYTES} bytes.`);
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

/** Whether the browser's key is a point on the curve, so that messages can be encrypted for it. */
export function isOnCurve(p256dh: string): boolean {
  try {
    fresh().sender.computeSecret(Buffer.from(p256dh, 'base64url'));
    return true;
  } catch {
    return false;
  }
}
