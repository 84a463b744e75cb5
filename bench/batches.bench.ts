import { loadavg } from 'node:os';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { cpuMs, load, pin } from './processes.js';
import { say, tell } from './report.js';
import type { LoadResult } from './load.js';
import { SALE, SALES_PATH, toService } from './sale.js';
import { BenchService } from './service-client.js';
import { round } from './statistics.js';

/**
 * CPU time that the whole service uses per sale in a batch, relative to a sale sent on its own. A measurement ends when
 * all sales are completely processed. Runs with and without batches alternate on one service.
 */
const SIZE = 500;
const SECONDS = pick(10, 3);
const [ALONE_AT_ONCE, BATCHES_AT_ONCE] = [64, 4];

const batchOf = (name: string): string =>
  `{"sales":[${Array.from({ length: SIZE }, (_, n) => SALE.replace('{n}', `${name}-${n}`)).join(',')}]}`;

type Run = { readonly cpuUs: number; readonly perSecond: number; readonly sales: number; readonly errors: number };

type Sent = Pick<LoadResult, 'requests' | 'errors' | 'seconds'>;

/** Sends batches from this process, because a plan with batches is too long for the load generator's command line. */
async function sendBatches({ url }: BenchService, key: string, prefix: string): Promise<Sent> {
  const { headers = {} } = toService(key);
  let [requests, errors] = [0, 0];
  const beganMs = performance.now();
  const isOver = (): boolean => performance.now() - beganMs > SECONDS * 1_000;
  const send = async (): Promise<void> => {
    while (!isOver()) {
      requests += 1;
      const body = batchOf(`${prefix}-${requests}`);
      const answer = await fetch(new URL(`${SALES_PATH}/batch`, url), { method: 'POST', headers, body });
      const { items } = (await answer.json()) as { items: { status: number }[] };
      errors += items.filter(({ status }) => status !== 202).length;
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, send));
  return { requests, errors, seconds: (performance.now() - beganMs) / 1_000 };
}

async function measure(service: BenchService, prefix: string, key: string, isBatched: boolean): Promise<Run> {
  const plan = { ...toService(key), prefix, connections: ALONE_AT_ONCE, seconds: SECONDS };
  await service.settled();
  const before = await cpuMs(service.pid);
  const sent = isBatched ? await sendBatches(service, key, prefix) : await load(service, plan);
  await service.settled();
  const cpu = (await cpuMs(service.pid)) - before;
  const sales = sent.requests * (isBatched ? SIZE : 1);
  const done = { cpuUs: (cpu * 1_000) / sales, perSecond: sales / sent.seconds, sales, errors: sent.errors };
  const how = isBatched ? 'batches' : 'single';
  say(`${how}: ${round(done.cpuUs)} µs a sale, ${round(done.perSecond)}/s; load average ${round(loadavg()[0] ?? 0)}`);
  return done;
}

pin('load', process.pid);
const service = await BenchService.start();
const { key } = await service.createTenant();
const runs: { readonly single: Run; readonly batched: Run }[] = [];
for (const isBatched of [false, true]) await measure(service, `warm-${isBatched}`, key, isBatched);
for (let n = 0; n < options.runs; n += 1) {
  const single = await measure(service, `single-${n}`, key, false);
  const batched = await measure(service, `batched-${n}`, key, true);
  runs.push({ single, batched });
}
await service.stop();
const figure: Measurement = {
  ...{
    figure: 'batches',
    name: `CPU time per sale of a batch of ${SIZE}`,
    unit: 'µs',
    concurrency: BATCHES_AT_ONCE,
  },
  runs: runs.map(({ batched }) => batched.cpuUs),
  operations: runs.reduce((sum, { single, batched }) => sum + single.sales + batched.sales, 0),
  errors: runs.reduce((sum, { single, batched }) => sum + single.errors + batched.errors, 0),
  against: { name: 'a sale sent alone', unit: 'µs', runs: runs.map(({ single }) => single.cpuUs) },
  details: {
    perSecond: runs.map(({ batched }) => round(batched.perSecond)),
    singlePerSecond: runs.map(({ single }) => round(single.perSecond)),
    loadAverage: loadavg().map((one) => round(one)),
  },
};
tell([figure]);
