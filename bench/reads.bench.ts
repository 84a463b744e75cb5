import { mulberry32 } from '../test/support/manual-clock.js';
import { ApiClient } from './api-client.js';
import { Beside } from './beside.js';
import { groundOf } from './b6-ground.js';
import { readsOf, type Read } from './b6-reads.js';
import type { Goal, Measurement } from './figure.js';
import { options, pick } from './options.js';
import { folderOf } from './prepared-history.js';
import { pin, rssAnonMiB } from './processes.js';
import { say, tell } from './report.js';
import { BenchService, OWNER } from './service-client.js';
import { latenciesOf } from './statistics.js';

/**
 * B6: lists, searches and statements for one tenant with a very large number of records. Measured over HTTP, one
 * request at a time, with varying parameters. Meanwhile, a second connection sends a small request every few
 * milliseconds. Its latency shows how much a read delays other requests. The history is projected directly into the
 * read store, in bulk. All other data is created through the API.
 */
const SIZES = options.sizes ?? [pick(1_000_000, 20_000)];
const REQUESTS = pick(200, 50);
const within = (atMost: number): Goal => ({ of: 'value', atMost });

/** Upper bounds on p99, in milliseconds. */
const GOALS: Readonly<Record<string, Goal>> = {
  'transactions, page 1,000': within(25),
  'one filter': within(60),
  'a range of amounts': within(60),
  'two to five filters': within(150),
  search: within(40),
  'search, broad': within(100),
  'customers, search': within(50),
};

type Done = { readonly p50Ms: number; readonly p99Ms: number; readonly errors: number; readonly othersMaxMs: number };

async function measure(service: BenchService, beside: ApiClient, { paths }: Read, random: () => number): Promise<Done> {
  const latencies: number[] = [];
  let errors = 0;
  const others = new Beside(beside);
  for (let n = 0; n < 10; n += 1) await service.owner.ask('GET', paths(random));
  others.forget();
  for (let n = 0; n < REQUESTS; n += 1) {
    const path = paths(random);
    const { ms, status, body } = await service.owner.ask('GET', path);
    latencies.push(ms);
    if (status === 200) continue;
    errors += 1;
    say(`${status} ${path} ${body.slice(0, 300)}`);
  }
  const small = await others.end();
  errors += small.errors;
  return { ...latenciesOf(latencies), errors, othersMaxMs: small.maxMs };
}

async function readsAt(size: number): Promise<Measurement[]> {
  const directory = folderOf('reads', size);
  const { tenant, customers } = await groundOf(directory, { transactions: size, customers: size / 10 });
  const done = new Map<string, Done[]>();
  let memoryMiB = 0;
  for (let run = 0; run < options.runs; run += 1) {
    const service = await BenchService.start({ directory });
    const beside = new ApiClient(service.url);
    for (const read of readsOf(tenant, customers, size)) {
      await service.owner.signIn(OWNER);
      await beside.signIn(OWNER);
      const one = await measure(service, beside, read, mulberry32(options.seed + size + run));
      done.set(read.name, [...(done.get(read.name) ?? []), one]);
    }
    memoryMiB = await rssAnonMiB(service.pid);
    beside.close();
    await service.stop();
  }
  say(`${size} transactions read, RssAnon ${memoryMiB} MiB at the end`);
  return [...done].map(([name, runs]) => measurementOf(name, runs, size));
}

function measurementOf(name: string, runs: readonly Done[], events: number): Measurement {
  const goal = GOALS[name];
  return {
    ...{ figure: 'B6', name: `${name}, p99`, unit: 'ms', events, concurrency: 1 },
    runs: runs.map(({ p99Ms }) => p99Ms),
    operations: runs.length * REQUESTS,
    errors: runs.reduce((sum, { errors }) => sum + errors, 0),
    ...(goal && { goal }),
    details: {
      p50Ms: runs.map(({ p50Ms }) => p50Ms),
      othersMaxMs: Math.round(Math.max(...runs.map(({ othersMaxMs }) => othersMaxMs))),
    },
  };
}

pin('load', process.pid);
const figures: Measurement[] = [];
for (const size of SIZES) figures.push(...(await readsAt(size)));
tell(figures);
