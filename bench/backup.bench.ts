import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { hashOf } from '../test/support/rebuilt-table.js';
import { ApiClient } from './api-client.js';
import type { Measurement } from './figure.js';
import { fillHistory } from './history-store.js';
import { HostedService } from './hosted-service.js';
import { folder, options, pick } from './options.js';
import { load } from './processes.js';
import { rebuild } from './rebuilding.js';
import { say, tell } from './report.js';
import { contentOf, restore } from './restoring.js';
import { toService } from './sale.js';
import { createBooks, OPERATOR } from './service-client.js';
import { round } from './statistics.js';

/**
 * This benchmark has no goal. It measures the backup of a large history while sales arrive, the verification of the
 * backup, and the restore into another embedded store. It compares both histories and all of their read models. It also
 * measures a rebuild of all read models while the service handles requests. The jobs run in the worker threads of the
 * compiled service.
 */
const EVENTS = options.sizes?.[0] ?? pick(1_000_000, 4_000);
const SALES_PER_SECOND = pick(50, 10);
const QUIET_SECONDS = pick(20, 3);
const JOB_SECONDS = pick(120, 6);
const CONNECTIONS = 4;
const clock = new SystemClock();

type Row = {
  readonly name: string;
  readonly rebuild: object | null;
  readonly lastRebuild: { readonly status: string; readonly changedDocuments: number | null } | null;
};

/**
 * Requests rebuilds of all read models at the same time, and polls the projection list until all rebuilds are complete.
 */
async function rebuildAll(operator: ApiClient) {
  const path = '/api/platform/projections';
  const list = async () => (await operator.json<{ data: Row[] }>('GET', path)).data;
  await operator.signIn(OPERATOR);
  const names = (await list()).map(({ name }) => name);
  const startedMs = performance.now();
  const seconds: Record<string, number> = {};
  for (const name of names) await operator.json('POST', `${path}/${name}/rebuild`);
  for (let signedInMs = startedMs; ;) {
    await sleep(250);
    if (performance.now() - signedInMs > 300_000) {
      await operator.signIn(OPERATOR);
      signedInMs = performance.now();
    }
    const done = (await list()).filter(({ rebuild, lastRebuild }) => rebuild === null && lastRebuild !== null);
    const nowSeconds = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
    for (const { name } of done) seconds[name] ??= nowSeconds;
    if (done.length < names.length) continue;
    return { models: names.length, seconds: nowSeconds, ...outcomeOf(done), endedAfter: seconds };
  }
}

const outcomeOf = (done: readonly Row[]) => ({
  changedDocuments: done.reduce((sum, { lastRebuild }) => sum + (lastRebuild?.changedDocuments ?? 0), 0),
  failed: done.filter(({ lastRebuild }) => lastRebuild?.status !== 'DONE').length,
});

type Sales = { readonly requests: number; readonly errors: number; readonly p50Ms: number; readonly p99Ms: number };
type Job = {
  readonly seconds: number;
  readonly rssAnonMiB: number;
  readonly loop: object;
  readonly sales: Sales;
  readonly outcome: { readonly message: string; readonly artifact: { readonly fileName: string } };
};

/** Runs `work` while sales arrive. */
async function withSales<T>(service: HostedService, key: string, name: string, work: () => Promise<T>) {
  const seconds = name === 'quiet' ? QUIET_SECONDS : JOB_SECONDS;
  const plan = { ...toService(key), connections: CONNECTIONS, rate: SALES_PER_SECOND, prefix: name, seconds };
  const coming = load(service, plan);
  const done = await work();
  const { requests, errors, p50Ms, p99Ms } = await coming;
  say(`${name}: ${JSON.stringify(done)}`);
  return { ...done, sales: { requests, errors, p50Ms, p99Ms } };
}

