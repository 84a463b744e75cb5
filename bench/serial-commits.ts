import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '../src/adapters/embedded/event-store.js';
import { SystemClock } from '../src/adapters/system-time.js';
import { SALE } from './sale.js';
import { callsIn, percentile } from './statistics.js';

/** B2 baseline: two consecutive durable commits to the embedded event store. Prints the result as JSON. */
const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
const data = JSON.parse(SALE) as object;
const append = () =>
  store.append({
    ...{ stream: `sale-bench_${randomUUID()}`, expected: 'no_stream' },
    events: [{ id: randomUUID(), type: 'SaleAccepted', data, metadata: {} }],
  });
const two = async () => {
  await append();
  await append();
};
await callsIn(1, 1, two);
const { milliseconds } = await callsIn(2, 1, two);
await store.close();
await rm(directory, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ p50Ms: percentile(milliseconds, 0.5) }));
