import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretBox } from '../../src/security/secret-box.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const flipped = (text: string, at: number): string => {
  const bytes = Buffer.from(text, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
};

describe('Stored secrets', () => {
  test('can be read again, also by another replica and after a restart', async () => {
    const sealed = (await SecretBox.open(directory)).seal('a secret', 'a place');
    expect(sealed).not.toContain('a secret');
    expect((await SecretBox.open(directory)).unseal(sealed, 'a place')).toBe('a secret');
  });

  test('differ each time, so equal secrets cannot be recognized', async () => {
    const box = await SecretBox.open(directory);
    expect(box.seal('same', 'p')).not.toBe(box.seal('same', 'p'));
  });

  test('cannot be moved to another record, changed, or read with another key', async () => {
    const box = await SecretBox.open(directory);
    const sealed = box.seal('a secret', 'a place');
    const [keyId = '', body = ''] = sealed.split('.');
    expect(() => box.unseal(sealed, 'elsewhere')).toThrow('damaged');
    for (let at = 0; at < Buffer.from(body, 'base64url').length; at += 1)
      expect(() => box.unseal(`${keyId}.${flipped(body, at)}`, 'a place')).toThrow('damaged');
    const other = new SecretBox(Buffer.alloc(32, 7));
    expect(() => other.unseal(sealed, 'a place')).toThrow('another ENCRYPTION_KEY');
  });

  test('have a key that only the service can read, and a damaged one is reported without its content', async () => {
    await SecretBox.open(directory);
    const path = join(directory, 'encryption-key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(path, 'too short');
    await expect(SecretBox.open(directory)).rejects.toThrow(`${path} is not a key of 256 bits in base64url.`);
    await expect(SecretBox.open(directory, 'x')).rejects.toThrow('ENCRYPTION_KEY is not a key');
  });
});
