import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { copyOf, prepared, type Prepared } from './prepared-history.js';
import { load, pin, rssAnonMiB } from './processes.js';
import { say, tell } from './report.js';
import { toService } from './sale.js';
import { BenchService, OWNER } from './service-client.js';
import { round, slope, type Point } from './statistics.js';

/**
 * B8: the service's private memory when idle, and after it has built its read models from a large history. Also
 * measures the memory growth per minute on that history, while sales arrive and lists are read at a fixed rate.
 */
const EVENTS = options.sizes?.at(-1) ?? pick(1_000_000, 20_000);
const IDLE_SECONDS = pick(30, 5);
/**
 * Long enough for more sales than the largest cache can hold (50,000 stream heads), so that bounded structures reach
 * their final size.
 */
const WARM_SECONDS = pick(260, 5);
const WARM_SALES_PER_SECOND = 220;
const SOAK_SECONDS = pick(600, 40);
const SALES_PER_SECOND = 100;
const READ_EVERY_MS = 200;
const SAMPLE_EVERY_MS = 1_000;
/**
 * A slope up to this value is considered flat. The value equals 18 MiB per hour. Garbage collection alone causes larger
 * steps.
 */
const FLAT_MIB_A_MINUTE = 0.3;
const TOKEN_MS = 5 * 60_000;
const PATHS = ['/api/customers?pageNumber=1&pageSize=20', '/api/transactions?pageNumber=1&pageSize=20'];

async function idleMiB(): Promise<number> {
  const service = await BenchService.start();
  await sleep(IDLE_SECONDS * 1_000);
  const memory = await rssAnonMiB(service.pid);
  await service.stop();
  return memory;
}

async function readLists(service: BenchService, signal: AbortSignal): Promise<number> {
  const reader = new ApiClient(service.url);
  let errors = 0;
  let signedInMs = Number.NEGATIVE_INFINITY;
  for (let n = 0; !signal.aborted; n += 1) {
    if (performance.now() - signedInMs > TOKEN_MS) {
      await reader.signIn(OWNER);
      signedInMs = performance.now();
    }
    const { status } = await reader.ask('GET', PATHS[n % PATHS.length] ?? '');
    if (status !== 200) errors += 1;
    await sleep(READ_EVERY_MS);
  }
  reader.close();
  return errors;
}

async function sample(pid: number, seconds: number): Promise<Point[]> {
  const points: Point[] = [];
  const startedMs = performance.now();
  for (let at = 0; at < seconds * 1_000; at = performance.now() - startedMs) {
    points.push({ x: at / 60_000, y: await rssAnonMiB(pid) });
    await sleep(SAMPLE_EVERY_MS);
  }
  return points;
}

async function soak(history: Prepared): Promise<Measurement> {
  const directory = await copyOf(history);
  const service = await BenchService.start({ directory });
  const plan = { ...toService(history.books.key), connections: 8, rate: SALES_PER_SECOND };
  const warm = { ...plan, prefix: 'warm', seconds: WARM_SECONDS, rate: WARM_SALES_PER_SECOND };
  const warming = await load(service, warm);
  const stop = new AbortController();
  const reading = readLists(service, stop.signal);
  const loading = load(service, { ...plan, prefix: 'soak', seconds: SOAK_SECONDS });
  const points = await sample(service.pid, SOAK_SECONDS);
  stop.abort();
  const [refused, sales] = [await reading, await loading];
  await service.stop();
  await rm(directory, { recursive: true, force: true });
  const memory = points.map(({ y }) => y);
  say(`soak: ${points.length} samples, ${Math.min(...memory)} to ${Math.max(...memory)} MiB`);
  return {
    ...{
      figure: 'B8',
      name: 'memory, growth under load',
      unit: 'MiB/min',
      runs: [round(slope(points))],
      events: EVENTS,
    },
    operations: warming.requests + sales.requests,
    errors: warming.errors + sales.errors + refused,
    concurrency: plan.connections,
    goal: { of: 'value', atMost: FLAT_MIB_A_MINUTE },
    notes: [
      `Least squares over ${SOAK_SECONDS} s, one sample per second, with ${SALES_PER_SECOND} sales and 5 lists per second, after ${warming.requests} sales that filled the caches. Up to ${FLAT_MIB_A_MINUTE} MiB per minute is considered flat.`,
    ],
    details: {
      firstMiB: memory[0],
      lastMiB: memory.at(-1),
      leastMiB: Math.min(...memory),
      mostMiB: Math.max(...memory),
    },
  };
}

pin('load', process.pid);
const idle: number[] = [];
for (let n = 0; n < options.runs; n += 1) idle.push(await idleMiB());
say(`idle: ${idle.join(' ')} MiB`);
const history = await prepared(EVENTS);
const { filling } = history;
const shared = { figure: 'B8', unit: 'MiB', errors: 0, concurrency: 1 } as const;
tell([
  {
    ...{ ...shared, name: 'memory, idle', runs: idle, operations: idle.length, goal: { of: 'value', atMost: 80 } },
    notes: [`RssAnon, ${IDLE_SECONDS} s after the start on an empty folder.`],
  },
  {
    ...{ ...shared, name: 'memory, after a history', runs: [filling.afterMiB], operations: EVENTS, events: EVENTS },
    goal: { of: 'value', atMost: 200 },
    notes: ['RssAnon of a service 10 s after it has built its read models from the history.'],
    details: { mostMiB: filling.mostMiB, fillingSeconds: filling.seconds },
  },
  await soak(history),
]);
