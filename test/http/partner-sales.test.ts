import type { Page } from '../../src/queries/query.js';
import type { PartnerSale } from '../../src/queries/sale.queries.js';
import { ShiftedClock } from '../support/shifted-clock.js';
import { saleOf, TestService, type Books, type TestKey } from '../support/service.js';

const PATH = '/api/integrations/v1/sales';
const clock = new ShiftedClock();
let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start({ clock });
  books = await service.openBooks();
});
afterAll(() => service.close());

const list = async ({ key }: TestKey, query = ''): Promise<Page<PartnerSale>> => {
  const reply = await service.call('GET', `${PATH}?${query}`, { key });
  expect(reply.status).toBe(200);
  return reply.body as Page<PartnerSale>;
};
const idsOf = ({ items }: Page<PartnerSale>): string[] => items.map(({ externalId }) => externalId);

test('A partner lists its sales with their status, the latest acceptance first', async () => {
  const { partner } = books;
  // The list is ordered by acceptance time, not by sale date.
  await service.sell(partner, saleOf('first', { occurredAt: '2026-03-09T10:00:00Z' }));
  clock.pass(60_000);
  await service.postSale(partner, saleOf('second', { branchCode: 'NOWHERE', type: 'SALE' }));
  const rejected = await service.settled(partner, 'second');
  await service.quiet();
  const page = await list(partner);
  expect(page).toMatchObject({ pageNumber: 1, pageSize: 20, totalCount: 2, totalPages: 1, hasNextPage: false });
  const about = { type: 'SALE', currency: 'EUR', total: '100.00' };
  expect(page.items).toEqual([
    { ...rejected, ...about, occurredAt: '2026-03-04T10:00:00.000Z' },
    { ...(await service.saleStatus(partner, 'first')), ...about, occurredAt: '2026-03-09T10:00:00.000Z' },
  ]);
  expect(rejected.rejection?.code).toBe('BRANCH_UNKNOWN');
  expect(idsOf(await list(partner, 'status=REJECTED'))).toEqual(['second']);
  expect(idsOf(await list(partner, 'status=BOOKED'))).toEqual(['first']);
  expect(idsOf(await list(partner, 'status=ACCEPTED'))).toEqual([]);
  expect(idsOf(await list(partner, 'pageSize=1&pageNumber=2'))).toEqual(['first']);
  expect(idsOf(await list(partner, `since=${rejected.acceptedAt}`))).toEqual(['second']);
  const later = new Date(Date.parse(rejected.acceptedAt) + 1).toISOString();
  expect(idsOf(await list(partner, `since=${later}`))).toEqual([]);
  expect(idsOf(await list(partner, `since=2026-01-01&status=BOOKED`))).toEqual(['first']);
});

test('A partner sees sales of its tenant and source only, with every key of the source', async () => {
  const { tenant, partner } = books;
  const twin = await service.createKey(tenant, { sourceId: partner.sourceId });
  const otherSource = await service.createKey(tenant, { sourceId: 'other' });
  const elsewhere = await service.createKey(await service.createTenant(), { sourceId: partner.sourceId });
  await service.sell(otherSource, saleOf('others'));
  await service.sell(partner, saleOf('ours'));
  expect(idsOf(await list(twin))).toContain('ours');
  expect(idsOf(await list(twin))).not.toContain('others');
  expect(idsOf(await list(otherSource))).toEqual(['others']);
  expect(idsOf(await list(elsewhere))).toEqual([]);
});

test('A list after an acceptance contains the sale if it waits for its position', async () => {
  const { key } = books.partner;
  for (let n = 0; n < 10; n += 1) {
    const externalId = `at-once-${n}`;
    const position = (await service.postSale(books.partner, saleOf(externalId))).headers['x-event-position'] ?? '';
    const headers = { 'x-min-position': position };
    const reply = await service.call('GET', `${PATH}?pageSize=1`, { key, headers });
    expect(idsOf(reply.body as Page<PartnerSale>)).toEqual([externalId]);
  }
});

test('Invalid filters are rejected', async () => {
  const { key } = books.partner;
  for (const [query, path] of [
    ['status=PAID', 'status'],
    ['since=yesterday', 'since'],
    ['pageSize=101', 'pageSize'],
    ['pageNumber=0', 'pageNumber'],
    ['sourceId=other', 'sourceId'],
    ['status=BOOKED&status=REJECTED', 'status'],
  ])
    expect((await service.call('GET', `${PATH}?${query}`, { key })).told).toBe(`400 VALIDATION_FAILED ${path}`);
});
