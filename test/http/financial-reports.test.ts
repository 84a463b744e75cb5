import { setTimeout as delay } from 'node:timers/promises';
import type { Ageing } from '../../src/queries/ageing.query.js';
import type { BalanceSheet } from '../../src/queries/balance-sheet.query.js';
import { LaterPostings } from '../../src/queries/open-amounts.js';
import type { OpenItems } from '../../src/queries/open-items.query.js';
import type { ProfitAndLoss } from '../../src/queries/profit-and-loss.query.js';
import type { TaxReport } from '../../src/queries/tax-report.query.js';
import { saleOf, TestService, type Books } from '../support/service.js';
import { csvTable } from '../support/csv-table.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const read = async <T>(path: string): Promise<T> => {
  const reply = await service.get(path, token());
  expect([path, reply.told]).toEqual([path, '200']);
  return reply.data as T;
};
const line = (unitPrice: string, taxRate = 0) => ({ description: 'Goods', quantity: 1, unitPrice, taxRate });
const sell = (externalId: string, day: string, more: object) =>
  service.sell(books.partner, saleOf(externalId, { occurredAt: `${day}T12:00:00.000Z`, ...more }));
const token = (): string => books.tenant.token;
const accountId = async (type: string): Promise<string | undefined> => {
  const { body } = await service.get(`/api/accounts?pageNumber=1&pageSize=100&type=${type}`, token());
  return (body as { items: { id: string }[] }).items[0]?.id;
};
const ADA = { externalId: 'ada', name: 'Ada' };

const customerId = async (name: string): Promise<string> => {
  const { items } = await service.customers(token(), `search=${name}`);
  return items[0]?.id ?? '';
};
const openItems = async (query = ''): Promise<string[]> => {
  const { items } = await read<OpenItems>(`/api/customers/${await customerId('Ada')}/open-items${query}`);
  return items.map(({ date, externalId, open }) => `${date ?? ''} ${externalId ?? ''} ${open}`);
};
const collect = async (amount: string, date: string) => {
  const facts = { accountId: await accountId('BANK'), customerId: await customerId('Ada') };
  return (await service.post('/api/transactions', { type: 'COLLECTION', date, amount, ...facts }, token())).id;
};

describe('Open items', () => {
  test('a sale is settled first by its own payments, and every other collection settles the oldest item', async () => {
    await sell('old', '2026-01-10', { customer: ADA, lines: [line('100.00')] });
    const payments = [{ method: 'CASH', amount: '60.00' }];
    await sell('new', '2026-02-10', { customer: ADA, lines: [line('80.00')], payments });
    expect(await openItems()).toEqual(['2026-01-10 old 100.00', '2026-02-10 new 20.00']);
    await collect('70.00', '2026-02-20');
    expect(await openItems()).toEqual(['2026-01-10 old 30.00', '2026-02-10 new 20.00']);
    expect(await openItems('?asOf=2026-02-19')).toEqual(['2026-01-10 old 100.00', '2026-02-10 new 20.00']);
    await collect('60.00', '2026-02-21');
    expect(await openItems()).toEqual(['  -10.00']);
  });

  test('a return and a cancellation settle their own sale, and a cancelled collection settles nothing', async () => {
    await sell('first', '2026-01-10', { customer: ADA, lines: [line('100.00')] });
    await sell('second', '2026-01-20', { customer: ADA, lines: [line('50.00')] });
    await sell('third', '2026-01-30', { customer: ADA, lines: [line('40.00')] });
    const back = { relatedExternalId: 'second', type: 'RETURN', lines: [line('15.00')] };
    await sell('back', '2026-02-01', back);
    await sell('never', '2026-02-01', { relatedExternalId: 'third', type: 'CANCELLATION', lines: [] });
    const id = await collect('30.00', '2026-02-02');
    await service.post(`/api/transactions/${id}/cancel`, { reason: 'Bounced' }, token());
    expect(await openItems()).toEqual(['2026-01-10 first 100.00', '2026-01-20 second 35.00']);
    const { rows } = await read<Ageing>('/api/reports/ageing?asOf=2026-02-01');
    expect(rows).toMatchObject([{ d30: '135.00', total: '135.00' }]);
  });

  test('of a corrected transaction are those of its replacement, with its date', async () => {
    await sell('old', '2026-01-05', { customer: ADA, lines: [line('1.00')] });
    const body = { type: 'ADJUSTMENT', customerId: await customerId('Ada'), direction: 'OUT', currency: 'EUR' };
    const post = (path: string, sent: object) => service.post(`/api/transactions${path}`, sent, token());
    const { id } = await post('', { ...body, date: '2026-01-10', amount: '100.00' });
    const replacement = { ...body, date: '2026-01-08', amount: '150.00' };
    expect((await post(`/${id}/correct`, { reason: 'Typo', replacement })).status).toBe(201);
    expect(await openItems()).toEqual(['2026-01-05 old 1.00', '2026-01-08  150.00']);
    const { rows } = await read<Ageing>('/api/reports/ageing?asOf=2026-12-31');
    expect(rows).toMatchObject([{ older: '151.00', total: '151.00' }]);
  });

  test('are shown by age, and add up to the balance', async () => {
    for (const [externalId, day] of [
      ['today', '2026-06-30'],
      ['month', '2026-05-31'],
      ['older-1', '2026-05-30'],
      ['quarter', '2026-04-01'],
      ['ancient', '2026-03-31'],
      ['future', '2026-07-01'],
    ] as const)
      await sell(externalId, day, { customer: ADA, lines: [line('10.00')] });
    const { rows, totals } = await read<Ageing>('/api/reports/ageing?asOf=2026-06-30');
    const amounts = { current: '10.00', d30: '10.00', d60: '10.00', d90: '10.00', older: '10.00', total: '50.00' };
    expect(rows).toMatchObject([{ customerId: await customerId('Ada'), name: 'Ada', ...amounts }]);
    expect(totals).toEqual(amounts);
    const table = await service.get('/api/reports/ageing?asOf=2026-06-30', token(), { accept: 'text/csv' });
    expect(csvTable(table.text).map((row) => `${row['name'] ?? ''} ${row['total'] ?? ''}`)).toEqual([
      'Ada 50.00',
      'Total 50.00',
    ]);
  });
});

