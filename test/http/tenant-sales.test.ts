import { randomUUID } from 'node:crypto';
import type { Page } from '../../src/queries/query.js';
import type { SaleDetails, SaleRecord } from '../../src/queries/sale.queries.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  books = await service.openBooks({ timeZone: 'Europe/Istanbul' });
});
afterAll(() => service.close());

const codeOf = ({ status, body }: Reply): string => `${status} ${(body as { code?: string }).code ?? '-'}`;
const get = (path: string): Promise<Reply> => service.get(path, books.tenant.token);
const record = (body: object, headers = {}): Promise<Reply> =>
  service.post('/api/sales', body, books.tenant.token, headers);
const saleAt = async (id: string): Promise<SaleDetails> => (await get(`/api/sales/${id}`)).data as SaleDetails;
const list = async (query = ''): Promise<Page<SaleRecord>> =>
  (await get(`/api/sales?${query}`)).body as Page<SaleRecord>;
const listed = async (query = ''): Promise<string[]> => (await list(query)).items.map(({ externalId }) => externalId);

/** Pushes a document as the partner. Resolves with its id once it is booked or rejected. */
async function push(externalId: string, facts: object = {}): Promise<string> {
  const reply = await service.postSale(books.partner, saleOf(externalId, facts));
  expect(reply.status).toBe(202);
  const { saleId } = await service.settled(books.partner, externalId);
  await service.quiet();
  return saleId;
}
const taxed = { lines: [{ description: 'Coffee', quantity: '2', unitPrice: '50', taxRate: '20', sku: 'C-1' }] };
const returnOf = (relatedExternalId: string, facts: object = {}) => ({ type: 'RETURN', relatedExternalId, ...facts });
const { externalId: _, ...plain } = saleOf('');
const manual = (facts: object = {}) => ({ ...plain, ...facts });

describe('A sale shows', () => {
  test('the data that the partner sent, its customer and its transactions', async () => {
    const id = await push('s', {
      ...taxed,
      occurredAt: '2026-03-04T22:30:00.000Z',
      customer: { name: 'Ada', externalId: 'c' },
      payments: [{ method: 'CASH', amount: '20' }],
      metadata: { till: 7 },
    });
    const sale = await saleAt(id);
    const { items } = await service.transactions(books.tenant.token);
    expect(sale).toEqual({
      id,
      externalId: 's',
      sourceId: 'shop',
      type: 'SALE',
      status: 'BOOKED',
      occurredAt: '2026-03-04T22:30:00.000Z',
      date: '2026-03-05',
      currency: 'EUR',
      customerId: items[0]?.customerId,
      customerName: 'Ada',
      branchCode: null,
      total: '120.00',
      totalNet: '100.00',
      totalTax: '20.00',
      lines: [
        {
          sku: 'C-1',
          description: 'Coffee',
          quantity: '2',
          unitPrice: '50',
          discount: '0',
          taxRate: '20',
          net: '100.00',
          tax: '20.00',
          gross: '120.00',
        },
      ],
      payments: [{ method: 'CASH', amount: '20.00', accountCode: null }],
      metadata: { till: 7 },
      transactionIds: items.map((one) => one.id).reverse(),
      relatedSaleId: null,
      relatedExternalId: null,
      relatedSales: [],
      rejection: null,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
      revision: 1,
    });
  });

  test('its returns and its cancellation, which show the sale', async () => {
    const sold = await push('s');
    const back = await push('r', returnOf('s', { lines: [{ description: 'Back', quantity: 1, unitPrice: '40' }] }));
    const other = await push('t');
    const undone = await push('c', { type: 'CANCELLATION', relatedExternalId: 't', lines: [] });
    expect((await saleAt(sold)).relatedSales).toEqual([{ id: back, externalId: 'r', type: 'RETURN' }]);
    expect((await saleAt(other)).relatedSales).toEqual([{ id: undone, externalId: 'c', type: 'CANCELLATION' }]);
    expect(await saleAt(back)).toMatchObject({
      status: 'BOOKED',
      relatedSaleId: sold,
      relatedExternalId: 's',
      customerName: 'Walk-in customer',
    });
    const { items } = await service.transactions(books.tenant.token);
    const idsOf = (saleId: string) => items.filter((one) => one.saleId === saleId).map((one) => one.id);
    expect((await saleAt(back)).transactionIds).toEqual(idsOf(back));
    expect((await saleAt(undone)).transactionIds).toEqual(idsOf(undone));
  });

  test('why it was rejected, and the name that the partner sent', async () => {
    const id = await push('s', { branchCode: 'NORTH', customer: { name: 'Ada' } });
    const rejection = { code: 'BRANCH_UNKNOWN', message: expect.any(String) as string, attempts: 1 };
    const shown = { status: 'REJECTED', rejection, customerId: null, customerName: 'Ada', transactionIds: [] };
    expect(await saleAt(id)).toMatchObject(shown);
    expect(Object.keys((await saleAt(id)).rejection ?? {}).sort()).toEqual(['attempts', 'code', 'message']);
  });

  test('not to other tenants, nor if it does not exist', async () => {
    const id = await push('s');
    const { token } = (await service.openBooks()).tenant;
    expect(codeOf(await service.get(`/api/sales/${id}`, token))).toBe('404 NOT_FOUND');
    expect(codeOf(await service.post(`/api/sales/${id}/retry`, undefined, token))).toBe('404 NOT_FOUND');
    expect(codeOf(await get(`/api/sales/${randomUUID()}`))).toBe('404 NOT_FOUND');
    expect(codeOf(await get('/api/sales/none'))).toBe('404 NOT_FOUND');
  });
});

