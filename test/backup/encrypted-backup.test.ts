import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { SystemClock, Uuid7Ids } from '../../src/adapters/system-time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { checkGivenKeys } from '../../src/app/key-settings.js';
import { readIdentities } from '../../src/backup/backup-encryption.js';
import { restoreBackup, verifyBackup } from '../../src/backup/backup-restore.js';
import { readConfig } from '../../src/config.js';
import { backUp } from '../../src/jobs/database-backup.job.js';
import { appendAll, contentOf, EXECUTION, isKnown } from '../support/backups.js';
import { plausibleEvents } from '../support/tree-stage.js';

const clock = new SystemClock();
const quiet = (): void => undefined;
let directory: string;
let events: EmbeddedEventStore;
let identity: string;
let path: string;
let sha256: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-encrypted-'));
  events = EmbeddedEventStore.open({ directory, clock });
  await appendAll(events, plausibleEvents(2_000, 5));
  identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const parts = { events, reads: undefined as never, catalogue, clock, sharesThread: true };
  const task = { kind: 'backup', executionId: EXECUTION, directory, kept: 7, service: 'test', recipient } as const;
  const { artifact } = await backUp(task, parts, { signal: new AbortController().signal, report: quiet });
  path = join(directory, artifact?.fileName ?? '');
  sha256 = artifact?.sha256 ?? '';
});
afterAll(async () => {
  await events.close();
  await rm(directory, { recursive: true });
});

const identityFile = async (text: string): Promise<string> => {
  const file = join(directory, 'identity.txt');
  await writeFile(file, text);
  return file;
};

describe('An encrypted backup', () => {
  test('is an age file that contains an ordinary backup, with the digest of the encrypted bytes', async () => {
    expect(path).toMatch(/\.ndjson\.gz\.age$/);
    const bytes = await readFile(path);
    expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const lines = gunzipSync(await decrypter.decrypt(bytes))
      .toString()
      .split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'manifest', format: 'kontor-backup' });
    expect(await readFile(`${path}.sha256`, 'utf8')).toContain(sha256);
  });

  test('is restored with the identity', async () => {
    const decrypter = await readIdentities(await identityFile(`# created: 2026\n# public key: age1…\n${identity}\n`));
    const copy = EmbeddedEventStore.open({ directory: join(directory, 'copy'), clock });
    try {
      await verifyBackup(path, isKnown, quiet, decrypter);
      const options = { resume: false, identity: copy, ids: new Uuid7Ids(), report: quiet, decrypter };
      await restoreBackup(path, copy, { streams: catalogue.streamPrefixes, ...options });
      expect(await contentOf(copy)).toEqual(await contentOf(events));
    } finally {
      await copy.close();
    }
  });

  test('explains which identity is missing, wrong or unusable, and never repeats it', async () => {
    await expect(verifyBackup(path, isKnown, quiet)).rejects.toThrow('--identity FILE');
    const other = await readIdentities(await identityFile(await generateIdentity()));
    await expect(verifyBackup(path, isKnown, quiet, other)).rejects.toThrow('encrypted for another identity');
    const spoiled = await identityFile(identity.slice(0, -1));
    await expect(readIdentities(spoiled)).rejects.toThrow('contains no age identity');
    await expect(readIdentities(spoiled)).rejects.not.toThrow(identity.slice(0, -1));
    await expect(readIdentities(join(directory, 'none'))).rejects.toThrow('cannot be read (ENOENT)');
    await expect(readIdentities(await identityFile('# nothing\n'))).rejects.toThrow('contains no age identity');
  });

  test('that is damaged or cut short is refused', async () => {
    const decrypter = await readIdentities(await identityFile(identity));
    const bytes = await readFile(path);
    const broken = join(directory, 'broken');
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 100] = (flipped[bytes.length - 100] ?? 0) ^ 1;
    await writeFile(broken, flipped);
    await expect(verifyBackup(broken, isKnown, quiet, decrypter)).rejects.toThrow('is damaged here or truncated');
    await writeFile(broken, bytes.subarray(0, bytes.length - 40));
    await expect(verifyBackup(broken, isKnown, quiet, decrypter)).rejects.toThrow('is damaged here or truncated');
  });

  test('requires a recipient that age accepts', async () => {
    expect(() => readConfig({ BACKUP_RECIPIENT: 'ssh-ed25519 AAAA' })).toThrow('Must be an age public key');
    const recipient = await identityToRecipient(identity);
    const spoiled = readConfig({ BACKUP_RECIPIENT: `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}` });
    await expect(checkGivenKeys(spoiled, clock)).rejects.toThrow('BACKUP_RECIPIENT');
    await expect(checkGivenKeys(readConfig({ BACKUP_RECIPIENT: recipient }), clock)).resolves.toBeUndefined();
  });
});
