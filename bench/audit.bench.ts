import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedReadStore } from '../src/adapters/embedded/read-store.js';
import { collection, saleInvoice } from '../src/aggregates/ledger.js';
import { catalogue } from '../src/app/catalogue.js';
import { nameUuid } from '../src/eventsourcing/name-uuid.js';
import type { Recorded } from '../src/eventsourcing/event-catalogue.js';
import type { AnyProjection } from '../src/projecting/projection.js';
import { project } from '../src/projecting/project.js';
import { Projector } from '../src/projecting/projector.js';
import { auditLogProjection } from '../src/projections/audit-log.projection.js';
import { transactionProjection } from '../src/projections/ledger.projection.js';
import type { RecordedEvent } from '../src/ports/event-store.js';
import { mulberry32 } from '../test/support/manual-clock.js';
import type { Measurement } from './figure.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * This benchmark has no goal. It measures the cost of an audit entry as the CPU time of the projection and the read
 * store. It projects sales into an empty store in batches of 100, both in live mode and in rebuild mode. Baseline: the
 * projection of transactions from the same sales.
 */
const SALES = options.sizes?.[0] ?? pick(20_000, 2_000);
const BATCH = 100;
const TENANTS = 20;
const START_MS = Date.UTC(2026, 0, 1);

function* history(): Generator<RecordedEvent> {
  const random = mulberry32(1);
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const uuid = (atMs: number) => {
    const time = atMs.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-a${hex(3)}-${hex(12)}`;
  };
  const tenants = Array.from({ length: TENANTS }, () => uuid(START_MS));
  let position = 0;
  for (let n = 0; n < SALES; n += 1) {
    const tenantId = tenants[Math.floor(random() ** 2 * TENANTS)] ?? '';
    const atMs = START_MS + n * 20;
    const saleId = nameUuid(`${n}`, tenantId);
    const timestamp = new Date(atMs).toISOString();
    const requestId = uuid(atMs);
    const origin = { tenantId, timestamp, version: 1, commandId: requestId, requestId, $correlationId: requestId };
    const event = (type: string, data: object, metadata: object, revision: number): RecordedEvent => ({
      id: nameUuid(`${type}${n}`, tenantId),
      stream: `sale-${tenantId}_${saleId}`,
      type,
      data,
      metadata: { ...origin, ...metadata },
      revision,
      position: (position += 1),
      recordedAtMs: atMs,
    });
    const amount = (1 + Math.floor(random() * 50_000) / 100).toFixed(2);
    yield event(
      'SaleAccepted',
      { externalId: `POS-${100_000 + n}`, sourceId: 'shop', type: 'SALE', occurredAt: timestamp, total: amount },
      { sourceId: 'shop', keyId: tenantId, ip: '10.1.2.3', userAgent: 'partner-client/1.0' },
      0,
    );
    const facts = { date: timestamp.slice(0, 10), currency: 'EUR', systemGenerated: true };
    const customerId = nameUuid(`${Math.floor(random() * 2_000)}`, tenantId);
    const document = {
      customerId,
      salesAccountId: 'sales',
      taxAccountId: 'tax',
      net: amount,
      tax: '0.00',
      gross: amount,
    };
    const transactions = [
      saleInvoice({ ...facts, id: nameUuid('invoice', saleId) }, document),
      collection({ ...facts, id: nameUuid('payment', saleId) }, { customerId, accountId: 'cash', amount }),
    ];
    const causes = { system: 'booking', $causationId: saleId };
    yield event('SaleBooked', { customerId, branchId: null, date: facts.date, transactions }, causes, 1);
  }
}

const events = [...history()].map((event) => catalogue.decode(event));

/** CPU time per sale in microseconds, in live mode or in bulk with indexes built at the end. */
async function cost(projections: readonly AnyProjection[], bulk: boolean): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-bench-'));
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  const tables = projections.map(({ model }) => ({ model, generation: 1 }));
  await store.prepare(tables, { bulk });
  const projectors = projections.map(
    (projection) => new Projector(store, { projection, table: { model: projection.model, generation: 1 } }),
  );
  const before = process.cpuUsage();
  const size = bulk ? 1_000 : BATCH;
  for (let at = 0; at < events.length; at += size) {
    const batch: Recorded[] = events.slice(at, at + size);
    await project(store, projectors, batch, batch.at(-1)?.position ?? 0);
  }
  if (bulk) for (const table of tables) await store.index(table);
  const { user, system } = process.cpuUsage(before);
  await store.close();
  await rm(directory, { recursive: true, force: true });
  return (user + system) / SALES;
}

pin('measured', process.pid);
const figures: Measurement[] = [];
for (const bulk of [false, true]) {
  const [transactions, entries]: [number[], number[]] = [[], []];
  for (let run = 0; run < options.runs; run += 1) {
    transactions.push(await cost([transactionProjection], bulk));
    entries.push(await cost([auditLogProjection], bulk));
  }
  const how = bulk ? 'in a rebuild' : 'as it happens';
  say(`${how}: ${entries.map((one) => round(one)).join(' ')} µs a sale`);
  figures.push({
    ...{ figure: 'audit', name: `audit entries of a sale, ${how}`, unit: 'µs', runs: entries, errors: 0 },
    ...{ operations: SALES * entries.length, concurrency: 1 },
    against: { name: 'its transactions', unit: 'µs', runs: transactions },
  });
}
tell(figures);
