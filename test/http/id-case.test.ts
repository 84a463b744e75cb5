import { TestService, type Books } from '../support/service.js';

/** Ids are UUIDs, which are case-insensitive on input (RFC 9562, section 4). */
describe('An id in upper case', () => {
  let service: TestService;
  let books: Books;
  let ids: Record<'customer' | 'cash' | 'bank' | 'rent' | 'category' | 'branch' | 'role', string>;
  const token = (): string => books.tenant.token;
  const create = async (path: string, body: object): Promise<string> =>
    (await service.post(`/api/${path}`, body, token())).id;
  const read = async (path: string): Promise<unknown> => (await service.get(`/api/${path}`, token())).data;

  beforeAll(async () => {
    service = await TestService.start();
    books = await service.openBooks();
    ids = {
      customer: await create('customers', { name: 'Ada' }),
      cash: await create('accounts', { type: 'CASH', name: 'Till' }),
      bank: await create('accounts', { type: 'BANK', name: 'Savings' }),
      rent: await create('accounts', { type: 'EXPENSE', name: 'Rent' }),
      category: await create('transaction-categories', { name: 'Housing' }),
      branch: await create('branches', { code: 'B-1', name: 'Branch' }),
      role: await create('roles', { name: 'Reporter', permissions: ['reports.read'] }),
    };
  });
  afterAll(() => service.close());

  const upper = (name: keyof typeof ids): string => {
    expect(ids[name]).toMatch(/[a-f]/);
    return ids[name].toUpperCase();
  };

  test('identifies the same records of a transaction', async () => {
    const shared = { date: '2026-03-04', amount: '100.00' };
    const rent = {
      ...{ type: 'PAYMENT', accountId: upper('cash'), expenseItemId: upper('rent') },
      ...{ categoryId: upper('category'), branchId: upper('branch') },
    };
    expect(await read(`transactions/${await create('transactions', { ...shared, ...rent })}`)).toMatchObject({
      ...{ accountId: ids.cash, expenseItemId: ids.rent, categoryId: ids.category, branchId: ids.branch },
      postings: [{ accountId: ids.rent }, { accountId: ids.cash }],
    });
    const collection = { type: 'COLLECTION', customerId: upper('customer'), accountId: upper('cash') };
    expect(await read(`transactions/${await create('transactions', { ...shared, ...collection })}`)).toMatchObject({
      customerId: ids.customer,
    });
    const same = { type: 'TRANSFER', accountId: ids.cash, counterAccountId: upper('cash') };
    expect((await service.post('/api/transactions', { ...shared, ...same }, token())).told).toBe('409 SAME_ACCOUNT');
    expect(await service.customer(token(), ids.customer)).toMatchObject({ balance: { amount: '-100.00' } });
  });

  test('identifies the same branch, category and roles in every other body', async () => {
    const customer = await create('customers', { name: 'Bob', branchId: upper('branch') });
    expect(await read(`customers/${customer}`)).toMatchObject({ branchId: ids.branch });
    const category = await create('transaction-categories', { name: 'Flat', parentId: upper('category') });
    const categories = await service.get('/api/transaction-categories', token());
    expect(categories.data).toContainEqual(expect.objectContaining({ id: category, parentId: ids.category }));
    const conditions = { categoryId: upper('category'), accountId: upper('cash'), keyword: 'monthly rent' };
    const rule = await create('transaction-categories/rules', conditions);
    expect(await read(`transaction-categories/rules/${rule}`)).toMatchObject({
      ...{ categoryId: ids.category, accountId: ids.cash },
    });
    const lists = { roleIds: [upper('role'), ids.role], branchIds: [upper('branch')], branchId: upper('branch') };
    const facts = { fullName: 'Eve', email: 'eve@kontor.test', password: 'correct horse battery', role: 'USER' };
    const user = await create('users', { ...facts, ...lists });
    expect(await read(`users/${user}`)).toMatchObject({
      ...{ roleIds: [ids.role], branchIds: [ids.branch], branchId: ids.branch },
    });
  });

  test.each([
    ['customers', 'customer'],
    ['accounts', 'cash'],
    ['branches', 'branch'],
    ['roles', 'role'],
  ] as const)('identifies the same record in a path of %s', async (path, name) => {
    expect(await read(`${path}/${upper(name)}`)).toMatchObject({ id: ids[name] });
    const body = { name: `New ${name}` };
    const changed = await service.call('PATCH', `/api/${path}/${upper(name)}`, { token: token(), body });
    expect([changed.status < 300, changed.id]).toEqual([true, ids[name]]);
    expect(await read(`${path}/${ids[name]}`)).toMatchObject(body);
  });

  test('identifies the same category in a path', async () => {
    const path = `/api/transaction-categories/${upper('category')}`;
    const changed = await service.call('PATCH', path, { token: token(), body: { name: 'New category' } });
    expect([changed.status, changed.id]).toEqual([200, ids.category]);
  });

  test('identifies the same record in a query', async () => {
    expect((await service.transactions(token(), `customerId=${upper('customer')}`)).totalCount).toBe(1);
    expect((await service.transactions(token(), `accountId=${upper('cash')}`)).totalCount).toBe(2);
  });
});
