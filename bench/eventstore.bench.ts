import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { EventStoreDb } from '../src/adapters/eventstoredb/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { silentLogger } from '../src/ports/log.js';
import { eventStoreRecipe } from '../test/support/eventstore-server/recipe.js';
import { ServerProcess } from '../test/support/server-process.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { callsIn, percentile, round } from './statistics.js';

/**
 * B12: appends per second through the adapter, compared with the official client alone on the same server. The server
 * is the repository's test server, or a real server at EVENTSTORE_URL. The adapter and the client alternate, so that
 * other load slows both equally.
 */
const ROUNDS = options.runs * pick(3, 1);
const SECONDS = pick(3, 1.5);

const data = {
  saleId: '0198c1de-0000-7000-8000-000000000001',
  externalId: 'order-4711',
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
};
const metadata = { tenantId: 't-1', userId: 'u-1', requestId: 'r-1', correlationId: 'c-1', version: 1 };

type Contender = (stream: string) => Promise<unknown>;
type Done = { readonly perSecond: number; readonly p50Ms: number; readonly cpuUs: number; readonly appends: number };

async function measure(append: Contender, inFlight: number): Promise<Done> {
  const before = process.cpuUsage();
  const done = await callsIn(SECONDS, inFlight, () => append(`sale-t_${randomUUID()}`));
  const { user, system } = process.cpuUsage(before);
  const { perSecond, operations: appends, milliseconds } = done;
  return { perSecond, p50Ms: round(percentile(milliseconds, 0.5)), cpuUs: round((user + system) / appends), appends };
}

const url = process.env['EVENTSTORE_URL'];
const server = url === undefined ? await ServerProcess.start(eventStoreRecipe) : undefined;
pin('measured', process.pid);
if (server) pin('load', server.pid);
const address = url ?? server?.url ?? '';
const store = EventStoreDb.open({ url: address, clock: new SystemClock(), logger: silentLogger });
const official = EventStoreDBClient.connectionString(address);
const adapter: Contender = (stream) =>
  store.append({
    stream,
    expected: 'no_stream',
    events: [{ id: randomUUID(), type: 'SaleAccepted', data, metadata }],
  });
const alone: Contender = (stream) =>
  official.appendToStream(stream, jsonEvent({ id: randomUUID(), type: 'SaleAccepted', data, metadata }), {
    expectedRevision: NO_STREAM,
  });

/** Measures in rounds. The adapter and the client take turns going first. */
async function rounds(inFlight: number): Promise<{ adapted: Done[]; plain: Done[] }> {
  const [adapted, plain]: [Done[], Done[]] = [[], []];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    if (turn % 2 === 0) adapted.push(await measure(adapter, inFlight));
    plain.push(await measure(alone, inFlight));
    if (turn % 2 !== 0) adapted.push(await measure(adapter, inFlight));
  }
  return { adapted, plain };
}

async function measurementOf(inFlight: number): Promise<Measurement> {
  const { adapted, plain } = await rounds(inFlight);
  const rates = (of: readonly Done[]) => of.map(({ perSecond }) => perSecond);
  say(
    `${inFlight} in flight: ${rates(adapted)
      .map((one) => round(one))
      .join(' ')} appends/s`,
  );
  return {
    ...{ figure: 'B12', name: `appends to EventStoreDB, ${inFlight} in flight`, unit: '/s', runs: rates(adapted) },
    operations: adapted.reduce((sum, { appends }) => sum + appends, 0),
    ...{ errors: 0, concurrency: inFlight },
    against: { name: 'the official client alone', unit: '/s', runs: rates(plain) },
    ...(inFlight === 64 && { goal: { of: 'ratio', atLeast: 0.8 } as const }),
    notes: [
      server
        ? `On the repository's test server ${server.version}, not a real EventStoreDB.`
        : 'On the server of EVENTSTORE_URL.',
    ],
    details: {
      ...{ p50Ms: adapted.map(({ p50Ms }) => p50Ms), cpuUs: adapted.map(({ cpuUs }) => cpuUs) },
      againstCpuUs: plain.map(({ cpuUs }) => cpuUs),
    },
  };
}

for (const contender of [adapter, alone]) await measure(contender, 64);
const figures = [await measurementOf(64), await measurementOf(1)];
await store.close();
await official.dispose();
await server?.dispose();
tell(figures);