test('A posting dated before the first posting of its record settles the oldest item instead', () => {
  const later = new LaterPostings();
  later.add('sale', { net: -30, date: '2026-01-05' });
  later.add('sale', { net: -20, date: '2026-01-15' });
  expect(later.joined('sale', { net: 100, date: '2026-01-10' })).toEqual([
    { net: 80n, date: '2026-01-10' },
    { net: -30, date: '2026-01-05' },
  ]);
});

test('The tax report shows net and tax by rate, and explains the tax account', async () => {
  await sell('s', '2026-01-10', { lines: [line('100.00', 19), line('50.00', 7), line('20.00')] });
  await sell('t', '2026-01-11', { lines: [line('10.00', 19)] });
  await sell('r', '2026-01-12', { type: 'RETURN', relatedExternalId: 's', lines: [line('40.00', 19)] });
  await sell('c', '2026-01-13', { type: 'CANCELLATION', relatedExternalId: 't', lines: [] });
  const { rows, reconciliation } = await read<TaxReport>('/api/reports/tax?from=2026-01-01&to=2026-01-31');
  const none = { net: '0.00', tax: '0.00' };
  expect(rows).toEqual([
    { rate: '0', sales: { net: '20.00', tax: '0.00' }, returns: none, cancellations: none, net: '20.00', tax: '0.00' },
    { rate: '7', sales: { net: '50.00', tax: '3.50' }, returns: none, cancellations: none, net: '50.00', tax: '3.50' },
    {
      rate: '19',
      sales: { net: '110.00', tax: '20.90' },
      returns: { net: '40.00', tax: '7.60' },
      cancellations: { net: '10.00', tax: '1.90' },
      net: '60.00',
      tax: '11.40',
    },
  ]);
  expect(reconciliation).toEqual({ opening: '0.00', documents: '14.90', other: '0.00', closing: '14.90' });
  const later = await read<TaxReport>('/api/reports/tax?from=2026-01-12&to=2026-01-31');
  expect(later.reconciliation).toEqual({ opening: '24.40', documents: '-9.50', other: '0.00', closing: '14.90' });
});

