import type { Page } from '../../src/queries/query.js';
import { csvTable } from '../support/csv-table.js';
import { writeHistory } from '../support/history.js';
import { everyPage } from '../support/list-pages.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
  await writeHistory(service, books, { seed: 3, sales: 150 });
  await service.post('/api/customers', { name: '=1+1', notes: 'two\nlines, "quoted"' }, token);
  await service.post('/api/customers', { name: 'Plain', address: 'one\n=1+1', notes: 'one\r=1+1' }, token);
  for (const name of ['=North', 'South']) await service.post('/api/branches', { code: name.slice(-5), name }, token);
  await service.postSale(books.partner, saleOf('unknown-branch', { branchCode: 'NOWHERE' }));
  await service.settled(books.partner, 'unknown-branch');
  await service.quiet();
});
afterAll(() => service.close());

type Row = Readonly<Record<string, unknown>>;
const CSV = { accept: 'text/csv' };
const csv = async (path: string) => service.get(path, token, CSV);
const shown = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[=+\-@]/.test(text) && !/^-?\d+\.\d\d$/.test(text) ? `'${text}` : text;
};
/** Returns the scalar members of a record. Reduces monetary members to their amounts, without the currency. */
const flat = (record: Row): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, string][] => {
      if (['categorizedBy', 'reversedBy', 'rejection'].includes(name)) return [];
      if (Array.isArray(value) || (typeof value === 'object' && value !== null && !('amount' in value))) return [];
      const own = value !== null && typeof value === 'object' ? (value as { amount: string }).amount : value;
      return [[name, shown(own)]];
    }),
  );

/** The lists with a word that finds some of their records. */
const LISTS: readonly (readonly [path: string, search: string])[] = [
  ['/api/transactions', 'ada'],
  ['/api/customers', 'ada'],
  ['/api/accounts', 'cash'],
  ['/api/sales', 'ada'],
  ['/api/audit-logs', 'coffee'],
  ['/api/users', 'owner'],
  ['/api/branches', 'south'],
];
const PAGED_BY_DEFAULT = ['/api/sales', '/api/audit-logs'];

describe.each(LISTS)('The list %s as CSV', (path, search) => {
  test('has all records in the order of the list, with a header of the same names', async () => {
    const records = await everyPage<Row>(service, token, path);
    const reply = await csv(path);
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(reply.headers['content-disposition']).toBe(`attachment; filename="${path.split('/').at(-1) ?? ''}.csv"`);
    const rows = csvTable(reply.text);
    expect(rows).toHaveLength(records.length);
    for (const [at, row] of rows.entries()) expect(row).toMatchObject(flat(records[at] ?? {}));
  });

  test('applies filters, ignores the page, and is a header alone for an empty list', async () => {
    const ids = (await everyPage<Row>(service, token, `${path}?search=${search}`)).map(({ id }) => id);
    const rows = csvTable((await csv(`${path}?search=${search}&pageNumber=7&pageSize=1`)).text);
    expect([rows.map(({ id }) => id), ids.length > 0]).toEqual([ids, true]);
    const empty = (await csv(`${path}?search=nothing`)).text;
    expect(empty.split('\r\n').filter((line) => line !== '')).toHaveLength(1);
  });

  test('is JSON for other clients, and validates its parameters', async () => {
    const { body } = await service.get(`${path}?pageNumber=1&pageSize=1`, token, { accept: '*/*' });
    expect((body as Page<Row>).items).toHaveLength(1);
    if (!PAGED_BY_DEFAULT.includes(path))
      expect((await service.get(path, token)).told).toBe('400 VALIDATION_FAILED pageNumber pageSize');
    expect((await csv(`${path}?pageSize=101`)).told).toBe('400 VALIDATION_FAILED pageSize');
    expect((await csv(`${path}?sorted=1`)).told).toBe('400 VALIDATION_FAILED sorted');
    expect((await service.get(path, undefined, CSV)).told).toBe('401 UNAUTHENTICATED');
    const other = await service.openBooks();
    const foreign = csvTable((await service.get(path, other.tenant.token, CSV)).text);
    const own = new Set(csvTable((await csv(path)).text).map(({ id }) => id));
    expect(foreign.filter(({ id }) => own.has(id))).toEqual([]);
  });
});

