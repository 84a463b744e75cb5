import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedReadStore } from '../../src/adapters/embedded/read-store.js';
import { RULE_DEFAULTS } from '../../src/aggregates/category-rule.aggregate.js';
import type { MatchableRule } from '../../src/aggregates/category-rule-matching.js';
import { collection } from '../../src/aggregates/ledger.js';
import { ReadModels } from '../../src/queries/query.js';
import { tenantScope, type DocumentWrite } from '../../src/ports/read-store.js';
import { accounts, customers } from '../../src/projections/account.projection.js';
import { categories } from '../../src/projections/category.projection.js';
import { transactions } from '../../src/projections/ledger.projection.js';
import { sampleOf } from '../../src/queries/category-rule.sampler.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { TestService, type TestTenant } from '../support/service.js';
import { fixedTables } from '../support/fixed-tables.js';

const PATH = '/api/transaction-categories';
type Result = { sample?: TransactionRecord[]; sampleCount?: number; sampledTransactions?: number; matched: boolean };

describe('The matches of a draft rule', () => {
  let service: TestService;
  let tenant: TestTenant;
  let categoryId: string;
  let accountId: string;
  let roastery: string;
  const made: string[] = [];
  beforeAll(async () => {
    service = await TestService.start();
    tenant = await service.createTenant();
    categoryId = (await service.post(PATH, { name: 'Beans' }, tenant.token)).id;
    const found = await service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', tenant.token);
    accountId = (found.body as { items: { id: string }[] }).items[0]?.id ?? '';
    roastery = (await service.post('/api/customers', { name: 'The Roastery' }, tenant.token)).id;
    const { id: mill } = await service.post('/api/customers', { name: 'The Mill' }, tenant.token);
    const record = async (customerId: string, date: string, description: string, amount = '5.00') => {
      const entry = { type: 'COLLECTION', date, amount, accountId, customerId, description };
      made.push((await service.post('/api/transactions', entry, tenant.token)).id);
    };
    await record(roastery, '2026-03-04', 'Espresso');
    await record(roastery, '2026-03-06', 'Two espressos');
    await record(mill, '2026-03-05', 'Espresso flour', '9.00');
    await record(mill, '2026-03-07', 'Flour');
    await service.post(`/api/transactions/${made[2]}/cancel`, { reason: 'Mistake' }, tenant.token);
  });
  afterAll(() => service.close());

  const attempt = async (body: object, token = tenant.token): Promise<Result> =>
    (await service.post(`${PATH}/rules/test`, body, token)).data as Result;
  const caught = async (rule: object): Promise<unknown[]> => {
    const { sample, sampleCount, sampledTransactions } = await attempt({ rule: { categoryId, ...rule } });
    return [(sample ?? []).map(({ id }) => made.indexOf(id)), sampleCount, sampledTransactions];
  };

  test('are listed newest first, like transactions elsewhere', async () => {
    expect(await caught({ keyword: 'espresso' })).toEqual([[1, 2, 0], 3, 5]);
    const { sample } = await attempt({ rule: { categoryId, keyword: 'two espressos' } });
    const shown = await service.get(`/api/transactions/${made[1]}`, tenant.token);
    expect(sample).toEqual([shown.data]);
    expect(sample?.[0]).toMatchObject({ customerName: 'The Roastery', accountName: 'Cash' });
  });

  test.each<[string, object, number[]]>([
    ['customer', { merchant: 'roastery' }, [1, 0]],
    ['customer and text', { merchant: 'the', keyword: 'espresso', matchType: 'STARTS_WITH' }, [2, 0]],
    ['amount', { keyword: 'espresso', amountMin: '6' }, [2]],
    ['direction', { keyword: 'espresso', direction: 'OUT' }, []],
    ['being on', { keyword: 'espresso', isEnabled: false }, []],
  ])('can be narrowed by %s', async (_, rule, expected) => {
    expect(await caught(rule)).toEqual([expected, expected.length, 5]);
  });

  test('can be narrowed by account', async () => {
    expect(await caught({ keyword: 'flour', accountId })).toEqual([[3, 2], 2, 5]);
  });

  test("can be narrowed by a customer's account", async () => {
    expect(await caught({ keyword: 'espresso', accountId: roastery })).toEqual([[1, 0], 2, 5]);
  });

  test('by an expense account equal the transactions that the rule then categorizes', async () => {
    const other = await service.createTenant();
    const post = (path: string, body: object) => service.post(path, body, other.token);
    const { id: rent } = await post('/api/accounts', { type: 'EXPENSE', name: 'Rent' });
    const { id: housing } = await post(PATH, { name: 'Housing' });
    const rule = { categoryId: housing, keyword: 'march', accountId: rent };
    await post(`${PATH}/rules`, rule);
    const { id: purse } = await post('/api/accounts', { type: 'CASH', name: 'Purse' });
    const payment = { type: 'PAYMENT', date: '2026-03-04', amount: '5.00', accountId: purse, expenseItemId: rent };
    const { id } = await post('/api/transactions', { ...payment, description: 'For March' });
    const shown = await service.get(`/api/transactions/${id}`, other.token);
    expect(shown.data).toMatchObject({ categoryId: housing });
    const { sample } = await attempt({ rule }, other.token);
    expect(sample).toMatchObject([{ id }]);
  });

  test('respect the direction of its category', async () => {
    const { id } = await service.post(PATH, { name: 'Going out', direction: 'OUT' }, tenant.token);
    expect(await caught({ keyword: 'espresso', categoryId: id })).toEqual([[], 0, 5]);
  });

  test('are shown even if other rules come first or the sample does not match', async () => {
    await service.post(`${PATH}/rules`, { categoryId, keyword: 'espresso', priority: 900 }, tenant.token);
    const result = await attempt({ description: 'Tea', rule: { categoryId, keyword: 'espresso', priority: 1 } });
    expect(result).toMatchObject({ matched: false, sampleCount: 3 });
  });

  const refused = async (body: object): Promise<unknown> => {
    const { status, body: told } = await service.post(`${PATH}/rules/test`, body, tenant.token);
    return [status, (told as { errors?: { path: string }[] }).errors?.map(({ path }) => path)];
  };

  test('are not shown for an invalid draft', async () => {
    expect(await refused({ rule: { categoryId } })).toEqual([400, ['rule.merchant', 'rule.keyword']]);
    expect(await refused({ rule: { categoryId, keyword: 'espresso', amountMin: '2', amountMax: '1' } })).toEqual([
      400,
      ['rule.amountMin'],
    ]);
  });

  test('are not shown for an unknown account', async () => {
    const { id: gone } = await service.post('/api/accounts', { type: 'CASH', name: 'Gone' }, tenant.token);
    await service.call('DELETE', `/api/accounts/${gone}`, { token: tenant.token });
    for (const id of [gone, randomUUID()]) {
      expect(await refused({ accountId: id })).toEqual([404, ['accountId']]);
      expect(await refused({ rule: { categoryId, keyword: 'espresso', accountId: id } })).toEqual([
        404,
        ['rule.accountId'],
      ]);
    }
    const { id: customerId } = (await service.customers(tenant.token, 'search=roastery')).items[0] ?? {};
    expect(await attempt({ accountId: customerId })).toMatchObject({ matched: false });
  });

  test('are not shown without a draft', async () => {
    const result = await attempt({ description: 'Espresso' });
    expect(Object.keys(result)).not.toEqual(expect.arrayContaining(['sample']));
    expect([result.sampleCount, result.sampledTransactions]).toEqual([undefined, undefined]);
  });
});

