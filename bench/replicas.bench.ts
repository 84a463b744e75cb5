import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.js';
import { CpuQuota } from './cpu-quota.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { cpuMs, load, pin } from './processes.js';
import { say, tell } from './report.js';
import { SALE, SALES_PATH } from './sale.js';
import { BenchService, settled } from './service-client.js';
import { SharedServers } from './shared-servers.js';
import { round } from './statistics.js';

/**
 * B17: number of sales per second that 1, 2 and 4 replicas accept and process completely. Every replica has the same
 * CPU quota. The quota is so small that the servers and the load generator use less than 60% of their core. The sales
 * are distributed over 200 tenants according to Zipf's law with exponent 0.8. In a second run, one tenant makes half of
 * all sales.
 */
const SECONDS = pick(20, 8);
const WARM_SECONDS = pick(40, 4);
const TENANTS = pick(200, 20);
const QUOTA_PERCENT = Number(process.env['REPLICA_QUOTA'] ?? 24);
const EXPONENT = 0.8;
const REPLICAS = [1, 2, 4];
const CONNECTIONS = 32;
const EVEN_WITHIN_MS = 60_000;

type Keys = readonly { readonly key: string; readonly share: number }[];
type Done = {
  readonly perSecond: number;
  readonly sales: number;
  readonly errors: number;
  readonly drainMs: number;
  /** Share of a core that each replica may use, in percent. */
  readonly quota: number;
  /** CPU time of all replicas per sale, and utilization of the core that the servers and the load generator share. */
  readonly cpuUs: number;
  readonly serversBusy: number;
};
type Ranges = readonly { readonly leaders: readonly (string | null)[] }[];

const zipf = (keys: readonly string[]): Keys => keys.map((key, at) => ({ key, share: 1 / (at + 1) ** EXPONENT }));

/** The first tenant makes as many sales as all other tenants together. */
function dominated(keys: readonly string[]): Keys {
  const [first, ...rest] = zipf(keys);
  return [{ key: first?.key ?? '', share: rest.reduce((sum, { share }) => sum + share, 0) }, ...rest];
}

/** Creates tenants, each with a partner key. Password hashing makes this slow, so the quota applies only afterwards. */
async function keysOf(operator: ApiClient, url: URL): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < TENANTS; n += 1) {
    const owner = { fullName: 'Owner', email: `owner-${n}@bench.example`, password: 'bench-password-2' };
    const tenant = { name: `Bench ${n}`, slug: `bench-${n}`, currency: 'EUR', timeZone: 'Europe/Berlin', owner };
    await operator.json('POST', '/api/platform/tenants', tenant);
    const client = await new ApiClient(url).signIn(owner);
    type Made = { readonly data: { readonly id: string; readonly key: string } };
    const made = await client.json<Made>('POST', '/api/integration-keys', { name: 'Shop', sourceId: 'shop' });
    await operator.json('PATCH', `/api/platform/integration-keys/${made.data.id}`, { rateLimit: 1_000_000 });
    client.close();
    keys.push(made.data.key);
  }
  return keys;
}

/** Resolves when every range has a leader and the ranges are evenly divided among the replicas. */
async function even(operator: ApiClient, replicas: number): Promise<void> {
  const endMs = performance.now() + EVEN_WITHIN_MS;
  while (performance.now() < endMs) {
    await sleep(500);
    const { data } = await operator.json<{ data: { ranges: Ranges } }>('GET', '/api/system/health/system');
    const isEven = data.ranges.every(({ leaders }) => {
      const counts = new Map<string | null, number>();
      for (const leader of leaders) counts.set(leader, (counts.get(leader) ?? 0) + 1);
      return !counts.has(null) && counts.size === replicas && Math.max(...counts.values()) <= Math.ceil(16 / replicas);
    });
    if (isEven) return;
  }
  throw new Error('The replicas do not share the ranges evenly');
}

