import { saleOf, TestService, type Books } from '../support/service.js';

type Account = {
  id: string;
  code: string | null;
  name: string;
  type: string;
  isActive: boolean;
  isDefault: boolean;
  isSystem: boolean;
  customerId: string | null;
  revision: number;
  balance: { amount: string; currency: string };
};
type Page = { items: Account[]; totalCount: number };

describe('Accounts', () => {
  let service: TestService;
  let books: Books;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    books = await service.openBooks();
  });

  const post = (body: unknown) => service.post('/api/accounts', body, books.tenant.token);
  const patch = (id: string, body: unknown, headers = {}) =>
    service.call('PATCH', `/api/accounts/${id}`, { token: books.tenant.token, body, headers });
  const remove = (id: string, headers = {}) =>
    service.call('DELETE', `/api/accounts/${id}`, { token: books.tenant.token, headers });
  const get = async (id: string): Promise<Account> =>
    (await service.get(`/api/accounts/${id}`, books.tenant.token)).data as Account;
  const list = async (query = ''): Promise<Page> =>
    (await service.get(`/api/accounts?pageNumber=1&pageSize=100&${query}`, books.tenant.token)).body as Page;
  const named = async (name: string): Promise<Account> => {
    const found = (await list()).items.find((account) => account.name === name);
    if (!found) throw new Error(`No account ${name}`);
    return found;
  };
  const codeOf = ({ body }: { body: unknown }): string | undefined => (body as { code?: string }).code;

  test('can be created with a type in any case, and show a balance', async () => {
    const reply = await post({ type: 'supplier', name: 'Flour Mill', code: '320' });
    expect(reply.status).toBe(201);
    expect(await get(reply.id)).toMatchObject({
      ...{ id: reply.id, code: '320', name: 'Flour Mill', type: 'SUPPLIER', isActive: true, isDefault: false },
      ...{
        isSystem: false,
        customerId: null,
        revision: 0,
        currency: 'EUR',
        balance: { amount: '0.00', currency: 'EUR' },
      },
    });
  });

  test.each<[object, string]>([
    [{ name: 'x' }, 'type'],
    [{ type: 'MAGIC', name: 'x' }, 'type'],
    [{ type: 'CASH' }, 'name'],
    [{ type: 'CASH', name: '' }, 'name'],
    [{ type: 'CASH', name: 'x', currency: 'USD' }, 'currency'],
    [{ type: 'CASH', name: 'x', isSystem: true }, 'isSystem'],
    [{ type: 'CASH', name: 'x', balance: '1' }, 'balance'],
  ])('cannot be created from %j', async (body, path) => {
    const reply = await post(body);
    expect([reply.status, reply.told.includes(path)]).toEqual([400, true]);
  });

  test('have unique codes, case-insensitively; deletion frees a code', async () => {
    const { id } = await post({ type: 'OTHER', name: 'A', code: 'k-1' });
    expect(codeOf(await post({ type: 'OTHER', name: 'B', code: 'K-1' }))).toBe('ACCOUNT_CODE_TAKEN');
    const other = await post({ type: 'OTHER', name: 'B', code: 'k-2' });
    expect(codeOf(await patch(other.id, { code: 'K-1' }))).toBe('ACCOUNT_CODE_TAKEN');
    expect((await remove(id)).status).toBe(201);
    expect((await patch(other.id, { code: 'K-1' })).status).toBe(201);
    expect((await remove(id)).status).toBe(404);
    expect((await service.get(`/api/accounts/${id}`, books.tenant.token)).status).toBe(404);
  });

  test('have at most one default per type', async () => {
    const cash = await named('Cash');
    expect(cash.isDefault).toBe(true);
    const { id: till } = await post({ type: 'CASH', name: 'Till', isDefault: true });
    expect([(await get(cash.id)).isDefault, (await get(till)).isDefault]).toEqual([false, true]);
    expect((await get(cash.id)).revision).toBe(cash.revision + 1);
    const several = await Promise.all(['1', '2', '3'].map((name) => post({ type: 'CASH', name })));
    await Promise.all(several.map(({ id }) => patch(id, { isDefault: true })));
    const defaults = (await list()).items.filter(({ type, isDefault }) => type === 'CASH' && isDefault);
    expect(defaults).toHaveLength(1);
    await patch(defaults[0]?.id ?? '', { isDefault: false });
    expect((await list()).items.filter(({ type, isDefault }) => type === 'CASH' && isDefault)).toEqual([]);
    expect((await list()).items.filter(({ type, isDefault }) => type === 'BANK' && isDefault)).toHaveLength(1);
  });

  test('stay active while they are the default of their type', async () => {
    const cash = await named('Cash');
    const { id: till } = await post({ type: 'CASH', name: 'Till' });
    expect((await patch(cash.id, { isActive: false })).told).toBe('409 DEFAULT_ACCOUNT');
    expect((await patch(cash.id, { name: 'Drawer', isActive: false, isDefault: false })).told).toBe(
      '409 DEFAULT_ACCOUNT',
    );
    expect((await remove(cash.id)).told).toBe('409 DEFAULT_ACCOUNT');
    expect(await get(cash.id)).toEqual(cash);
    await patch(till, { isDefault: true });
    expect((await patch(cash.id, { isActive: false })).told).toBe('201');
    expect((await remove(cash.id)).told).toBe('201');
  });

  test('become the default only while they are active', async () => {
    const closed = { type: 'CASH', name: 'Till', isActive: false };
    expect((await post({ ...closed, isDefault: true })).told).toBe('409 ACCOUNT_INACTIVE');
    const { id } = await post(closed);
    expect((await patch(id, { name: 'Drawer', isDefault: true })).told).toBe('409 ACCOUNT_INACTIVE');
    expect(await get(id)).toMatchObject({ name: 'Till', isDefault: false, revision: 0 });
    expect((await patch(id, { isActive: true, isDefault: true })).told).toBe('201');
    expect(await get(id)).toMatchObject({ isActive: true, isDefault: true });
  });

  test('are not found after their deletion, even if the change itself is invalid', async () => {
    const { id } = await post({ type: 'CASH', name: 'Till' });
    await remove(id);
    expect((await patch(id, { isActive: false, isDefault: true })).told).toBe('404 NOT_FOUND');
    expect((await patch(id, { name: 'Drawer' })).told).toBe('404 NOT_FOUND');
  });

  test.each([{ name: 'X' }, { code: 'X' }, { isDefault: true }])(
    'that do not exist are not found by %j',
    async (body) => {
      expect((await patch('2f0c1a4e-5b57-4c5f-9d53-0f3a2c6f6a11', body)).told).toBe('404 NOT_FOUND');
    },
  );

  test('share unique codes with customers, in any case', async () => {
    const customers = (body: object) => service.post('/api/customers', body, books.tenant.token);
    await post({ type: 'OTHER', name: 'A', code: 'k-1' });
    expect((await customers({ name: 'Ada', code: 'K-1' })).told).toBe('409 CUSTOMER_CODE_TAKEN');
    const { id } = await customers({ name: 'Ada', code: 'K-2' });
    expect((await post({ type: 'OTHER', name: 'B', code: 'k-2' })).told).toBe('409 ACCOUNT_CODE_TAKEN');
    await service.call('PATCH', `/api/customers/${id}`, { token: books.tenant.token, body: { code: 'K-3' } });
    expect((await post({ type: 'OTHER', name: 'B', code: 'k-2' })).told).toBe('201');
    const both = [customers({ name: 'Bob', code: 'K-4' }), post({ type: 'OTHER', name: 'C', code: 'K-4' })];
    const told = (await Promise.all(both)).map((reply) => reply.told.replace(/(ACCOUNT|CUSTOMER)_/, '')).sort();
    expect(told).toEqual(['201', '409 CODE_TAKEN']);
  });

  test("with the code of a partner's customer do not prevent the sale: the customer gets another code", async () => {
    const customer = { name: 'Flour Mill', code: '100', externalId: 'mill' };
    await service.sell(books.partner, saleOf('one', { customer }));
    await service.sell(books.partner, saleOf('two', { customer }));
    const { items } = await service.customers(books.tenant.token, 'search=mill');
    expect(items).toMatchObject([{ code: 'C-000001', balance: { amount: '200.00' } }]);
    const payments = [{ method: 'CASH', amount: '100.00', accountCode: 'C-000001' }];
    await service.postSale(books.partner, saleOf('three', { payments }));
    expect((await service.settled(books.partner, 'three')).rejection).toMatchObject({
      code: 'ACCOUNT_UNKNOWN',
      message: 'The account C-000001 does not exist, or belongs to a customer. Create it, or correct accountCode.',
    });
  });

  test('are listed by type and activity, and sorted by name or code', async () => {
    await post({ type: 'EXPENSE', name: 'zinc', code: '20' });
    await post({ type: 'EXPENSE', name: 'Äpfel', isActive: false });
    await post({ type: 'SUPPLIER', name: 'apples', code: 'a-1' });
    const names = async (query: string) => (await list(query)).items.map(({ name }) => name);
    const cost = 'type=EXPENSE&type=supplier';
    expect(await names('type=EXPENSE')).toEqual(['Äpfel', 'zinc']);
    expect(await names(cost)).toEqual(['apples', 'Äpfel', 'zinc']);
    expect(await names(`${cost}&sort=newest`)).toEqual(['apples', 'Äpfel', 'zinc']);
    expect(await names(`${cost}&sort=name`)).toEqual(['Äpfel', 'apples', 'zinc']);
    expect(await names(`${cost}&sort=code`)).toEqual(['zinc', 'apples', 'Äpfel']);
    expect(await names(`${cost}&isActive=true&sort=name`)).toEqual(['apples', 'zinc']);
    expect(await names('isActive=false')).toEqual(['Äpfel']);
    expect(await names('type=CUSTOMER')).toEqual(['Walk-in customer']);
    expect(await names('type=EXPENSE&search=z&sort=code')).toEqual(['zinc']);
    const all = await names('sort=code');
    expect(
      await Promise.all(
        [1, 2].map(async (page) => {
          const query = `pageNumber=${page}&pageSize=7&sort=code`;
          const reply = await service.get(`/api/accounts?${query}`, books.tenant.token);
          return (reply.body as Page).items.map(({ name }) => name);
        }),
      ),
    ).toEqual([all.slice(0, 7), all.slice(7)]);
    for (const bad of [
      'type=',
      'type=MAGIC',
      'isActive=1',
      'sort=age',
      'sort=name&sort=code',
      'isActive=true&isActive=true',
    ])
      expect([
        bad,
        (await service.get(`/api/accounts?pageNumber=1&pageSize=5&${bad}`, books.tenant.token)).status,
      ]).toEqual([bad, 400]);
    const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=5&type=MAGIC', books.tenant.token);
    expect((body as { message: string }).message).toMatch(/^type: Must be one of CUSTOMER, /);
  });

  test('receive collections of partner sales if they are the default', async () => {
    const { id: till } = await post({ type: 'CASH', name: 'Till', isDefault: true });
    const payments = [{ method: 'CASH', amount: '40.00' }];
    await service.sell(books.partner, saleOf('one', { payments }));
    expect((await get(till)).balance.amount).toBe('40.00');
    await remove(till);
    expect((await get(till)).balance.amount).toBe('40.00');
    await patch(till, { isDefault: false });
    await service.postSale(books.partner, saleOf('two', { payments }));
    const { status, rejection } = await service.settled(books.partner, 'two');
    expect([status, rejection?.code]).toEqual(['REJECTED', 'ACCOUNT_UNKNOWN']);
  });

  test('required by the ledger can be changed, but not closed or deleted', async () => {
    const sales = await named('Sales');
    expect((await patch(sales.id, { name: 'Revenue', code: '601' })).status).toBe(201);
    expect(codeOf(await patch(sales.id, { isActive: false }))).toBe('SYSTEM_ACCOUNT');
    expect(codeOf(await remove(sales.id))).toBe('SYSTEM_ACCOUNT');
  });

  test('with postings cannot be deleted, but can be closed', async () => {
    await service.sell(books.partner, saleOf('one', { payments: [{ method: 'CARD', amount: '5.00' }] }));
    const card = await named('Card terminal');
    await post({ type: 'POS', name: 'New terminal', isDefault: true });
    expect(codeOf(await remove(card.id))).toBe('ACCOUNT_HAS_TRANSACTIONS');
    expect((await patch(card.id, { isActive: false })).status).toBe(201);
    expect(await get(card.id)).toMatchObject({ isActive: false, balance: { amount: '5.00' } });
  });

  test('can be searched by name and code; the lookup shows active ones', async () => {
    const { id } = await post({ type: 'EXPENSE', name: 'Électricité', code: 'E-77' });
    expect((await list('search=electric')).items.map((account) => account.id)).toEqual([id]);
    expect((await list('search=e%2077')).totalCount).toBe(1);
    const lookup = async (search: string) =>
      (await service.get(`/api/accounts/lookup?search=${search}`, books.tenant.token)).data;
    expect(await lookup('elec')).toEqual([{ id, name: 'Électricité', code: 'E-77' }]);
    await patch(id, { isActive: false });
    expect(await lookup('elec')).toEqual([]);
  });

  test('change only at the revision in If-Match', async () => {
    const { id } = await post({ type: 'OTHER', name: 'A' });
    await patch(id, { name: 'B' }, { 'if-match': '"0"' });
    expect(codeOf(await patch(id, { name: 'C' }, { 'if-match': '"0"' }))).toBe('REVISION_CONFLICT');
    expect((await patch(id, {})).data).toMatchObject({ id, revision: 1 });
    expect((await patch(id, { code: null })).data).toMatchObject({ revision: 1 });
  });

  test('become the default, and are deleted, only at the revision in If-Match', async () => {
    const { id } = await post({ type: 'OTHER', name: 'A' });
    await patch(id, { name: 'B' });
    const made = await patch(id, { name: 'C', isDefault: true }, { 'if-match': '"1"' });
    expect([made.told, (made.data as Account).revision]).toEqual(['201', 2]);
    expect(await get(id)).toMatchObject({ name: 'C', isDefault: true });
    expect((await remove(id, { 'if-match': '"2"' })).told).toBe('409 DEFAULT_ACCOUNT');
    await post({ type: 'OTHER', name: 'Next', isDefault: true });
    expect((await remove(id, { 'if-match': '"2"' })).told).toBe('409 REVISION_CONFLICT');
    expect((await remove(id, { 'if-match': '"3"' })).told).toBe('201');
    expect((await list()).items.map((account) => account.id)).not.toContain(id);
  });

  describe('of type CUSTOMER', () => {
    test('share the id of their customer, whichever was created first', async () => {
      const made = await post({ type: 'Customer', name: 'Ada', code: 'A-1', isActive: false });
      const customer = await service.customer(books.tenant.token, made.id);
      expect(customer).toMatchObject({ id: made.id, name: 'Ada', code: 'A-1', status: 'PASSIVE' });
      const other = await service.post('/api/customers', { name: 'Bob' }, books.tenant.token);
      expect(await get(other.id)).toMatchObject({
        type: 'CUSTOMER',
        customerId: other.id,
        name: 'Bob',
        isActive: true,
      });
      expect(codeOf(await post({ type: 'CUSTOMER', name: 'X', isDefault: true }))).toBe('MANAGED_BY_CUSTOMER');
    });

    test('can be renamed and closed here; other changes go through the customer', async () => {
      const { id } = await post({ type: 'CUSTOMER', name: 'Ada' });
      await patch(id, { name: 'Ada L.', isActive: false });
      expect(await service.customer(books.tenant.token, id)).toMatchObject({ name: 'Ada L.', status: 'PASSIVE' });
      expect(codeOf(await patch(id, { code: 'X' }))).toBe('MANAGED_BY_CUSTOMER');
      expect(codeOf(await patch(id, { isDefault: true }))).toBe('MANAGED_BY_CUSTOMER');
    });

    test('are deleted like customers', async () => {
      const { id } = await post({ type: 'CUSTOMER', name: 'Ada' });
      expect((await remove(id)).status).toBe(201);
      expect((await service.get(`/api/customers/${id}`, books.tenant.token)).status).toBe(404);
      const walkIn = await named('Walk-in customer');
      expect(codeOf(await remove(walkIn.id))).toBe('DEFAULT_CUSTOMER');
    });
  });

  describe('Customers', () => {
    const change = (id: string, body: unknown) =>
      service.call('PATCH', `/api/customers/${id}`, { token: books.tenant.token, body });
    const drop = (id: string) => service.call('DELETE', `/api/customers/${id}`, { token: books.tenant.token });
    const make = async (body: object): Promise<string> =>
      (await service.post('/api/customers', body, books.tenant.token)).id;

    test('change field by field; null clears', async () => {
      const id = await make({ name: 'Ada', taxNumber: '123', email: 'ada@kontor.test' });
      expect((await change(id, { name: 'Ada L.', taxNumber: null, status: 'PASSIVE' })).status).toBe(201);
      expect(await service.customer(books.tenant.token, id)).toMatchObject({
        ...{ name: 'Ada L.', taxNumber: null, email: 'ada@kontor.test', status: 'PASSIVE', revision: 2 },
      });
      expect((await change(id, {})).data).toMatchObject({ revision: 2 });
    });

    test('get a code if none or null is given, and lose it if it is changed to null', async () => {
      for (const body of [{ name: 'Ada' }, { name: 'Bob', code: null }]) {
        const id = await make(body);
        const codeIs = async () => (await service.customer(books.tenant.token, id))['code'];
        expect(await codeIs()).toMatch(/^C-\d{6}$/);
        expect((await change(id, { code: null })).told).toBe('201');
        expect([await codeIs(), (await get(id)).code]).toEqual([null, null]);
      }
    });

    test.each<[object, number, string]>([
      [{ name: null }, 400, 'name'],
      [{ currency: 'USD' }, 400, 'currency'],
      [{ branchId: 'nothing' }, 404, 'branchId'],
      [{ isDefault: true }, 400, 'isDefault'],
      [{ openingBalance: null }, 400, 'openingBalance'],
    ])('cannot be changed to %j', async (body, status, path) => {
      const reply = await change(await make({ name: 'Ada' }), body);
      expect([reply.status, reply.told.includes(path)]).toEqual([status, true]);
    });

    test('keep unique codes when changed', async () => {
      await make({ name: 'Ada', code: 'A' });
      const id = await make({ name: 'Bob', code: 'B' });
      expect(codeOf(await change(id, { code: 'a' }))).toBe('CUSTOMER_CODE_TAKEN');
    });

    test('with transactions, including an opening balance, cannot be deleted', async () => {
      const openingBalance = { amount: '10.00', direction: 'OUT', date: '2026-01-01' };
      expect(codeOf(await drop(await make({ name: 'Ada', openingBalance })))).toBe('CUSTOMER_HAS_TRANSACTIONS');
      const id = await make({ name: 'Bob' });
      expect((await drop(id)).status).toBe(201);
      expect((await drop(id)).status).toBe(404);
      expect((await change(id, { name: 'x' })).status).toBe(404);
    });
  });

  test('are not accessible to another tenant', async () => {
    const { id } = await post({ type: 'OTHER', name: 'Mine' });
    const { token } = await service.createTenant();
    expect((await service.get(`/api/accounts/${id}`, token)).status).toBe(404);
    expect((await service.call('PATCH', `/api/accounts/${id}`, { token, body: { code: 'x' } })).status).toBe(404);
    expect((await service.call('DELETE', `/api/accounts/${id}`, { token })).status).toBe(404);
  });
});
