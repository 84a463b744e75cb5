import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { readConfig } from '../../src/config.js';
import { checkGivenKeys } from '../../src/app/key-settings.js';
import { ManualClock } from '../support/manual-clock.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-keys-'));
  await writeFile(join(directory, 'authorities.pem'), rootCertificates.slice(0, 2).join('\n'));
  await writeFile(join(directory, 'other.pem'), 'a secret');
});
afterAll(() => rm(directory, { recursive: true }));

const check = (environment: Readonly<Record<string, string>>): Promise<unknown> =>
  checkGivenKeys(readConfig({ DATA_DIR: join(directory, 'data'), ...environment }), new ManualClock()).then(
    () => 'usable',
    (error: unknown) => (error as { faults?: unknown }).faults ?? error,
  );

/** Generates a VAPID key pair (RFC 8292). */
function vapidPair(): { VAPID_PUBLIC_KEY: string; VAPID_PRIVATE_KEY: string } {
  const {
    x = '',
    y = '',
    d = '',
  } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({
    format: 'jwk',
  });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { VAPID_PUBLIC_KEY: point.toString('base64url'), VAPID_PRIVATE_KEY: d };
}
const signingKey = (): string => JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }));

describe('Keys in the settings', () => {
  test('are optional', async () => {
    expect(await check({})).toBe('usable');
  });

  test('are validated, and no keys are generated in the data folder', async () => {
    const WEB_PUSH_CA_FILE = join(directory, 'authorities.pem');
    expect(await check({ ...vapidPair(), JWT_SIGNING_KEY: signingKey(), WEB_PUSH_CA_FILE })).toBe('usable');
    expect(await readdir(directory)).toEqual(['authorities.pem', 'other.pem']);
  });

  test('are rejected together, by name only', async () => {
    const VAPID_PUBLIC_KEY = vapidPair().VAPID_PUBLIC_KEY;
    const WEB_PUSH_CA_FILE = join(directory, 'other.pem');
    expect(await check({ ...vapidPair(), VAPID_PUBLIC_KEY, JWT_SIGNING_KEY: 'a secret', WEB_PUSH_CA_FILE })).toEqual([
      'JWT_SIGNING_KEY contains no Ed25519 signing key as a JWK or JWKS.',
      'VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are not a P-256 key pair.',
      `WEB_PUSH_CA_FILE: ${WEB_PUSH_CA_FILE} contains no PEM certificate.`,
    ]);
  });

  test.each([
    ['nothing', 'ENOENT'],
    ['.', 'EISDIR'],
  ])('are rejected if their file cannot be read: %s', async (name, code) => {
    const WEB_PUSH_CA_FILE = join(directory, name);
    expect(await check({ WEB_PUSH_CA_FILE })).toEqual([
      `WEB_PUSH_CA_FILE: ${WEB_PUSH_CA_FILE} cannot be read (${code}).`,
    ]);
  });
});
