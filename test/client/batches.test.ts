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
});