describe('The list of sales', () => {
  beforeEach(async () => {
    await push('first', { occurredAt: '2026-03-01T10:00:00Z', customer: { name: 'Ada Lovelace' } });
    await push('second', { occurredAt: '2026-03-03T10:00:00Z', branchCode: 'NORTH', customer: { name: 'Bob' } });
    await push('third', returnOf('first', { occurredAt: '2026-03-02T10:00:00Z' }));
    const { status } = await record(manual({ externalId: 'fourth', occurredAt: '2026-02-01T10:00:00Z' }));
    expect(status).toBe(201);
  });

  test('has the newest first, without the details that only a single sale has', async () => {
    expect(await listed()).toEqual(['second', 'third', 'first', 'fourth']);
    const [first] = (await list('pageSize=1')).items;
    const members = Object.keys(await saleAt(first?.id ?? ''));
    expect(members.filter((name) => !(name in (first ?? {}))).sort()).toEqual([
      'lines',
      'metadata',
      'payments',
      'relatedExternalId',
    ]);
  });

  test('sorts sales of the same instant by acceptance, newest first', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) await push(name, { occurredAt: '2026-03-05T00:00:00Z' });
    expect(await listed('dateFrom=2026-03-05')).toEqual([...names].reverse());
  });

  test('is filtered by status, type, source, customer and time, and searched', async () => {
    const [ada] = (await service.customers(books.tenant.token, 'search=ada')).items;
    const expected = {
      'status=REJECTED': ['second'],
      'status=BOOKED': ['third', 'first', 'fourth'],
      'type=RETURN': ['third'],
      'sourceId=shop': ['second', 'third', 'first'],
      'sourceId=_manual': ['fourth'],
      [`customerId=${ada?.id ?? ''}`]: ['third', 'first'],
      'dateFrom=2026-03-02': ['second', 'third'],
      'dateTo=2026-03-01': ['first', 'fourth'],
      'dateFrom=2026-03-01&dateTo=2026-03-02T10:00:00Z': ['third', 'first'],
      'search=lovel': ['third', 'first'],
      'search=bob': ['second'],
      'search=seco': ['second'],
      'search=seco&type=RETURN': [],
    };
    for (const [query, names] of Object.entries(expected)) expect([query, await listed(query)]).toEqual([query, names]);
  });

  test('rejects wrong parameters', async () => {
    for (const query of [
      'status=LOST',
      'type=INVOICE',
      'dateFrom=2026-03-02&dateTo=2026-03-01',
      'lines=1',
      'pageSize=0',
    ])
      expect(codeOf(await get(`/api/sales?${query}`))).toBe('400 VALIDATION_FAILED');
  });
});

