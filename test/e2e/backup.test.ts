import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobOutcome } from '../../src/jobs/job.js';
import { linesOf, writeLines } from '../support/backups.js';
import {
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  postSale,
  ROOT,
  SaleLoad,
  statusOf,
  trialBalance,
  until,
  withDirectory,
} from './kontor-process.js';

type Ended = {
  readonly outcome?: JobOutcome;
  readonly failed?: string;
  readonly told: readonly (readonly [number, string])[];
  readonly heldUpMs?: number;
};
type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

type Running = { readonly ended: Promise<Ran>; readonly stop: () => void };

function start(args: readonly string[], directory: string, settings: object = {}): Running {
  const [program = '', ...rest] = args;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', SEED_DEMO: 'false', DATA_DIR: directory, ...settings };
  const child = spawn(program, rest, { cwd: ROOT, env, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr }));
  return { ended, stop: () => child.stdin.write('stop\n') };
}

const NODE = process.execPath;
const JOB = 'test/support/history-job.mjs';
const restore = (directory: string, ...args: readonly string[]): Promise<Ran> =>
  start([NODE, 'dist/restore.js', ...args], directory).ended;
const endOf = async ({ ended }: Running): Promise<Ended> => {
  const { stdout, stderr } = await ended;
  if (!stdout.startsWith('{')) throw new Error(`The job said nothing: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Ended;
};
const run = (name: string, directory: string): Promise<Ended> => endOf(start([NODE, JOB, name], directory));
const fileOf = (directory: string, { outcome, failed }: Ended): string => {
  if (!outcome?.artifact) throw new Error(failed);
  return join(directory, 'backups', outcome.artifact.fileName);
};

test('A backup made while sales arrive is restored elsewhere, and the ledger continues', async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    const load = new SaleLoad(url, books, 'before', 4, 100);
    await until(
      () => Promise.resolve(load.accepted.length),
      (count) => count > 60,
    );
    const early = [...load.accepted];

    const during = await run('database-backup', directory);
    const { outcome: verified, failed } = await run('projection-verify', directory);
    expect(failed ?? verified?.message).toMatch(/All compared documents match the history\.$/);
    await load.stop();
    expect(load.refused).toEqual([]);
    for (const externalId of load.accepted)
      await until(
        () => statusOf(url, books, externalId),
        (status) => status === 'BOOKED',
      );
    const after = await run('database-backup', directory);
    const balance = await trialBalance(url, books);
    const booked = await invoices(url, books);

    const refused = await restore(directory, fileOf(directory, after));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/history\.lock is locked: process \d+ already writes/);
    await kontor.stopCleanly();

    await withDirectory(async (partial) => {
      expect(await restore(partial, fileOf(directory, during))).toMatchObject({ code: 0, stderr: '' });
      await copyFile(join(directory, 'signing-key.json'), join(partial, 'signing-key.json'));
      const copy = await KontorProcess.ready(partial, PLAIN);
      const found = await until(
        () => copy.url().then((at) => invoices(at, books)),
        (all) => early.every((id) => all.includes(id)),
      );
      expect(new Set(found).size).toBe(found.length);
      await copy.stopCleanly();
    });

    await withDirectory(async (whole) => {
      const { code, stdout } = await restore(whole, fileOf(directory, after));
      expect([code, stdout]).toEqual([0, expect.stringMatching(/is complete: \d+ events[^]*\d+ events restored in/)]);
      expect((await stat(join(whole, 'history.sqlite'))).mode & 0o077).toBe(0);
      await copyFile(join(directory, 'signing-key.json'), join(whole, 'signing-key.json'));
      const copy = await KontorProcess.ready(whole, PLAIN);
      const at = await copy.url();
      // Waits until the copy's read models are rebuilt.
      const isSame = (found: unknown): boolean => JSON.stringify(found) === JSON.stringify(balance);
      await until(() => trialBalance(at, books).catch(() => undefined), isSame);
      expect(await invoices(at, books)).toEqual(booked);
      expect((await postSale(at, books, early[0] ?? '')).replayed).toBe('true');
      expect((await postSale(at, books, 'new')).status).toBe(202);
      await until(
        () => statusOf(at, books, 'new'),
        (status) => status === 'BOOKED',
      );
      // The only warning states that the restored service does not republish messages automatically.
      expect(copy.complaints()).toEqual([
        expect.objectContaining({ msg: expect.stringMatching(/until it is resumed$/) as string }),
      ]);
      await copy.stopCleanly();
      const again = await restore(whole, fileOf(directory, after));
      expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/The event store is not empty/)]);

      // The read models of the previous history are left untouched. The service builds new read models for the restored
      // history.
      for (const ending of ['', '-wal', '-shm']) await rm(join(whole, `history.sqlite${ending}`), { force: true });
      expect(await restore(whole, fileOf(directory, after))).toMatchObject({ code: 0, stderr: '' });
      const anew = await KontorProcess.ready(whole, PLAIN);
      const url = await anew.url();
      await until(() => trialBalance(url, books).catch(() => undefined), isSame);
      expect(await invoices(url, books)).toEqual(booked);
      const warned = anew.stdout
        .split('\n')
        .filter((line) => line.includes('the read models do not belong to the event'));
      expect(warned).toHaveLength(1);
      await anew.stopCleanly();
    });
  });
});

describe('An offline history', () => {
  let history: string;
  beforeAll(async () => {
    history = await mkdtemp(join(tmpdir(), 'kontor-history-'));
    const kontor = await KontorProcess.ready(history, PLAIN);
    const url = await kontor.url();
    const load = new SaleLoad(url, await openBooks(url), 'sale', 8);
    await until(
      () => Promise.resolve(load.accepted.length),
      (count) => count > 150,
    );
    await load.stop();
    await kontor.stopCleanly();
  });
  afterAll(() => rm(history, { recursive: true, force: true }));

  const withHistory = (use: (directory: string) => Promise<void>): Promise<void> =>
    withDirectory(async (directory) => {
      await cp(history, directory, { recursive: true });
      await use(directory);
    });

  test('is backed up in a separate thread; an aborted or failed run leaves no file', async () => {
    await withHistory(async (directory) => {
      const { outcome, heldUpMs = 0 } = await run('database-backup', directory);
      expect(outcome?.message).toMatch(/^\d+ events, \d+ bytes\.$/);
      expect(heldUpMs).toBeLessThan(1_000);
      const kept = await readdir(join(directory, 'backups'));

      const stopped = start([NODE, JOB, 'database-backup'], directory);
      stopped.stop();
      const { failed, outcome: finished } = await endOf(stopped);
      expect(failed ?? finished).toBe('the process stops');
      expect(await readdir(join(directory, 'backups'))).toEqual(kept);

      if (process.platform !== 'linux') return;
      const limit = ['prlimit', '--fsize=40000', NODE];
      const full = await endOf(start([...limit, JOB, 'database-backup'], directory));
      expect(full.failed).toMatch(/^The backup cannot be written to .*backups: there is not enough space \(EFBIG\)\.$/);
      expect(await readdir(join(directory, 'backups'))).toEqual(kept);
    });
  });

  test('can be verified without writing, and damage is reported by line', async () => {
    await withHistory(async (directory) => {
      const path = fileOf(directory, await run('database-backup', directory));
      const elsewhere = join(directory, 'elsewhere');
      await mkdir(elsewhere);
      expect(await restore(elsewhere, path, '--verify-only')).toMatchObject({ code: 0, stderr: '' });
      const lines = await linesOf(path);
      const damaged = join(directory, 'damaged.ndjson.gz');
      await writeLines(damaged, lines.toSpliced(20, 1));
      for (const options of [['--verify-only'], []]) {
        const { code, stderr } = await restore(elsewhere, damaged, ...options);
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^Line 21: /)]);
      }
      expect(await readdir(elsewhere)).toEqual([]);
      for (const wrong of [[], ['--unknown', path], [path, path], [join(directory, 'nowhere')]]) {
        const { code, stderr } = await restore(elsewhere, ...wrong);
        expect([wrong, code, stderr]).toEqual([wrong, 1, expect.not.stringContaining('    at ')]);
      }
    });
  });

  test('partially restored by a killed process is completed by --resume', async () => {
    await withHistory(async (directory) => {
      const path = fileOf(directory, await run('database-backup', directory));
      const elsewhere = join(directory, 'elsewhere');
      await mkdir(elsewhere);
      const lines = await linesOf(path);
      const half = spawn(NODE, [join('test', 'support', 'restore-half.mjs'), path, elsewhere], { cwd: ROOT });
      await once(half, 'close');
      const started = await start([NODE, 'dist/main.js'], elsewhere, { ...PLAIN, PORT: '0' }).ended;
      expect([started.code, started.stderr]).toEqual([1, expect.stringMatching(/^A restore into .* --resume/)]);
      const refused = await restore(elsewhere, path);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/not empty[^]*--resume/)]);
      const { code, stdout } = await restore(elsewhere, path, '--resume');
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/\d+ events restored[^]* \d+ of the backup's events already existed/),
      ]);
      const [, written = '', found = ''] = /(\d+) events restored.* (\d+) of the backup/.exec(stdout) ?? [];
      expect(Number(written) + Number(found)).toBe(lines.length - 2);
    });
  });
});
