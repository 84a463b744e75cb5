import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareRate, CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import type { LoadResult } from './load.js';
import { folder, options, pick } from './options.js';
import { prepared } from './prepared-history.js';
import { load, pin } from './processes.js';
import { say, tell } from './report.js';
import { BenchService } from './service-client.js';
import { median, round } from './statistics.js';

/**
 * B3: cost of a user's authenticated read requests: one customer, and a page of twenty customers. Baseline: bare
 * Fastify that returns the same bytes.
 */
const SECONDS = pick(8, 3);
const CUSTOMERS = 60;

type Read = { readonly name: string; readonly goal: number; readonly path: (customerId: string) => string };
const READS: readonly Read[] = [
  { name: 'one customer', goal: 0.25, path: (id) => `/api/customers/${id}` },
  { name: 'a page of 20 customers', goal: 0.15, path: () => '/api/customers?pageNumber=1&pageSize=20' },
];
type Run = { readonly done: LoadResult; readonly bare: number; readonly bytes: number };

async function createCustomers(service: BenchService): Promise<void> {
  await service.createTenant();
  for (let n = 1; n <= CUSTOMERS; n += 1) {
    const contact = { email: `k${n}@musteri.example`, phone: `+90 532 ${1_000_000 + n}`, city: 'İstanbul' };
    await service.owner.json('POST', '/api/customers', { name: `Müşteri ${n}`, code: `C-${n}`, ...contact });
  }
}

async function measure(service: BenchService, path: string): Promise<Run> {
  const { status, body } = await service.owner.ask('GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
  const file = join(folder, 'answer.json');
  writeFileSync(file, body);
  const bare = await bareRate({ method: 'GET', path: '/bytes' }, file);
  const plan = { method: 'GET', path, headers: service.owner.authorization, connections: CONNECTIONS } as const;
  await load(service, { ...plan, seconds: pick(2, 1) });
  const done = await load(service, { ...plan, seconds: SECONDS });
  say(`${path}: ${round(done.perSecond)}/s, bare ${round(bare)}/s (generator ${done.generatorBusy})`);
  return { done, bare, bytes: Buffer.byteLength(body) };
}

async function figuresOf(size: number | undefined): Promise<Measurement[]> {
  const history = size === undefined ? undefined : await prepared(size);
  const service = await BenchService.start(history ? { directory: history.directory } : {});
  if (!history) await createCustomers(service);
  const path = '/api/customers?pageNumber=1&pageSize=20';
  await service.signIn();
  const { items } = await service.owner.json<{ items: readonly { id: string }[] }>('GET', path);
  const runs = new Map<Read, Run[]>(READS.map((read) => [read, []]));
  for (let n = 0; n < options.runs; n += 1)
    for (const [read, done] of runs) {
      await service.signIn();
      done.push(await measure(service, read.path(items[n]?.id ?? '')));
    }
  await service.stop();
  return [...runs].map(([read, done]) => measurementOf(read, done, size));
}

const measurementOf = ({ name, goal }: Read, runs: readonly Run[], events: number | undefined): Measurement => ({
  ...{ figure: 'B3', name, unit: '/s', concurrency: CONNECTIONS, ...(events !== undefined && { events }) },
  runs: runs.map(({ done }) => done.perSecond),
  operations: runs.reduce((sum, { done }) => sum + done.requests, 0),
  errors: runs.reduce((sum, { done }) => sum + done.errors, 0),
  against: { name: 'bare Fastify, the same bytes', unit: '/s', runs: runs.map(({ bare }) => bare) },
  goal: { of: 'ratio', atLeast: goal },
  details: {
    ...{ bytes: runs[0]?.bytes, p99Ms: round(median(runs.map(({ done }) => done.p99Ms))) },
    generatorBusy: runs.map(({ done }) => done.generatorBusy),
  },
});

pin('load', process.pid);
const figures: Measurement[] = [];
for (const size of options.sizes ?? [undefined]) figures.push(...(await figuresOf(size)));
tell(figures);
