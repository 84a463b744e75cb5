import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/adapters/system-time.js';
import { readConfig } from '../../src/config.js';
import { VapidKeys, type VapidOptions } from '../../src/security/vapid-keys.js';
import { vapidClaims } from '../support/push-service.js';
import { ShiftedClock } from '../support/shifted-clock.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-vapid-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = (options: Partial<VapidOptions> = {}): Promise<VapidKeys> =>
  VapidKeys.open({ directory, clock: new SystemClock(), subject: 'mailto:push@kontor.test', ...options });
const file = () => join(directory, 'vapid-key.json');

test('Keys are created once, even by concurrent processes, readable only by their owner', async () => {
  const all = await Promise.all([open(), open(), open()]);
  const later = await open();
  expect(new Set([...all, later].map(({ publicKey }) => publicKey)).size).toBe(1);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test('Keys in the settings are used unchanged, without a file', async () => {
  await open();
  const pair = JSON.parse(await readFile(file(), 'utf8')) as { publicKey: string; privateKey: string };
  await rm(file());
  expect((await open(pair)).publicKey).toBe(pair.publicKey);
  await expect(stat(file())).rejects.toThrow();
  const other = { ...pair, publicKey: (await open()).publicKey };
  await expect(open(other)).rejects.toThrow('not a P-256 key pair');
  expect(() => readConfig({ VAPID_PUBLIC_KEY: pair.publicKey })).toThrow('set both or neither');
  expect(() => readConfig({ VAPID_SUBJECT: 'me' })).toThrow('VAPID_SUBJECT');
});

test('A damaged file is rejected, and kept', async () => {
  for (const text of ['{', '{}', '{"publicKey":"x","privateKey":"secret"}']) {
    await writeFile(file(), text);
    const fault = await open().catch((error: unknown) => String(error));
    expect(fault).toMatch(/contains no P-256 key pair/);
    expect(fault).not.toContain('secret');
    expect(await readFile(file(), 'utf8')).toBe(text);
  }
});

test('A token is valid for one push service, reused for many pushes, and renewed before it expires', async () => {
  const clock = new ShiftedClock();
  const keys = await open({ clock });
  const first = await keys.authorizationFor('https://push.test');
  expect(await keys.authorizationFor('https://push.test')).toBe(first);
  expect(await keys.authorizationFor('https://other.test')).not.toBe(first);
  clock.pass(11.5 * 60 * 60 * 1_000);
  const renewed = await keys.authorizationFor('https://push.test');
  const push = { path: '', headers: { authorization: renewed }, body: Buffer.alloc(0), atMs: 0 };
  const claims = await vapidClaims(push, keys.publicKey, clock.nowMs());
  expect(claims).toMatchObject({ aud: 'https://push.test', sub: 'mailto:push@kontor.test' });
  expect((claims.exp ?? 0) * 1_000).toBeGreaterThan(clock.nowMs() + 60 * 60 * 1_000);
});