describe('A sale recorded manually', () => {
  test('is booked before the response, on behalf of the user, with a generated number', async () => {
    const { id: customerId } = await service.post('/api/customers', { name: 'Ada' }, books.tenant.token);
    const body = manual({ ...taxed, customerId, payments: [{ method: 'CARD', amount: '120' }] });
    const reply = await record(body);
    expect([reply.status, reply.data]).toEqual([201, { success: true, id: reply.id, revision: 1 }]);
    expect(await saleAt(reply.id)).toMatchObject({ externalId: 'S-000001', status: 'BOOKED', customerId, revision: 1 });
    const me = ((await get('/api/auth/me')).data as { user: { id: string } }).user.id;
    const { items } = await service.transactions(books.tenant.token);
    expect(
      items.map(({ createdBy, customerName, systemGenerated }) => [createdBy, customerName, systemGenerated]),
    ).toEqual([
      [me, 'Ada', true],
      [me, 'Ada', true],
    ]);
    const second = await record(manual());
    expect(await saleAt(second.id)).toMatchObject({ externalId: 'S-000002', customerName: 'Walk-in customer' });
  });

  test('can be returned and cancelled manually', async () => {
    await record(manual({ externalId: 's', payments: [{ method: 'CASH', amount: '100' }] }));
    const lines = [{ description: 'Back', quantity: 1, unitPrice: '40' }];
    const back = await record(manual(returnOf('s', { lines, payments: [{ method: 'CASH', amount: '40' }] })));
    expect([back.status, (await saleAt(back.id)).revision]).toEqual([
      201,
      (back.data as { revision: number }).revision,
    ]);
    const me = ((await get('/api/auth/me')).data as { user: { id: string } }).user.id;
    expect((await service.transactions(books.tenant.token)).items.map(({ createdBy }) => createdBy)).toEqual(
      Array.from({ length: 4 }, () => me),
    );
    await record(manual({ externalId: 't' }));
    expect((await record(manual({ type: 'CANCELLATION', relatedExternalId: 't', lines: [] }))).status).toBe(201);
    expect(await service.balancesByCode(books.tenant.token)).toEqual({ '100': '60.00', '600': '-60.00' });
  });

  test('is refused with the code of the intake, and leaves nothing behind', async () => {
    const { id: passive } = await service.post('/api/customers', { name: 'P', status: 'PASSIVE' }, books.tenant.token);
    await record(manual({ externalId: 's', ...taxed }));
    await record(manual({ externalId: 't' }));
    await record(manual({ type: 'CANCELLATION', relatedExternalId: 't', lines: [], externalId: 'c' }));
    const back = (unitPrice: string, facts: object = {}) => ({
      ...returnOf('s'),
      lines: [{ description: 'Back', quantity: 1, unitPrice, taxRate: '20' }],
      ...facts,
    });
    await service.post('/api/periods/close', { through: '2026-01-31' }, books.tenant.token);
    const before = await listed();
    const refusals: readonly (readonly [object, string])[] = [
      [{ branchCode: 'NORTH' }, '409 BRANCH_UNKNOWN'],
      [{ payments: [{ method: 'CASH', amount: '1', accountCode: 'none' }] }, '409 ACCOUNT_UNKNOWN'],
      [{ customerId: passive }, '409 CUSTOMER_PASSIVE'],
      [{ customerId: randomUUID() }, '404 NOT_FOUND'],
      [returnOf('none'), '409 RELATED_SALE_UNKNOWN'],
      [returnOf('t'), '409 ALREADY_CANCELLED'],
      [back('100.01'), '409 RETURN_EXCEEDS_SALE'],
      [back('10', { occurredAt: '2026-03-03T10:00:00Z' }), '409 RETURN_BEFORE_SALE'],
      [back('10', { payments: [{ method: 'CASH', amount: '12.01' }] }), '400 PAYMENTS_EXCEED_TOTAL'],
      [{ total: '1' }, '400 TOTAL_MISMATCH'],
      [{ currency: 'USD' }, '400 CURRENCY_MISMATCH'],
      [{ customer: { name: 'Ada' } }, '400 VALIDATION_FAILED'],
      [{ lines: [] }, '400 VALIDATION_FAILED'],
      [{ externalId: 's' }, '409 EXTERNAL_ID_TAKEN'],
      [{ occurredAt: '2026-01-31T20:00:00Z' }, '409 PERIOD_CLOSED'],
    ];
    for (const [facts, code] of refusals) expect([facts, codeOf(await record(manual(facts)))]).toEqual([facts, code]);
    expect(await listed()).toEqual(before);
    const letters = await service.get('/api/platform/dead-letters', await service.operator());
    const { items } = letters.body as Page<{ tenantId: string }>;
    expect(items.filter(({ tenantId }) => tenantId === books.tenant.id)).toEqual([]);
    expect((await saleAt((await record(manual())).id)).externalId).toBe('S-000001');
  });

  test('is recorded once for an Idempotency-Key, and once for an external id, even if its period is closed later', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const [first, second] = [await record(manual(), key), await record(manual(), key)];
    expect([first.status, second.status, second.text]).toEqual([201, 200, first.text]);
    expect(codeOf(await record(manual({ ...taxed }), key))).toBe('409 IDEMPOTENCY_CONFLICT');
    const [named, again] = [await record(manual({ externalId: 'x' })), await record(manual({ externalId: 'x' }))];
    expect([named.status, again.status, again.id]).toEqual([201, 201, named.id]);
    await service.post('/api/periods/close', { through: '2026-06-30' }, books.tenant.token);
    const later = await record(manual({ externalId: 'x' }));
    expect([later.status, later.id]).toEqual([201, named.id]);
    expect(codeOf(await record(manual({ externalId: 'y' })))).toBe('409 PERIOD_CLOSED');
    expect((await list()).totalCount).toBe(2);
    expect((await service.transactions(books.tenant.token)).totalCount).toBe(2);
  });

  test('is not lost if another one with the same external id and other data is recorded at the same time', async () => {
    const rounds = 5;
    for (let round = 0; round < rounds; round += 1) {
      const facts = [{}, { ...taxed }];
      const replies = await Promise.all(facts.map((each) => record(manual({ externalId: `race-${round}`, ...each }))));
      expect(replies.map(codeOf).sort()).toEqual(['201 -', '409 EXTERNAL_ID_TAKEN']);
    }
    expect((await list()).totalCount).toBe(rounds);
    expect((await service.transactions(books.tenant.token)).totalCount).toBe(rounds);
  });

  test('that is returned in full twice at once is returned once, and the other return leaves nothing behind', async () => {
    for (const sold of ['first', 'second', 'third']) {
      await record(manual({ externalId: sold }));
      const replies = await Promise.all([1, 2].map(() => record(manual(returnOf(sold)))));
      expect(replies.map(codeOf).sort()).toEqual(['201 -', '409 RETURN_EXCEEDS_SALE']);
    }
    expect((await listed()).sort()).toEqual(['S-000001', 'S-000002', 'S-000003', 'first', 'second', 'third']);
  });

  test('skips numbers that users have assigned', async () => {
    for (const n of [1, 2, 3]) await record(manual({ externalId: `S-00000${n}` }));
    expect((await saleAt((await record(manual())).id)).externalId).toBe('S-000004');
  });
});

