import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedEventReader } from '../src/adapters/embedded/event-store.reader.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { isKnown } from '../src/app/backup-command.js';
import { folder, options, pick } from './options.js';
import { copyOf, prepared } from './prepared-history.js';
import { say, tell } from './report.js';
import { contentOf, restore } from './restoring.js';
import { BenchService } from './service-client.js';
import { SharedServers } from './shared-servers.js';
import { round } from './statistics.js';

/**
 * This benchmark has no goal. It measures the time for which a service is unavailable while its history moves from the
 * embedded engines to the servers and back. This time includes the backup, the restore, and the start until all read
 * models are built. The servers run on the other core. The test servers replace EventStoreDB and MongoDB. The benchmark
 * also compares the history that has been moved back with the original.
 */
const EVENTS = options.sizes?.[0] ?? pick(100_000, 4_000);
const LOOK_EVERY_MS = 100;
const clock = new SystemClock();

type Env = Readonly<Record<string, string>>;
type Seconds = { readonly backup: number; readonly restore: number; readonly ready: number };

async function timed<T>(work: () => Promise<T>): Promise<{ readonly seconds: number; readonly done: T }> {
  const startedMs = performance.now();
  const done = await work();
  return { seconds: (performance.now() - startedMs) / 1_000, done };
}

/** Runs a service's backup job and returns the path of the backup file. */
async function backUp(service: BenchService): Promise<string> {
  type Made = { readonly data: { readonly executionLogId: string } };
  type Run = { readonly id: string; readonly status: string; readonly message: string };
  type Runs = { readonly items: readonly Run[] };
  const { operator, directory } = service;
  const { data: made } = await operator.json<Made>('POST', '/api/platform/jobs/trigger', {
    jobName: 'database-backup',
  });
  for (;;) {
    const { items } = await operator.json<Runs>('GET', '/api/platform/jobs/logs?pageNumber=1&pageSize=10');
    const run = items.find(({ id }) => id === made.executionLogId);
    if (run?.status === 'SUCCEEDED') break;
    if (run?.status === 'FAILED') throw new Error(`The backup failed: ${run.message}`);
    await sleep(LOOK_EVERY_MS);
  }
  const file = (await readdir(join(directory, 'backups'))).find((name) =>
    name.endsWith(`${made.executionLogId}.ndjson.gz`),
  );
  return join(directory, 'backups', file ?? '');
}

/** Stops a service and moves its history. Returns the service that continues on the moved history. */
async function move(from: BenchService, env: Env): Promise<{ readonly to: BenchService; readonly took: Seconds }> {
  const { seconds: backup, done: file } = await timed(() => backUp(from));
  await from.stop();
  const directory = await mkdtemp(join(folder, 'moved-'));
  const restored = await restore([file], directory, env);
  const { seconds: ready, done: to } = await timed(async () => {
    const service = await BenchService.start({ directory, env });
    await service.settled();
    return service;
  });
  const took = { backup: round(backup), restore: round(restored), ready: round(ready) };
  say(`${JSON.stringify(took)} for ${EVENTS} events`);
  return { to, took };
}

/** Hash of the first `count` events of known streams, in order. */
async function firstOf(directory: string, count: number): Promise<string> {
  const events = EmbeddedEventReader.open({ directory, clock });
  let left = count;
  const content = await contentOf(events, await events.head(), ({ stream }) => isKnown(stream) && left-- > 0);
  await events.close();
  if (left > 0) throw new Error(`${left} events are missing`);
  return content;
}

const original = await prepared(EVENTS);
const copy = await copyOf(original);
const before = await firstOf(copy, EVENTS);
const servers = await SharedServers.start();
const there = await move(await BenchService.start({ directory: copy }), servers.environment);
const back = await move(there.to, {});
const returned = back.to.directory;
await back.to.stop();
await servers.stop();
const isSame = before === (await firstOf(returned, EVENTS));
for (const directory of [copy, there.to.directory, returned]) await rm(directory, { recursive: true, force: true });

const figureOf = (name: string, took: Seconds) => ({
  ...{ figure: 'moving', name, unit: 's', events: EVENTS, concurrency: 1 },
  runs: [round(took.backup + took.restore + took.ready)],
  ...{ operations: EVENTS, errors: isSame ? 0 : 1, details: { ...took } },
});
tell([figureOf('move to the servers', there.took), figureOf('move to the embedded engines', back.took)]);
