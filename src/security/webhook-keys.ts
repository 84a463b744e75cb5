import { createHmac, hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keyTextAt, UnusableKey } from './key-file.js';

const KEY_BYTES = 32;

/** Identifies a webhook's secret by its owner and the random name from which it is derived. */
export type WebhookSecretName = { readonly tenantId: string; readonly webhookId: string; readonly secretId: string };

/**
 * The key from which the signing secrets of all webhooks are derived. It is the same on every replica. The history
 * stores only the names of secrets, so events, backups and read models contain no secrets.
 */
export class WebhookKeys {
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;

  private constructor(private readonly key: Buffer) {
    this.fingerprint = hash('sha256', key, 'hex').slice(0, 16);
  }

  /**
   * Uses the given key (base64 of 32 bytes) or the one in the directory's `webhook-key` file. If necessary, creates the
   * file so that only its owner can read it. If the key is lost, every secret changes.
   * @throws UnusableKey, which does not contain the key
   */
  static async open(directory: string, given?: string): Promise<WebhookKeys> {
    return new WebhookKeys(keyOf(given ?? (await storedText(directory, 'webhook-key')), 'WEBHOOK_KEY'));
  }

  /** Returns the secret in Standard Webhooks format. */
  secretOf({ tenantId, webhookId, secretId }: WebhookSecretName): string {
    const secret = createHmac('sha256', this.key)
      .update(JSON.stringify([tenantId, webhookId, secretId]))
      .digest();
    return `whsec_${secret.toString('base64')}`;
  }
}

/** Returns the text of a file that contains a random key. Creates the file if it does not exist. */
export const storedText = async (directory: string, name: string, prefix = ''): Promise<string> =>
  (await keyTextAt(join(directory, name), () => prefix + randomBytes(KEY_BYTES).toString('base64'))).trim();

function keyOf(text: string, name: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new UnusableKey(`${name} is not a key of 32 bytes in base64.`);
  return key;
}
