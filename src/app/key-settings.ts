import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from '../config.js';
import { IntegrityKeys } from '../security/integrity-keys.js';
import { UnusableKey } from '../security/key-file.js';
import { SecretBox } from '../security/secret-box.js';
import { SigningKeys } from '../security/signing-keys.js';
import { VapidKeys } from '../security/vapid-keys.js';
import { WebhookKeys } from '../security/webhook-keys.js';
import type { Clock } from '../ports/time.js';

/** Reads CA certificates in PEM format. @throws UnusableKey if the file cannot be read or contains no certificate */
export async function readAuthorities(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    const reason = syscall === undefined ? 'contains no PEM certificate' : `cannot be read (${code})`;
    throw new UnusableKey(`WEB_PUSH_CA_FILE: ${file} ${reason}.`);
  }
}

/** @throws UnusableKey if age cannot encrypt for the recipient */
async function checkRecipient(recipient: string): Promise<void> {
  const { isRecipient } = await import('../backup/backup-encryption.js');
  if (!isRecipient(recipient)) throw new UnusableKey('BACKUP_RECIPIENT is not an age public key (age1…).');
}

/**
 * Checks the keys and CA certificates in the settings before the process waits for servers. Creates no keys, and does
 * not check the keys in `DATA_DIR`. @throws ConfigError that names every unusable key or certificate
 */
export async function checkGivenKeys(config: Config, clock: Clock): Promise<void> {
  const { JWT_SIGNING_KEY: signingKey, VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = config;
  const { DATA_DIR: directory, WEB_PUSH_CA_FILE: caFile } = config;
  const { WEBHOOK_KEY: webhookKey, ENCRYPTION_KEY: encryptionKey, INTEGRITY_KEY: integrityKey } = config;
  const { BACKUP_RECIPIENT: recipient } = config;
  const none = Promise.resolve();
  const tries = [
    signingKey === undefined ? none : SigningKeys.open(directory, { clock, signingKey }),
    publicKey === undefined ? none : VapidKeys.open({ directory, clock, subject: '', publicKey, privateKey }),
    encryptionKey === undefined ? none : SecretBox.open(directory, encryptionKey),
    caFile === undefined ? none : readAuthorities(caFile),
    integrityKey === undefined ? none : IntegrityKeys.open(directory, integrityKey),
    recipient === undefined ? none : checkRecipient(recipient),
    webhookKey === undefined ? none : WebhookKeys.open(directory, webhookKey),
  ];
  const faults = (await Promise.allSettled(tries)).flatMap((tried) => {
    if (tried.status === 'fulfilled') return [];
    if (tried.reason instanceof UnusableKey) return [tried.reason.message];
    throw tried.reason;
  });
  if (faults.length > 0) throw new ConfigError(faults);
}
