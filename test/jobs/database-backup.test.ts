import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { readConfig } from '../../src/config.js';
import { historyJobs } from '../../src/app/history-jobs.js';
import type { Job, JobOutcome, JobRun } from '../../src/jobs/job.js';
import { rebuild, hashOf } from '../support/rebuilt-table.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import type { Clock } from '../../src/ports/time.js';
import { catalogue } from '../../src/app/catalogue.js';
import { projections } from '../../src/projections/projections.js';
import { contentOf, linesOf, restored, unchained, verified } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { writeHistory } from '../support/history.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let made = 0;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  await writeHistory(service, books, { seed: 11, sales: 25 });
});
afterAll(() => service.close());

const folder = (): string => join(service.directory, 'backups');
const files = async (): Promise<string[]> => (await readdir(folder())).toSorted();

/** File names contain the start time in seconds, so each run must start in a different second. */
let nowMs = Date.UTC(2026, 0, 1);
function job(settings: Readonly<Record<string, string>> = {}): Job {
  const environment = { DATA_DIR: service.directory, SUBSCRIBERS: 'inline', ...settings };
  const madeAtMs = (nowMs += 1_000);
  const { events, history, reads } = service.service.engines;
  const clock: Clock = Object.assign(new SystemClock(), { nowMs: () => madeAtMs });
  const [backup] = historyJobs(readConfig(environment), { events, history, reads, clock });
  if (!backup) throw new Error('There is no job');
  return backup;
}

const PATIENCE_MS = 20_000;
const runOf = (run: Partial<JobRun> = {}): JobRun => ({
  executionId: randomUUID(),
  parameters: {},
  signal: new AbortController().signal,
  report: () => undefined,
  checkpoint: undefined,
  save: () => Promise.resolve(),
  ...run,
});

test('The job runs every night and takes no parameters', () => {
  const { name, schedule, parameters } = job();
  expect([name, schedule]).toEqual(['database-backup', '15 2 * * *']);
  expect(parameters.safeParse({}).success).toBe(true);
  expect(parameters.safeParse({ path: '/etc' }).success).toBe(false);
});

test('A backup contains the whole history and describes itself', async () => {
  const run = runOf();
  const { artifact, message } = await job().run(run);
  const path = join(folder(), artifact?.fileName ?? '');
  const { manifest, trailer } = await verified(path);
  const all = await contentOf(service.service.engines.events);
  expect(message).toBe(`${all.length} events, ${artifact?.sizeBytes ?? 0} bytes.`);
  expect(trailer.count).toBe(all.length);
  expect(manifest).toMatchObject({ format: 'kontor-backup', version: 1, executionId: run.executionId });
  const bytes = await readFile(path);
  expect(artifact).toEqual({
    fileName: expect.stringMatching(new RegExp(`^kontor-\\d{8}T\\d{6}Z-${run.executionId}\\.ndjson\\.gz$`)) as string,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(await readFile(`${path}.sha256`, 'utf8')).toBe(`${artifact?.sha256 ?? ''}  ${artifact?.fileName ?? ''}\n`);
});

test('Only the account of the service can read it: it contains password hashes, but no password', async () => {
  const { artifact } = await job().run(runOf());
  const path = join(folder(), artifact?.fileName ?? '');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(`${path}.sha256`)).mode & 0o777).toBe(0o600);
  const text = (await linesOf(path)).join('\n');
  expect(text).toContain('$argon2id$');
  expect(text).not.toContain(PASSWORD);
  expect(text).not.toContain(books.partner.key.split('.').at(-1));
});

test('During sales it contains the history up to its start, and restores to the same read models', async () => {
  const { events } = service.service.engines;
  const over = new AbortController();
  const selling = (async () => {
    for (let n = 0; !over.signal.aborted; n += 1) await service.postSale(books.partner, saleOf(`during-${n}`));
  })();
  const head = await events.head();
  let artifact: JobOutcome['artifact'];
  try {
    ({ artifact } = await job().run(runOf()));
    const { manifest } = await verified(join(folder(), artifact?.fileName ?? ''));
    // Waits for a sale after the backup has started. Otherwise, a fast backup on a slow disk could end before the first
    // sale.
    await eventually(async () => (await events.head()) > manifest.upTo, PATIENCE_MS);
  } finally {
    over.abort();
    await selling;
  }
  const path = join(folder(), artifact?.fileName ?? '');
  const { manifest, trailer } = await verified(path);
  expect(manifest.upTo).toBeGreaterThanOrEqual(head);
  const all = await contentOf(events);
  const held = unchained(await linesOf(path)).slice(1, -1);
  expect(held).toHaveLength(trailer.count);
  expect(held).toMatchObject(all.slice(0, trailer.count));
  expect(all.length).toBeGreaterThan(trailer.count);

  const directory = join(service.directory, `copy-${(made += 1)}`);
  const store = EmbeddedEventStore.open({ directory, clock: service.clock });
  const reads = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  await restored(path, store);
  for (const projection of projections) {
    const { model } = projection;
    const hashes: string[] = [];
    for (const [generation, history] of [store, events].entries()) {
      await rebuild(history, reads, catalogue, projection, generation + 1, trailer.lastPosition);
      hashes.push(await hashOf(reads, { model, generation: generation + 1 }));
    }
    expect([model.name, hashes[0]]).toEqual([model.name, hashes[1]]);
  }
  await Promise.all([store.close(), reads.close()]);
});

