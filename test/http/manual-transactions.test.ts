import { saleOf, TestService, type Books } from '../support/service.js';

type Transaction = {
  id: string;
  type: string | null;
  direction: string | null;
  amount: string;
  postings: { accountId: string; amount: string }[];
  categoryId: string | null;
  categorizedBy: { ruleId: string; source: string } | null;
  isCancelled: boolean;
  reversalOf: string | null;
  systemGenerated: boolean;
  createdBy: string | null;
  date: string;
  revision: number;
};

const BASE = { date: '2026-03-04', amount: '100.00' };

describe('A manual transaction', () => {
  let service: TestService;
  let books: Books;
  let ids: Record<string, string>;
  beforeAll(async () => {
    service = await TestService.start();
    books = await service.openBooks();
    const { token } = books.tenant;
    const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', token)).body as {
      items: { id: string; name: string }[];
    };
    const create = async (type: string, name: string): Promise<string> =>
      (await service.post('/api/accounts', { type, name }, token)).id;
    ids = {
      ...Object.fromEntries(items.map(({ id, name }) => [name, id])),
      supplier: await create('SUPPLIER', 'Mill'),
      employee: await create('EMPLOYEE', 'Eve'),
      rent: await create('EXPENSE', 'Rent'),
      customer: (await service.post('/api/customers', { name: 'Ada Lovelace' }, token)).id,
    };
  });
  afterAll(() => service.close());

  const idOf = (name: string): string => {
    const id = ids[name];
    if (id === undefined) throw new Error(`Nothing is called ${name}`);
    return id;
  };
  const named = (body: Record<string, string>): object =>
    Object.fromEntries(Object.entries(body).map(([field, value]) => [field, ids[value] ?? value]));
  const post = (body: object, headers = {}) =>
    service.post(
      '/api/transactions',
      { ...BASE, ...named(body as Record<string, string>) },
      books.tenant.token,
      headers,
    );
  const get = async (id: string): Promise<Transaction> =>
    (await service.get(`/api/transactions/${id}`, books.tenant.token)).data as Transaction;
  const codeOf = ({ body }: { body: unknown }): string | undefined => (body as { code?: string }).code;
  const nameOf = (id: string): string => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id;

  test.each<[string, Record<string, string>, string | null, Record<string, string>]>([
    [
      'collection',
      { type: 'COLLECTION', customerId: 'customer', accountId: 'Cash' },
      'IN',
      { Cash: '100.00', customer: '-100.00' },
    ],
    [
      'payment to a customer',
      { type: 'PAYMENT', customerId: 'customer', accountId: 'Bank' },
      'OUT',
      { customer: '100.00', Bank: '-100.00' },
    ],
    [
      'payment to a supplier',
      { type: 'PAYMENT', counterAccountId: 'supplier', accountId: 'Bank' },
      'OUT',
      { supplier: '100.00', Bank: '-100.00' },
    ],
    [
      'payment to an employee',
      { type: 'PAYMENT', counterAccountId: 'employee', accountId: 'Bank' },
      'OUT',
      { employee: '100.00', Bank: '-100.00' },
    ],
    [
      'payment of an expense',
      { type: 'PAYMENT', expenseItemId: 'rent', accountId: 'Bank' },
      'OUT',
      { rent: '100.00', Bank: '-100.00' },
    ],
    [
      'transfer',
      { type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' },
      null,
      { Bank: '100.00', Cash: '-100.00' },
    ],
    [
      'adjustment of an account, in',
      { type: 'ADJUSTMENT', accountId: 'Cash', direction: 'IN' },
      'IN',
      { Cash: '100.00', Adjustments: '-100.00' },
    ],
    [
      'adjustment of an account, out',
      { type: 'ADJUSTMENT', accountId: 'Cash', direction: 'OUT' },
      'OUT',
      { Adjustments: '100.00', Cash: '-100.00' },
    ],
    [
      'adjustment of a customer, in',
      { type: 'ADJUSTMENT', customerId: 'customer', direction: 'IN' },
      'IN',
      { Adjustments: '100.00', customer: '-100.00' },
    ],
    [
      'adjustment of a customer, out',
      { type: 'ADJUSTMENT', customerId: 'customer', direction: 'OUT' },
      'OUT',
      { customer: '100.00', Adjustments: '-100.00' },
    ],
    [
      'opening balance of an account',
      { type: 'OPENING_BALANCE', accountId: 'Bank', direction: 'IN' },
      'IN',
      { Bank: '100.00', 'Opening balances': '-100.00' },
    ],
    [
      'opening balance of a customer',
      { type: 'OPENING_BALANCE', customerId: 'customer', direction: 'OUT' },
      'OUT',
      { customer: '100.00', 'Opening balances': '-100.00' },
    ],
  ])('is booked: %s', async (_what, body, direction, postings) => {
    const reply = await post(body);
    expect([reply.status, reply.data]).toEqual([201, { success: true, id: reply.id, revision: 0 }]);
    const made = await get(reply.id);
    expect(made).toMatchObject({
      type: body['type'],
      direction,
      amount: '100.00',
      systemGenerated: false,
      revision: 0,
    });
    expect(made.createdBy).not.toBeNull();
    expect(Object.fromEntries(made.postings.map(({ accountId, amount }) => [nameOf(accountId), amount]))).toEqual(
      postings,
    );
  });

  test.each<[Record<string, string>, readonly string[]]>([
    [{ type: 'COLLECTION', accountId: 'Cash' }, ['customerId']],
    [{ type: 'COLLECTION', customerId: 'customer', accountId: 'Cash', direction: 'IN' }, ['direction']],
    [{ type: 'PAYMENT', accountId: 'Cash' }, ['customerId', 'counterAccountId', 'expenseItemId']],
    [
      { type: 'PAYMENT', accountId: 'Cash', customerId: 'customer', expenseItemId: 'rent' },
      ['customerId', 'expenseItemId'],
    ],
    [{ type: 'TRANSFER', accountId: 'Cash' }, ['counterAccountId']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', customerId: 'customer' }, ['customerId']],
    [{ type: 'ADJUSTMENT', accountId: 'Cash' }, ['direction']],
    [{ type: 'ADJUSTMENT', accountId: 'Cash', customerId: 'customer', direction: 'IN' }, ['customerId', 'accountId']],
    [{ type: 'INVOICE', customerId: 'customer' }, ['type']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', amount: '0' }, ['amount']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', amount: '1.234' }, ['amount']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', date: '2026-02-30' }, ['date']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', postings: 'x' }, ['postings']],
    [{ type: 'PAYMENT', accountId: 'Cash', counterAccountId: 'Bank' }, ['counterAccountId']],
    [{ type: 'PAYMENT', accountId: 'Cash', expenseItemId: 'Bank' }, ['expenseItemId']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'customer' }, ['counterAccountId']],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', currency: 'USD' }, ['currency']],
  ])('is rejected with 400 naming the fields: %j', async (body, paths) => {
    const reply = await post(body);
    expect(reply.status).toBe(400);
    for (const path of paths) expect(reply.told).toContain(path);
  });

  test.each<[Record<string, string>, string]>([
    [{ type: 'COLLECTION', customerId: 'nobody', accountId: 'Cash' }, 'customerId'],
    [{ type: 'COLLECTION', customerId: 'customer', accountId: 'nothing' }, 'accountId'],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', branchId: 'nowhere' }, 'branchId'],
    [{ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank', categoryId: 'nothing' }, 'categoryId'],
  ])('is rejected with 404 naming what does not exist: %j', async (body, path) => {
    const reply = await post(body);
    expect([reply.status, reply.told.includes(path)]).toEqual([404, true]);
  });

  test('requires two open accounts, an active customer and a matching category', async () => {
    const { token } = books.tenant;
    expect(codeOf(await post({ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Cash' }))).toBe('SAME_ACCOUNT');
    for (const [type, account] of [
      ['ADJUSTMENT', 'Adjustments'],
      ['OPENING_BALANCE', 'Opening balances'],
    ] as const)
      expect(codeOf(await post({ type, accountId: account, direction: 'IN' }))).toBe('SAME_ACCOUNT');
    const closed = await service.post('/api/accounts', { type: 'CASH', name: 'Closed', isActive: false }, token);
    expect(codeOf(await post({ type: 'TRANSFER', accountId: closed.id, counterAccountId: 'Bank' }))).toBe(
      'ACCOUNT_INACTIVE',
    );
    const passive = await service.post('/api/customers', { name: 'Gone', status: 'PASSIVE' }, token);
    expect(codeOf(await post({ type: 'COLLECTION', customerId: passive.id, accountId: 'Cash' }))).toBe(
      'CUSTOMER_PASSIVE',
    );
    const income = await service.post('/api/transaction-categories', { name: 'Income', direction: 'IN' }, token);
    const pay = { type: 'PAYMENT', expenseItemId: 'rent', accountId: 'Bank', categoryId: income.id };
    expect(codeOf(await post(pay))).toBe('CATEGORY_DIRECTION');
    await service.call('DELETE', `/api/transaction-categories/${income.id}`, { token });
    expect(codeOf(await post(pay))).toBe('CATEGORY_ARCHIVED');
  });

  test('gets its category from the rules unless given', async () => {
    const { token } = books.tenant;
    const { id: categoryId } = await service.post('/api/transaction-categories', { name: 'Subscriptions' }, token);
    const { id: other } = await service.post('/api/transaction-categories', { name: 'Other' }, token);
    const rule = { categoryId, merchant: 'lovelace', keyword: 'monthly' };
    const { id: ruleId } = await service.post('/api/transaction-categories/rules', rule, token);
    const body = { type: 'COLLECTION', customerId: 'customer', accountId: 'Cash', description: 'Monthly fee' };
    expect(await get((await post(body)).id)).toMatchObject({ categoryId, categorizedBy: { ruleId, source: 'MANUAL' } });
    expect(await get((await post({ ...body, categoryId: other })).id)).toMatchObject({
      categoryId: other,
      categorizedBy: null,
    });
    expect(await get((await post({ ...body, description: 'Once' })).id)).toMatchObject({ categoryId: null });
    await service.call('PATCH', `/api/transaction-categories/rules/${ruleId}/disable`, {
      token,
      body: { isEnabled: false },
    });
    expect(await get((await post(body)).id)).toMatchObject({ categoryId: null, categorizedBy: null });
  });

  describe('with an Idempotency-Key', () => {
    const body = { type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' };
    const count = async (): Promise<number> =>
      (await service.transactions(books.tenant.token, 'type=TRANSFER')).totalCount;

    test('is recorded once for repeated requests with any order of fields', async () => {
      const before = await count();
      const headers = { 'idempotency-key': 'transfer-1' };
      const first = await post(body, headers);
      const again = await service.post(
        '/api/transactions',
        {
          counterAccountId: idOf('Bank'),
          accountId: idOf('Cash'),
          type: 'TRANSFER',
          amount: '100.00',
          date: '2026-03-04',
        },
        books.tenant.token,
        headers,
      );
      expect([first.status, again.status, again.text]).toEqual([201, 200, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(await count()).toBe(before + 1);
    });

    test('is recorded once for twenty concurrent requests', async () => {
      const before = await count();
      const headers = { 'idempotency-key': 'transfer-2' };
      const replies = await Promise.all(Array.from({ length: 20 }, () => post(body, headers)));
      expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
      expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
      expect(await count()).toBe(before + 1);
    });

    test('is rejected for another request, with a list of the differences', async () => {
      const headers = { 'idempotency-key': 'transfer-3' };
      await post(body, headers);
      const reply = await post({ ...body, reference: 'R' }, headers);
      expect([reply.status, codeOf(reply), reply.told.includes('reference')]).toEqual([
        409,
        'IDEMPOTENCY_CONFLICT',
        true,
      ]);
    });

    test('belongs to its tenant: another tenant can use the same key', async () => {
      const other = await service.openBooks();
      const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', other.tenant.token)).body as {
        items: { id: string; name: string }[];
      };
      const own = (name: string) => items.find((account) => account.name === name)?.id;
      const mine = { ...BASE, type: 'TRANSFER', accountId: own('Cash'), counterAccountId: own('Bank') };
      const reply = await service.post('/api/transactions', mine, other.tenant.token, {
        'idempotency-key': 'transfer-1',
      });
      expect(reply.status).toBe(201);
    });
  });

  describe('cancelled', () => {
    const cancel = (id: string, reason: unknown = 'A mistake') =>
      service.call('POST', `/api/transactions/${id}/cancel`, { token: books.tenant.token, body: { reason } });

    test('is reversed once, which restores every balance', async () => {
      const before = await service.balancesByCode(books.tenant.token);
      const { id } = await post({ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' });
      const reply = await cancel(id);
      expect([reply.status, reply.data]).toEqual([201, { success: true, id, revision: 1 }]);
      expect(await service.balancesByCode(books.tenant.token)).toEqual(before);
      const original = await get(id);
      expect(original).toMatchObject({ isCancelled: true, revision: 1 });
      const { items } = await service.transactions(books.tenant.token, 'type=TRANSFER');
      const reversal = items.find(({ reversalOf }) => reversalOf === id) as unknown as Transaction;
      expect(reversal).toMatchObject({ systemGenerated: false, isCancelled: false, reversalOf: id });
      expect(reversal.postings.map(({ amount }) => amount)).toEqual(['-100.00', '100.00']);
      expect(codeOf(await cancel(id))).toBe('ALREADY_CANCELLED');
      expect(codeOf(await cancel(reversal.id))).toBe('IS_REVERSAL');
    });

    test('is reversed once by concurrent requests', async () => {
      const { id } = await post({ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' });
      const replies = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(replies.filter(({ status }) => status !== 201).map(codeOf))).toEqual(
        new Set(['ALREADY_CANCELLED']),
      );
    });

    test('is rejected for sales and unknown transactions', async () => {
      await service.sell(books.partner, saleOf('sold'));
      const { items } = await service.transactions(books.tenant.token, 'type=INVOICE');
      expect(codeOf(await cancel(items[0]?.id ?? ''))).toBe('SYSTEM_GENERATED');
      expect((await cancel('0199d3a0-0000-7000-8000-000000000001')).status).toBe(404);
    });

    test('requires a reason', async () => {
      const { id } = await post({ type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' });
      for (const reason of [undefined, '', ' ', 7]) expect((await cancel(id, reason ?? null)).told).toContain('reason');
    });
  });

  test('The ledger balances afterwards', async () => {
    const { totalDebit, totalCredit } = await service.trialBalance(books.tenant.token);
    expect(totalDebit).toBe(totalCredit);
    expect(service.complaints).toEqual([]);
  });
});
