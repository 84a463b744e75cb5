import { SearchTooBroad, type Listed, type ReadStore } from '../../src/ports/read-store.js';
import { breakingLists } from '../support/breaking-reads.js';
import { TestService } from '../support/service.js';

/** Makes a read store count at most two documents, like a store that does not provide list totals. */
function countingToTwo(reads: ReadStore): ReadStore {
  const list = reads.list.bind(reads);
  reads.list = async (table, scope, query): Promise<Listed> => {
    const listed = await list(table, scope, query);
    const isCapped = query.countUpTo !== undefined && listed.totalCount > 2;
    return isCapped ? { ...listed, totalCount: Math.max(2, query.offset + listed.items.length), isCapped } : listed;
  };
  return reads;
}

let service: TestService;
let token: string;
let failing: ReturnType<typeof breakingLists>;
beforeAll(async () => {
  service = await TestService.start({
    between: (engines) => {
      failing = breakingLists(engines.reads, 'branches');
      return { ...engines, reads: countingToTwo(engines.reads) };
    },
  });
  ({ token } = (await service.openBooks()).tenant);
  for (const code of ['A', 'B', 'C', 'D']) await service.post('/api/branches', { code, name: `Branch ${code}` }, token);
});
afterAll(() => service.close());

const page = (number: number, size: number) =>
  service.get(`/api/branches?pageNumber=${number}&pageSize=${size}`, token).then(({ status, body }) => {
    const { items, ...rest } = body as { items: unknown[] } & Record<string, unknown>;
    return { status, items: items.length, ...rest };
  });

test('A list with a limited count reports the limit, and all of its pages can be read', async () => {
  const shown = { status: 200, items: 2, pageSize: 2, totalIsCapped: true };
  expect(await page(1, 2)).toEqual({
    ...shown,
    pageNumber: 1,
    totalCount: 2,
    totalPages: 1,
    hasPreviousPage: false,
    hasNextPage: true,
  });
  expect(await page(2, 2)).toEqual({
    ...shown,
    pageNumber: 2,
    totalCount: 4,
    totalPages: 2,
    hasPreviousPage: true,
    hasNextPage: true,
  });
  expect(await page(3, 2)).toMatchObject({ items: 1, hasNextPage: false });
});

test('A search with too many matches is an error of the request, not of an engine', async () => {
  failing.failWith(() => new SearchTooBroad());
  const { status, body } = await service.get('/api/branches?pageNumber=1&pageSize=10&search=b', token);
  failing.mend();
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'search', message: 'The search matches too many records. Enter more letters or words.' }],
    }),
  ]);
});
