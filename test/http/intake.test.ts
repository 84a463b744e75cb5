import { ShiftedClock } from '../support/shifted-clock.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

const PATH = '/api/integrations/v1/sales';
const clock = new ShiftedClock();
let service: TestService;
let books: Books;
let partner: TestKey;
beforeAll(async () => {
  service = await TestService.start({ clock });
  books = await service.openBooks();
  ({ partner } = books);
});
afterAll(() => service.close());

const told = async (changes: object): Promise<string> =>
  (await service.postSale(partner, saleOf(service.fresh('sale'), changes))).told;
const line = { description: 'Goods', quantity: 1, unitPrice: '100.00' };
const withLine = (changes: object) => ({ lines: [{ ...line, ...changes }] });
const customer = { name: 'Ada' };

describe('A sale is rejected', () => {
  test.each([
    ['no external id', { externalId: undefined }, 'externalId'],
    ['an external id of 201 characters', { externalId: 'x'.repeat(201) }, 'externalId'],
    ['an external id with a line break', { externalId: 'a\nb' }, 'externalId'],
    ['another type', { type: 'REFUND' }, 'type'],
    ['no instant', { occurredAt: undefined }, 'occurredAt'],
    ['a date instead of an instant', { occurredAt: '2026-03-04' }, 'occurredAt'],
    ['an instant without offset', { occurredAt: '2026-03-04T10:00:00' }, 'occurredAt'],
    ['an instant that does not exist', { occurredAt: '2026-02-30T10:00:00Z' }, 'occurredAt'],
    ['an offset that does not exist', { occurredAt: '2026-02-03T10:00:00+25:00' }, 'occurredAt'],
    ['no currency', { currency: undefined }, 'currency'],
    ['a currency in lower case', { currency: 'eur' }, 'currency'],
    ['a branch code of 21 characters', { branchCode: 'b'.repeat(21) }, 'branchCode'],
    ['a customer without name', { customer: { code: 'A' } }, 'customer.name'],
    ['a customer with an invalid e-mail address', { customer: { ...customer, email: 'x' } }, 'customer.email'],
    ['a customer with an unknown field', { customer: { ...customer, vip: true } }, 'customer.vip'],
    ['no lines', { lines: undefined }, 'lines'],
    ['an empty list of lines', { lines: [] }, 'lines'],
    ['501 lines', { lines: Array.from({ length: 501 }, () => line) }, 'lines'],
    ['a line without description', withLine({ description: '' }), 'lines[0].description'],
    ['a quantity of zero', withLine({ quantity: 0 }), 'lines[0].quantity'],
    ['a negative quantity', withLine({ quantity: -1 }), 'lines[0].quantity'],
    ['a quantity of 7 decimals', withLine({ quantity: '1.0000001' }), 'lines[0].quantity'],
    ['a quantity that is not a number', withLine({ quantity: 'two' }), 'lines[0].quantity'],
    ['a price with a sign', withLine({ unitPrice: '+1' }), 'lines[0].unitPrice'],
    ['a price of 16 digits', withLine({ unitPrice: '1'.repeat(16) }), 'lines[0].unitPrice'],
    ['a price of 16 digits as a number', withLine({ unitPrice: 0.1234567890123456 }), 'lines[0].unitPrice'],
    ['a negative price', withLine({ unitPrice: -1 }), 'lines[0].unitPrice'],
    ['a discount above the price', withLine({ discount: '100.01' }), 'lines[0].discount'],
    ['a tax rate above 100', withLine({ taxRate: 100.01 }), 'lines[0].taxRate'],
    ['an unknown field of a line', withLine({ net: '1.00' }), 'lines[0].net'],
    ['a payment of zero', { payments: [{ method: 'CASH', amount: 0 }] }, 'payments[0].amount'],
    ['a payment by cheque', { payments: [{ method: 'CHEQUE', amount: 1 }] }, 'payments[0].method'],
    ['a payment of three decimals', { payments: [{ method: 'CASH', amount: '1.005' }] }, 'payments[0].amount'],
    ['a total of three decimals', { total: '100.001' }, 'total'],
    ['a total of null', { total: null }, 'total'],
    ['metadata that is a list', { metadata: [] }, 'metadata'],
    ['an unknown field', { tenantId: 'x' }, 'tenantId'],
    ['a RETURN without its sale', { type: 'RETURN' }, 'relatedExternalId'],
    ['a CANCELLATION with lines', { type: 'CANCELLATION', relatedExternalId: 'x' }, 'lines'],
  ])('with %s', async (_, changes, path) => {
    expect(await told(changes)).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('when its total differs from the sum of its lines, which is shown', async () => {
    const lines = [
      { ...line, unitPrice: '9.99', quantity: 3, taxRate: 19 },
      { ...line, unitPrice: '0.333333', quantity: '1.5', discount: '0.1' },
    ];
    const reply = await service.postSale(partner, saleOf('total-1', { lines, total: '36.05' }));
    expect(reply.told).toBe('400 TOTAL_MISMATCH total');
    // The sum of 29.97, its tax of 5.6943, and 0.4999995 − 0.1, each rounded to cents.
    expect(reply.problem.message).toContain('36.06');
    expect(await told({ lines, total: '36.06' })).toBe('202');
    expect(await told({ lines, total: 36.06 })).toBe('202');
    expect(await told({ lines, total: '36.0600' })).toBe('400 VALIDATION_FAILED total');
  });

  test('in a currency other than the currency of the books', async () => {
    expect(await told({ currency: 'USD' })).toBe('400 CURRENCY_MISMATCH currency');
    expect(await told({ currency: 'JPY' })).toBe('400 CURRENCY_MISMATCH currency');
  });

  test('when its body is not a valid partner request', async () => {
    const raw = async (body: string, headers: Record<string, string> = {}): Promise<string> =>
      (await service.call('POST', PATH, { key: partner.key, raw: body, headers })).told;
    const sale = JSON.stringify(saleOf('body'));
    expect(await raw('{"externalId":')).toBe('400 VALIDATION_FAILED');
    expect(await raw('')).toMatch(/^400 VALIDATION_FAILED/);
    expect(await raw('[]')).toMatch(/^400 VALIDATION_FAILED/);
    expect(await raw('null')).toMatch(/^400 VALIDATION_FAILED/);
    expect(await raw(sale.replace('{', '{"externalId":"twice",'))).toBe('400 VALIDATION_FAILED');
    expect(await raw(sale.replace('"unitPrice"', '"quantity":2,"unitPrice"'))).toBe('400 VALIDATION_FAILED');
    expect(await raw(sale, { 'content-type': 'text/plain' })).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(await raw(sale, { 'content-type': 'application/x-www-form-urlencoded' })).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(await raw(JSON.stringify(saleOf('body', { metadata: { text: 'x'.repeat(1_048_576) } })))).toBe(
      '413 PAYLOAD_TOO_LARGE',
    );
    expect(await told({ metadata: { text: 'x'.repeat(20_000) } })).toBe('400 VALIDATION_FAILED metadata');
  });
});

describe('A sale is accepted', () => {
  test.each([
    ['with nulls for values that the partner does not have', { branchCode: null, customer: null, metadata: null }],
    ['with an external id of 200 characters of any script', { externalId: `${'ş'.repeat(100)}${'字'.repeat(100)}` }],
    ['with 500 lines', { lines: Array.from({ length: 500 }, () => line) }],
    ['with a discount of the whole price', withLine({ discount: '100' })],
    ['without anything to pay', withLine({ unitPrice: 0 })],
    ['with an instant of another offset', { occurredAt: '2026-03-04T10:00:00+05:30' }],
  ])('%s', async (_, changes) => {
    expect(await told(changes)).toBe('202');
  });
});

describe('An integration key', () => {
  const refused = async (key?: string): Promise<Reply> => service.call('POST', PATH, { key, body: saleOf('no') });

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['garbage', 'garbage'],
    ['a well-formed one that was never created', `kontor_${'A'.repeat(43)}_${'s'.repeat(43)}`],
  ])('must be valid: %s is rejected', async (_, key) => {
    const reply = await refused(key);
    expect(reply.told).toBe('401 INVALID_KEY');
    expect(reply.headers['www-authenticate']).toBe('IntegrationKey');
    expect(reply.headers['x-ratelimit-window']).toBe('60s');
  });

  test('must be unaltered: another secret or another tenant in it is rejected', async () => {
    const last = partner.key.endsWith('A') ? 'B' : 'A';
    expect((await refused(`${partner.key.slice(0, -1)}${last}`)).told).toBe('401 INVALID_KEY');
    const other = await service.openBooks();
    const mixed = `${other.partner.key.slice(0, 50)}${partner.key.slice(50)}`;
    expect((await refused(mixed)).told).toBe('401 INVALID_KEY');
  });

  test('is not a bearer token, and a bearer token is not a key', async () => {
    expect((await service.get('/api/customers/lookup', partner.key)).told).toBe('401 UNAUTHENTICATED');
    const reply = await service.call('POST', PATH, { token: books.tenant.token, body: saleOf('no') });
    expect(reply.told).toBe('401 INVALID_KEY');
  });

  test('is shown once, with its use, and never stored in clear text', async () => {
    const body = { name: 'Web shop', sourceId: 'web', rateLimit: 30 };
    const reply = await service.post('/api/integration-keys', body, books.tenant.token);
    expect(reply.status).toBe(201);
    const { id, key } = reply.data as { id: string; key: string };
    expect(reply.data).toEqual({ id, ...body, key, expiresAt: null });
    expect(key).toMatch(/^kontor_[\w-]{43}_[\w-]{43}$/);
    const events = JSON.stringify(await service.service.engines.events.readAll());
    expect(events).not.toContain(key.slice(-43));
    expect((await refused(key)).told).toBe('202');
  });

  test.each([
    ['no name', { name: '' }, 'name'],
    ['no source', { sourceId: undefined }, 'sourceId'],
    ['a source with a space', { sourceId: 'a b' }, 'sourceId'],
    ['a source of 65 characters', { sourceId: 's'.repeat(65) }, 'sourceId'],
    ['more than 60 a minute', { rateLimit: 61 }, 'rateLimit'],
    ['none a minute', { rateLimit: 0 }, 'rateLimit'],
    ['a part of a request', { rateLimit: 1.5 }, 'rateLimit'],
    ['a given secret', { key: 'x' }, 'key'],
  ])('cannot be created with %s', async (_, changes, path) => {
    const body = { name: 'K', sourceId: 's', ...changes };
    const reply = await service.post('/api/integration-keys', body, books.tenant.token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe('The rate limit', () => {
  const status = (key: string): Promise<Reply> => service.call('GET', `${PATH}/none`, { key });
  const headersOf = ({ headers }: Reply) => ({
    limit: headers['x-ratelimit-limit'],
    remaining: headers['x-ratelimit-remaining'],
    window: headers['x-ratelimit-window'],
    policy: headers['ratelimit-policy'],
    fields: headers.ratelimit?.replace(/t=(59|60)$/, 't=60'),
  });

  test('is 60 requests in 60 seconds, then 429 with all headers until the window ends', async () => {
    const { key } = await service.createKey(books.tenant, { rateLimit: null });
    const startedMs = clock.nowMs();
    const first = await service.postSale({ ...partner, key }, saleOf('limited'), 'limited');
    expect(first.status).toBe(202);
    expect(headersOf(first)).toEqual({
      limit: '60',
      remaining: '59',
      window: '60s',
      policy: '"key";q=60;w=60',
      fields: '"key";r=59;t=60',
    });
    const resetAt = Number(first.headers['x-ratelimit-reset']);
    expect(resetAt * 1_000 - startedMs).toBeGreaterThan(59_000);
    expect(resetAt * 1_000 - startedMs).toBeLessThanOrEqual(62_000);
    // The limit also counts replays, GET requests and rejections.
    const replay = await service.postSale({ ...partner, key }, saleOf('limited'), 'limited');
    expect(replay.headers['x-ratelimit-remaining']).toBe('58');
    const wrong = await service.call('POST', PATH, { key, raw: '{' });
    expect([wrong.status, wrong.headers['x-ratelimit-remaining']]).toEqual([400, '57']);
    const others = await Promise.all(Array.from({ length: 57 }, () => status(key)));
    expect(new Set(others.map((reply) => reply.status))).toEqual(new Set([404]));
    expect(Math.min(...others.map(({ headers }) => Number(headers['x-ratelimit-remaining'])))).toBe(0);

    const limited = await service.postSale({ ...partner, key }, saleOf('limited-2'), 'limited-2');
    expect(limited.told).toBe('429 RATE_LIMITED');
    expect(headersOf(limited)).toMatchObject({ limit: '60', remaining: '0', fields: '"key";r=0;t=60' });
    expect(limited.headers['x-ratelimit-reset']).toBe(String(resetAt));
    const seconds = Number(limited.headers['retry-after']);
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(limited.body).toEqual({
      error: {
        code: 'RATE_LIMITED',
        message: expect.stringContaining(`${seconds} s`) as string,
        requestId: limited.headers['x-request-id'],
      },
    });

    clock.pass(seconds * 1_000);
    // The retry with the same key succeeds, because the rejected request was never recorded.
    const retried = await service.postSale({ ...partner, key }, saleOf('limited-2'), 'limited-2');
    expect(retried.status).toBe(202);
    expect(retried.headers['x-ratelimit-remaining']).toBe('59');
  });

  test('admits exactly 60 concurrent requests, and 60 more in the next window', async () => {
    const { key } = await service.createKey(books.tenant, { rateLimit: null });
    const burst = async (): Promise<number[]> =>
      (await Promise.all(Array.from({ length: 75 }, () => status(key)))).map((reply) => reply.status);
    const passed = (statuses: readonly number[]): number => statuses.filter((one) => one !== 429).length;
    const beganMs = clock.nowMs();
    expect(passed(await burst())).toBe(60);
    // The window begins with its first request. Rejected requests do not extend it.
    clock.pass(Math.max(0, beganMs + 55_000 - clock.nowMs()));
    const limited = await status(key);
    expect(limited.told).toBe('429 RATE_LIMITED');
    expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(6);
    clock.pass(6_000);
    expect(passed(await burst())).toBe(60);
  });

  test('appears in the headers of every response', async () => {
    const { key } = await service.createKey(books.tenant, { rateLimit: 9 });
    const sale = JSON.stringify(saleOf('headers'));
    const send = (raw: string, headers: Record<string, string> = {}): Promise<Reply> =>
      service.call('POST', PATH, { key, raw, headers });
    const replies = [
      await send(sale, { 'idempotency-key': 'headers' }),
      await send(sale, { 'idempotency-key': 'headers' }),
      await send(sale, { 'idempotency-key': 'a b' }),
      await send('{'),
      await send(sale.replace('headers', 'headers-2'), { 'idempotency-key': 'headers' }),
      await send(`${sale}${' '.repeat(1_048_576)}`),
      await send(sale, { 'content-type': 'text/plain' }),
      await status(key),
      await service.call('GET', '/api/integrations/v1/idempotency-keys/none', { key }),
      await status(key),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([202, 200, 400, 400, 409, 413, 415, 404, 404, 429]);
    const reset = replies[0]?.headers['x-ratelimit-reset'];
    for (const [index, reply] of replies.entries())
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': '9',
        'x-ratelimit-remaining': String(Math.max(0, 8 - index)),
        'x-ratelimit-reset': reset,
        'x-ratelimit-window': '60s',
        'ratelimit-policy': '"key";q=9;w=60',
        ratelimit: expect.stringMatching(`^"key";r=${Math.max(0, 8 - index)};t=\\d+$`) as string,
      });
    expect(replies.map(({ headers }) => headers['retry-after'] !== undefined)).toEqual(
      replies.map((reply) => reply.status === 429),
    );
    for (const reply of replies.filter((one) => one.status >= 400))
      expect(Object.keys(reply.body as object)).toEqual(['error']);
  });

  test('applies per key, and an operator can raise it immediately', async () => {
    const tenant = await service.createTenant();
    const [one, two] = [
      await service.createKey(tenant, { rateLimit: 2 }),
      await service.createKey(tenant, { rateLimit: 2 }),
    ];
    for (const expected of [404, 404, 429]) expect((await status(one.key)).status).toBe(expected);
    expect((await status(two.key)).status).toBe(404);
    const raised = await service.setRateLimit(one.id, 500);
    expect(raised.status).toBe(200);
    expect(raised.data).toMatchObject({ success: true, id: one.id });
    clock.pass(1_000);
    const after = await status(one.key);
    expect([after.status, after.headers['x-ratelimit-limit']]).toEqual([404, '500']);
    expect((await service.setRateLimit(one.id, 500)).data).toEqual(raised.data);
  });

  test('can be set for existing keys, to valid numbers', async () => {
    const unknown = await service.setRateLimit(service.service.engines.ids.next(), 5);
    expect([unknown.told, unknown.problem.message]).toEqual(['404 NOT_FOUND', 'No such integration key.']);
    expect((await service.setRateLimit('no-id', 5)).told).toBe('404 NOT_FOUND');
    for (const wrong of [0, -1, 1.5, 1_000_001])
      expect((await service.setRateLimit(partner.id, wrong)).told).toBe('400 VALIDATION_FAILED rateLimit');
  });

  test('counts requests without a valid key by address', async () => {
    clock.pass(61_000);
    const none = (): Promise<Reply> => service.call('GET', `${PATH}/none`, { key: 'garbage' });
    const replies = await Promise.all(Array.from({ length: 61 }, none));
    const statuses = replies.map((reply) => reply.status).sort();
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429]);
    // The limit must not affect callers with a valid key.
    expect((await status(partner.key)).status).toBe(404);
    clock.pass(61_000);
    expect((await none()).status).toBe(401);
  });
});

describe('Errors of the partner API', () => {
  test('have one format, even at unknown addresses', async () => {
    for (const path of [`${PATH}/unknown`, '/api/integrations/v1/nothing', '/api/integrations/v2/sales']) {
      const reply = await service.call('GET', path, { key: partner.key, headers: { 'x-request-id': 'mine' } });
      expect(reply.body).toEqual({
        error: { code: 'NOT_FOUND', message: expect.any(String) as string, requestId: 'mine' },
      });
      expect(reply.headers['x-ratelimit-limit']).toBe('1000000');
    }
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
