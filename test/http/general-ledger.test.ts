import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { transactions } from '../../src/projections/ledger.projection.js';
import { breakingLists } from '../support/breaking-reads.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let postings: ReturnType<typeof breakingLists>;
beforeAll(async () => {
  service = await TestService.start({
    between: (engines) => {
      postings = breakingLists(engines.reads, transactions.name);
      return engines;
    },
  });
  books = await service.openBooks();
  await service.sell(books.partner, saleOf('sold'));
});
afterAll(() => service.close());

test.each([
  ['JSON', '', {}],
  ['CSV', '', { accept: 'text/csv' }],
  ['a Beancount file', '?format=beancount', {}],
])(
  'The general ledger as %s is a 503 response, not an incomplete file, during an outage',
  async (_, query, headers) => {
    const read = () => service.get(`/api/reports/general-ledger${query}`, books.tenant.token, headers);
    postings.failWith(() => new ReadStoreUnavailable('The read store is away'));
    const refused = await read();
    postings.mend();
    expect([refused.told, refused.headers['content-disposition']]).toEqual(['503 UNAVAILABLE', undefined]);
    const { status, text } = await read();
    expect([status, text]).toEqual([200, expect.stringContaining('sold')]);
  },
);
