import { setTimeout as delay } from 'node:timers/promises';
import { saleOf, TestService, type Books } from '../support/service.js';

const PATH = '/api/transaction-categories';
type Rule = { id: string; merchant: string; categoryName: string; isEnabled: boolean; matchType: string };
type Transaction = { id: string; categoryName: string | null; categorizedBy: object | null };

const PATIENCE_MS = 15_000;

describe('Rules learned from choices', () => {
  let service: TestService;
  let books: Books;
  let token: string;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    books = await service.openBooks();
    ({ token } = books.tenant);
  });

  /** Pushes a sale to a customer. Returns the sale's invoice. */
  const sell = async (externalId: string, name: string): Promise<Transaction> => {
    await service.sell(books.partner, saleOf(externalId, { customer: { name, externalId: name } }));
    const { items } = await service.transactions(token, `search=${externalId}`);
    return items[0] as Transaction;
  };
  const choose = async (transaction: Transaction, categoryId: string | null): Promise<void> => {
    const path = `/api/transactions/${transaction.id}/category`;
    const { status, told } = await service.call('PATCH', path, { token, body: { categoryId } });
    if (status !== 200) throw new Error(told);
  };
  const learned = async (): Promise<Rule[]> => {
    await service.quiet();
    const { data } = await service.get(`${PATH}/rules?source=LEARNED`, token);
    return (data as { items: Rule[] }).items;
  };
  const until = async (holds: (rules: Rule[]) => boolean): Promise<Rule[]> => {
    for (let waitedMs = 0; ; waitedMs += 10) {
      const rules = await learned();
      if (holds(rules) || waitedMs >= PATIENCE_MS) return rules;
      await delay(10);
    }
  };

  test('do not arise from the default customer, who represents many customers', async () => {
    const { id: beans } = await service.post(PATH, { name: 'Beans' }, token);
    for (const externalId of ['w-1', 'w-2', 'w-3']) {
      await service.sell(books.partner, saleOf(externalId));
      const { items } = await service.transactions(token, `search=${externalId}`);
      await choose(items[0] as Transaction, beans);
    }
    for (const externalId of ['m-1', 'm-2', 'm-3']) await choose(await sell(externalId, 'Miller'), beans);
    expect((await until(({ length }) => length > 0)).map(({ merchant }) => merchant)).toEqual(['Miller']);
  });

  test('appear with the third sale to a customer, categorize the next one, and are disabled when they are wrong', async () => {
    const { id: beans } = await service.post(PATH, { name: 'Beans' }, token);
    const { id: machines } = await service.post(PATH, { name: 'Machines' }, token);
    for (const externalId of ['s-1', 's-2', 's-3']) await choose(await sell(externalId, 'The Roastery'), beans);
    const [rule] = await until(({ length }) => length > 0);
    expect(rule).toMatchObject({
      merchant: 'The Roastery',
      matchType: 'EXACT',
      categoryName: 'Beans',
      isEnabled: true,
    });
    const fourth = await sell('s-4', 'The Roastery');
    expect(fourth).toMatchObject({ categoryName: 'Beans', categorizedBy: { ruleId: rule?.id, source: 'LEARNED' } });
    expect(await sell('s-5', 'The Roastery of others')).toMatchObject({ categoryName: null });

    const fifth = await sell('s-6', 'The Roastery');
    await choose(fourth, machines);
    await choose(fifth, null);
    expect(await until((rules) => rules.some(({ isEnabled }) => !isEnabled))).toMatchObject([{ isEnabled: false }]);
    expect(await sell('s-7', 'The Roastery')).toMatchObject({ categoryName: null });
  });

  test('come from categories chosen by users, not by rules', async () => {
    const { id: beans } = await service.post(PATH, { name: 'Beans' }, token);
    const { id: tea } = await service.post(PATH, { name: 'Tea' }, token);
    await service.post(`${PATH}/rules`, { categoryId: tea, merchant: 'tea house' }, token);
    const accounts = await service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', token);
    const accountId = (accounts.body as { items: { id: string }[] }).items[0]?.id;
    const entry = { type: 'COLLECTION', date: '2026-03-04', amount: '5.00', accountId };
    const { id: house } = await service.post('/api/customers', { name: 'Tea House' }, token);
    const { id: roastery } = await service.post('/api/customers', { name: 'The Roastery' }, token);
    for (let count = 0; count < 3; count += 1) {
      await service.post('/api/transactions', { ...entry, customerId: house }, token);
      await service.post('/api/transactions', { ...entry, customerId: roastery, categoryId: beans }, token);
    }
    // The policy processes choices in order. Once it has learned a rule for this customer, it has processed the earlier
    // choices for the other customer.
    const rules = await until(({ length }) => length > 0);
    expect(rules).toMatchObject([{ merchant: 'The Roastery', categoryName: 'Beans' }]);
  });

  test('come from categories changed by corrections, but not from those that corrections keep', async () => {
    const { id: beans } = await service.post(PATH, { name: 'Beans' }, token);
    const { id: tea } = await service.post(PATH, { name: 'Tea' }, token);
    await service.post(`${PATH}/rules`, { categoryId: tea, merchant: 'tea house' }, token);
    const accounts = await service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', token);
    const accountId = (accounts.body as { items: { id: string }[] }).items[0]?.id;
    const openingBalance = { amount: '7.00', direction: 'OUT', date: '2026-03-04' };
    const correct = async (id: string, replacement: object) => {
      const body = { reason: 'Wrong amount', replacement };
      expect((await service.post(`/api/transactions/${id}/correct`, body, token)).told).toBe('201');
    };
    for (const [name, categoryId] of [
      ['Tea House', tea],
      ['The Roastery', beans],
    ] as const) {
      const { id: customerId } = await service.post('/api/customers', { name, openingBalance }, token);
      const entry = { type: 'COLLECTION', date: '2026-03-04', amount: '5.00', accountId, customerId };
      for (let count = 0; count < 2; count += 1) {
        const { id } = await service.post('/api/transactions', entry, token);
        await correct(id, { ...entry, amount: '6.00', categoryId });
      }
      const [opening] = (await service.transactions(token, `customerId=${customerId}&type=OPENING_BALANCE`)).items;
      const { amount, direction, date } = openingBalance;
      const corrected = { type: 'OPENING_BALANCE', customerId, amount, direction, date, categoryId };
      await correct(opening?.id ?? '', corrected);
    }
    expect(await until(({ length }) => length > 0)).toMatchObject([
      { merchant: 'The Roastery', categoryName: 'Beans' },
    ]);
  });

  test('log no warnings', () => {
    expect(service.complaints).toEqual([]);
  });
});
