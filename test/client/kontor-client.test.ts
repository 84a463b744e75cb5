import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstSale } from '../../clients/typescript/examples/first-sale.js';
import { data, KontorClient, KontorError, whole } from '../../clients/typescript/src/kontor-client.js';
import { PASSWORD, saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let url: string;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
  url = service.url;
  books = await service.openBooks();
});
afterAll(() => service.close());

const officeOf = (options: Partial<ConstructorParameters<typeof KontorClient>[0]> = {}): KontorClient =>
  new KontorClient({ url, credentials: { email: books.tenant.email, password: PASSWORD }, ...options });
const shopOf = (send: typeof fetch): KontorClient =>
  new KontorClient({ url, credentials: { integrationKey: books.partner.key }, fetch: send });

/** Records each request. `answer` can replace the response. */
function between(answer: (request: Request, n: number) => Promise<Response | undefined> | Response | undefined) {
  const asked: Request[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    asked.push(request.clone());
    return (await answer(request, asked.length)) ?? fetch(request);
  };
  return { asked, send };
}

const refusal = (status: number, retryAfter?: string): Response =>
  new Response(JSON.stringify({ statusCode: status, code: 'BUSY', message: 'Busy.' }), {
    status,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  });

const invoicesOf = async (externalId: string): Promise<number> => {
  const query = { pageNumber: 1, pageSize: 100, search: externalId };
  const { items } = await whole(officeOf().api.GET('/api/transactions', { params: { query } }));
  return items.filter((entry) => entry.externalId === externalId && entry.documentEffect === 'INVOICE').length;
};

