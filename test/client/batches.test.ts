import { KontorClient } from '../../clients/typescript/src/kontor-client.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
});
afterAll(() => service.close());

/** A client for the shop that counts its requests. */
function shop() {
  const requests = { count: 0 };
  const send: typeof fetch = (...given) => {
    requests.count += 1;
    return fetch(...given);
  };
  const credentials = { integrationKey: books.partner.key };
  return { requests, client: new KontorClient({ url: service.url, credentials, fetch: send }) };
}

describe('Several sales', () => {
  test('get one result each, even if the list contains the same object twice', async () => {
    const sale = saleOf('twice');
    const [first, other, second] = await shop().client.pushSales([sale, saleOf('other'), sale]);
    expect([first, other, second].map((result) => [result?.externalId, result?.isReplay])).toEqual([
      ['twice', false],
      ['other', false],
      ['twice', true],
    ]);
    expect(second?.receipt).toEqual(first?.receipt);
  });

  test('are sent in smaller batches if the service rejects a batch because it has too many values', async () => {
    const { client, requests } = shop();
    const line = { sku: 'S', description: 'Goods', quantity: '1', unitPrice: '1.00', discount: '0', taxRate: '0' };
    const lines = Array.from({ length: 500 }, () => line);
    const sales = Array.from({ length: 40 }, (_, n) => saleOf(`values-${n}`, { lines }));
    const results = await client.pushSales(sales);
    expect(results.map(({ externalId, receipt }) => [externalId, receipt?.status])).toEqual(
      sales.map(({ externalId }) => [externalId, 'ACCEPTED']),
    );
    expect(requests.count).toBe(3);
  });

  test('are sent in smaller batches if a batch is too large, and a sale that is too large gets an error', async () => {
    const { client, requests } = shop();
    const line = { description: 'ü'.repeat(300), quantity: '1', unitPrice: '1.00' };
    const lines = Array.from({ length: 500 }, () => line);
    const sales = Array.from({ length: 15 }, (_, n) => saleOf(`large-${n}`, { lines }));
    const huge = saleOf('huge', { metadata: { note: 'x'.repeat(5 * 1_048_576) } });
    const results = await client.validateSales([...sales, huge]);
    const last = results.pop();
    expect(last).toMatchObject({ externalId: 'huge', error: { status: 413, code: 'PAYLOAD_TOO_LARGE' } });
    expect(results.map(({ externalId, receipt }) => [externalId, receipt?.status])).toEqual(
      sales.map(({ externalId }) => [externalId, 'VALID']),
    );
    // 16 sales, then twice each 8, 4, 2 and 1.
    expect(requests.count).toBe(9);
  });

  test('are pushed even if one of them makes its whole batch invalid, after few requests', async () => {
    const { client, requests } = shop();
    const note = JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown;
    const sales = Array.from({ length: 500 }, (_, n) => saleOf(`deep-${n}`, n === 123 ? { metadata: { note } } : {}));
    const results = await client.pushSales(sales);
    const [deep] = results.splice(123, 1);
    expect(deep).toMatchObject({ externalId: 'deep-123', error: { status: 400, code: 'VALIDATION_FAILED' } });
    expect(results.map(({ receipt }) => receipt?.status)).toEqual(Array.from({ length: 499 }, () => 'ACCEPTED'));
    expect(requests.count).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(500)));
  });

  test('fail as a whole after a 400 that does not come from the service', async () => {
    let count = 0;
    const send: typeof fetch = () => {
      count += 1;
      return Promise.resolve(new Response('<h1>Bad request</h1>', { status: 400 }));
    };
    const client = new KontorClient({ url: service.url, credentials: { integrationKey: 'key' }, fetch: send });
    const pushed = client.pushSales([saleOf('elsewhere-1'), saleOf('elsewhere-2')]);
    await expect(pushed).rejects.toMatchObject({ status: 400, code: 'UNKNOWN' });
    expect(count).toBe(1);
  });
});
