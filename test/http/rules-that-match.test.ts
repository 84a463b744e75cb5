import { TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
});
afterAll(() => service.close());

const CATEGORIES = '/api/transaction-categories';
const RULES = `${CATEGORIES}/rules`;
const post = (path: string, body?: object, by = token) => service.post(path, body, by);
const patch = (path: string, body: object) => service.call('PATCH', path, { token, body });
const remove = (path: string) => service.call('DELETE', path, { token });
const category = async (facts: object = {}): Promise<string> =>
  (await post(CATEGORIES, { name: service.fresh('Category'), ...facts })).id;
const account = async (type = 'BANK'): Promise<string> =>
  (await post('/api/accounts', { type, name: service.fresh('Account') })).id;
const rule = async (facts: object) => post(RULES, { categoryId: await category(), keyword: 'x', ...facts });
const read = async (id: string, by = token): Promise<Record<string, unknown>> =>
  (await service.get(`${RULES}/${id}`, by)).data as Record<string, unknown>;

describe('A category rule', () => {
  test('uses amounts in the currency of the books', async () => {
    const { id } = await rule({ amountMin: 5, amountMax: '9.1' });
    expect(await read(id)).toMatchObject({ amountMin: '5.00', amountMax: '9.10' });
    await patch(`${RULES}/${id}`, { amountMax: '12' });
    expect(await read(id)).toMatchObject({ amountMin: '5.00', amountMax: '12.00' });
    expect((await rule({ amountMax: '9.123' })).told).toBe('400 VALIDATION_FAILED amountMax');
    expect((await rule({ amountMin: '0' })).told).toBe('400 VALIDATION_FAILED amountMin');
    expect((await patch(`${RULES}/${id}`, { amountMin: '1.005' })).told).toBe('400 VALIDATION_FAILED amountMin');
    const attempt = (body: object) => post(`${RULES}/test`, body);
    expect((await attempt({ amount: '1.001' })).told).toBe('400 VALIDATION_FAILED amount');
    const draft = { categoryId: await category(), keyword: 'x', amountMin: '1.001' };
    expect((await attempt({ rule: draft })).told).toBe('400 VALIDATION_FAILED rule.amountMin');

    const yen = await service.openBooks({ currency: 'JPY' });
    const categoryId = (await post(CATEGORIES, { name: 'Yen' }, yen.tenant.token)).id;
    const made = await post(RULES, { categoryId, keyword: 'x', amountMin: '5' }, yen.tenant.token);
    expect(await read(made.id, yen.tenant.token)).toMatchObject({ amountMin: '5', amountMax: null });
    const refused = await post(RULES, { categoryId, keyword: 'x', amountMin: '5.5' }, yen.tenant.token);
    expect(refused.told).toBe('400 VALIDATION_FAILED amountMin');
  });

  test('is rejected if its category does not accept its direction', async () => {
    const [out, both] = [await category({ direction: 'OUT' }), await category()];
    expect((await rule({ categoryId: out, direction: 'IN' })).told).toBe('409 CATEGORY_DIRECTION');
    const { id } = await rule({ categoryId: both, direction: 'IN' });
    expect((await patch(`${RULES}/${id}`, { categoryId: out })).told).toBe('409 CATEGORY_DIRECTION');
    expect((await patch(`${RULES}/${id}`, { categoryId: out, direction: 'OUT' })).told).toBe('200');
    expect((await patch(`${RULES}/${id}`, { direction: 'IN' })).told).toBe('409 CATEGORY_DIRECTION');
    expect((await patch(`${RULES}/${id}`, { direction: null })).told).toBe('200');
  });

  test('prevents a change of the direction of its category with which it could never match', async () => {
    const categoryId = await category();
    const { id } = await rule({ categoryId, direction: 'IN' });
    const turn = async (direction: string) => (await patch(`${CATEGORIES}/${categoryId}`, { direction })).told;
    expect(await turn('OUT')).toBe('409 CATEGORY_DIRECTION');
    expect([await turn('IN'), await turn('BOTH')]).toEqual(['200', '200']);
    await patch(`${RULES}/${id}`, { direction: null });
    expect(await turn('OUT')).toBe('200');
  });

  test.each([
    ['an account', '/api/accounts', () => account()],
    ['a customer', '/api/customers', async () => (await post('/api/customers', { name: service.fresh('Named') })).id],
  ])('prevents the deletion of %s it names, and cannot name a deleted one', async (_, path, make) => {
    const id = await make();
    const made = await rule({ accountId: id });
    expect((await remove(`${path}/${id}`)).told).toBe('409 ACCOUNT_IN_RULE');
    expect((await service.get(`${path}/${id}`, token)).told).toBe('200');
    const other = await make();
    await patch(`${RULES}/${made.id}`, { accountId: other });
    expect((await remove(`${path}/${id}`)).told).toBe('201');
    expect((await rule({ accountId: id })).told).toBe('404 NOT_FOUND accountId');
    expect((await patch(`${RULES}/${made.id}`, { accountId: id })).told).toBe('404 NOT_FOUND accountId');
    expect((await remove(`/api/accounts/${other}`)).told).toBe('409 ACCOUNT_IN_RULE');
    await remove(`${RULES}/${made.id}`);
    expect((await remove(`${path}/${other}`)).told).toBe('201');
  });

  test('never refers to a concurrently deleted account', async () => {
    for (let round = 0; round < 15; round += 1) {
      const accountId = await account();
      const categoryId = await category();
      const [made, removed] = await Promise.all([
        post(RULES, { categoryId, keyword: 'x', accountId }),
        remove(`/api/accounts/${accountId}`),
      ]);
      expect([
        ['201', '409 ACCOUNT_IN_RULE'],
        ['404 NOT_FOUND accountId', '201'],
      ]).toContainEqual([made.told, removed.told]);
    }
  });
});

