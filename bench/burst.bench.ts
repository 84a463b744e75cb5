import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import type { LoadResult } from './load.js';
import { options, pick } from './options.js';
import { load, pin } from './processes.js';
import { say, tell } from './report.js';
import { toService } from './sale.js';
import { BenchService } from './service-client.js';
import { round } from './statistics.js';

/**
 * B1c, B1d and B1e: the cost of a burst of sales at full speed, until every sale is booked, projected and forwarded.
 * Measures the CPU time of all threads, the time to catch up after the burst, and the disk space used.
 */
const SECONDS = pick(30, 4);
/** Clock ticks of `/proc/<pid>/stat` per second (USER_HZ). */
const TICKS_PER_SECOND = 100;
const IS_NODE_24 = Number(process.versions.node.split('.')[0]) >= 24;

type Run = {
  readonly done: LoadResult;
  readonly drainMs: number;
  readonly cpuUs: number;
  readonly bytes: number;
};

/** CPU time, in seconds, used by all threads of a process, including threads that have ended. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function measure(): Promise<Run> {
  const service = await BenchService.start();
  const plan = { ...toService((await service.createTenant()).key), connections: CONNECTIONS };
  await load(service, { ...plan, prefix: 'warm', seconds: pick(5, 2) });
  await service.settled();
  const before = { cpu: await cpuSeconds(service.pid), bytes: await bytesIn(service.directory) };
  const done = await load(service, { ...plan, prefix: 'burst', seconds: SECONDS });
  const endedMs = performance.now();
  await service.settled();
  const drainMs = performance.now() - endedMs;
  const cpuUs = ((await cpuSeconds(service.pid)) - before.cpu) * 1e6;
  const bytes = (await bytesIn(service.directory)) - before.bytes;
  await service.stop();
  const run = { done, drainMs, cpuUs: cpuUs / done.requests, bytes: bytes / done.requests };
  say(
    `${round(done.perSecond)}/s accepted, done ${round(drainMs)} ms later; a sale: ${round(run.cpuUs)} µs, ${round(run.bytes)} bytes`,
  );
  return run;
}

pin('load', process.pid);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());

const shared = {
  operations: runs.reduce((sum, { done }) => sum + done.requests, 0),
  errors: runs.reduce((sum, { done }) => sum + done.errors, 0),
  concurrency: CONNECTIONS,
};
const measurementOf = (figure: string, name: string, unit: string, of: (run: Run) => number, atMost: number) => ({
  ...{ figure, name, unit, ...shared, runs: runs.map(of) },
  goal: { of: 'value', atMost } as const,
});
const figures: Measurement[] = [
  {
    ...measurementOf('B1c', 'CPU per sale, all threads', 'µs', ({ cpuUs }) => cpuUs, IS_NODE_24 ? 400 : 550),
    details: { acceptedPerSecond: runs.map(({ done }) => round(done.perSecond)) },
  },
  measurementOf('B1d', `until done after a burst of ${SECONDS} s`, 'ms', ({ drainMs }) => drainMs, 2_000),
  measurementOf('B1e', 'disk per sale', 'bytes', ({ bytes }) => bytes, 6_000),
];
tell(figures);
