import { setTimeout as sleep } from 'node:timers/promises';
import { load, startBare } from './processes.js';
import { startService, type BenchService } from './service-client.js';

/** B1, B1b and B2 of the speed goals: what a partner's sale costs, against bare Fastify that echoes the same JSON. */
const SALE = JSON.stringify({
  externalId: '{n}',
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  customer: { externalId: 'shopper-7', name: 'Ada Yilmaz' },
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
  payments: [{ method: 'CARD', amount: '238.00' }],
});
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const SUSTAINED_SECONDS = Number(process.env['BENCH_SUSTAINED_SECONDS'] ?? 60);

const round = (value: number): number => Number(value.toPrecision(4));

async function bareRate(): Promise<number> {
  const bare = await startBare();
  const plan = { path: '/echo', headers: { 'Content-Type': 'application/json' }, body: SALE, connections: 64 };
  await load(bare, { ...plan, seconds: 2 });
  const { perSecond } = await load(bare, { ...plan, seconds: 4 });
  await bare.stop();
  return perSecond;
}

const salePlan = ({ key }: BenchService, prefix: string) => ({
  path: '/api/integrations/v1/sales',
  headers: { 'Content-Type': 'application/json', 'X-Integration-Key': key },
  body: SALE.replace('"{n}"', '"{n}"'),
  prefix,
});

/** Milliseconds until the sale is booked and readable. */
async function bookedAfterMs(service: BenchService, externalId: string): Promise<number> {
  const startMs = performance.now();
  while ((await service.sale(externalId)).status !== 'BOOKED') await sleep(20);
  return performance.now() - startMs;
}

const nodeArgs = (process.env['BENCH_NODE_ARGS'] ?? '').split(' ').filter((arg) => arg !== '');
const bare = await bareRate();
const service = await startService(nodeArgs);
await load(service, { ...salePlan(service, 'warm'), connections: 64, seconds: 3 });
const one = await load(service, { ...salePlan(service, 'one'), connections: 1, seconds: 3 });
const accepted = await load(service, { ...salePlan(service, 'b1'), connections: 64, seconds: SECONDS });
const drainMs = await bookedAfterMs(service, `b1-${accepted.requests}`);
const report: Record<string, unknown> = {
  bare: round(bare),
  b1: { ...accepted, ratio: round(accepted.perSecond / bare), drainMs: round(drainMs) },
  b2: { p50Ms: round(one.p50Ms), p99Ms: round(one.p99Ms), errors: one.errors },
};
const rate = Math.round(bare * Number(process.env['BENCH_SHARE'] ?? 0.08));
let lagMs = 0;
const stop = new AbortController();
const watch = (async () => {
  let n = 0;
  while (!stop.signal.aborted) {
    n += 1;
    const externalId = `probe-${n}`;
    const body = SALE.replaceAll('{n}', externalId);
    const headers = { 'content-type': 'application/json', 'x-integration-key': service.key };
    await fetch(new URL('/api/integrations/v1/sales', service.url), { method: 'POST', headers, body });
    lagMs = Math.max(lagMs, await bookedAfterMs(service, externalId));
    await sleep(100);
  }
})();
const sustained = await load(service, {
  ...salePlan(service, 'b1b'),
  connections: 64,
  seconds: SUSTAINED_SECONDS,
  rate,
});
stop.abort();
await watch;
report['b1b'] = { ...sustained, ratio: round(sustained.perSecond / bare), goalRate: rate, maxLagMs: round(lagMs) };
process.stdout.write(`${JSON.stringify(report, null, 1)}\n`);
await service.stop();
