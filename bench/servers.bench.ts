import { CONNECTIONS } from './bare-rate.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { cpuMs, load, pin } from './processes.js';
import { say, tell } from './report.js';
import { toService } from './sale.js';
import { BenchService } from './service-client.js';
import { CountedEventStore, type Calls } from './shared-servers.js';
import { round } from './statistics.js';

/**
 * B15 and B16: the cost of a sale for a service with its history on EventStoreDB, relative to a service with an
 * embedded history. All other engines are embedded in both cases. The server runs on the other core, so its CPU time is
 * excluded.
 */
const SECONDS = pick(15, 3);
/** Time during which calls are counted without load: heartbeats, confirmations and polls. */
const IDLE_SECONDS = pick(5, 2);

type Cost = { readonly cpuUs: number; readonly perSecond: number; readonly sales: number; readonly errors: number };
type Counted = Cost & { readonly calls: Calls; readonly idlePerSecond: Calls };
type Run = { readonly embedded: readonly Cost[]; readonly server: readonly Counted[]; readonly subscriptions: number };

const AT_ONCE = [1, CONNECTIONS];

/** CPU time of all threads until every sale is fully processed. */
async function costOf(service: BenchService, key: string, connections: number): Promise<Cost> {
  await service.settled();
  const before = await cpuMs(service.pid);
  const name = `${connections}-${Math.round(performance.now())}`;
  const done = await load(service, { ...toService(key), prefix: name, connections, seconds: SECONDS });
  await service.settled();
  const cpuUs = (((await cpuMs(service.pid)) - before) * 1_000) / done.requests;
  return { cpuUs, perSecond: done.perSecond, sales: done.requests, errors: done.errors };
}

const difference = (after: Calls, before: Calls): Calls => ({
  append: after.append - before.append,
  read: after.read - before.read,
  subscription: after.subscription - before.subscription,
});

async function withService<T>(env: Record<string, string>, use: (service: BenchService, key: string) => Promise<T>) {
  const service = await BenchService.start({ env });
  const { key } = await service.createTenant();
  await load(service, { ...toService(key), prefix: 'warm', connections: CONNECTIONS, seconds: pick(20, 2) });
  await service.settled();
  const result = await use(service, key);
  await service.stop();
  return result;
}

async function measure(): Promise<Run> {
  const embedded = await withService({}, async (service, key) => {
    const costs: Cost[] = [];
    for (const connections of AT_ONCE) costs.push(await costOf(service, key, connections));
    return costs;
  });
  const store = await CountedEventStore.start();
  const { server, subscriptions } = await withService({ EVENTSTORE_URL: store.url }, async (service, key) => {
    const idle = await store.calls();
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1_000));
    const { append, read, subscription } = difference(await store.calls(), idle);
    const idlePerSecond = {
      append: append / IDLE_SECONDS,
      read: read / IDLE_SECONDS,
      subscription: subscription / IDLE_SECONDS,
    };
    const costs: Counted[] = [];
    for (const connections of AT_ONCE) {
      const before = await store.calls();
      const cost = await costOf(service, key, connections);
      costs.push({ ...cost, calls: difference(await store.calls(), before), idlePerSecond });
    }
    return { server: costs, subscriptions: (await store.calls()).open };
  });
  await store.stop();
  for (const [at, connections] of AT_ONCE.entries()) {
    const [one, other] = [embedded[at], server[at]];
    if (one && other)
      say(
        `${connections} at once: ${round(one.cpuUs)} µs embedded, ${round(other.cpuUs)} µs on EventStoreDB ` +
          `(${round(other.perSecond)}/s); appends ${round(other.calls.append / other.sales)}, ` +
          `reads ${round(other.calls.read / other.sales)} per sale; ${subscriptions} subscriptions`,
      );
  }
  return { embedded, server, subscriptions };
}

pin('load', process.pid);
const runs: Run[] = [];
for (let n = 0; n < options.runs; n += 1) runs.push(await measure());

const at = (index: number) => ({
  server: runs.map((run) => run.server[index] as Counted),
  embedded: runs.map((run) => run.embedded[index] as Cost),
});
const GOALS = [1.5, 1.3];
const figures: Measurement[] = AT_ONCE.flatMap((concurrency, index): Measurement[] => {
  const { server, embedded } = at(index);
  const shared = {
    operations: server.reduce((sum, { sales }) => sum + sales, 0),
    errors: server.reduce((sum, { errors }) => sum + errors, 0),
    concurrency,
  };
  const idle = server.map(({ idlePerSecond }) => idlePerSecond);
  return [
    {
      ...{ figure: 'B15', name: 'CPU per sale on EventStoreDB', unit: 'µs', ...shared },
      runs: server.map(({ cpuUs }) => cpuUs),
      against: { name: 'embedded history', unit: 'µs', runs: embedded.map(({ cpuUs }) => cpuUs) },
      goal: { of: 'ratio', atMost: GOALS[index] ?? 1 },
      details: { perSecond: server.map(({ perSecond }) => round(perSecond)) },
    },
    {
      ...{ figure: 'B16', name: 'appends per sale', unit: '', ...shared, details: { idlePerSecond: idle } },
      runs: server.map(({ calls, sales }) => calls.append / sales),
      goal: { of: 'value', atMost: 1.1 },
    },
    {
      ...{ figure: 'B16', name: 'stream reads per sale', unit: '', ...shared, details: { idlePerSecond: idle } },
      runs: server.map(({ calls, sales }) => calls.read / sales),
      goal: { of: 'value', atMost: 0.1 },
      notes: ['Includes the calls that a process makes without load.'],
    },
  ];
});
figures.push({
  ...{ figure: 'B16', name: 'live subscriptions per process', unit: '', concurrency: CONNECTIONS },
  ...{ operations: runs.length, errors: 0, runs: runs.map(({ subscriptions }) => subscriptions) },
  goal: { of: 'value', atMost: 1 },
});
tell(figures);