/** Expects the same records in the same order, in columns of the same names. */
function expectTable(text: string, records: readonly Row[]): void {
  expect(records.length).toBeGreaterThan(0);
  const rows = csvTable(text);
  expect(rows).toHaveLength(records.length);
  for (const [at, row] of rows.entries()) expect(row).toEqual(flat(records[at] ?? {}));
}

test('Categories, rules and partner keys are available as CSV, without secrets', async () => {
  for (const path of ['/api/transaction-categories', '/api/integration-keys']) {
    const records = (await service.get(path, token)).data as readonly Row[];
    expectTable((await csv(path)).text, records);
  }
  expect((await csv('/api/integration-keys')).text).not.toMatch(/secret(?!ExpiresAt)|hash/i);
  const rules = '/api/transaction-categories/rules';
  const page = (await service.get(`${rules}?limit=100`, token)).data as { items: readonly Row[]; total: number };
  expect(page.items).toHaveLength(page.total);
  const reply = await csv(`${rules}?page=2&limit=1`);
  expect(reply.headers['content-disposition']).toBe('attachment; filename="rules.csv"');
  expectTable(reply.text, page.items);
  const found = csvTable((await csv(`${rules}?search=coffee`)).text).map(({ keyword }) => keyword);
  expect(found).toEqual(['Coffee']);
});

test("The CSV of sales contains the reason for a rejection and the date in the tenant's time zone", async () => {
  const zone = 'Pacific/Auckland';
  const other = await service.openBooks({ timeZone: zone });
  await service.postSale(
    other.partner,
    saleOf('late', { branchCode: 'NOWHERE', occurredAt: '2026-03-04T22:30:00.000Z' }),
  );
  await service.settled(other.partner, 'late');
  await service.quiet();
  const [row] = csvTable((await service.get('/api/sales', other.tenant.token, CSV)).text);
  expect(row).toMatchObject({
    ...{ externalId: 'late', date: '2026-03-05', status: 'REJECTED' },
    ...{ 'rejection.code': 'BRANCH_UNKNOWN', 'rejection.attempts': '1' },
  });
});

test('The CSV of the audit log hides operators from tenants, and contains all tenants for operators', async () => {
  const operator = await service.operator();
  const [key] = (await service.get('/api/integration-keys', token)).data as readonly { readonly id: string }[];
  const path = `/api/platform/integration-keys/${key?.id ?? ''}`;
  expect((await service.call('PATCH', path, { token: operator, body: { rateLimit: 30 } })).told).toBe('200');
  const rows = csvTable((await csv('/api/audit-logs?entity=integration-key&action=UPDATE')).text);
  const actors = new Set(rows.map(({ userName, userId, ipAddress }) => [userName, userId, ipAddress].join()));
  expect([...actors]).toEqual(['operator,,']);
  const all = csvTable((await service.get('/api/platform/audit-logs', operator, CSV)).text);
  const tenants = new Set(all.map(({ tenantId }) => tenantId));
  expect([tenants.has(books.tenant.id), tenants.size > 2]).toEqual([true, true]);
  const filtered = await service.get(`/api/platform/audit-logs?tenantId=${books.tenant.id}`, operator, CSV);
  expect(new Set(csvTable(filtered.text).map(({ tenantName }) => tenantName))).toEqual(
    new Set([`Tenant ${books.tenant.slug}`]),
  );
});

test('The CSV of transactions contains who cancelled them and why', async () => {
  const accounts = await everyPage<Row>(service, token, '/api/accounts');
  const [cash, bank] = ['Cash', 'Bank'].map((name) => accounts.find((account) => account['name'] === name)?.['id']);
  const entry = { type: 'TRANSFER', date: '2026-03-04', amount: '5.00', accountId: cash, counterAccountId: bank };
  const { id } = await service.post('/api/transactions', entry, token);
  await service.post(`/api/transactions/${id}/cancel`, { reason: 'Twice' }, token);
  const [row] = csvTable((await csv('/api/transactions?isCancelled=true&amountMin=5&amountMax=5')).text);
  expect(row).toMatchObject({
    id,
    isCancelled: 'true',
    'reversedBy.reason': 'Twice',
    'reversedBy.userName': row?.['createdByName'],
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