test('It reports its progress', async () => {
  const told: number[] = [];
  await job().run(runOf({ report: (progress) => told.push(progress) }));
  expect(told.length).toBeGreaterThan(2);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect(told.every((progress) => progress >= 0 && progress < 100)).toBe(true);
});

test('After a success the oldest backups beyond the limit are removed with their digests, and nothing else', async () => {
  await rm(folder(), { recursive: true, force: true });
  await mkdir(folder());
  const others = ['notes.txt', 'kontor-by-hand.ndjson.gz', 'kontor-20200101T000000Z-old.ndjson.gz'];
  for (const name of others) await writeFile(join(folder(), name), 'mine');
  const outcomes: JobOutcome[] = [];
  for (let n = 0; n < 4; n += 1) outcomes.push(await job({ BACKUPS_KEPT: '2' }).run(runOf()));
  expect(outcomes.at(-1)?.message).toMatch(/Old backups removed: 1\.$/);
  const kept = outcomes.slice(-2).map(({ artifact }) => artifact?.fileName ?? '');
  expect(await files()).toEqual([...others, ...kept, ...kept.map((name) => `${name}.sha256`)].toSorted());
});

test('An old backup that cannot be removed is reported, and neither loses the new one nor keeps the others', async () => {
  await rm(folder(), { recursive: true, force: true });
  // A folder, which the service does not remove.
  const stuck = `kontor-20200101T000000Z-${randomUUID()}.ndjson.gz`;
  await mkdir(join(folder(), stuck), { recursive: true });
  const outcomes: JobOutcome[] = [];
  for (let n = 0; n < 2; n += 1) outcomes.push(await job({ BACKUPS_KEPT: '1' }).run(runOf()));
  expect(outcomes.at(-1)?.message).toMatch(/Old backups removed: 1\. Old backups that could not be removed: 1\.$/);
  const newest = outcomes.at(-1)?.artifact?.fileName ?? '';
  expect(await files()).toEqual([stuck, newest, `${newest}.sha256`].toSorted());
});

test('A backup is not removed even if older ones have a later time in their names', async () => {
  await rm(folder(), { recursive: true, force: true });
  await mkdir(folder());
  const later = `kontor-21000101T000000Z-${randomUUID()}.ndjson.gz`;
  await writeFile(join(folder(), later), 'later');
  const { artifact } = await job({ BACKUPS_KEPT: '1' }).run(runOf());
  const newest = artifact?.fileName ?? '';
  expect(await files()).toEqual([newest, `${newest}.sha256`]);
});

test('An aborted run leaves no file', async () => {
  await rm(folder(), { recursive: true, force: true });
  const stop = new AbortController();
  const running = job().run(
    runOf({
      signal: stop.signal,
      report: () => {
        stop.abort(new Error('the process stops'));
      },
    }),
  );
  await expect(running).rejects.toThrow('the process stops');
  expect(await files()).toEqual([]);
});

test('Files left by a crash are removed by the next run', async () => {
  await rm(folder(), { recursive: true, force: true });
  await mkdir(folder());
  const name = `kontor-20260101T000000Z-${randomUUID()}.ndjson.gz`;
  await writeFile(join(folder(), `${name}.partial`), 'half');
  await writeFile(join(folder(), `${name}.sha256`), 'digest of what never got its name');
  const { artifact } = await job().run(runOf());
  expect(await files()).toEqual([artifact?.fileName, `${artifact?.fileName ?? ''}.sha256`]);
});

test('An unwritable folder fails the run with the reason', async () => {
  const blocked = join(service.directory, 'blocked');
  await writeFile(blocked, '');
  const running = job({ BACKUP_DIR: join(blocked, 'backups') }).run(runOf());
  await expect(running).rejects.toThrow('The backup cannot be written to');
  await expect(running).rejects.toThrow(/cannot be written to .*blocked.*: part of the path is not a directory/);
});

test('Of two overlapping runs the earlier one fails, and the later one is complete', async () => {
  await rm(folder(), { recursive: true, force: true });
  const second: Promise<JobOutcome>[] = [];
  const first = job().run(
    runOf({
      report: () => {
        if (second.length === 0) second.push(job().run(runOf()));
      },
    }),
  );
  await expect(first).rejects.toThrow(/removed while it was being written/);
  const [outcome] = await Promise.all(second);
  await verified(join(folder(), outcome?.artifact?.fileName ?? ''));
  expect(await files()).toHaveLength(2);
});
