import { saleOf, TestService, type TestTenant } from '../support/service.js';

const PATH = '/api/transaction-categories';
const RULES = `${PATH}/rules`;
type Rule = { id: string; hitCount: number; lastMatchedAt: string | null; revision: number; updatedAt: string };

describe('The hits of a rule', () => {
  let service: TestService;
  let tenant: TestTenant;
  let categoryId: string;
  let cash: string;
  let customerId: string;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    tenant = await service.createTenant();
    categoryId = (await post(PATH, { name: 'Coffee' })).id;
    const accounts = await service.get('/api/accounts?pageNumber=1&pageSize=100&search=Cash', tenant.token);
    cash = (accounts.body as { items: { id: string }[] }).items[0]?.id ?? '';
    customerId = (await post('/api/customers', { name: 'The Roastery' })).id;
  });

  const post = (path: string, body: unknown) => service.post(path, body, tenant.token);
  const createRule = async (more: object): Promise<string> => (await post(RULES, { categoryId, ...more })).id;
  const rule = async (id: string): Promise<Rule> => {
    await service.quiet();
    return (await service.get(`${RULES}/${id}`, tenant.token)).data as Rule;
  };
  const collect = async (description: string, more: object = {}): Promise<string> => {
    const entry = { type: 'COLLECTION', date: '2026-03-04', amount: '5.00', customerId, accountId: cash };
    return (await post('/api/transactions', { ...entry, description, ...more })).id;
  };
  const createdAt = async (id: string): Promise<string> =>
    ((await service.get(`/api/transactions/${id}`, tenant.token)).data as { createdAt: string }).createdAt;

  test('start at zero and count each transaction that it categorizes', async () => {
    const id = await createRule({ keyword: 'espresso' });
    const before = await rule(id);
    expect(before).toMatchObject({ hitCount: 0, lastMatchedAt: null });
    await collect('An espresso');
    const last = await collect('Two espressos');
    await collect('Tea');
    const { revision, updatedAt } = before;
    expect(await rule(id)).toMatchObject({ hitCount: 2, lastMatchedAt: await createdAt(last), revision, updatedAt });
    const { items } = (await service.get(`${RULES}?source=MANUAL`, tenant.token)).data as { items: Rule[] };
    expect(items).toMatchObject([{ id, hitCount: 2, lastMatchedAt: await createdAt(last) }]);
    const tried = (await post(`${RULES}/test`, { description: 'espresso' })).data as { rule: Rule };
    expect(tried.rule).toMatchObject({ id, hitCount: 2, lastMatchedAt: await createdAt(last) });
  });

  test('count only for the deciding rule, not for manual choices', async () => {
    const loser = await createRule({ keyword: 'espresso' });
    const winner = await createRule({ keyword: 'espresso macchiato' });
    await collect('Espresso macchiato');
    await collect('Espresso macchiato', { categoryId });
    expect([(await rule(winner)).hitCount, (await rule(loser)).hitCount]).toEqual([1, 0]);
  });

  test('do not change when the transaction is cancelled', async () => {
    const id = await createRule({ keyword: 'espresso' });
    const transaction = await collect('Espresso');
    await post(`/api/transactions/${transaction}/cancel`, { reason: 'A mistake' });
    expect((await rule(id)).hitCount).toBe(1);
  });

  test('include transactions of a sale, its return, and an opening balance', async () => {
    const id = await createRule({ merchant: 'the roastery' });
    const inCash = await createRule({ merchant: 'the roastery', accountId: cash, priority: 200 });
    const counts = async () => [(await rule(id)).hitCount, (await rule(inCash)).hitCount];
    const partner = await service.createKey(tenant);
    const customer = { name: 'The Roastery', externalId: 'c-1' };
    const payments = ['4.00', '6.00'].map((amount) => ({ method: 'CASH', amount }));
    await service.sell(partner, saleOf('s-1', { customer, payments }));
    expect(await counts()).toEqual([1, 2]);
    const lines = [{ description: 'Back', quantity: 1, unitPrice: '1.00' }];
    await service.sell(partner, saleOf('s-1-r', { type: 'RETURN', relatedExternalId: 's-1', customer, lines }));
    expect(await counts()).toEqual([2, 2]);
    await service.sell(partner, saleOf('s-2'));
    expect(await counts()).toEqual([2, 2]);
    const openingBalance = { amount: '7.00', direction: 'OUT', date: '2026-01-01' };
    await post('/api/customers', { name: 'The Roastery, too', openingBalance });
    expect(await counts()).toEqual([3, 2]);
  });
});
