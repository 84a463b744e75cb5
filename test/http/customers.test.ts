import type { Page } from '../../src/queries/query.js';
import type { CustomerRecord } from '../../src/queries/account.queries.js';
import { TestService, type TestTenant } from '../support/service.js';

let service: TestService;
let tenant: TestTenant;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.close());

const newTenant = async (): Promise<void> => {
  tenant = await service.createTenant();
};
const create = (body: object) => service.post('/api/customers', body, tenant.token);
const created = async (body: object): Promise<CustomerRecord> =>
  service.customer(tenant.token, (await create(body)).id);
const names = async (query: string): Promise<string[]> =>
  (await service.customers(tenant.token, query)).items.map(({ name }) => name);
const lookup = async (query = ''): Promise<{ id: string; name: string; code: string | null }[]> =>
  (await service.get(`/api/customers/lookup?${query}`, tenant.token)).data as [];

describe('Creating a customer', () => {
  beforeEach(newTenant);
  test('requires only a name, and assigns the next code', async () => {
    const reply = await create({ name: '  Acme GmbH ' });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({ statusCode: 201, data: { success: true, id: reply.id, revision: 0 } });
    const customer = await service.customer(tenant.token, reply.id);
    expect(customer).toEqual({
      id: reply.id,
      code: 'C-000001',
      name: 'Acme GmbH',
      type: 'COMPANY',
      taxNumber: null,
      taxOffice: null,
      nationalId: null,
      email: null,
      phone: null,
      address: null,
      city: null,
      country: null,
      currency: 'EUR',
      status: 'ACTIVE',
      isDefault: false,
      branchId: null,
      notes: null,
      balance: { amount: '0.00', currency: 'EUR' },
      accountId: reply.id,
      createdAt: customer.createdAt,
      updatedAt: customer.createdAt,
      revision: 0,
    });
    expect(customer.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('keeps every given field', async () => {
    const facts = {
      code: 'A-1',
      name: 'Ada Yılmaz',
      type: 'INDIVIDUAL',
      taxNumber: '123 456',
      taxOffice: 'Kadıköy',
      nationalId: '1000',
      email: 'ada@example.test',
      phone: '+90 212 000',
      address: 'Street 1\nFloor 2',
      city: 'İstanbul',
      country: 'TR',
      currency: 'EUR',
      status: 'PASSIVE',
      notes: 'Pays late',
    };
    expect(await created(facts)).toMatchObject(facts);
  });

  test('assigns codes in order, also concurrently, and skips codes in use', async () => {
    await create({ name: 'By hand', code: 'c-000003' });
    const made = await Promise.all(Array.from({ length: 5 }, (_, index) => created({ name: `N${index}` })));
    expect(made.map(({ code }) => code).sort()).toEqual(['C-000001', 'C-000002', 'C-000004', 'C-000005', 'C-000006']);
  });

  test('finds a free code after hundreds of imported ones', async () => {
    const codes = Array.from({ length: 300 }, (_, index) => `C-${(index + 1).toString().padStart(6, '0')}`);
    for (let at = 0; at < codes.length; at += 50)
      await Promise.all(codes.slice(at, at + 50).map((code) => created({ name: code, code })));
    const { code } = await created({ name: 'New' });
    expect(codes).not.toContain(code);
    expect(Number(code?.slice(2))).toBeLessThan(1_000);
    const next = await Promise.all(Array.from({ length: 5 }, (_, index) => created({ name: `N${index}` })));
    expect(new Set([code, ...next.map((one) => one.code)]).size).toBe(6);
  });

  test('rejects a code of another customer, in any case', async () => {
    await create({ name: 'First', code: 'VIP' });
    expect((await create({ name: 'Second', code: 'vip' })).told).toBe('409 CUSTOMER_CODE_TAKEN');
    const race = await Promise.all(['x', 'X', 'x'].map((code) => create({ name: code, code })));
    expect(race.map(({ told }) => told).sort()).toEqual(['201', '409 CUSTOMER_CODE_TAKEN', '409 CUSTOMER_CODE_TAKEN']);
  });

  test('rejects a currency other than the currency of the books', async () => {
    expect((await create({ name: 'A', currency: 'USD' })).told).toBe('400 CURRENCY_MISMATCH currency');
  });

  test('rejects an unknown branch', async () => {
    const branchId = service.service.engines.ids.next();
    expect((await create({ name: 'A', branchId })).told).toBe('404 NOT_FOUND branchId');
    expect((await create({ name: 'A', branchId: 'main' })).told).toBe('404 NOT_FOUND branchId');
  });
});

describe('An invalid customer', () => {
  beforeAll(newTenant);

  const opening = { amount: '10.00', direction: 'IN', date: '2026-01-01' };
  test.each([
    ['nothing', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 201 characters', { name: 'n'.repeat(201) }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['another type', { name: 'A', type: 'PERSON' }, 'type'],
    ['another status', { name: 'A', status: 'ALL' }, 'status'],
    ['an invalid e-mail address', { name: 'A', email: 'nobody' }, 'email'],
    ['a code of 41 characters', { name: 'A', code: 'c'.repeat(41) }, 'code'],
    ['a currency of two letters', { name: 'A', currency: 'EU' }, 'currency'],
    ['a given balance', { name: 'A', balance: { amount: '1.00' } }, 'balance'],
    ['another tenant', { name: 'A', tenantId: 'x' }, 'tenantId'],
    ['a given default', { name: 'A', isDefault: true }, 'isDefault'],
    [
      'no opening direction',
      { name: 'A', openingBalance: { ...opening, direction: undefined } },
      'openingBalance.direction',
    ],
    ['no opening date', { name: 'A', openingBalance: { ...opening, date: undefined } }, 'openingBalance.date'],
    [
      'a day that does not exist',
      { name: 'A', openingBalance: { ...opening, date: '2026-02-30' } },
      'openingBalance.date',
    ],
    ['a day before 1900', { name: 'A', openingBalance: { ...opening, date: '1899-12-31' } }, 'openingBalance.date'],
    ['a zero amount', { name: 'A', openingBalance: { ...opening, amount: '0.00' } }, 'openingBalance.amount'],
    ['a negative amount', { name: 'A', openingBalance: { ...opening, amount: '-1.00' } }, 'openingBalance.amount'],
    ['too many decimals', { name: 'A', openingBalance: { ...opening, amount: '1.001' } }, 'openingBalance.amount'],
    ['16 digits', { name: 'A', openingBalance: { ...opening, amount: '1'.repeat(16) } }, 'openingBalance.amount'],
  ])('is rejected: %s', async (_, body, path) => {
    expect((await create(body)).told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe('An opening balance', () => {
  beforeEach(newTenant);
  test.each([
    ['OUT', 'the customer owes', '1250.50', '-1250.50'],
    ['IN', 'the tenant owes', '-1250.50', '1250.50'],
  ])('%s, where %s, appears everywhere', async (direction, _, balance, contra) => {
    const openingBalance = { amount: 1250.5, direction, date: '2026-01-01' };
    const customer = await created({ name: 'Opened', openingBalance });
    expect(customer.balance).toEqual({ amount: balance, currency: 'EUR' });
    expect(await service.balancesByCode(tenant.token)).toEqual({ '500': contra });
    const { items } = await service.transactions(tenant.token);
    expect(items).toMatchObject([
      {
        type: 'OPENING_BALANCE',
        documentEffect: null,
        direction,
        date: '2026-01-01',
        amount: '1250.50',
        customerId: customer.id,
        customerName: 'Opened',
        accountId: null,
        systemGenerated: true,
        reversalOf: null,
      },
    ]);
    const own = await service.get(`/api/customers/${customer.id}/transactions?pageNumber=1&pageSize=5`, tenant.token);
    expect((own.body as Page<unknown>).items).toEqual(items);
    expect((await service.customers(tenant.token, 'search=opened')).items[0]?.balance.amount).toBe(balance);
  });

  test('of null is not recorded', async () => {
    const customer = await created({ name: 'A', openingBalance: null });
    expect(customer.balance.amount).toBe('0.00');
    expect((await service.transactions(tenant.token)).totalCount).toBe(0);
  });
});

describe('A single customer', () => {
  beforeAll(newTenant);
  test('returns its revision as ETag', async () => {
    const { id } = await create({ name: 'A' });
    const reply = await service.get(`/api/customers/${id}`, tenant.token);
    expect(reply.headers.etag).toBe('"0"');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect((await service.get(`/api/customers/${id.toUpperCase()}`, tenant.token)).data).toEqual(reply.data);
  });

  test('with an unknown or malformed id is not found', async () => {
    for (const id of [service.service.engines.ids.next(), 'x', '%00', 'a'.repeat(500)]) {
      expect((await service.get(`/api/customers/${id}`, tenant.token)).told).toBe('404 NOT_FOUND');
      const path = `/api/customers/${id}/transactions?pageNumber=1&pageSize=1`;
      expect((await service.get(path, tenant.token)).told).toBe('404 NOT_FOUND');
    }
  });
});

describe('The list of customers', () => {
  beforeEach(newTenant);
  test('is newest first, in consistent pages', async () => {
    for (const name of ['one', 'two', 'three', 'four']) await create({ name });
    const page = async (pageNumber: number) => {
      const path = `/api/customers?pageNumber=${pageNumber}&pageSize=2`;
      const { items, ...rest } = (await service.get(path, tenant.token)).body as Page<CustomerRecord>;
      return { names: items.map(({ name }) => name), ...rest };
    };
    const totals = { pageSize: 2, totalCount: 5, totalPages: 3 };
    expect(await page(1)).toEqual({
      ...{ names: ['four', 'three'], pageNumber: 1, ...totals },
      ...{ hasPreviousPage: false, hasNextPage: true },
    });
    expect(await page(2)).toMatchObject({ names: ['two', 'one'], hasPreviousPage: true, hasNextPage: true });
    expect(await page(3)).toMatchObject({ names: ['Walk-in customer'], hasPreviousPage: true, hasNextPage: false });
    expect(await page(4)).toMatchObject({
      names: [],
      pageNumber: 4,
      ...totals,
      hasPreviousPage: true,
      hasNextPage: false,
    });
  });

  test('is sorted by name or code on request, and keeps equal names in order across pages', async () => {
    await create({ name: 'zinc', code: 'b-2' });
    for (const code of ['twin-1', 'twin-2', 'twin-3'])
      await create({ name: code === 'twin-2' ? 'ÄPFEL' : 'Apfel', code });
    await created({ name: 'bare', code: 'gone' }).then(({ id }) =>
      service.call('PATCH', `/api/customers/${id}`, { token: tenant.token, body: { code: null } }),
    );
    await create({ name: 'Asleep', code: 'A-1', status: 'PASSIVE' });
    const paged = async (query: string): Promise<(string | null)[]> => {
      const pages = [1, 2, 3, 4].map(async (page) => {
        const path = `/api/customers?pageNumber=${page}&pageSize=2&${query}`;
        return ((await service.get(path, tenant.token)).body as Page<CustomerRecord>).items.map(({ code }) => code);
      });
      return (await Promise.all(pages)).flat();
    };
    expect(await paged('sort=name')).toEqual(['twin-1', 'twin-2', 'twin-3', null, 'C-000000', 'b-2']);
    expect(await paged('sort=code')).toEqual(['b-2', 'C-000000', 'twin-1', 'twin-2', 'twin-3', null]);
    expect(await paged('sort=newest')).toEqual([null, 'twin-3', 'twin-2', 'twin-1', 'b-2', 'C-000000']);
    expect(await paged('sort=code&status=ALL&search=a')).toEqual(['A-1', 'twin-1', 'twin-2', 'twin-3']);
    const csv = await service.get('/api/customers?sort=name', tenant.token, { accept: 'text/csv' });
    expect(csv.text.indexOf('twin-3')).toBeLessThan(csv.text.indexOf('zinc'));
  });

  test('shows active ones by default', async () => {
    await create({ name: 'Active' });
    await create({ name: 'Passive', status: 'PASSIVE' });
    expect(await names('')).toEqual(['Active', 'Walk-in customer']);
    expect(await names('status=ACTIVE')).toEqual(['Active', 'Walk-in customer']);
    expect(await names('status=PASSIVE')).toEqual(['Passive']);
    expect(await names('status=ALL')).toEqual(['Passive', 'Active', 'Walk-in customer']);
    expect(await names('status=ALL&isDefault=true')).toEqual(['Walk-in customer']);
    expect(await names('isDefault=true')).toEqual(['Walk-in customer']);
    expect(await names('isDefault=false')).toEqual(['Active']);
    expect(await names('status=PASSIVE&isDefault=true')).toEqual([]);
  });

  test('can be searched by word prefixes, ignoring case and accents', async () => {
    await create({ name: 'İstanbul Çiçek Ltd', email: 'info@cicek.test', taxNumber: '12 34' });
    await create({ name: 'Irmak Kağıt', phone: '+90 555 123', nationalId: 'TC77' });
    await create({ name: 'Müller-Straße', code: 'M-9' });
    for (const [search, found] of [
      ['istanbul', ['İstanbul Çiçek Ltd']],
      ['ISTANBUL', ['İstanbul Çiçek Ltd']],
      ['ıstanbul cicek', ['İstanbul Çiçek Ltd']],
      ['irm', ['Irmak Kağıt']],
      ['IRM kag', ['Irmak Kağıt']],
      ['mak', []],
      ['muller', ['Müller-Straße']],
      ['strasse', ['Müller-Straße']],
      ['m-9', ['Müller-Straße']],
      ['info@cicek', ['İstanbul Çiçek Ltd']],
      ['12', ['Irmak Kağıt', 'İstanbul Çiçek Ltd']],
      ['555 123', ['Irmak Kağıt']],
      ['tc77', ['Irmak Kağıt']],
      ['istanbul kağıt', []],
      ['!?', []],
      ['', ['Müller-Straße', 'Irmak Kağıt', 'İstanbul Çiçek Ltd', 'Walk-in customer']],
    ] as const)
      expect([search, await names(`search=${encodeURIComponent(search)}`)]).toEqual([search, found]);
  });
});

describe('An invalid query for customers', () => {
  beforeAll(newTenant);

  test.each([
    ['', 'pageNumber pageSize'],
    ['pageNumber=1', 'pageSize'],
    ['pageNumber=0&pageSize=1', 'pageNumber'],
    ['pageNumber=1&pageSize=101', 'pageSize'],
    ['pageNumber=1.5&pageSize=1', 'pageNumber'],
    ['pageNumber=1&pageSize=1&status=active', 'status'],
    ['pageNumber=1&pageSize=1&isDefault=1', 'isDefault'],
    ['pageNumber=1&pageSize=1&sort=balance', 'sort'],
    ['pageNumber=1&pageSize=1&sort=name&sort=code', 'sort'],
    ['pageNumber=1&pageNumber=2&pageSize=1', 'pageNumber'],
  ])('is rejected: "%s"', async (query, paths) => {
    expect((await service.get(`/api/customers?${query}`, tenant.token)).told).toBe(`400 VALIDATION_FAILED ${paths}`);
  });
});

describe('The lookup of customers', () => {
  beforeEach(newTenant);
  const createMany = async (count: number, bodyOf: (index: number) => object): Promise<void> => {
    for (let index = 0; index < count; index += 1) await create(bodyOf(index));
  };

  test('shows at most 20 brief active ones', async () => {
    await Promise.all(Array.from({ length: 21 }, (_, index) => create({ name: `Many ${index}` })));
    const { id } = await create({ name: 'Needle', code: 'N-1' });
    await create({ name: 'Needle passive', status: 'PASSIVE' });
    expect(await lookup()).toHaveLength(20);
    expect(await lookup('search=need')).toEqual([{ id, name: 'Needle', code: 'N-1' }]);
    expect(await lookup('search=nothing')).toEqual([]);
  });

  test('shows the best match first', async () => {
    await create({ name: 'Ada' });
    await create({ name: 'Ada Lovelace' });
    await create({ name: 'Lovelace, Ada' });
    await create({ name: 'Somebody', code: 'ADA' });
    await create({ name: 'Adamant' });
    const found = (await lookup('search=ada')).map(({ name }) => name);
    expect(found).toEqual(['Somebody', 'Ada', 'Ada Lovelace', 'Adamant', 'Lovelace, Ada']);
  });

  test('finds the customer with the given code or name, however many newer customers match', async () => {
    await create({ name: 'Ünal & Sons' });
    await create({ name: 'Ünal Passive', status: 'PASSIVE' });
    await create({ name: 'Somebody', code: '120' });
    await create({ name: 'Former', code: '110', status: 'PASSIVE' });
    const account = await service.post('/api/accounts', { type: 'CASH', name: 'Unal' }, tenant.token);
    await createMany(101, (index) => ({ name: `Sons of Ünal ${index}`, code: `120.${index}` }));
    await createMany(101, (index) => ({ name: `Later ${index}`, code: `110.${index}` }));
    const names = async (search: string) => (await lookup(`search=${search}`)).map(({ name }) => name);
    expect(await names('120')).toHaveLength(20);
    expect((await names('120'))[0]).toBe('Somebody');
    expect((await names(encodeURIComponent(' UNAL & sons ')))[0]).toBe('Ünal & Sons');
    expect((await names('unal'))[0]).toBe('Ünal & Sons');
    expect((await lookup('search=unal')).map(({ id }) => id)).not.toContain(account.id);
    expect(await names('unal')).not.toContain('Ünal Passive');
    expect(await names('110')).not.toContain('Former');
    const found = (await service.get('/api/accounts/lookup?search=unal', tenant.token)).data as { name: string }[];
    expect(found.slice(0, 2).map(({ name }) => name)).toEqual(['Unal', 'Ünal & Sons']);
  });
});

describe('Read-your-writes', () => {
  beforeAll(newTenant);
  test('a command returns its position, which a read can require', async () => {
    const reply = await create({ name: 'A' });
    const position = String(reply.headers['x-event-position']);
    expect(Number(position)).toBeGreaterThan(0);
    expect(reply.headers['x-read-model']).toBeUndefined();
    const path = `/api/customers/${reply.id}`;
    expect((await service.get(path, tenant.token, { 'x-min-position': position })).status).toBe(200);
    for (const wrong of ['-1', 'x', '1.5'])
      expect((await service.get(path, tenant.token, { 'x-min-position': wrong })).told).toBe(
        '400 VALIDATION_FAILED X-Min-Position',
      );
  });

  test('a read waits for a future position', async () => {
    const { engines } = service.service;
    const next = (await engines.events.head()) + 1;
    const waiting = service.get('/api/customers?pageNumber=1&pageSize=1&search=awaited', tenant.token, {
      'x-min-position': String(next),
    });
    await create({ name: 'Awaited' });
    expect((await waiting).status).toBe(200);
  });

  test('a well-formed request id is returned, another replaced', async () => {
    const path = '/api/customers/lookup';
    const echoed = await service.get(path, tenant.token, { 'x-request-id': 'req_1.A-b' });
    expect(echoed.headers['x-request-id']).toBe('req_1.A-b');
    for (const wrong of ['a b', 'a'.repeat(129)])
      expect((await service.get(path, tenant.token, { 'x-request-id': wrong })).headers['x-request-id']).toMatch(
        /^[0-9a-f-]{36}$/,
      );
  });

  test('the request id is recorded in the event', async () => {
    await service.post('/api/customers', { name: 'Traced' }, tenant.token, { 'x-request-id': 'trace-me' });
    const events = await service.service.engines.events.readAll({
      filter: { on: 'type', prefixes: ['CustomerCreated'] },
    });
    const metadata = events.at(-1)?.metadata;
    expect(metadata).toMatchObject({ requestId: 'trace-me', $correlationId: 'trace-me', tenantId: tenant.id });
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
