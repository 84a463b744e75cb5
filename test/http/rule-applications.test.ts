import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import type { RuleApplicationRecord } from '../../src/queries/rule-application.queries.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

const CATEGORIES = '/api/transaction-categories';
const RULES = `${CATEGORIES}/rules`;
const PATIENCE_MS = 15_000;

describe('A rule applied to past transactions', () => {
  let service: TestService;
  let books: Books;
  let token: string;
  let ada: string;
  let cash: string;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    books = await service.openBooks();
    ({ token } = books.tenant);
    ada = (await service.post('/api/customers', { name: 'Ada' }, token)).id;
    const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=1&type=CASH', token);
    cash = (body as { items: { id: string }[] }).items[0]?.id ?? '';
  });

  const category = async (name: string, more: object = {}): Promise<string> =>
    (await service.post(CATEGORIES, { name, ...more }, token)).id;
  const ruleFor = async (categoryId: string, keyword: string, more: object = {}): Promise<string> =>
    (await service.post(RULES, { categoryId, keyword, ...more }, token)).id;
  const collect = async (description: string, more: object = {}): Promise<string> => {
    const facts = { type: 'COLLECTION', date: '2026-03-04', amount: '10.00', customerId: ada, accountId: cash };
    return (await service.post('/api/transactions', { ...facts, description, ...more }, token)).id;
  };
  const choose = (id: string, categoryId: string | null) =>
    service.call('PATCH', `/api/transactions/${id}/category`, { token, body: { categoryId } });
  const get = async (id: string): Promise<TransactionRecord> =>
    (await service.get(`/api/transactions/${id}`, token)).data as TransactionRecord;
  const shown = async (id: string) => {
    const { categoryName, categorizedBy } = await get(id);
    return [categoryName, categorizedBy?.ruleId ?? null];
  };
  const apply = (ruleId: string, body: object = {}, headers = {}) =>
    service.post(`${RULES}/${ruleId}/apply`, body, token, headers);
  const preview = async (ruleId: string, body: object = {}) => {
    const { status, data } = await apply(ruleId, body);
    expect(status).toBe(200);
    return data as { wouldChange: number; sample: TransactionRecord[] };
  };
  const list = async (): Promise<RuleApplicationRecord[]> =>
    ((await service.get(`${RULES}/applications`, token)).body as { items: RuleApplicationRecord[] }).items;
  const ended = (id: string): Promise<RuleApplicationRecord> =>
    eventually(async () => (await list()).find((one) => one.id === id && one.status !== 'RUNNING'), PATIENCE_MS);
  const run = async (ruleId: string, body: object = {}): Promise<RuleApplicationRecord> => {
    const { status, data } = await apply(ruleId, { ...body, dryRun: false });
    expect(status).toBe(201);
    const found = await ended((data as { applicationId: string }).applicationId);
    await service.quiet();
    return found;
  };
  const undo = (id: string) => service.post(`${RULES}/applications/${id}/undo`, {}, token);

  test('is previewed by a request without a body', async () => {
    await collect('Tea');
    const ruleId = await ruleFor(await category('Drinks'), 'tea');
    const { status, data } = await service.post(`${RULES}/${ruleId}/apply`, undefined, token);
    expect([status, data]).toMatchObject([200, { wouldChange: 1 }]);
  });

  test('previews, then changes the matching transactions without a category, of every kind', async () => {
    const openingBalance = { amount: '7.00', direction: 'OUT', date: '2026-01-01' };
    const { id: opened } = await service.post('/api/customers', { name: 'Coffee house', openingBalance }, token);
    await service.sell(books.partner, saleOf('one', { customer: { name: 'Coffee house two', externalId: 'c' } }));
    const ids = [await collect('Coffee beans'), await collect('Tea'), await collect('Coffee, again')];
    const food = await category('Food');
    const [byKeyword, byMerchant] = [
      await ruleFor(food, 'coffee'),
      (await service.post(RULES, { categoryId: food, merchant: 'coffee' }, token)).id,
    ];
    const { wouldChange, sample } = await preview(byKeyword);
    expect([wouldChange, sample.map(({ description }) => description)]).toEqual([2, ['Coffee, again', 'Coffee beans']]);
    expect(await shown(ids[0] ?? '')).toEqual([null, null]);
    expect(await list()).toEqual([]);

    expect(await run(byKeyword)).toMatchObject({
      ...{ ruleId: byKeyword, categoryId: food, categoryName: 'Food', dateFrom: null, dateTo: null, replace: 'NONE' },
      ...{ status: 'SUCCEEDED', progress: 100, changed: 2, restored: 0, kept: 0, error: null },
    });
    expect(await Promise.all(ids.map(shown))).toEqual([
      ['Food', byKeyword],
      [null, null],
      ['Food', byKeyword],
    ]);
    expect(await get(ids[0] ?? '')).toMatchObject({ revision: 1 });
    expect((await preview(byKeyword)).wouldChange).toBe(0);

    expect(await run(byMerchant)).toMatchObject({ changed: 2 });
    const { items } = await service.transactions(token, 'search=coffee');
    const names = items.filter(({ customerId }) => customerId !== ada).map((one) => [one.type, one.categoryName]);
    expect(names.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      [null, 'Food'],
      ['OPENING_BALANCE', 'Food'],
    ]);
    expect((await service.customer(token, opened)).revision).toBe(0);
    const { data: rule } = await service.get(`${RULES}/${byKeyword}`, token);
    expect(rule).toMatchObject({ hitCount: 2 });
  });

  test('never changes categories chosen by users, cancelled transactions or reversals', async () => {
    const [own, none] = [await collect('coffee 1'), await collect('coffee 2')];
    const gone = await collect('coffee 3');
    const tea = await category('Tea');
    await choose(own, tea);
    await choose(none, tea);
    await choose(none, null);
    const { id: reversal } = await service.post(`/api/transactions/${gone}/cancel`, { reason: 'Mistake' }, token);
    const given = await collect('coffee 4', { categoryId: tea });
    const rule = await ruleFor(await category('Food'), 'coffee');
    expect((await preview(rule, { replace: 'RULE_SET' })).wouldChange).toBe(0);
    expect(await run(rule, { replace: 'RULE_SET' })).toMatchObject({ changed: 0 });
    expect(await Promise.all([own, none, gone, given].map(shown))).toEqual([
      ['Tea', null],
      [null, null],
      [null, null],
      ['Tea', null],
    ]);
    expect(reversal).not.toBe('');
  });

  test('replaces categories of other rules only on request, within the dates', async () => {
    const food = await category('Food');
    const first = await ruleFor(food, 'coffee');
    const dates = ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'];
    const ids = await Promise.all(dates.map((date) => collect('Coffee', { date })));
    const second = await ruleFor(await category('Drinks'), 'coffee');
    const february = { dateFrom: '2026-02-01', dateTo: '2026-02-28' };
    expect((await preview(second, february)).wouldChange).toBe(0);
    expect((await preview(second, { ...february, replace: 'RULE_SET' })).wouldChange).toBe(2);
    expect(await run(second, { ...february, replace: 'RULE_SET' })).toMatchObject({ ...february, changed: 2 });
    const told = [
      ['Food', first],
      ['Drinks', second],
      ['Drinks', second],
      ['Food', first],
    ];
    expect(await Promise.all(ids.map(shown))).toEqual(told);
  });

  test('is undone only once, for the transactions that have not been changed since', async () => {
    const food = await category('Food');
    const first = await ruleFor(food, 'coffee');
    const before = await collect('Coffee');
    await service.call('PATCH', `${RULES}/${first}/disable`, { token, body: { isEnabled: false } });
    const [plain, chosen, cancelled, later] = await Promise.all(
      ['1', '2', '3', '4'].map((n) => collect(`Coffee ${n}`)),
    );
    const second = await ruleFor(await category('Drinks'), 'coffee');
    const { id, changed } = await run(second, { replace: 'RULE_SET' });
    expect(changed).toBe(5);
    await choose(chosen ?? '', food);
    await service.post(`/api/transactions/${cancelled ?? ''}/cancel`, { reason: 'Mistake' }, token);
    const third = await ruleFor(await category('Other'), 'coffee 4');
    await run(third, { replace: 'RULE_SET' });

    const undone = await undo(id);
    expect([undone.status, undone.data]).toEqual([201, { restored: 2, kept: 3 }]);
    expect(await Promise.all([before, plain, chosen, cancelled, later].map((one) => shown(one ?? '')))).toEqual([
      ['Food', first],
      [null, null],
      ['Food', null],
      ['Drinks', second],
      ['Other', third],
    ]);
    expect((await list()).find((one) => one.id === id)).toMatchObject({ status: 'UNDONE', restored: 2, kept: 3 });
    await choose(plain ?? '', food);
    expect((await undo(id)).data).toEqual({ restored: 2, kept: 3 });
    expect(await shown(plain ?? '')).toEqual(['Food', null]);
  });

  test('is published and audited, and the audit entries of its transactions show the change', async () => {
    const id = await collect('Coffee');
    const food = await category('Food');
    const { id: applicationId } = await run(await ruleFor(food, 'coffee'));
    await undo(applicationId);
    const operator = await service.operator();
    const audit = async (query: string) =>
      (
        (await service.get(`/api/platform/audit-logs?pageNumber=1&pageSize=20&${query}`, operator)).body as {
          items: { id: string; eventType: string; userName: string | null }[];
        }
      ).items;
    const entries = await audit(`entity=rule-application&entityId=${applicationId}`);
    expect(entries.map(({ eventType }) => eventType)).toEqual([
      'RuleApplicationUndoEnded',
      'RuleApplicationUndoStarted',
      'RuleApplicationEnded',
      'RuleApplicationStarted',
    ]);
    const changes = await audit(`entity=transaction&entityId=${id}`);
    expect(changes.map(({ eventType }) => eventType)).toEqual([
      'TransactionRecategorized',
      'TransactionRecategorized',
      'TransactionRecorded',
    ]);
    const { data } = await service.get(`/api/platform/audit-logs/${changes[1]?.id ?? ''}`, operator);
    expect((data as { changes: object[] }).changes).toContainEqual({ path: 'categoryId', before: null, after: food });
  });

  test('is rejected if the rule or the dates cannot be applied', async () => {
    const food = await category('Food');
    const rule = await ruleFor(food, 'coffee');
    const other = (await service.openBooks()).tenant.token;
    const told = async (id: string, body: object) => (await apply(id, body)).told;
    expect(await told('nothing', {})).toBe('404 NOT_FOUND');
    expect((await service.post(`${RULES}/${rule}/apply`, {}, other)).told).toBe('404 NOT_FOUND');
    expect((await service.post(`${RULES}/applications/${rule}/undo`, {}, other)).told).toBe('404 NOT_FOUND');
    for (const body of [{ dateFrom: '2026-02-30' }, { replace: 'ALL' }, { dryRun: 'no' }, { date: '2026-01-01' }])
      expect([body, (await apply(rule, body)).status]).toEqual([body, 400]);
    const reversed = { dateFrom: '2026-02-02', dateTo: '2026-02-01' };
    expect(await told(rule, reversed)).toBe('400 VALIDATION_FAILED dateTo');
    await service.call('PATCH', `${RULES}/${rule}/disable`, { token, body: { isEnabled: false } });
    for (const dryRun of [true, false]) expect(await told(rule, { dryRun })).toBe('409 RULE_DISABLED');
    await service.call('PATCH', `${RULES}/${rule}/disable`, { token, body: { isEnabled: true } });
    await service.call('DELETE', `${CATEGORIES}/${food}`, { token });
    for (const dryRun of [true, false]) expect(await told(rule, { dryRun })).toBe('409 CATEGORY_ARCHIVED');
  });

  test('runs once per Idempotency-Key', async () => {
    const rule = await ruleFor(await category('Food'), 'coffee');
    const key = { 'idempotency-key': 'spring' };
    const first = await apply(rule, { dryRun: false }, key);
    const again = await apply(rule, { dryRun: false }, key);
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    await ended((first.data as { applicationId: string }).applicationId);
    expect(await list()).toHaveLength(1);
    expect((await apply(rule, { dryRun: false, replace: 'RULE_SET' }, key)).told).toMatch(/^409 IDEMPOTENCY_CONFLICT/);
  });
});
