import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { saleOf, TestService, type Books } from '../support/service.js';

type Transaction = TransactionRecord;
type Reply = Awaited<ReturnType<TestService['get']>>;

const BASE = { type: 'COLLECTION', date: '2026-03-04', amount: '100.00' };

describe('The category of a transaction', () => {
  let service: TestService;
  let books: Books;
  let token: string;
  let customerId: string;
  let cashId: string;
  let food: string;
  let rent: string;
  let onlyIn: string;

  const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
  const category = async (name: string, more: object = {}): Promise<string> =>
    (await service.post('/api/transaction-categories', { name, ...more }, token)).id;
  const get = async (id: string): Promise<Transaction> =>
    (await service.get(`/api/transactions/${id}`, token)).data as Transaction;
  const transactionsOf = async (id: string): Promise<Transaction[]> => {
    const path = `/api/customers/${id}/transactions?pageNumber=1&pageSize=100`;
    return ((await service.get(path, token)).body as { items: Transaction[] }).items;
  };
  const choose = (id: string, categoryId: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    service.call('PATCH', `/api/transactions/${id}/category`, { token, headers, body: { categoryId } });
  const cancel = (id: string, headers: Record<string, string> = {}): Promise<Reply> =>
    service.post(`/api/transactions/${id}/cancel`, { reason: 'Mistake' }, token, headers);
  const record = async (more: object = {}): Promise<string> =>
    (await service.post('/api/transactions', { ...BASE, customerId, accountId: cashId, ...more }, token)).id;
  const customerWith = async (name: string, openingBalance: object): Promise<string> =>
    (await service.post('/api/customers', { name, openingBalance }, token)).id;
  const only = <T>(list: readonly T[]): T => {
    if (list.length !== 1) throw new Error(`There are ${list.length}.`);
    return list[0] as T;
  };

  beforeAll(async () => {
    service = await TestService.start();
    books = await service.openBooks();
    ({ token } = books.tenant);
    const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', token)).body as {
      items: { id: string }[];
    };
    cashId = only(items).id;
    customerId = (await service.post('/api/customers', { name: 'Ada Lovelace' }, token)).id;
    food = await category('Groceries for all');
    rent = await category('Rent of rooms');
    onlyIn = await category('What comes in', { direction: 'IN' });
  });
  afterAll(() => service.close());

  /**
   * One OUT transaction for each kind of stream that contains transactions, with the description used in the test
   * names.
   */
  const carried: readonly [string, () => Promise<string>][] = [
    ['that a person recorded', () => record({ type: 'PAYMENT' })],
    [
      'of a sale',
      async () => {
        await service.sell(books.partner, saleOf(`sale-${service.service.engines.ids.next()}`));
        const found = await service.get('/api/transactions?pageNumber=1&pageSize=1&type=INVOICE', token);
        return only((found.body as { items: Transaction[] }).items).id;
      },
    ],
    [
      'that opened the balance of a customer',
      async () => {
        const id = await customerWith('Open', { amount: '7.00', direction: 'OUT', date: '2026-01-01' });
        return only(await transactionsOf(id)).id;
      },
    ],
  ];

  describe.each(carried)('%s', (_, make) => {
    let id: string;
    beforeAll(async () => {
      id = await make();
    });

    test('changes by choice, with a new revision; null clears it', async () => {
      const before = await get(id);
      expect([before.categoryId, before.direction]).toEqual([null, 'OUT']);
      const chosen = await choose(id, food);
      expect([chosen.status, chosen.id]).toEqual([200, id]);
      const after = await get(id);
      expect(after).toEqual({
        ...before,
        categoryId: food,
        categoryName: 'Groceries for all',
        revision: (chosen.body as { data: { revision: number } }).data.revision,
        updatedAt: after.updatedAt,
      });
      expect(after.revision).toBeGreaterThan(before.revision);
      await choose(id, null);
      expect(await get(id)).toMatchObject({ categoryId: null, categoryName: null, categorizedBy: null });
    });

    test('keeps its revision when chosen again', async () => {
      const first = await choose(id, rent);
      const again = await choose(id, rent);
      expect(again.status).toBe(200);
      expect(again.data).toEqual(first.data);
      expect((await get(id)).categoryId).toBe(rent);
    });

    test('must exist, be active, and match the direction', async () => {
      const old = await category(`Old ${id}`);
      await service.call('DELETE', `/api/transaction-categories/${old}`, { token });
      const before = await get(id);
      const unknown = await choose(id, service.service.engines.ids.next());
      expect([codeOf(unknown), (unknown.body as { errors: { path: string }[] }).errors[0]?.path]).toEqual([
        '404 NOT_FOUND',
        'categoryId',
      ]);
      expect(codeOf(await choose(id, old))).toBe('409 CATEGORY_ARCHIVED');
      expect(codeOf(await choose(id, onlyIn))).toBe('409 CATEGORY_DIRECTION');
      expect(codeOf(await choose(id, 'x'))).toMatch(/^40[04] /);
      for (const body of [{}, { categoryId: 7 }, { categoryId: food, more: 1 }])
        expect((await service.call('PATCH', `/api/transactions/${id}/category`, { token, body })).status).toBe(400);
      expect(await get(id)).toEqual(before);
    });

    test('changes with If-Match only at the revision of the transaction itself', async () => {
      const { revision } = await get(id);
      expect(codeOf(await choose(id, food, { 'if-match': `"${revision + 1}"` }))).toBe('409 REVISION_CONFLICT');
      expect((await choose(id, food, { 'if-match': `"${revision}"` })).status).toBe(200);
      expect(codeOf(await choose(id, rent, { 'if-match': `"${revision}"` }))).toBe('409 REVISION_CONFLICT');
      expect((await get(id)).categoryId).toBe(food);
    });

    test('cannot be changed by another tenant', async () => {
      const other = await service.createTenant();
      const body = { categoryId: null };
      const reply = await service.call('PATCH', `/api/transactions/${id}/category`, { token: other.token, body });
      expect(codeOf(reply)).toBe('404 NOT_FOUND');
    });
  });

  test('changes independently for two transactions of one stream', async () => {
    await service.sell(
      books.partner,
      saleOf('two-parts', { customer: { name: 'Part Ner' }, payments: [{ method: 'CASH', amount: '1.00' }] }),
    );
    const found = await service.get('/api/customers?pageNumber=1&pageSize=10&search=Part', token);
    const [a, b] = await transactionsOf(only((found.body as { items: { id: string }[] }).items).id);
    if (!a || !b) throw new Error('There are not two.');
    expect((await choose(a.id, food)).status).toBe(200);
    expect((await get(b.id)).revision).toBe(b.revision);
    expect((await choose(b.id, rent, { 'if-match': `"${b.revision}"` })).status).toBe(200);
    const race = await Promise.all([
      choose(a.id, null, { 'if-match': `"${(await get(a.id)).revision}"` }),
      choose(b.id, null, { 'if-match': `"${(await get(b.id)).revision}"` }),
    ]);
    expect(race.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('is separate from the category of its reversal', async () => {
    const id = await record();
    await choose(id, food);
    await cancel(id);
    const reversed = (await transactionsOf(customerId)).find(({ reversalOf }) => reversalOf === id);
    if (!reversed) throw new Error('It was not reversed.');
    expect(reversed.categoryId).toBe(food);
    const { revision } = await get(id);
    expect((await choose(reversed.id, rent)).status).toBe(200);
    expect([(await get(id)).categoryId, (await get(id)).revision]).toEqual([food, revision]);
    expect((await choose(id, null, { 'if-match': `"${revision}"` })).status).toBe(200);
    expect((await get(reversed.id)).categoryId).toBe(rent);
  });

  describe('assigned by a rule', () => {
    let ruleId: string;
    beforeAll(async () => {
      const rule = { categoryId: food, merchant: 'Bakery', matchType: 'STARTS_WITH' };
      ruleId = (await service.post('/api/transaction-categories/rules', rule, token)).id;
    });
    const byRule = () => ({ categoryId: food, categorizedBy: { ruleId, source: 'MANUAL' } });

    test('applies to sales, their returns and their payments', async () => {
      const customer = { name: 'Bakery Anna', externalId: 'anna' };
      const payments = [{ method: 'CASH', amount: '1.00' }];
      await service.sell(books.partner, saleOf('bread', { customer, payments }));
      await service.sell(
        books.partner,
        saleOf('bread-back', {
          type: 'RETURN',
          relatedExternalId: 'bread',
          customer,
          payments,
          lines: [{ description: 'Bread', quantity: 1, unitPrice: '1.00', taxRate: 0 }],
        }),
      );
      const found = await service.get('/api/customers?pageNumber=1&pageSize=10&search=Anna', token);
      const booked = await transactionsOf(only((found.body as { items: { id: string }[] }).items).id);
      expect(booked.map(({ documentEffect, type }) => documentEffect ?? type).sort()).toEqual([
        'COLLECTION',
        'INVOICE',
        'PAYMENT',
        'RETURN',
      ]);
      for (const transaction of booked) expect(transaction).toMatchObject(byRule());
    });

    test('applies to opening balances; a manual choice permanently overrides it', async () => {
      const id = await customerWith('Bakery Bob', { amount: '5.00', direction: 'IN', date: '2026-01-01' });
      const opening = only(await transactionsOf(id));
      expect(opening).toMatchObject(byRule());
      const before = opening.revision;
      await choose(opening.id, food);
      expect(await get(opening.id)).toMatchObject({ categoryId: food, categorizedBy: null });
      expect((await get(opening.id)).revision).toBeGreaterThan(before);
    });

    test('is kept, as it is at the time, when a partner cancels', async () => {
      const customer = { name: 'Bakery Carl', externalId: 'carl' };
      await service.sell(books.partner, saleOf('cake', { customer }));
      const found = await service.get('/api/customers?pageNumber=1&pageSize=10&search=Carl', token);
      const { id } = only((found.body as { items: { id: string }[] }).items);
      await choose(only(await transactionsOf(id)).id, rent);
      const undo = { type: 'CANCELLATION', relatedExternalId: 'cake', customer, lines: [] };
      await service.sell(books.partner, saleOf('cake-undone', undo));
      expect((await transactionsOf(id)).map(({ categoryId }) => categoryId)).toEqual([rent, rent]);
    });
  });

  describe('The opening balance of a customer', () => {
    const opened = async (direction = 'OUT'): Promise<{ customer: string; opening: Transaction }> => {
      const customer = await customerWith('Opened', { amount: '70.00', direction, date: '2026-01-01' });
      return { customer, opening: only(await transactionsOf(customer)) };
    };
    const balanceOf = async (id: string): Promise<unknown> =>
      ((await service.get(`/api/customers/${id}`, token)).data as { balance: unknown }).balance;

    test('is cancelled once by its reversal, which restores a balance of zero', async () => {
      const { customer, opening } = await opened();
      expect(await balanceOf(customer)).toEqual({ amount: '70.00', currency: 'EUR' });
      const done = await cancel(opening.id);
      expect([done.status, done.id]).toEqual([201, opening.id]);
      expect(await balanceOf(customer)).toEqual({ amount: '0.00', currency: 'EUR' });
      const reversed = (await transactionsOf(customer)).find(({ reversalOf }) => reversalOf === opening.id);
      expect(reversed).toMatchObject({ direction: 'IN', type: 'OPENING_BALANCE', systemGenerated: false });
      expect(await get(opening.id)).toMatchObject({ isCancelled: true });
      expect(codeOf(await cancel(opening.id))).toBe('409 ALREADY_CANCELLED');
      expect(codeOf(await cancel(reversed?.id ?? ''))).toBe('409 IS_REVERSAL');
      const gone = await service.call('DELETE', `/api/customers/${customer}`, { token });
      expect(codeOf(gone)).toBe('409 CUSTOMER_HAS_TRANSACTIONS');
    });

    test('is cancelled by one of several concurrent requests', async () => {
      const { customer, opening } = await opened('IN');
      const replies = await Promise.all(Array.from({ length: 12 }, () => cancel(opening.id)));
      expect(replies.map(codeOf).sort()).toEqual(['201 -', ...Array<string>(11).fill('409 ALREADY_CANCELLED')]);
      expect(await transactionsOf(customer)).toHaveLength(2);
    });

    test('is cancelled with If-Match at its own revision, regardless of later changes of the customer', async () => {
      const { customer, opening } = await opened();
      await service.call('PATCH', `/api/customers/${customer}`, { token, body: { city: 'Berlin' } });
      expect(codeOf(await cancel(opening.id, { 'if-match': `"${opening.revision + 1}"` }))).toBe(
        '409 REVISION_CONFLICT',
      );
      expect((await cancel(opening.id, { 'if-match': `"${opening.revision}"` })).status).toBe(201);
    });
  });
});
