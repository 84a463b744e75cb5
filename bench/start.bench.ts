import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/server-process.js';
import { CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { prepared } from './prepared-history.js';
import { end, load, pin, start } from './processes.js';
import { say, tell } from './report.js';
import { toService } from './sale.js';
import { BenchService, environmentOf, SERVICE } from './service-client.js';
import { round } from './statistics.js';

/**
 * B7: time from the start of the process until `/readyz` returns 200. Measured with an empty folder, after a kill with
 * a large history and complete read models, and after a kill during sales at full speed. Baseline: a Nest application
 * that does nothing.
 */
const STARTS = options.runs * pick(3, 1);
const SIZES = options.sizes ?? [pick(1_000_000, 20_000)];
const LOAD_SECONDS = pick(16, 6);
const NEST = new URL('./bare-nest.mjs', import.meta.url).pathname;
const LOOK_EVERY_MS = 5;
const GIVES_UP_MS = 120_000;

/** Status of the response to one request. Undefined if no process is listening. */
const ask = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /readyz HTTP/1.1\r\nHost: bench\r\n\r\n'));
    socket.on('data', (chunk) => {
      socket.destroy();
      resolve(Number(chunk.toString('latin1', 9, 12)));
    });
    socket.on('error', () => {
      resolve(undefined);
    });
    socket.on('close', () => {
      resolve(undefined);
    });
  });

async function secondsToReady(args: (port: number) => readonly string[], env: (port: number) => NodeJS.ProcessEnv) {
  const port = await freePort();
  const startedMs = performance.now();
  const child = start('measured', [process.execPath, ...args(port)], {
    ...{ env: { ...process.env, ...env(port) }, stdio: ['ignore', 'ignore', 'inherit'] },
  });
  while ((await ask(port)) !== 200) {
    if (performance.now() - startedMs > GIVES_UP_MS || child.exitCode !== null)
      throw new Error('The service did not become ready');
    await sleep(LOOK_EVERY_MS);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  // Simulates a crash. The next start must recover automatically.
  await end(child, 'SIGKILL');
  return seconds;
}

const service = (directory: string) =>
  secondsToReady(
    () => SERVICE,
    (port) => ({ ...environmentOf(directory), PORT: String(port) }),
  );

async function onEmptyFolder(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  const seconds = await service(directory);
  await rm(directory, { recursive: true, force: true });
  return seconds;
}

/** Starts on the folder of a service that was killed while it accepted sales at full speed. */
async function afterKillUnderLoad(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  const loaded = await BenchService.start({ directory });
  const plan = { ...toService((await loaded.createTenant()).key), connections: CONNECTIONS, prefix: 'kill' };
  const loading = load(loaded, { ...plan, seconds: LOAD_SECONDS });
  await sleep((LOAD_SECONDS * 1_000) / 2);
  process.kill(loaded.pid, 'SIGKILL');
  await loading;
  await loaded.stop();
  const seconds = await service(directory);
  await rm(directory, { recursive: true, force: true });
  return seconds;
}

async function times(what: string, measure: () => Promise<number>): Promise<number[]> {
  const runs: number[] = [];
  for (let n = 0; n < STARTS; n += 1) runs.push(await measure());
  say(`${what}: ${runs.map((run) => round(run, 3)).join(' ')} s`);
  return runs;
}

pin('load', process.pid);
const nest = await times('a bare Nest start', () =>
  secondsToReady(
    (port) => [NEST, String(port)],
    () => ({}),
  ),
);
const measurementOf = (name: string, runs: readonly number[], atMost: number): Measurement => ({
  ...{ figure: 'B7', name, unit: 's', runs, operations: runs.length, errors: 0, concurrency: 1 },
  against: { name: 'a bare Nest start', unit: 's', runs: nest },
  goal: { of: 'value', atMost },
});

const figures = [measurementOf('cold start to ready, empty', await times('empty', onEmptyFolder), 0.8)];
for (const events of SIZES) {
  const { directory } = await prepared(events);
  const runs = await times(`${events} events`, () => service(directory));
  figures.push({ ...measurementOf('cold start to ready, with a history', runs, 0.8), events });
}
const killed = await times('killed under load', afterKillUnderLoad);
figures.push(measurementOf('start to ready, after a kill under full load', killed, 1.5));
tell(figures);