describe('A retry', () => {
  const retry = (id: string): Promise<Reply> => service.post(`/api/sales/${id}/retry`, undefined, books.tenant.token);

  test('of a rejected sale returns the reason that prevents the booking, and is counted', async () => {
    const id = await push('s', { branchCode: 'NORTH' });
    expect(codeOf(await retry(id))).toBe('409 BRANCH_UNKNOWN');
    await service.quiet();
    expect((await saleAt(id)).rejection).toMatchObject({ code: 'BRANCH_UNKNOWN', attempts: 2 });
  });

  test('of a booked sale changes nothing', async () => {
    const id = await push('s');
    const before = await saleAt(id);
    const reply = await retry(id);
    expect([reply.status, reply.data]).toEqual([201, { success: true, id, revision: before.revision }]);
    expect(await saleAt(id)).toEqual(before);
  });

  test('books a sale whose dead letter an operator has discarded', async () => {
    const id = await push('s', { branchCode: 'NORTH' });
    const operator = await service.operator();
    const { items } = (await service.get(`/api/platform/dead-letters?search=${id}`, operator)).body as Page<{
      id: string;
    }>;
    await service.post(`/api/platform/dead-letters/${items[0]?.id ?? ''}/discard`, { reason: 'A test.' }, operator);
    await service.post('/api/branches', { code: 'NORTH', name: 'North' }, books.tenant.token);
    expect((await saleAt(id)).status).toBe('REJECTED');
    const reply = await retry(id);
    expect([reply.status, (reply.data as { revision: number }).revision]).toEqual([201, 2]);
    expect(await saleAt(id)).toMatchObject({ status: 'BOOKED', rejection: null, revision: 2 });
  });
});
