import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { BatchItem } from '../../src/http/sale-batches.js';
import { eventually } from '../support/eventually.js';
import { maximalBatch } from '../support/maximal-batch.js';
import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['RUNS'] ?? 25);
const PATH = '/api/integrations/v1/sales';

let service: TestService;
let books: Books;
let partner: TestKey;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  ({ partner } = books);
});
afterAll(() => service.close());

const push = ({ key }: TestKey, sales: unknown, query = ''): Promise<Reply> =>
  service.call('POST', `${PATH}/batch${query}`, { key, body: { sales } });
const itemsOf = (reply: Reply): readonly BatchItem[] => {
  expect(reply.status).toBe(207);
  return (reply.body as { items: readonly BatchItem[] }).items;
};
const batch = async (key: TestKey, sales: readonly unknown[], query = ''): Promise<readonly BatchItem[]> =>
  itemsOf(await push(key, sales, query));
const statuses = (items: readonly BatchItem[]): number[] => items.map(({ status }) => status);
const codeOf = ({ body }: BatchItem): string | undefined => (body as { error?: { code: string } }).error?.code;
const storedSales = async ({ tenant }: Books): Promise<number> => {
  const filter = { on: 'stream', prefixes: [`sale-${tenant.id}`] } as const;
  const events = await service.service.engines.events.readAll({ filter, maxCount: 1_000_000 });
  return events.filter(({ type }) => type === 'SaleAccepted').length;
};

/** Removes the values that differ between two services: request ids, times, and ids derived from the tenant. */
const comparable = (body: object): unknown =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    ['requestId', 'acceptedAt', 'saleId'].includes(name) ? '*' : value,
  );