/** Runs the jobs while sales arrive, and then runs a final backup without sales. */
async function serve(directory: string) {
  // Creates the key first, because raising its limit requires up-to-date read models.
  const empty = await HostedService.start('backup-service.mjs', directory);
  const { key } = await createBooks(empty.operator, new ApiClient(empty.url));
  await empty.stop();
  await fillHistory(directory, { events: EVENTS, seed: options.seed }, clock);
  // Rebuilds the read models from the history, as the service does after a restore.
  for (const ending of ['', '-wal', '-shm']) await rm(join(directory, `models.sqlite${ending}`), { force: true });
  const startedMs = performance.now();
  const service = await HostedService.start('backup-service.mjs', directory);
  const { rssAnonMiB } = await service.carryOut<Job>('settle');
  const filled = { seconds: (performance.now() - startedMs) / 1_000, rssAnonMiB };
  const job = (name: string, line = name) => withSales(service, key, name, () => service.carryOut<Job>(line));
  const quiet = await job('quiet', `watch ${QUIET_SECONDS}`);
  const rebuilt = await withSales(service, key, 'rebuild', () => rebuildAll(service.operator));
  const backup = await job('database-backup');
  const verified = await job('projection-verify');
  const { outcome } = await service.carryOut<Job>('database-backup');
  await service.stop();
  return { filled, quiet, rebuilt, backup, verified, fileName: outcome.artifact.fileName };
}

/** Returns the differences between two stores. Only an incorrect restore causes differences. */
async function differences(directories: readonly string[]): Promise<string[]> {
  const stores = directories.map((directory) => EmbeddedEventStore.open({ directory, clock }));
  // Excludes events that the service appends on shutdown, which are not in the backup. Positions in both stores match,
  // because the stores contain only the service's events.
  const upTo = Math.min(...(await Promise.all(stores.map((store) => store.head()))));
  const reads = await EmbeddedReadStore.open({ directory: join(place, 'models'), mode: 'readwrite' });
  const found: Map<string, string>[] = [];
  for (const [index, store] of stores.entries()) {
    const { tables } = await rebuild(store, reads, { upTo, generation: index + 1 });
    const hashes = new Map([['history', await contentOf(store, upTo)]]);
    for (const table of tables) hashes.set(table.model.name, await hashOf(reads, table));
    found.push(hashes);
  }
  await Promise.all([reads.close(), ...stores.map((store) => store.close())]);
  return [...(found[0] ?? [])].filter(([name, hash]) => found[1]?.get(name) !== hash).map(([name]) => name);
}

const place = await mkdtemp(join(folder, 'backup-'));
const [original, copy] = [join(place, 'original'), join(place, 'copy')];
await mkdir(copy, { recursive: true });
const { filled, quiet, rebuilt, backup, verified, fileName } = await serve(original);
const file = join(original, 'backups', fileName);
const verifySeconds = await restore([file, '--verify-only'], copy);
const restoreSeconds = await restore([file], copy);
const different = await differences([original, copy]);
const { size } = await stat(join(original, 'history.sqlite'));
await rm(place, { recursive: true, force: true });

const measurementOf = (name: string, seconds: number, errors = 0, details: object = {}): Measurement => ({
  ...{ figure: 'backup', name, unit: 'events/s', runs: [round(EVENTS / seconds)], operations: EVENTS, errors },
  ...{ concurrency: CONNECTIONS, events: EVENTS, details: { seconds: round(seconds), ...details } },
});
tell([
  measurementOf('empty read models filled', filled.seconds, 0, { rssAnonMiB: filled.rssAnonMiB }),
  measurementOf('all read models rebuilt, with sales', rebuilt.seconds, rebuilt.sales.errors + rebuilt.failed, rebuilt),
  measurementOf('backup, with sales', backup.seconds, backup.sales.errors, { ...backup, withoutJob: quiet }),
  measurementOf('read models verified, with sales', verified.seconds, verified.sales.errors, verified),
  measurementOf('backup verified', verifySeconds),
  measurementOf('restored', restoreSeconds, different.length, { different, historyBytes: size }),
]);
