import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { IntegrityKeys } from '../../src/security/integrity-keys.js';
import { appendAll, backupOf, chainOver, chained, linesOf, unchained, writeLines } from '../support/backups.js';
import { plausibleEvents, TreeStage } from '../support/tree-stage.js';

const ROOT = join(import.meta.dirname, '../..');
const EVENTS = 600;
const TARGET = 321;
const clock = new SystemClock();
let directory: string;
let backup: string;
let checkpoints: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-verify-'));
  const events = EmbeddedEventStore.open({ directory, clock });
  const reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  await appendAll(events, plausibleEvents(EVENTS, 3));
  const stage = await TreeStage.open(events, directory, reads);
  stage.lead();
  await stage.signed();
  await stage.stop();
  backup = await backupOf(events, join(directory, 'backups'));
  const [day = ''] = await readdir(join(directory, 'checkpoints'));
  checkpoints = join(directory, 'checkpoints', day);
  await Promise.all([events.close(), reads.close()]);
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs the built program with the given data directory and returns the output. */
const verify = (file: string, dataDirectory: string, ...options: string[]): Promise<string> =>
  new Promise((resolve) => {
    const env = { ...process.env, DATA_DIR: dataDirectory };
    execFile(process.execPath, [join(ROOT, 'dist/verify.js'), file, ...options], { env }, (_, out, err) => {
      resolve(out + err);
    });
  });

type Line = Record<string, unknown> & { kind: string };

/** Writes a copy of the backup with forged events and a valid chain. */
async function forged(forge: (events: Line[]) => Line[]): Promise<string> {
  const [manifest, ...rest] = unchained(await linesOf(backup)) as Line[];
  const trailer = rest.pop();
  const events = forge(rest).map((event, position) => ({ ...event, position }));
  const body = [manifest as Line, ...events];
  const last = { ...trailer, count: events.length, lastPosition: events.length - 1, sha256: chainOver(body) };
  const path = join(directory, 'forged.ndjson.gz');
  await writeLines(path, chained([...body, last]));
  return path;
}

const changed = (events: Line[]): Line[] =>
  events.map((event, at) => (at === TARGET ? { ...event, data: { ...(event['data'] as object), forged: 1 } } : event));

describe('npm run verify', () => {
  test('compares a backup with the checkpoints in it and in files', async () => {
    const out = await verify(backup, directory, '--checkpoint', checkpoints);
    expect(out).toMatch(/2 checkpoints match\. The last covers \d+ events\. Root: [0-9a-f]{64}/);
  });

  test('names the changed, removed, inserted or moved event of a backup with a valid chain, if the tree is available', async () => {
    expect(await verify(await forged(changed), directory)).toMatch(`number ${TARGET}, at position ${TARGET} `);
    const removed = await forged((events) => events.toSpliced(TARGET, 1));
    expect(await verify(removed, directory)).toMatch('1 events were removed before the event number 321');
    const inserted = await forged((events) =>
      events.toSpliced(TARGET, 0, { ...events[5], id: 'f', stream: 'sale-platform_x', revision: 0 } as never),
    );
    expect(await verify(inserted, directory)).toMatch('1 events were inserted: the first is number 321');
    const swapped = await forged((all) => all.toSpliced(TARGET, 2, all[TARGET + 1] as Line, all[TARGET] as Line));
    expect(await verify(swapped, directory)).toMatch('Events were reordered, beginning with number 321');
  });

  test('finds a change without the tree, and a truncated end by a checkpoint that was kept', async () => {
    const key = join(directory, 'public-key');
    const { publicKey } = await IntegrityKeys.open(directory);
    await writeFile(key, publicKey);
    const elsewhere = join(directory, 'elsewhere');
    const out = await verify(await forged(changed), elsewhere, '--key', key);
    expect(out).toMatch(
      /The events from number 0 .* differ from those that the checkpoint of .* in the history covers/,
    );
    const cut = await forged((events) => events.slice(0, 500));
    expect(await verify(cut, elsewhere, '--key', key)).toMatch('0 checkpoints match');
    expect(await verify(cut, elsewhere, '--key', key, '--checkpoint', checkpoints)).toMatch(
      'events are missing at the end, after position 499',
    );
  });

  test('rejects checkpoints of other services, and explains its use', async () => {
    const other = join(directory, 'other');
    await cp(checkpoints, `${checkpoints}.copy`);
    await IntegrityKeys.open(other);
    expect(await verify(backup, other)).toMatch('No known key signed the checkpoint');
    expect(await verify(backup, other, '--checkpoint', checkpoints)).toMatch('No known key signed the checkpoint');
    await writeFile(join(directory, 'text'), await readFile(join(ROOT, 'LICENSE')));
    expect(await verify(backup, directory, '--checkpoint', join(directory, 'text'))).toMatch('is not a checkpoint');
    expect(await verify(join(directory, 'none'), directory)).toMatch('ENOENT');
    expect(await verify(backup, directory, '--unknown')).toMatch('npm run verify -- FILE');
  });
});