describe('A batch', () => {
  test('is answered sale by sale, in its order', async () => {
    const known = saleOf('known');
    const first = await service.postSale(partner, known);
    const changed = saleOf('known', { branchCode: 'MAIN', metadata: { a: 1 } });
    const wrong = saleOf('wrong', { total: '99.00' });
    const items = await batch(partner, [
      saleOf('new'),
      wrong,
      known,
      5,
      changed,
      saleOf('foreign', { currency: 'USD' }),
    ]);
    expect(statuses(items)).toEqual([202, 400, 200, 400, 200, 400]);
    expect(items.map(({ externalId }) => externalId)).toEqual(['new', 'wrong', 'known', null, 'known', 'foreign']);
    expect(items.map(codeOf)).toEqual([
      undefined,
      'TOTAL_MISMATCH',
      undefined,
      'VALIDATION_FAILED',
      undefined,
      'CURRENCY_MISMATCH',
    ]);
    expect(items[2]?.body).toEqual(first.body);
    expect(items.map(({ differs }) => differs)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      ['branchCode', 'metadata'],
      undefined,
    ]);
    expect((await service.settled(partner, 'new')).status).toBe('BOOKED');
  });

  test('of one sale is answered like the sale alone, and carries the position of the stored sales', async () => {
    const reply = await push(partner, [saleOf('alone')]);
    const [item] = itemsOf(reply);
    const alone = await service.postSale(partner, saleOf('alone'));
    expect(item).toEqual({ externalId: 'alone', status: 202, body: alone.body });
    expect(reply.headers['x-event-position']).toBe(alone.headers['x-event-position']);
  });

  test('accepts a sale once, however often the batch contains it', async () => {
    const items = await batch(partner, [
      ...Array.from({ length: 20 }, () => saleOf('twenty')),
      saleOf('twenty', { occurredAt: '2026-03-05T10:00:00Z' }),
    ]);
    expect(statuses(items)).toEqual([202, ...Array.from({ length: 20 }, () => 200)]);
    expect(new Set(items.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(items.at(-1)?.differs).toEqual(['occurredAt']);
  });

  test('sent twenty times at once accepts each sale once, with the same receipt for everybody', async () => {
    const sales = Array.from({ length: 100 }, (_, n) => saleOf(`at-once-${n}`));
    const all = await Promise.all(Array.from({ length: 20 }, () => batch(partner, sales)));
    for (const [n] of sales.entries()) {
      const items = all.map((items) => items[n]);
      expect(items.map((item) => item?.status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 202]);
      expect(new Set(items.map((item) => JSON.stringify(item?.body))).size).toBe(1);
    }
  });

  test('of 500 sales with many lines is accepted; one of 501 sales, of none, or of another form is rejected', async () => {
    const { partner: other } = await service.openBooks();
    const lines = Array.from({ length: 15 }, (_, n) => ({
      ...{ sku: `SKU-${n}`, description: `A rather long description of article ${n} of this order` },
      ...{ quantity: '2', unitPrice: '19.99', discount: '0.50', taxRate: '19' },
    }));
    const sales = Array.from({ length: 500 }, (_, n) => saleOf(`large-${n}`, { lines }));
    expect(new Set(statuses(await batch(other, sales)))).toEqual(new Set([202]));
    expect((await push(other, [...sales, saleOf('one-more')])).told).toBe('400 VALIDATION_FAILED sales');
    for (const wrong of [[], {}, undefined, 'x'])
      expect((await push(other, wrong)).told).toBe('400 VALIDATION_FAILED sales');
    const raw = `{"sales":[${JSON.stringify(saleOf('twice'))},{"externalId":"a","externalId":"b"}]}`;
    expect((await service.call('POST', `${PATH}/batch`, { key: other.key, raw })).told).toBe('400 VALIDATION_FAILED');
    const bulky = saleOf('bulky', { metadata: { list: Array.from({ length: 17_000 }, () => 0) } });
    const [first, second] = await batch(other, [bulky, saleOf('slim')]);
    expect(first?.body).toEqual(
      expect.objectContaining({
        error: expect.objectContaining({ message: expect.stringContaining('16384 values') as string }) as object,
      }),
    );
    expect(second?.status).toBe(202);
  });

  test('of 500 sales in exactly 4 MiB is accepted; one with one more byte is rejected, and nothing is stored', async () => {
    const large = await service.openBooks();
    const { key } = large.partner;
    const raw = maximalBatch('maximal');
    expect(Buffer.byteLength(raw)).toBe(4_194_304);
    const refused = await service.call('POST', `${PATH}/batch`, { key, raw: `${raw} ` });
    expect([refused.told, refused.body]).toEqual([
      '413 PAYLOAD_TOO_LARGE',
      expect.objectContaining({
        error: expect.objectContaining({ message: 'The body is larger than this route accepts.' }) as object,
      }),
    ]);
    expect(await storedSales(large)).toBe(0);
    const items = itemsOf(await service.call('POST', `${PATH}/batch`, { key, raw }));
    expect(statuses(items)).toEqual(Array.from({ length: 500 }, () => 202));
    expect(await storedSales(large)).toBe(500);
  });

  test('needs a valid key, and ignores an Idempotency-Key', async () => {
    expect((await service.call('POST', `${PATH}/batch`, { body: { sales: [saleOf('x')] } })).told).toBe(
      '401 INVALID_KEY',
    );
    const headers = { 'idempotency-key': 'batch-1' };
    const body = { sales: [saleOf('keyed')] };
    const { key } = partner;
    expect((await service.call('POST', `${PATH}/batch`, { key, headers, body })).status).toBe(207);
    expect((await service.call('GET', '/api/integrations/v1/idempotency-keys/batch-1', { key })).status).toBe(404);
  });

  test('books returns and cancellations of its own sales', async () => {
    const lines = [{ description: 'Goods', quantity: 1, unitPrice: '40.00' }];
    const items = await batch(partner, [
      saleOf('sold'),
      saleOf('returned', { type: 'RETURN', relatedExternalId: 'sold', lines }),
      saleOf('void'),
      { ...saleOf('undone'), type: 'CANCELLATION', relatedExternalId: 'void', lines: [] },
    ]);
    expect(statuses(items)).toEqual([202, 202, 202, 202]);
    for (const id of ['sold', 'returned', 'void', 'undone'])
      expect((await service.settled(partner, id)).status).toBe('BOOKED');
  });
});

describe('The rate limit', () => {
  test('counts a request for each sale, and lets the first ones of a batch pass', async () => {
    const limited = await service.createKey(books.tenant, { sourceId: 'limited', rateLimit: 10 });
    const sales = Array.from({ length: 6 }, (_, n) => saleOf(`limited-${n}`));
    const first = await push(limited, sales);
    expect(statuses(itemsOf(first))).toEqual(Array.from({ length: 6 }, () => 202));
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '4' });
    const more = Array.from({ length: 6 }, (_, n) => saleOf(`limited-more-${n}`));
    const second = await push(limited, more);
    const items = itemsOf(second);
    expect(statuses(items)).toEqual([202, 202, 202, 202, 429, 429]);
    expect(items.slice(4).map(codeOf)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    expect(second.headers['x-ratelimit-remaining']).toBe('0');
    expect((await push(limited, more)).told).toBe('429 RATE_LIMITED');
    expect((await service.postSale(limited, saleOf('limited-last'))).told).toBe('429 RATE_LIMITED');
  });
});