async function measure(count: number, shareOut: (keys: readonly string[]) => Keys): Promise<Done> {
  const servers = await SharedServers.start();
  const replicas: BenchService[] = [];
  while (replicas.length < count) replicas.push(await BenchService.start({ env: servers.environment }));
  const [first] = replicas as [BenchService];
  const keys = shareOut(await keysOf(first.operator, first.url));
  await even(first.operator, count);
  const ports = replicas.map(({ url }) => Number(url.port));
  const plan = {
    ...{ path: SALES_PATH, headers: { 'Content-Type': 'application/json' }, body: SALE },
    ...{ keys, ports, connections: CONNECTIONS },
  };
  await load(first, { ...plan, prefix: 'warm', seconds: WARM_SECONDS });
  await settled(first.operator);
  const quotas = replicas.map(({ pid }, n) => CpuQuota.of(`kontor-bench-${process.pid}-${n}`, pid, QUOTA_PERCENT));
  const used = async (pids: readonly number[]): Promise<number> => {
    const each = await Promise.all(pids.map((pid) => cpuMs(pid)));
    return each.reduce((sum, ms) => sum + ms, 0);
  };
  const pids = replicas.map(({ pid }) => pid);
  const callsBefore = await servers.events.calls();
  const before = { own: await used(pids), servers: await used(servers.pids), atMs: performance.now() };
  const done = await load(first, { ...plan, prefix: 'measured', seconds: SECONDS });
  const endedMs = performance.now();
  await settled(first.operator);
  const drainMs = performance.now() - endedMs;
  const elapsedMs = performance.now() - before.atMs;
  const result = {
    perSecond: done.requests / (done.seconds + drainMs / 1_000),
    ...{ sales: done.requests, errors: done.errors, drainMs, quota: QUOTA_PERCENT },
    cpuUs: (((await used(pids)) - before.own) * 1_000) / done.requests,
    serversBusy: ((await used(servers.pids)) - before.servers) / elapsedMs + done.generatorBusy,
  };
  const calls = await servers.events.calls();
  const perSale = (of: 'append' | 'read') => round((calls[of] - callsBefore[of]) / done.requests);
  for (const replica of replicas) await replica.stop();
  for (const quota of quotas) quota.remove();
  await servers.stop();
  say(
    `${count} replicas at ${QUOTA_PERCENT}% of a core each: ${round(result.perSecond)}/s, ${round(result.cpuUs)} µs, ` +
      `drained in ${round(drainMs)} ms; ${perSale('append')} appends, ${perSale('read')} reads; servers and load ${round(result.serversBusy * 100)}%`,
  );
  return result;
}

pin('load', process.pid);
const runs: Done[][] = [];
for (let n = 0; n < options.runs; n += 1) {
  const run: Done[] = [];
  for (const count of REPLICAS) run.push(await measure(count, zipf));
  runs.push(run);
}
const large = await measure(Math.max(...REPLICAS), dominated);

const seriesOf = (at: number): Done[] => runs.map((run) => run[at] as Done);
const sumOf = (some: readonly Done[], of: 'sales' | 'errors'): number => some.reduce((sum, one) => sum + one[of], 0);
const GOALS = [1.8, 3.2];
const figures: Measurement[] = REPLICAS.slice(1).map((count, at) => {
  const some = seriesOf(at + 1);
  return {
    ...{ figure: 'B17', name: `sales fully processed by ${count} replicas`, unit: '/s', concurrency: CONNECTIONS },
    runs: some.map(({ perSecond }) => perSecond),
    ...{ operations: sumOf(some, 'sales'), errors: sumOf(some, 'errors') },
    against: { name: 'one replica', unit: '/s', runs: seriesOf(0).map(({ perSecond }) => perSecond) },
    goal: { of: 'ratio', atLeast: GOALS[at] ?? 1 },
    notes: [`Each replica has ${QUOTA_PERCENT}% of a core. ${TENANTS} tenants, Zipf exponent ${EXPONENT}.`],
    details: { one: seriesOf(0), several: some },
  };
});
figures.push({
  ...{ figure: 'B17', name: 'sales by 4 replicas, half of them of one tenant', unit: '/s', concurrency: CONNECTIONS },
  ...{ runs: [large.perSecond], operations: large.sales, errors: large.errors, details: { ...large } },
});
tell(figures);
