import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keyTextAt, UnusableKey } from './key-file.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FILE = 'encryption-key';
const KEY = /^[\w-]{43}$/;
const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

/**
 * Encrypts secrets that the service must be able to read again, so that neither the history nor a backup reveals them
 * (AES-256-GCM). The key is the same on every replica and is not part of backups.
 */
export class SecretBox {
  private readonly keyId: string;

  /** @param key 256 bits */
  constructor(private readonly key: Buffer) {
    this.keyId = hash('sha256', key, 'base64url').slice(0, 8);
  }

  /**
   * Uses the given key or the one in `encryption-key`, which is created if necessary (readable only by the owner).
   * @throws UnusableKey if the key does not consist of 256 bits in base64url (the error does not contain the key)
   */
  static async open(directory: string, given?: string): Promise<SecretBox> {
    const source = given === undefined ? join(directory, FILE) : 'ENCRYPTION_KEY';
    const text = (given ?? (await keyTextAt(source, newKey))).trim();
    if (!KEY.test(text)) throw new UnusableKey(`${source} is not a key of 256 bits in base64url.`);
    return new SecretBox(Buffer.from(text, 'base64url'));
  }

  /**
   * Encrypts a secret. Only `unseal` with the same `place` can decrypt the result, so the result cannot be moved to
   * another record.
   */
  seal(secret: string, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.keyId}.${sealed.toString('base64url')}`;
  }

  /** Decrypts a secret. @throws UnusableKey if the secret was sealed with another key or for another place */
  unseal(text: string, place: string): string {
    const [keyId = '', body = ''] = text.split('.');
    if (keyId !== this.keyId)
      throw new UnusableKey(
        'A stored secret was encrypted with another ENCRYPTION_KEY. Restore the key of this history.',
      );
    const sealed = Buffer.from(body, 'base64url');
    const [nonce, tag] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(-TAG_BYTES)];
    const decipher = createDecipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(place)).setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
    } catch {
      throw new UnusableKey('A stored secret is damaged or belongs to another record.');
    }
  }
}
