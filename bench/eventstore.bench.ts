import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { EventStoreDb } from '../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { silentLogger } from '../src/ports/log.js';
import { eventStoreRecipe } from '../test/support/eventstore-server/recipe.js';
import { ServerProcess } from '../test/support/server-process.js';

/**
 * Appends per second through the adapter, against the bare official client on the same server: the test server, or a
 * real one by EVENTSTORE_URL. The two take turns, so that a busy machine slows both. Prints a table; the figures go to
 * bench/results.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
const SERVER_CORE = '0';
const CLIENT_CORE = '1';

const data = {
  saleId: '0198c1de-0000-7000-8000-000000000001',
  externalId: 'order-4711',
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
};
const metadata = { tenantId: 't-1', userId: 'u-1', requestId: 'r-1', correlationId: 'c-1', version: 1 };

type Contender = { readonly name: string; readonly append: (stream: string) => Promise<unknown> };
type Figures = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly cpuUs: number };

async function measure({ append }: Contender, inFlight: number): Promise<Figures> {
  const latencies: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const endMs = startMs + SECONDS * 1_000;
  const writer = async (): Promise<void> => {
    for (let now = performance.now(); now < endMs;) {
      await append(`sale-t_${randomUUID()}`);
      const then = performance.now();
      latencies.push(then - now);
      now = then;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writer));
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  const count = latencies.length;
  return { perSecond: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuUs: (user + system) / count };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const round = (value: number): number => Number(value.toPrecision(4));
const summary = (rounds: readonly Figures[]): Figures => ({
  perSecond: round(median(rounds.map(({ perSecond }) => perSecond))),
  p50Ms: round(median(rounds.map(({ p50Ms }) => p50Ms))),
  p99Ms: round(median(rounds.map(({ p99Ms }) => p99Ms))),
  cpuUs: round(median(rounds.map(({ cpuUs }) => cpuUs))),
});

/** The server on one core, this process on the other, where the machine can pin. */
function pin(pid: number | undefined): boolean {
  if (cpus().length < 2 || spawnSync('taskset', ['-c', CLIENT_CORE, 'true']).status !== 0) return false;
  execFileSync('taskset', ['-acp', CLIENT_CORE, String(process.pid)], { stdio: 'ignore' });
  if (pid !== undefined) execFileSync('taskset', ['-acp', SERVER_CORE, String(pid)], { stdio: 'ignore' });
  return true;
}

const url = process.env['EVENTSTORE_URL'];
const server = url === undefined ? await ServerProcess.start(eventStoreRecipe) : undefined;
const pinned = pin(server?.pid);
const address = url ?? server?.url ?? '';
const store = EventStoreDb.open({ url: address, clock: new SystemClock(), logger: silentLogger });
const official = EventStoreDBClient.connectionString(address);
const contenders: readonly Contender[] = [
  {
    name: 'adapter',
    append: (stream) =>
      store.append({
        stream,
        expected: 'no_stream',
        events: [{ id: randomUUID(), type: 'SaleAccepted', data, metadata }],
      }),
  },
  {
    name: 'official client',
    append: (stream) =>
      official.appendToStream(stream, jsonEvent({ id: randomUUID(), type: 'SaleAccepted', data, metadata }), {
        expectedRevision: NO_STREAM,
      }),
  },
];

const results = new Map<string, Figures[]>();
for (const contender of contenders) await measure(contender, 64);
for (let turn = 0; turn < ROUNDS; turn += 1)
  for (const inFlight of [64, 1])
    for (const contender of turn % 2 === 0 ? contenders : contenders.toReversed()) {
      const key = `${contender.name}, ${inFlight} in flight`;
      results.set(key, [...(results.get(key) ?? []), await measure(contender, inFlight)]);
    }

const table = Object.fromEntries([...results].map(([key, rounds]) => [key, summary(rounds)]));
/** Of the rounds' own ratios: the two of a round ran under the same conditions. */
const ratioAt = (inFlight: number): number => {
  const of = (name: string): readonly Figures[] => results.get(`${name}, ${inFlight} in flight`) ?? [];
  const bare = of('official client');
  return round(median(of('adapter').map(({ perSecond }, n) => perSecond / (bare[n]?.perSecond ?? NaN))));
};
const ratios = { at64: ratioAt(64), at1: ratioAt(1), goal: 0.8 };
console.table(table);
console.table({ ratios });
const day = new Date().toISOString().slice(0, 10);
const report = {
  server: server ? `test server ${server.version}` : 'by URL',
  rounds: ROUNDS,
  seconds: SECONDS,
  pinned,
};
await writeFile(
  new URL(`results/${day}-eventstore.json`, import.meta.url),
  `${JSON.stringify({ ...report, node: process.version, ratios, table }, null, 1)}\n`,
);
await store.close();
await official.dispose();
await server?.dispose();
