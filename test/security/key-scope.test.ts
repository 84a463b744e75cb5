import type { Reply } from '../support/reply.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

/* A partner's key gives access only to the sales of its tenant and source, with a separate rate limit. */

let service: TestService;
let books: Books;
let twin: TestKey;
let otherSource: TestKey;
let elsewhere: TestKey;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  twin = await service.createKey(books.tenant, { sourceId: books.partner.sourceId });
  otherSource = await service.createKey(books.tenant, { sourceId: 'other' });
  elsewhere = await service.createKey(await service.createTenant(), { sourceId: books.partner.sourceId });
});
afterAll(() => service.close());

const get = (path: string, { key }: TestKey): Promise<Reply> =>
  service.call('GET', `/api/integrations/v1/${path}`, { key });
const withoutId = ({ status, text }: Reply): [number, string] => [
  status,
  text.replace(/"requestId":"[^"]*"/, '').replace(/never-[a-z]+|a-sale|a-key/g, '*'),
];

test('A sale and its idempotency key are visible only to keys of the same tenant and source', async () => {
  expect((await service.postSale(books.partner, saleOf('a-sale'), 'a-key')).status).toBe(202);
  await service.settled(books.partner, 'a-sale');
  for (const key of [books.partner, twin])
    for (const path of ['sales/a-sale', 'idempotency-keys/a-key'])
      expect([path, (await get(path, key)).status]).toEqual([path, 200]);
  for (const key of [otherSource, elsewhere]) {
    expect(withoutId(await get('sales/a-sale', key))).toEqual(withoutId(await get('sales/never-sold', key)));
    expect(withoutId(await get('idempotency-keys/a-key', key))).toEqual(
      withoutId(await get('idempotency-keys/never-used', key)),
    );
    expect((await get('sales/a-sale', key)).status).toBe(404);
  }
});

test('The same names elsewhere are separate sales, without effect here', async () => {
  for (const key of [otherSource, elsewhere]) {
    expect((await service.postSale(key, saleOf('a-sale'), 'a-key')).status).toBe(202);
    const cancellation = { ...saleOf('undo'), type: 'CANCELLATION', lines: undefined, relatedExternalId: 'only-here' };
    expect((await service.postSale(key, cancellation)).status).toBe(202);
  }
  await service.postSale(books.partner, saleOf('only-here'));
  expect((await service.settled(books.partner, 'only-here')).status).toBe('BOOKED');
  for (const key of [otherSource, elsewhere])
    expect(await service.settled(key, 'undo')).toMatchObject({
      status: 'REJECTED',
      rejection: { code: 'RELATED_SALE_UNKNOWN' },
    });
  expect((await service.transactions(books.tenant.token, 'type=CANCELLATION')).totalCount).toBe(0);
});

test('An exhausted rate limit does not affect others of the same tenant, source or address', async () => {
  const busy = await service.createKey(books.tenant, { sourceId: books.partner.sourceId, rateLimit: null });
  let last = await get('sales/a-sale', busy);
  for (let count = 1; count <= 60; count += 1) last = await get('sales/a-sale', busy);
  expect(last.status).toBe(429);
  for (const key of [twin, otherSource, elsewhere]) expect((await get('sales/none', key)).status).toBe(404);
  expect((await service.call('GET', '/api/integrations/v1/sales/none', { key: 'stranger' })).status).toBe(401);
});
