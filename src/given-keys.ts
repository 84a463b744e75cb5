import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from './config.js';
import { UnusableKey } from './platform/key-file.js';
import { SigningKeys } from './platform/signing-keys.js';
import { VapidKeys } from './platform/vapid-keys.js';
import type { Clock } from './ports/time.js';

/** PEM of authorities. @throws UnusableKey when the file cannot be read or holds no certificate */
export async function readAuthorities(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    const reason = syscall === undefined ? 'holds no certificate as PEM' : `cannot be read (${code})`;
    throw new UnusableKey(`WEB_PUSH_CA_FILE: ${file} ${reason}.`);
  }
}

/**
 * Tries the keys and authorities that the settings give, so that wrong ones are told before servers are waited for. Makes
 * none, and looks at none in `DATA_DIR`.
 * @throws ConfigError naming all that cannot be used
 */
export async function checkGivenKeys(config: Config, clock: Clock): Promise<void> {
  const { JWT_SIGNING_KEY: signingKey, VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey } = config;
  const { DATA_DIR: directory, WEB_PUSH_CA_FILE: caFile } = config;
  const none = Promise.resolve();
  const tries = [
    signingKey === undefined ? none : SigningKeys.open(directory, { clock, signingKey }),
    publicKey === undefined ? none : VapidKeys.open({ directory, clock, subject: '', publicKey, privateKey }),
    caFile === undefined ? none : readAuthorities(caFile),
  ];
  const faults = (await Promise.allSettled(tries)).flatMap((tried) => {
    if (tried.status === 'fulfilled') return [];
    if (tried.reason instanceof UnusableKey) return [tried.reason.message];
    throw tried.reason;
  });
  if (faults.length > 0) throw new ConfigError(faults);
}
