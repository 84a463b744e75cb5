// node rebuild.mjs <connection string> <events> <runs>: creates the sales, then rebuilds their read model `runs` times.
// Prints one line of JSON with the events per second of each run.
import { rebuildPostgreSQLProjections } from '@event-driven-io/emmett-postgresql';
import { accept, countSales, openStore, sales } from './sales.mjs';

const [connectionString = '', events = '0', runs = '1'] = process.argv.slice(2);
const AT_ONCE = 64;
const sale = (n) => ({
  externalId: `p-${n}`,
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  customer: { externalId: `shopper-${n % 1000}`, name: 'Ada Yilmaz' },
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
  payments: [{ method: 'CARD', amount: '238.00' }],
});

const store = openStore(connectionString, true);
await store.schema.migrate();
let made = 0;
const writer = async () => {
  while (made < Number(events)) await accept(store, sale((made += 1)));
};
await Promise.all(Array.from({ length: AT_ONCE }, writer));
await store.close();

const perSecond = [];
for (let run = 0; run < Number(runs); run += 1) {
  const consumer = rebuildPostgreSQLProjections({
    connectionString,
    // Each run has a separate checkpoint, and therefore starts at the first event.
    projections: [{ projection: sales, processorId: `rebuild-${run}`, startFrom: 'BEGINNING', truncateOnStart: true }],
    pulling: { batchSize: 1_000, pullingFrequencyInMs: 1 },
  });
  const startedMs = performance.now();
  await consumer.start();
  perSecond.push(made / ((performance.now() - startedMs) / 1_000));
  await consumer.close();
  const stored = await countSales(connectionString);
  if (stored !== made) throw new Error(`${stored} of ${made} sales after a rebuild`);
}
console.log(JSON.stringify({ perSecond }));
process.exit(0);
