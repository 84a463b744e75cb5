import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32 } from '../test/support/manual-clock.js';
import { History, type Scale, type Tenant } from './b6-history.js';
import { fill } from './b6-models.js';
import { readsOf, type Read } from './b6-reads.js';
import { Service } from './b6-service.js';

/**
 * B6: lists, search and statements of one tenant with very many records, over HTTP, one request at a time, each with
 * parameters of its own. Beside them a second connection asks for something small every few milliseconds: how long that
 * one waits is how long a read holds up the others. The history goes straight through the projections into the read
 * store in bulk; the rest is made through the API. With BENCH_KEEP=<folder> the models are made once and kept.
 */
const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000,1000000').split(',').map(Number);
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 200);
const SEED = Number(process.env['BENCH_SEED'] ?? 20_260_101);
const ONLY = process.env['BENCH_ONLY'];
const KEEP = process.env['BENCH_KEEP'];
const BESIDE_EVERY_MS = 5;

type Figures = { p50Ms: number; p99Ms: number; maxMs: number; errors: number; othersMaxMs: number; bytes: number };

const round = (value: number): number => Number(value.toPrecision(3));
const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

async function prepared(size: number): Promise<{ directory: string; tenant: Tenant; customers: string[] }> {
  const directory = KEEP === undefined ? await mkdtemp(join(tmpdir(), 'kontor-b6-')) : join(KEEP, String(size));
  const noted = join(directory, 'bench-tenant.json');
  if (existsSync(noted))
    return { directory, ...(JSON.parse(await readFile(noted, 'utf8')) as { tenant: Tenant; customers: string[] }) };
  await mkdir(directory, { recursive: true });
  const service = await Service.start(directory);
  const tenant = await service.createTenant();
  await service.stop();
  const scale: Scale = { seed: SEED, customers: size / 10, transactions: size };
  await fill(directory, tenant.id, () => new History(tenant, scale, 1_000_000).events());
  const customers: string[] = [];
  for (const event of new History(tenant, scale, 1_000_000).events()) {
    if (event.type === 'CustomerCreated') customers.push(event.recordId);
    if (customers.length === Math.min(2_000, scale.customers)) break;
  }
  await writeFile(noted, JSON.stringify({ tenant, customers }));
  return { directory, tenant, customers };
}

async function measure(service: Service, { paths }: Read, random: () => number): Promise<Figures> {
  const latencies: number[] = [];
  const beside: number[] = [];
  let errors = 0;
  let bytes = 0;
  const stop = new AbortController();
  const small = (async () => {
    while (!stop.signal.aborted) {
      const { ms, status } = await service.get('/api/branches/lookup');
      if (status !== 200) errors += 1;
      beside.push(ms);
      await sleep(BESIDE_EVERY_MS);
    }
  })();
  for (let n = 0; n < 10; n += 1) await service.get(paths(random));
  beside.length = 0;
  const slowest: [number, string][] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    const path = paths(random);
    const { ms, status, body } = await service.get(path);
    latencies.push(ms);
    slowest.push([ms, path]);
    bytes += body.length;
    if (status !== 200) errors += 1;
    if (status !== 200) process.stderr.write(`${status} ${path} ${body.slice(0, 300)}\n`);
  }
  stop.abort();
  await small;
  latencies.sort((a, b) => a - b);
  if (process.env['BENCH_SLOWEST'] !== undefined)
    for (const [ms, path] of slowest.toSorted(([a], [b]) => b - a).slice(0, 5))
      process.stdout.write(`    ${round(ms)} ms ${path}\n`);
  return {
    p50Ms: round(share(latencies, 0.5)),
    p99Ms: round(share(latencies, 0.99)),
    maxMs: round(share(latencies, 1)),
    errors,
    othersMaxMs: round(Math.max(0, ...beside)),
    bytes: Math.round(bytes / REQUESTS),
  };
}

process.stdout.write(`seed ${SEED}\n`);
const results: Record<string, Record<string, Figures>> = {};
for (const size of SIZES) {
  process.stdout.write(`${size} transactions, ${size / 10} customers\n`);
  const { directory, tenant, customers } = await prepared(size);
  const service = await Service.start(directory);
  const table: Record<string, Figures> = {};
  for (const read of readsOf(tenant, customers, size)) {
    if (ONLY !== undefined && !new RegExp(ONLY).test(read.name)) continue;
    await service.signIn();
    table[read.name] = await measure(service, read, mulberry32(SEED + size));
    if (process.env['BENCH_SLOWEST'] !== undefined)
      process.stdout.write(`  ${read.name} ${JSON.stringify(table[read.name])}\n`);
  }
  results[size] = table;
  console.table(table);
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8').catch(() => '');
  process.stdout.write(`  ${/RssAnon:\s+\d+ kB/.exec(status)?.[0] ?? ''}\n`);
  await service.stop();
  if (KEEP === undefined) await rm(directory, { recursive: true, force: true });
}
const day = new Date().toISOString().slice(0, 10);
const machine = { node: process.version, cores: cpus().length };
if (ONLY === undefined)
  await writeFile(
    new URL(`results/${day}-b6-reads.json`, import.meta.url),
    `${JSON.stringify({ seed: SEED, requests: REQUESTS, ...machine, results }, null, 1)}\n`,
  );
