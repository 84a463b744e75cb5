import { EmbeddedEventStore } from '../../src/adapters/embedded/event-store.js';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { SystemClock } from '../../src/adapters/system-time.js';
import { toMinor } from '../../src/aggregates/money.js';
import { catalogue } from '../../src/app/catalogue.js';
import { exchange } from '../support/exchange.js';
import { hashOf, rebuildAll } from '../support/rebuilt-table.js';
import { projections } from '../../src/projections/projections.js';
import {
  call,
  KontorProcess,
  openBooks,
  PLAIN,
  trialBalance,
  until,
  withDirectory,
  type Books,
} from './kontor-process.js';

const SALES = Number(process.env['SALES'] ?? 10_000);
const CONNECTIONS = 64;
const CUSTOMERS = 50;
const METHODS = ['CASH', 'CARD', 'BANK'] as const;

/**
 * Gross amounts differ. Sales are paid in part, in full, in two payments or not at all. Some sales have no customer.
 */
function saleOf(n: number): object {
  const unitPrice = ((n % 997) + 1) / 100;
  const gross = (Math.round(unitPrice * 100 * 3) / 100).toFixed(2);
  const half = (Math.floor((Number(gross) * 100) / 2) / 100).toFixed(2);
  const method = METHODS[n % 3];
  const payments = [
    [],
    [{ method, amount: gross }],
    Number(half) > 0
      ? [
          { method, amount: half },
          { method: 'CASH', amount: half },
        ]
      : [],
  ][n % 3];
  const customer = n % 10 === 0 ? undefined : { externalId: `c-${n % CUSTOMERS}`, name: `Customer ${n % CUSTOMERS}` };
  return {
    externalId: `sale-${n}`,
    occurredAt: new Date(Date.UTC(2026, n % 12, 1 + (n % 28), n % 24)).toISOString(),
    currency: 'EUR',
    ...(customer && { customer }),
    lines: [{ description: `Goods ${n}`, quantity: 3, unitPrice: unitPrice.toFixed(2) }],
    total: gross,
    payments,
  };
}

async function postAll(url: string, { key }: Books): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let next = 0;
  const partner = async () => {
    for (let n = next++; n < SALES; n = next++) {
      const { status } = await exchange(`${url}/api/integrations/v1/sales`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-integration-key': key, 'idempotency-key': `key-${n}` },
        body: JSON.stringify(saleOf(n)),
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, partner));
  return statuses;
}

type Customer = { readonly id: string; readonly balance: { readonly amount: string } };
type Transaction = {
  readonly saleId: string;
  readonly documentEffect: string | null;
  readonly customerId: string;
  readonly postings: readonly { readonly accountId: string; readonly amount: string }[];
};

async function everyPage<T>(url: string, path: string, { token }: Books): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const list = await call<{ items: T[]; totalPages: number }>(`${url}${path}&pageNumber=${page}&pageSize=100`, {
      token,
    });
    found.push(...list.items);
    pages = list.totalPages;
  }
  return found;
}

const cents = (amounts: readonly string[]): bigint => amounts.reduce((sum, amount) => sum + toMinor(amount, 2), 0n);

async function checkBooks(url: string, books: Books): Promise<void> {
  const all = await everyPage<Transaction>(url, '/api/transactions?showSystemGenerated=true', books);
  const sales = all.filter(({ documentEffect }) => documentEffect === 'INVOICE').map(({ saleId }) => saleId);
  expect([sales.length, new Set(sales).size]).toEqual([SALES, SALES]);
  for (const { postings } of all) expect(cents(postings.map(({ amount }) => amount))).toBe(0n);

  const owed = new Map<string, bigint>();
  for (const { customerId, postings } of all) {
    const own = postings.filter(({ accountId }) => accountId === customerId).map(({ amount }) => amount);
    owed.set(customerId, (owed.get(customerId) ?? 0n) + cents(own));
  }
  const customers = await everyPage<Customer>(url, '/api/customers?status=ALL', books);
  // The sales refer to 45 of the 50 customers. The books also contain the default customer.
  expect(customers.length).toBe(CUSTOMERS - CUSTOMERS / 10 + 1);
  for (const { id, balance } of customers) expect(toMinor(balance.amount, 2)).toBe(owed.get(id) ?? 0n);
  const { totalDebit, totalCredit } = await trialBalance(url, books);
  expect(totalDebit).toBe(totalCredit);
}

/** Refolds all projections from the whole history, into separate tables. */
async function checkRebuild(directory: string): Promise<void> {
  const events = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
  const store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
  await store.prepare(projections.map(({ model }) => ({ model, generation: 1 })));
  await rebuildAll(events, store, catalogue, projections, 2, await events.head());
  for (const { model } of projections) {
    const hashes = [1, 2].map((generation) => hashOf(store, { model, generation }));
    const [live, anew] = await Promise.all(hashes);
    expect([model.name, anew]).toEqual([model.name, live]);
  }
  await store.close();
  await events.close();
}

test(`${SALES} sales pushed on ${CONNECTIONS} connections are all booked, balanced, and identical after a refold`, async () => {
  await withDirectory(async (directory) => {
    const kontor = await KontorProcess.ready(directory, PLAIN);
    const url = await kontor.url();
    const books = await openBooks(url);
    expect(await postAll(url, books)).toEqual({ 202: SALES });
    await until(
      async () => {
        const path = `${url}/api/transactions?type=INVOICE&pageNumber=1&pageSize=1`;
        return (await call<{ totalCount: number }>(path, { token: books.token })).totalCount;
      },
      (count) => count === SALES,
      60_000,
    );
    await checkBooks(url, books);
    expect(await kontor.stop()).toEqual({ code: 0, signal: null });
    await checkRebuild(directory);
  });
}, 240_000);
