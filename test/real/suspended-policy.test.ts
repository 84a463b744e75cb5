import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  call,
  caughtUp,
  invoices,
  KontorProcess,
  openBooks,
  PLAIN,
  SaleLoad,
  tenantIdOf,
  withDirectory,
  type Books,
} from '../e2e/kontor-process.js';
import { compareWithRebuild, isDividedEvenly, rangeShares } from '../support/divided-work.js';
import { exchange } from '../support/exchange.js';
import { Servers } from '../support/servers.js';
import { messagesAt } from '../support/stored-messages.js';
import {
  continueAmong,
  domainEventsOf,
  eventIn,
  EVEN_WITHIN_MS,
  holds,
  leads,
  LED_WITHIN_MS,
  outOfOrder,
  READY_WITHIN_MS,
  repeatedIn,
  SUSPENDABLE,
} from '../support/suspended-replica.js';

/** For each kind of append by a policy, the type of its first event. */
const UNDER_WAY = [
  ...['ValueClaimed', 'SaleCustomerChosen', 'CustomerCreated', 'SaleBooked', 'ReturnBooked'],
  ...['RelatedDocumentRejected', 'SaleRejected', 'SaleTransactionRecategorized', 'RuleApplicationEnded'],
];
const BRANCH = 'NORTH';
/** Enough records for two concurrent appends of each type. */
const CUSTOMERS = Array.from({ length: 10 }, (_, n) => `customer-${n}`);
const RETURNS = Array.from({ length: 8 }, (_, n) => ({ externalId: `return-${n}`, sold: `sold-${n}` }));
const GOODS = ['apple', 'pear', 'plum', 'grape'];
const RULES = '/api/transaction-categories/rules';
const SALE_EVERY_MS = 500;

/** A tenant with sales that policies book, and with rules that a policy applies. */
class Shop {
  constructor(
    private readonly url: string,
    private readonly books: Books,
  ) {}

  async create(path: string, body: object): Promise<string> {
    const { data } = await call<{ data: { id: string } }>(this.url + path, { token: this.books.token, body });
    return data.id;
  }

  async push(externalId: string, facts: object = {}): Promise<void> {
    const line = { description: 'Goods', quantity: 1, unitPrice: '10.00' };
    const sale = { externalId, occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR', lines: [line], ...facts };
    const { status, text } = await exchange(`${this.url}/api/integrations/v1/sales`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-integration-key': this.books.key },
      body: JSON.stringify(sale),
    });
    if (status !== 202) throw new Error(`${externalId}: ${status} ${text}`);
  }

  apply(ruleId: string): Promise<unknown> {
    return call(`${this.url}${RULES}/${ruleId}/apply`, { token: this.books.token, body: { dryRun: false } });
  }

  async applications(): Promise<{ readonly status: string; readonly changed: number }[]> {
    const path = `${this.url}${RULES}/applications`;
    return (await call<{ items: { status: string; changed: number }[] }>(path, { token: this.books.token })).items;
  }
}

describe('A leader of policies that is suspended during its appends, replaced and continued', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await Servers.start();
  });
  afterAll(() => servers.dispose());

  test(
    'changes nothing',
    () =>
      withDirectory(async (directory) => {
        const settings = { ...PLAIN, ...servers.settings };
        const armed = join(directory, 'armed');
        const stops = { STOP_AT: 'append', STOP_TYPES: UNDER_WAY.join(), STOP_WHEN: armed };
        const both: KontorProcess[] = [];
        while (both.length < 2) {
          const replica = new KontorProcess(directory, { ...settings, ...stops }, SUSPENDABLE);
          await replica.url(READY_WITHIN_MS);
          both.push(replica);
        }
        await holds(() => isDividedEvenly(both), EVEN_WITHIN_MS);
        const [first, second] = both as [KontorProcess, KontorProcess];
        const books = await openBooks(await first.url());
        const [leader, next] = leads(first, books) ? [first, second] : [second, first];
        const url = await next.url();
        const shop = new Shop(url, books);
        for (const good of GOODS) await shop.push(good);
        for (const { sold } of RETURNS) await shop.push(sold);
        await caughtUp(url, books);
        const categoryId = await shop.create('/api/transaction-categories', { name: 'Fruit' });
        const rules: string[] = [];
        for (const keyword of GOODS) rules.push(await shop.create(RULES, { categoryId, keyword }));
        const other = await openBooks(url);
        const load = new SaleLoad(url, other, 'other', 2, SALE_EVERY_MS);

        await writeFile(armed, tenantIdOf(books));
        await Promise.all([
          ...CUSTOMERS.map((name) => shop.push(name, { customer: { name, externalId: name } })),
          ...RETURNS.map(({ externalId, sold }, n) =>
            shop.push(externalId, {
              ...{ type: 'RETURN', relatedExternalId: sold },
              ...(n % 4 !== 0 && { branchCode: BRANCH }),
            }),
          ),
          ...rules.map((rule) => shop.apply(rule)),
        ]);
        await holds(() => !existsSync(armed), 30_000);
        await shop.create('/api/branches', { code: BRANCH, name: 'North' });
        await holds(() => rangeShares([next]) !== undefined, LED_WITHIN_MS);
        await load.stop();
        await caughtUp(url, books);
        const events = () => domainEventsOf(tenantIdOf(books), servers, directory);
        const before = await events();
        const { checkpoints, lowered } = await continueAmong(leader, both, servers);
        expect(lowered).toEqual([]);
        expect(checkpoints).toBeGreaterThan(100);
        await caughtUp(url, books);

        const sales = [...GOODS, ...RETURNS.map(({ sold }) => sold), ...CUSTOMERS];
        const returns = RETURNS.map(({ externalId }) => externalId);
        expect((await invoices(url, books)).toSorted()).toEqual(sales.toSorted());
        expect((await invoices(url, books, 'RETURN')).toSorted()).toEqual(returns.toSorted());
        const applied = GOODS.map(() => ({ status: 'SUCCEEDED', changed: 1 }));
        expect(await shop.applications()).toMatchObject(applied);
        expect([load.refused, load.unanswered]).toEqual([[], []]);
        expect((await invoices(url, other)).toSorted()).toEqual(load.accepted.toSorted());
        for (const replica of both) await replica.stopCleanly();
        expect(await events()).toEqual(before);
        const messages = await messagesAt(servers.nats.url);
        expect(repeatedIn(messages)).toEqual([]);
        const told = messages.map(eventIn);
        expect(outOfOrder(told)).toEqual([]);
        const booked = sales.length + returns.length + load.accepted.length;
        expect(told.filter(({ type }) => type === 'kontor.sale.booked.v1')).toHaveLength(booked);
        const { compared, differences, leftOut } = await compareWithRebuild(servers, directory);
        expect([differences, leftOut]).toEqual([[], []]);
        expect(compared).toBeGreaterThan(booked);
      }),
    200_000,
  );
});