describe('With many transactions', () => {
  const scope = tenantScope('0199d3a0-0000-7000-8000-000000000001');
  const other = tenantScope('0199d3a0-0000-7000-8000-000000000002');
  const COUNT = 12_345;
  const EVERY = 7;
  let directory: string;
  let store: EmbeddedReadStore;
  let models: ReadModels;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kontor-'));
    store = await EmbeddedReadStore.open({ directory, mode: 'readwrite' });
    const tables = [transactions, customers, accounts, categories].map((model) => ({ model, generation: 1 }));
    await store.prepare(tables);
    models = new ReadModels(store, fixedTables(tables));
    const write = (writes: readonly DocumentWrite[]) =>
      store.write({ tables: [{ table: { model: transactions, generation: 1 }, writes }], checkpoints: [] });
    await write([document(0, other)]);
    for (let from = 0; from < COUNT; from += 1_000)
      await write(Array.from({ length: Math.min(1_000, COUNT - from) }, (_, index) => document(from + index)));
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Creates a transaction. The higher the number, the older the transaction. Every seventh one is about coffee. */
  function document(number: number, owner = scope): DocumentWrite {
    const date = new Date(Date.UTC(2026, 0, 1) - number * 86_400_000).toISOString().slice(0, 10);
    const id = `t-${number}`;
    const facts = { id, date, currency: 'EUR', description: number % EVERY === 0 ? 'Coffee' : 'Rent' };
    const entry = collection(facts, { customerId: 'ada', accountId: 'cash', amount: '1.00' });
    const view = { ...entry, createdAt: `${date}T00:00:00.000Z`, sequence: COUNT - number, revision: 0 };
    return {
      scope: owner,
      id,
      document: { ...view, isCancelled: false, categorizedBy: null },
      position: 1,
      expected: null,
    };
  }
  const rule: MatchableRule = {
    ...{ ...RULE_DEFAULTS, keyword: 'coffee', categoryId: 'c', id: 'draft', source: 'MANUAL', createdAt: '' },
    category: { direction: 'BOTH', isArchived: false },
  };

  test('the newest 10,000 are tested, and the newest 20 matches are shown', async () => {
    const { sample, sampleCount, sampledTransactions } = await sampleOf(models, scope, rule);
    expect([sampledTransactions, sampleCount]).toEqual([10_000, Math.ceil(10_000 / EVERY)]);
    expect(sample.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `t-${index * EVERY}`));
  });

  test('other requests are served meanwhile', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await sampleOf(models, scope, rule);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(40);
  });
});