describe('validateOnly', () => {
  test('answers as the intake would, and stores nothing', async () => {
    const { tenant, partner: key } = await service.openBooks();
    await service.postSale(key, saleOf('there'), 'its-key');
    const before = await storedSales({ tenant, partner: key });
    const post = (sale: object, idempotencyKey?: string, query = '?validateOnly=true'): Promise<Reply> =>
      service.call('POST', `${PATH}${query}`, {
        key: key.key,
        body: sale,
        headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      });
    const valid = await post(saleOf('not-there'), 'a-key');
    expect([valid.status, valid.headers['idempotent-replayed']]).toEqual([200, undefined]);
    const { saleId } = (await post(saleOf('not-there'))).body as { saleId: string };
    expect(valid.body).toEqual({ saleId, externalId: 'not-there', sourceId: 'shop', status: 'VALID' });
    expect((await post(saleOf('not-there', { total: '1.00' }))).told).toBe('400 TOTAL_MISMATCH total');
    const replay = await post(saleOf('there', { branchCode: 'MAIN' }));
    expect([replay.status, replay.headers['idempotent-replayed'], replay.headers['idempotency-differs']]).toEqual([
      ...[200, 'true', 'branchCode'],
    ]);
    expect((await post(saleOf('other'), 'its-key')).told).toBe('409 IDEMPOTENCY_CONFLICT externalId');
    const items = await batch(
      key,
      [saleOf('not-there'), saleOf('there'), {}, saleOf('not-there')],
      '?validateOnly=true',
    );
    expect(statuses(items)).toEqual([200, 200, 400, 200]);
    expect(items.map(({ body }) => (body as { status?: string }).status)).toEqual([
      ...['VALID', 'ACCEPTED', undefined, 'VALID'],
    ]);
    expect(await storedSales({ tenant, partner: key })).toBe(before);
    expect((await service.call('GET', `${PATH}/not-there`, { key: key.key })).status).toBe(404);
    for (const name of ['a-key']) {
      const path = `/api/integrations/v1/idempotency-keys/${name}`;
      expect((await service.call('GET', path, { key: key.key })).status).toBe(404);
    }
    const stored = await post(saleOf('not-there'), 'a-key', '?validateOnly=false');
    expect([stored.status, (stored.body as { saleId: string }).saleId]).toEqual([202, saleId]);
  });

  test('accepts only true and false', async () => {
    for (const value of ['1', '', 'yes', 'TRUE']) {
      const told = (await push(partner, [saleOf('x')], `?validateOnly=${value}`)).told;
      expect(told).toBe('400 VALIDATION_FAILED validateOnly');
    }
  });
});

const RETURN = { type: 'RETURN', relatedExternalId: 'a' };
const CANCELLATION = { type: 'CANCELLATION', relatedExternalId: 'b', lines: [] };
/** External ids of the two sales that refer to another sale. All other sales are independent. */
const REFERRING = new Map<object, string>([
  [RETURN, 'd'],
  [CANCELLATION, 'e'],
]);
/**
 * Sales with few distinct external ids, so that batches contain duplicates. Some of the sales are invalid. Only one
 * sale returns `a`, and only one cancels `b`. Otherwise, two sales could wait for the same one, and the outcome would
 * depend on which sale is booked first.
 */
const anySale = fc
  .record({
    externalId: fc.constantFrom('a', 'b', 'c', 'd', 'e', '', 'x'.repeat(201)),
    facts: fc.constantFrom<object>(
      {},
      {},
      {},
      { branchCode: 'NOWHERE' },
      { metadata: { till: 3 } },
      { currency: 'USD' },
      { total: '100.00' },
      { total: '1.00' },
      { lines: [] },
      { unknown: true },
      { payments: [{ method: 'CASH', amount: '100' }] },
      RETURN,
      { type: 'RETURN' },
      CANCELLATION,
      { occurredAt: 'yesterday' },
    ),
  })
  .map((sale) => ({ ...sale, externalId: REFERRING.get(sale.facts) ?? sale.externalId }));

test(`A batch is answered and booked exactly like its sales sent one by one (seed ${SEED})`, async () => {
  const [first, second] = [await service.openBooks(), await service.openBooks()];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anySale, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      async (batches) => {
        const sourceId = service.fresh('source');
        const withKey = async ({ tenant }: Books): Promise<Books> => ({
          tenant,
          partner: await service.createKey(tenant, { sourceId }),
        });
        const [together, alone] = [await withKey(first), await withKey(second)];
        const seen: [unknown[], unknown[]] = [[], []];
        for (const given of batches) {
          const sales = given.map(({ externalId, facts }) => saleOf(externalId, facts));
          const items = await batch(together.partner, sales);
          for (const [n, sale] of sales.entries()) {
            const reply = await service.postSale(alone.partner, sale);
            const differs = reply.headers['idempotency-differs']?.split(',');
            seen[1].push([reply.status, differs, comparable(reply.body as object)]);
            const { status, body = {}, differs: differing } = items[n] ?? {};
            seen[0].push([status, differing, comparable(body)]);
          }
        }
        expect(seen[0]).toEqual(seen[1]);
        const outcomes = async ({ partner: key }: Books): Promise<unknown[]> => {
          const ended: unknown[] = [];
          for (const id of ['a', 'b', 'c', 'd', 'e']) {
            const { status } = await service.call('GET', `${PATH}/${id}`, { key: key.key });
            if (status !== 200) continue;
            const settled = await service.settled(key, id);
            ended.push([id, settled.status, settled.rejection?.code]);
          }
          return ended;
        };
        // In both tenants, a rejected sale is booked once the cause of the rejection has been removed.
        const both = (): Promise<unknown[]> =>
          Promise.all(
            [together, alone].map(async (books) => [
              await outcomes(books),
              await service.balancesByCode(books.tenant.token),
            ]),
          );
        let ended: unknown[] = [];
        await eventually(async () => {
          ended = await both();
          return isDeepStrictEqual(ended[0], ended[1]);
        }, 10_000).catch(() => undefined);
        expect(ended[0]).toEqual(ended[1]);
      },
    ),
    { seed: SEED, numRuns: RUNS, endOnFailure: true },
  );
}, 240_000);
