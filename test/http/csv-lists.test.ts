import type { Page } from '../../src/queries/query.js';
import { csvTable } from '../support/csv-table.js';
import { writeHistory } from '../support/history.js';
import { everyPage } from '../support/list-pages.js';
import { TestService, type Books } from '../support/service.js';

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
      if (['categorizedBy', 'reversedBy'].includes(name)) return [];
      if (Array.isArray(value) || (typeof value === 'object' && value !== null && !('amount' in value))) return [];
      const own = value !== null && typeof value === 'object' ? (value as { amount: string }).amount : value;
      return [[name, shown(own)]];
    }),
  );

describe.each(['/api/transactions', '/api/customers', '/api/accounts'])('The list %s as CSV', (path) => {
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
    const search = path === '/api/accounts' ? 'cash' : 'ada';
    const ids = (await everyPage<Row>(service, token, `${path}?search=${search}`)).map(({ id }) => id);
    const rows = csvTable((await csv(`${path}?search=${search}&pageNumber=7&pageSize=1`)).text);
    expect([rows.map(({ id }) => id), ids.length > 0]).toEqual([ids, true]);
    const empty = (await csv(`${path}?search=nothing`)).text;
    expect(empty.split('\r\n').filter((line) => line !== '')).toHaveLength(1);
  });

  test('is JSON for other clients, and validates its parameters', async () => {
    const { body } = await service.get(`${path}?pageNumber=1&pageSize=1`, token, { accept: '*/*' });
    expect((body as Page<Row>).items).toHaveLength(1);
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