describe('A category', () => {
  test('cannot be created in or moved to an archived one', async () => {
    const [archived, child, other] = [await category(), await category(), await category()];
    await patch(`${CATEGORIES}/${child}`, { parentId: archived });
    await remove(`${CATEGORIES}/${archived}`);
    const made = await post(CATEGORIES, { name: service.fresh('Below'), parentId: archived });
    expect(made.told).toBe('409 CATEGORY_ARCHIVED');
    expect((await patch(`${CATEGORIES}/${other}`, { parentId: archived })).told).toBe('409 CATEGORY_ARCHIVED');
    const stays = await patch(`${CATEGORIES}/${child}`, { parentId: archived, name: service.fresh('Stays') });
    expect(stays.told).toBe('200');
    await patch(`${CATEGORIES}/${archived}/restore`, {});
    expect((await patch(`${CATEGORIES}/${other}`, { parentId: archived })).told).toBe('200');
  });

  test('is listed by name, regardless of age, as are system roles and then other roles', async () => {
    const names = ['zebra', 'Ähre', 'apple', 'Birch'];
    for (const name of names) await category({ name });
    for (const name of names) await post('/api/roles', { name, permissions: ['customers.read'] });
    const namesAt = async (path: string) =>
      ((await service.get(path, token)).data as { name: string; isSystem: boolean }[]).map(({ name }) => name);
    const listed = (await namesAt(CATEGORIES)).filter((name) => names.includes(name));
    expect(listed).toEqual(['Ähre', 'apple', 'Birch', 'zebra']);
    expect(await namesAt('/api/roles')).toEqual(['ADMIN', 'OWNER', 'USER', 'Ähre', 'apple', 'Birch', 'zebra']);
  });
});

describe('The test of rules', () => {
  test('considers all accounts of a transaction, as recording does', async () => {
    const [cash, bank] = [await account('CASH'), await account('BANK')];
    const made = await rule({ keyword: 'deposit', accountId: bank });
    const facts = { date: '2026-03-01', amount: '5', accountId: cash, counterAccountId: bank, description: 'deposit' };
    const live = await post('/api/transactions', { type: 'TRANSFER', ...facts });
    const { items } = await service.transactions(token, `accountId=${bank}`);
    expect(items.find(({ id }) => id === live.id)?.categorizedBy?.ruleId).toBe(made.id);
    const attempt = async (about: object) =>
      (await post(`${RULES}/test`, { description: 'deposit', amount: '5', ...about })).data;
    expect(await attempt({ accountIds: [cash, bank] })).toMatchObject({ matched: true, rule: { id: made.id } });
    expect(await attempt({ accountId: cash, accountIds: [bank] })).toMatchObject({ matched: true });
    expect(await attempt({ accountId: cash })).toMatchObject({ matched: false, rule: null, category: null });
    expect((await post(`${RULES}/test`)).data).toMatchObject({ matched: false, rule: null });
    const unknown = await post(`${RULES}/test`, { accountIds: [cash, books.tenant.id] });
    expect(unknown.told).toBe('404 NOT_FOUND accountIds[1]');
  });

  test('considers the accounts of all lines of a journal entry, as recording and application do', async () => {
    const debited = await Promise.all(Array.from({ length: 11 }, () => account('EXPENSE')));
    const accountIds = [...debited, await account('SUPPLIER')];
    const total = String(debited.length);
    const lines = accountIds.map((accountId, at) => ({
      accountId,
      ...(debited[at] ? { debit: '1' } : { credit: total }),
    }));
    const journal = async () =>
      (await post('/api/transactions', { type: 'JOURNAL', date: '2026-03-01', description: 'Bill', lines })).id;
    const earlier = await journal();
    const made = await rule({ keyword: 'bill', accountId: accountIds.at(-1) });
    const later = await journal();
    const found = await service.get(`/api/transactions/${later}`, token);
    expect((found.data as { categorizedBy: unknown }).categorizedBy).toMatchObject({ ruleId: made.id });
    const { data } = await post(`${RULES}/test`, { description: 'Bill', amount: total, accountIds });
    expect(data).toMatchObject({ matched: true, rule: { id: made.id } });
    const preview = await post(`${RULES}/${made.id}/apply`, { dryRun: true });
    expect(preview.data).toMatchObject({ wouldChange: 1, sample: [{ id: earlier }] });
  });
});