describe('The client', () => {
  test('behaves as shown in its example', async () => {
    const settings = { KONTOR_URL: url, KONTOR_KEY: books.partner.key, KONTOR_EMAIL: books.tenant.email };
    expect(await firstSale({ ...settings, KONTOR_PASSWORD: PASSWORD })).toBe('Ada Yilmaz owes 138.00 EUR');
  });

  test('reports in its example why the sale was rejected', async () => {
    const { tenant, partner: key } = await service.openBooks();
    const customer = { externalId: 'shopper-7', name: 'Ada Yilmaz' };
    await service.sell(key, saleOf('earlier', { customer }));
    const { items } = await service.transactions(tenant.token, 'search=earlier');
    const body = { status: 'PASSIVE' };
    const path = `/api/customers/${items[0]?.customerId}`;
    expect((await service.call('PATCH', path, { token: tenant.token, body })).status).toBe(201);
    const settings = { KONTOR_URL: url, KONTOR_KEY: key.key, KONTOR_EMAIL: tenant.email, KONTOR_PASSWORD: PASSWORD };
    await expect(firstSale(settings)).rejects.toThrow(/^The sale was rejected: CUSTOMER_PASSIVE/);
  });

  test('pushes a sale once even if the response is lost, the service is busy and the connection breaks', async () => {
    const { asked, send } = between(async (request, n) => {
      if (n === 1) {
        await fetch(request);
        throw new TypeError('The answer is lost');
      }
      if (n === 2) return refusal(429, '0');
      if (n === 3) throw new TypeError('No connection');
      return undefined;
    });
    const sale = saleOf('lost-answer');
    const pushed = await shopOf(send).pushSale(sale);
    expect(pushed).toMatchObject({ isReplay: true, receipt: { externalId: 'lost-answer', status: 'ACCEPTED' } });
    expect(asked.length).toBe(4);
    await service.settled(books.partner, 'lost-answer');
    expect(await invoicesOf('lost-answer')).toBe(1);
  });

  test('pushes any number of sales in batches, and repeats those that the service could not accept', async () => {
    const { asked, send } = between(async (request, n) => {
      if (n !== 1) return n === 2 ? refusal(503, '0') : undefined;
      const taken = await fetch(request);
      const { items } = (await taken.json()) as { items: object[] };
      const body = { error: { code: 'UNAVAILABLE', message: 'Busy.', requestId: 'r' } };
      items[7] = { externalId: 'many-7', status: 503, body };
      return new Response(JSON.stringify({ items }), { status: 207, headers: { 'retry-after': '0' } });
    });
    const sales = Array.from({ length: 501 }, (_, n) => saleOf(`many-${n}`));
    const wrong = { ...saleOf('many-wrong'), total: '1.00' };
    const results = await shopOf(send).pushSales([...sales.slice(0, 10), wrong, ...sales.slice(10)]);
    expect(results.length).toBe(502);
    const [ten] = results.splice(10, 1);
    expect(ten?.error).toMatchObject({ status: 400, code: 'TOTAL_MISMATCH' });
    expect(ten?.error?.fault('total')).toEqual(expect.any(String));
    expect(results.map(({ externalId, receipt }) => [externalId, receipt?.status])).toEqual(
      sales.map(({ externalId }) => [externalId, 'ACCEPTED']),
    );
    expect(results.flatMap(({ externalId, isReplay }) => (isReplay === true ? [externalId] : []))).toEqual(['many-7']);
    expect(asked.length).toBe(4);
  });

  test('pushes all sales even if the service accepts only one in each round', async () => {
    const { asked, send } = between(async (request) => {
      const { sales } = (await request.clone().json()) as { sales: { externalId: string }[] };
      const body = { error: { code: 'RATE_LIMITED', message: 'Too many.', requestId: 'r' } };
      const [first, ...rest] = sales;
      const taken = await fetch(new Request(request, { body: JSON.stringify({ sales: [first] }) }));
      const { items } = (await taken.json()) as { items: object[] };
      items.push(...rest.map(({ externalId }) => ({ externalId, status: 429, body })));
      return new Response(JSON.stringify({ items }), { status: 207, headers: { 'retry-after': '0' } });
    });
    const results = await shopOf(send).pushSales(Array.from({ length: 8 }, (_, n) => saleOf(`slow-${n}`)));
    expect(results.map(({ receipt }) => receipt?.status)).toEqual(Array.from({ length: 8 }, () => 'ACCEPTED'));
    expect(asked.length).toBe(8);
  });

  test('waits for the next window of the rate limit', async () => {
    const { asked, send } = between(() => refusal(429, '60'));
    const sales = shopOf(send).api.GET('/api/integrations/v1/sales', { signal: AbortSignal.timeout(500) });
    await expect(sales).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(asked.length).toBe(1);
  });

  test('names the tenant at sign-in, and reports that the account requires a second factor', async () => {
    const required = { factorRequired: true, factorToken: 'token', methods: ['TOTP'] };
    const { asked, send } = between(() => Response.json({ data: required }));
    const credentials = { email: 'two@factors.example', password: PASSWORD, tenant: 'north' };
    const office = officeOf({ fetch: send, credentials });
    const read = () => whole(office.api.GET('/api/customers', { params: { query: { pageNumber: 1, pageSize: 1 } } }));
    await expect(read()).rejects.toMatchObject({ status: 403, code: 'FACTOR_REQUIRED' });
    expect(await Promise.all(asked.map((request) => request.json()))).toEqual([credentials]);
  });

  test('validates sales without storing them, lists sales, and reports differences', async () => {
    const shop = shopOf(fetch);
    const [valid, wrong] = [saleOf('only-valid'), { ...saleOf('only-wrong'), total: '1.00' }];
    expect(await shop.validateSale(valid)).toMatchObject({ externalId: 'only-valid', status: 'VALID' });
    await expect(shop.validateSale(wrong)).rejects.toMatchObject({ status: 400, code: 'TOTAL_MISMATCH' });
    const results = await shop.validateSales([valid, wrong]);
    expect(results.map(({ receipt, error }) => receipt?.status ?? error?.code)).toEqual(['VALID', 'TOTAL_MISMATCH']);
    const { receipt } = await shop.pushSale(valid);
    const [changed] = await shop.pushSales([{ ...valid, branchCode: 'MAIN' }]);
    expect(changed).toEqual({ externalId: 'only-valid', receipt, isReplay: true, differs: ['branchCode'] });
    const { items } = await shop.sales({ pageSize: 1 });
    expect(items.map(({ externalId }) => externalId)).toEqual(['only-valid']);
  });

  test('sends every other write only once, and reports that there was no response', async () => {
    const { asked, send } = between((request) => {
      if (request.method === 'POST' && request.url.endsWith('/api/customers')) throw new TypeError('No connection');
      return undefined;
    });
    const made = data(officeOf({ fetch: send }).api.POST('/api/customers', { body: { name: 'Once' } }));
    await expect(made).rejects.toMatchObject({ name: 'KontorError', status: 0, code: 'UNREACHABLE' });
    expect(asked.filter((request) => request.url.endsWith('/api/customers')).length).toBe(1);
  });

  test('gives up after the maximum attempts with the last response, and reports it as temporary', async () => {
    const { asked, send } = between((request) => (request.url.includes('/auth/') ? undefined : refusal(503, '0')));
    const query = { pageNumber: 1, pageSize: 1 };
    const found = whole(officeOf({ fetch: send, maxTries: 2 }).api.GET('/api/accounts', { params: { query } }));
    await expect(found).rejects.toMatchObject({ status: 503, isPassing: true, retryAfterSeconds: 0 });
    expect(asked.filter((request) => request.url.includes('/api/accounts')).length).toBe(2);
  });

  test('repeats a write with an Idempotency-Key', async () => {
    const { send } = between((request, n) =>
      request.url.endsWith('/transactions') && n < 4 ? refusal(503) : undefined,
    );
    const office = officeOf({ fetch: send });
    const { items } = await whole(
      office.api.GET('/api/accounts', { params: { query: { pageNumber: 1, pageSize: 50 } } }),
    );
    const [from, to] = items.filter(({ type }) => type === 'CASH' || type === 'BANK');
    const body = {
      type: 'TRANSFER',
      date: '2026-03-01',
      amount: '5.00',
      accountId: from?.id,
      counterAccountId: to?.id,
    };
    const asked = office.api.POST('/api/transactions', {
      body: body as never,
      params: { header: { 'Idempotency-Key': 'transfer-1' } },
    });
    expect((await data(asked)).id).toEqual(expect.any(String));
  });

  test('reads its own writes: it requires read models that include the last position it received', async () => {
    const { asked, send } = between(() => undefined);
    const office = officeOf({ fetch: send });
    for (let n = 0; n < 3; n += 1) {
      const made = office.api.POST('/api/customers', { body: { name: `Reader ${n}` } });
      const { id } = await data(made);
      const position = (await made).response.headers.get('x-event-position');
      expect((await data(office.api.GET('/api/customers/{id}', { params: { path: { id } } }))).name).toBe(
        `Reader ${n}`,
      );
      expect(Number(position)).toBeGreaterThan(0);
      expect(asked.at(-1)?.headers.get('x-min-position')).toBe(position);
    }
  });

  test('renews an ended session, once for all concurrent requests', async () => {
    const { asked, send } = between((request, n) =>
      n > 1 && n < 5 && !request.url.includes('/auth/') ? refusal(401) : undefined,
    );
    const office = officeOf({ fetch: send });
    const query = { pageNumber: 1, pageSize: 1 };
    await Promise.all([1, 2, 3].map(() => whole(office.api.GET('/api/customers', { params: { query } }))));
    const paths = asked.map((request) => new URL(request.url).pathname);
    expect(paths.filter((path) => path === '/api/auth/login').length).toBe(1);
    expect(paths.filter((path) => path === '/api/auth/refresh').length).toBe(1);
  });

  test('keeps its session even if the service temporarily cannot renew it', async () => {
    const { asked, send } = between((_, n) => {
      if (n === 4) return refusal(503, '0');
      return n === 3 || n === 5 ? refusal(401) : undefined;
    });
    const office = officeOf({ fetch: send });
    const read = () => whole(office.api.GET('/api/customers', { params: { query: { pageNumber: 1, pageSize: 1 } } }));
    await read();
    await read();
    expect(asked.map((request) => new URL(request.url).pathname)).toEqual([
      ...['/api/auth/login', '/api/customers', '/api/customers'],
      ...['/api/auth/refresh', '/api/customers', '/api/auth/refresh', '/api/customers'],
    ]);
  });

  test('treats a response that does not arrive in time as lost, and retries', async () => {
    const { asked, send } = between((request, n) =>
      n > 1
        ? undefined
        : new Promise((_, reject) => {
            request.signal.addEventListener('abort', () => {
              reject(request.signal.reason as Error);
            });
          }),
    );
    const shop = new KontorClient({
      ...{ url, credentials: { integrationKey: books.partner.key }, fetch: send, timeoutMs: 2_000 },
    });
    await shop.pushSale(saleOf('hanging'));
    expect(asked.length).toBe(2);
  });

  test('stops waiting for its next attempt when the request is aborted', async () => {
    const calling = new AbortController();
    const { asked, send } = between((request) => {
      if (request.url.includes('/auth/')) return undefined;
      setTimeout(() => {
        calling.abort();
      }, 10);
      return refusal(503, '15');
    });
    const { signal } = calling;
    const query = { pageNumber: 1, pageSize: 1 };
    const read = officeOf({ fetch: send }).api.GET('/api/customers', { params: { query }, signal });
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked.length).toBe(2);
  });

  test('reports errors by their code, with the invalid fields and the id of the request', async () => {
    const wrong = data(officeOf().api.POST('/api/customers', { body: { name: '' } }));
    await expect(wrong).rejects.toBeInstanceOf(KontorError);
    await expect(wrong).rejects.toMatchObject({ status: 400, code: 'VALIDATION_FAILED', errors: [{ path: 'name' }] });
    await expect(wrong).rejects.toMatchObject({ requestId: expect.stringMatching(/./) as string });
    const error = (await wrong.catch((thrown: unknown) => thrown)) as KontorError;
    expect([error.fault('name'), error.fault('email'), error.isPassing]).toEqual([
      expect.any(String),
      undefined,
      false,
    ]);
    const stranger = new KontorClient({
      url,
      credentials: { email: 'nobody@kontor.test', password: 'wrong-password' },
    });
    await expect(data(stranger.api.GET('/api/auth/me'))).rejects.toMatchObject({ status: 401 });
  });

  test('gives up if the requested pause is too long, and after the maximum attempts', async () => {
    const far = between(() => refusal(429, '3600'));
    await expect(shopOf(far.send).pushSale(saleOf('later'))).rejects.toMatchObject({ status: 429 });
    expect(far.asked.length).toBe(1);
    const never = between(() => refusal(503, '0'));
    await expect(shopOf(never.send).pushSale(saleOf('never'))).rejects.toMatchObject({ status: 503 });
    expect(never.asked.length).toBe(5);
  });

  test('pauses no longer than the maximum while it has no connection', async () => {
    const { asked, send } = between(() => {
      throw new TypeError('No connection');
    });
    const { api } = officeOf({ fetch: send, credentials: { accessToken: () => 'x' }, maxTries: 12, maxPauseMs: 1 });
    const beganMs = performance.now();
    await expect(api.GET('/api/accounts', { params: { query: { pageNumber: 1, pageSize: 1 } } })).rejects.toMatchObject(
      { code: 'UNREACHABLE' },
    );
    expect(asked.length).toBe(12);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });

  test('reports a response that does not come from the service', async () => {
    const proxy: Server = createServer((_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const client = new KontorClient({ url: elsewhere, credentials: { accessToken: () => 'x' }, maxTries: 1 });
    await expect(data(client.api.GET('/api/auth/me'))).rejects.toMatchObject({ status: 502, code: 'UNKNOWN' });
    await new Promise((resolve) => proxy.close(resolve));
  });

  const refusals: readonly [status: number, code: string, push: () => Promise<unknown>][] = [
    [400, 'VALIDATION_FAILED', () => partner().pushSale(saleOf('bad', { currency: 'eur!', lines: [] }))],
    [401, 'INVALID_KEY', () => partner({ integrationKey: 'kontor_no_such_key' }).pushSale(saleOf('stranger'))],
    [
      404,
      'NOT_FOUND',
      () => whole(partner().api.GET(`${SALES}/{externalId}`, { params: { path: { externalId: '?' } } })),
    ],
    [409, 'IDEMPOTENCY_CONFLICT', () => pushTwice('twice')],
    [413, 'PAYLOAD_TOO_LARGE', () => partner().pushSale(saleOf('huge', { metadata: { note: 'x'.repeat(1 << 20) } }))],
    [415, 'UNSUPPORTED_MEDIA_TYPE', () => whole(partner().api.POST(SALES, { ...asText, body: saleOf('text') }))],
    [429, 'RATE_LIMITED', () => pushTooOften()],
  ];
  const SALES = '/api/integrations/v1/sales';
  const asText = { headers: { 'content-type': 'text/plain' } };
  const partner = (credentials: { integrationKey: string } = { integrationKey: books.partner.key }): KontorClient =>
    new KontorClient({ url, credentials, maxTries: 1 });
  const pushTwice = async (key: string): Promise<void> => {
    await partner().pushSale(saleOf('twice-1'), key);
    await partner().pushSale(saleOf('twice-2'), key);
  };
  const pushTooOften = async (): Promise<void> => {
    const { id, key: integrationKey } = await service.createKey(books.tenant, { sourceId: 'busy-shop' });
    await service.setRateLimit(id, 1);
    for (let n = 0; n < 10; n += 1) await partner({ integrationKey }).pushSale(saleOf('often'));
  };

  test.each(refusals)("reports a partner's error %d by its code, %s", async (status, code, push) => {
    const refused = (await push().catch((thrown: unknown) => thrown)) as KontorError;
    expect([refused.status, refused.code]).toEqual([status, code]);
    expect(refused.message).not.toMatch(/The service answered/);
    expect(refused.requestId).toEqual(expect.stringMatching(/./));
    if (status === 400) expect(refused.fault('lines')).toEqual(expect.any(String));
    if (status === 409) expect(refused.errors.map(({ path }) => path)).toEqual(['externalId']);
    if (status === 429) expect(refused.retryAfterSeconds).toEqual(expect.any(Number));
  });
});
