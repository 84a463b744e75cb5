import { saleOf, TestService, type Books } from '../support/service.js';

describe('A passive customer', () => {
  let service: TestService;
  let books: Books;
  let cash: string;
  let id: string;
  const token = (): string => books.tenant.token;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    books = await service.openBooks();
    const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', token())).body as {
      items: { id: string; name: string }[];
    };
    cash = items.find(({ name }) => name === 'Cash')?.id ?? '';
    const customer = { name: 'Ada', code: 'A-1', taxNumber: 'DE 123', email: 'ada@kontor.test' };
    id = (await service.post('/api/customers', customer, token())).id;
  });

  const setStatus = async (status: 'ACTIVE' | 'PASSIVE'): Promise<void> => {
    const body = { status };
    const reply = await service.call('PATCH', `/api/customers/${id}`, { token: token(), body });
    expect(reply.status).toBe(201);
  };
  const record = (facts: object) =>
    service.post('/api/transactions', { date: '2026-03-04', amount: '10.00', customerId: id, ...facts }, token());
  /** Pushes a sale. Resolves with the outcome: BOOKED or the rejection code. */
  async function push(externalId: string, facts: object): Promise<string> {
    await service.postSale(books.partner, saleOf(externalId, facts));
    const { status, rejection } = await service.settled(books.partner, externalId);
    return rejection?.code ?? status;
  }
  const balance = async (): Promise<string> => (await service.customer(token(), id)).balance.amount;

  test('accepts no new transaction of any kind until it is active again', async () => {
    await setStatus('PASSIVE');
    const kinds = [
      { type: 'COLLECTION', accountId: cash },
      { type: 'PAYMENT', accountId: cash },
      { type: 'ADJUSTMENT', direction: 'IN' },
      { type: 'OPENING_BALANCE', direction: 'OUT' },
    ];
    for (const kind of kinds) expect((await record(kind)).told).toBe('409 CUSTOMER_PASSIVE');
    expect(await balance()).toBe('0.00');
    await setStatus('ACTIVE');
    for (const kind of kinds) expect((await record(kind)).told).toBe('201');
  });

  test('cannot be created with an opening balance, but can be deactivated after it', async () => {
    const openingBalance = { amount: '10.00', direction: 'OUT', date: '2026-03-04' };
    const body = { name: 'Bob', openingBalance };
    const refused = await service.post('/api/customers', { ...body, status: 'PASSIVE' }, token());
    expect(refused.told).toBe('409 CUSTOMER_PASSIVE');
    expect((await service.customers(token(), 'search=bob&status=ALL')).totalCount).toBe(0);
    expect((await service.post('/api/customers', { name: 'Bob', status: 'PASSIVE' }, token())).told).toBe('201');
    id = (await service.post('/api/customers', body, token())).id;
    await setStatus('PASSIVE');
    expect(await balance()).toBe('10.00');
  });

  test.each([
    ['its code', { code: 'a-1' }],
    ['its tax number', { taxNumber: 'DE123' }],
    ['its e-mail address', { email: 'ADA@kontor.test' }],
    ['the id of the partner', { externalId: 'ada' }],
  ])('found by %s causes a sale to be rejected', async (_, key) => {
    expect(await push('first', { customer: { name: 'Ada', code: 'A-1', externalId: 'ada' } })).toBe('BOOKED');
    await setStatus('PASSIVE');
    expect(await push('second', { customer: { name: 'Ada', ...key } })).toBe('CUSTOMER_PASSIVE');
    expect(await balance()).toBe('100.00');
    expect((await service.customers(token(), 'search=ada&status=ALL')).totalCount).toBe(1);
  });

  test('is never the default customer, which sales without a customer need', async () => {
    const [walkIn] = (await service.customers(token(), 'isDefault=true')).items;
    const bodies = { customers: { status: 'PASSIVE' }, accounts: { isActive: false } };
    for (const [path, body] of Object.entries(bodies)) {
      const reply = await service.call('PATCH', `/api/${path}/${walkIn?.id ?? ''}`, { token: token(), body });
      expect([path, reply.told]).toEqual([path, '409 DEFAULT_CUSTOMER']);
    }
    expect(await push('walk-in', {})).toBe('BOOKED');
  });

  test('cannot return goods, but its sales can be cancelled', async () => {
    const sale = { customer: { name: 'Ada', code: 'A-1' } };
    expect(await push('sale', sale)).toBe('BOOKED');
    await setStatus('PASSIVE');
    expect(await push('return', { type: 'RETURN', relatedExternalId: 'sale' })).toBe('CUSTOMER_PASSIVE');
    expect(await balance()).toBe('100.00');
    expect(await push('cancel', { type: 'CANCELLATION', lines: [], relatedExternalId: 'sale' })).toBe('BOOKED');
    expect(await balance()).toBe('0.00');
  });

  test('accepts the reversal of a manual transaction', async () => {
    const { id: recorded } = await record({ type: 'COLLECTION', accountId: cash });
    await setStatus('PASSIVE');
    const cancel = `/api/transactions/${recorded}/cancel`;
    expect((await service.post(cancel, { reason: 'A mistake' }, token())).told).toBe('201');
    expect(await balance()).toBe('0.00');
  });
});