test('Profit and loss by quarter, and the balance sheet, include the result', async () => {
  await sell('a', '2025-12-31', { lines: [line('100.00', 19)], payments: [{ method: 'CASH', amount: '119.00' }] });
  await sell('b', '2026-01-01', { lines: [line('30.00')] });
  await sell('c', '2026-08-01', { lines: [line('5.00')] });
  const profit = await read<ProfitAndLoss>('/api/reports/profit-and-loss?from=2025-12-01&to=2026-09-15&by=quarter');
  expect(profit.periods.map(({ name, from, to }) => `${name} ${from ?? ''} ${to ?? ''}`)).toEqual([
    '2025-Q4 2025-12-01 2025-12-31',
    '2026-Q1 2026-01-01 2026-03-31',
    '2026-Q2 2026-04-01 2026-06-30',
    '2026-Q3 2026-07-01 2026-09-15',
  ]);
  expect([profit.result, profit.results]).toEqual(['135.00', ['100.00', '30.00', '0.00', '5.00']]);
  const { sections, totalAssets } = await read<BalanceSheet>('/api/reports/balance-sheet?asOf=2026-01-31');
  expect(sections.map(({ name, rows }) => [name, ...rows.map((row) => `${row.name} ${row.amount}`)])).toEqual([
    ['Assets', 'Customers 30.00', 'Cash 119.00'],
    ['Liabilities', 'Tax payable 19.00'],
    ['Equity', 'Retained earnings 100.00', 'Result for the year 30.00'],
  ]);
  expect(totalAssets).toBe('149.00');
});

test.each([
  ['month', 'from=9999-11-30&to=9999-12-31', '9999-11 9999-12'],
  ['quarter', 'from=9999-07-01&to=9999-12-31', '9999-Q3 9999-Q4'],
  ['month', 'from=1900-01-01&to=1999-12-31', 1200],
  ['month', 'from=1900-01-01&to=2000-01-01', '400 VALIDATION_FAILED by'],
  ['quarter', 'from=1900-01-01&to=9999-12-31', '400 VALIDATION_FAILED by'],
  ['month', '', '400 VALIDATION_FAILED by'],
  [
    'month',
    'to=2026-12-31',
    '2026-01 2026-02 2026-03 2026-04 2026-05 2026-06 2026-07 2026-08 2026-09 2026-10 2026-11 2026-12',
  ],
])('Profit and loss by %s with the dates "%s" has at most 1,200 periods: %s', async (by, period, expected) => {
  await sell('a', '2026-01-31', { lines: [line('30.00')] });
  const { id: expenseItemId } = await service.post('/api/accounts', { type: 'EXPENSE', name: 'Rent' }, token());
  const rent = {
    type: 'PAYMENT',
    date: '9999-12-31',
    amount: '5.00',
    expenseItemId,
    accountId: await accountId('BANK'),
  };
  expect((await service.post('/api/transactions', rent, token())).told).toBe('201');
  const reply = await service.get(`/api/reports/profit-and-loss?by=${by}&${period}`, token());
  const names = reply.status === 200 ? (reply.data as ProfitAndLoss).periods.map(({ name }) => name) : [];
  const shown = reply.status === 200 ? names.join(' ') : reply.told;
  expect(typeof expected === 'number' ? names.length : shown).toBe(expected);
});

test('A report as of an instant uses the names at that instant', async () => {
  await sell('a', '2026-01-31', { customer: ADA });
  await service.quiet();
  const atMs = service.clock.nowMs();
  while (service.clock.nowMs() <= atMs) await delay(1);
  const path = `/api/customers/${await customerId('Ada')}`;
  await service.call('PATCH', path, { token: token(), body: { name: 'Lovelace' } });
  const names = async (query: string) =>
    (await read<Ageing>(`/api/reports/ageing${query}`)).rows.map(({ name }) => name);
  expect(await names('')).toEqual(['Lovelace']);
  expect(await names(`?knownAt=${new Date(atMs).toISOString()}`)).toEqual(['Ada']);
});

test.each([
  ['/api/reports/profit-and-loss?by=week', 'by'],
  ['/api/reports/profit-and-loss?from=2026-02-01&to=2026-01-31', 'to'],
  ['/api/reports/balance-sheet?from=2026-02-01', 'from'],
  ['/api/reports/ageing?asOf=2026-02-30', 'asOf'],
  ['/api/reports/tax?knownAt=yesterday', 'knownAt'],
  ['/api/reports/general-ledger?format=pdf', 'format'],
])('%s is rejected', async (path, field) => {
  expect((await service.get(path, token())).told).toBe(`400 VALIDATION_FAILED ${field}`);
});

test("A customer's open items are not found in another tenant", async () => {
  await sell('a', '2026-01-31', { customer: ADA });
  const path = `/api/customers/${await customerId('Ada')}/open-items`;
  const other = await service.createTenant();
  expect((await service.get(path, other.token)).told).toBe('404 NOT_FOUND');
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
