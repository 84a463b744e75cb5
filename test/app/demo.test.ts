import { readConfig } from '../../src/config.js';
import { seed } from '../../src/app/first-start.js';
import type { BalanceSheet } from '../../src/queries/balance-sheet.query.js';
import type { Periods } from '../../src/queries/period.queries.js';
import type { ProfitAndLoss } from '../../src/queries/profit-and-loss.query.js';
import type { SaleRecord } from '../../src/queries/sale.queries.js';
import type { TaxReport } from '../../src/queries/tax-report.query.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { everyPage } from '../support/list-pages.js';
import { minorUnits } from '../support/naive-money.js';
import { TestService } from '../support/service.js';

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await TestService.start();
  const config = readConfig({ NODE_ENV: 'development', SEED_DEMO: 'true', DATA_DIR: service.directory });
  const welcome = (await seed(config, service.service))?.(service.url) ?? '';
  const [, email = '', password = ''] = /(owner@\S+) {2}(\S+) {3}\(owner/.exec(welcome) ?? [];
  token = await service.signIn(email, password);
  await service.quiet();
});
afterAll(() => service.close());

const read = async <T>(path: string): Promise<T> => (await service.get(path, token)).data as T;
const cents = (amount: string): bigint => minorUnits(amount, 2);
const sumOf = (amounts: readonly string[]): bigint => amounts.reduce((sum, amount) => sum + cents(amount), 0n);

test('The demo tenant has a year of sales with returns and one rejected sale', async () => {
  const sales = await everyPage<SaleRecord>(service, token, '/api/sales');
  const numberOf = (type: string, status: string): number =>
    sales.filter((sale) => sale.type === type && sale.status === status).length;
  expect(numberOf('SALE', 'BOOKED')).toBeGreaterThan(600);
  expect(numberOf('RETURN', 'BOOKED')).toBeGreaterThan(10);
  expect(sales.filter(({ status }) => status !== 'BOOKED').map(({ rejection }) => rejection?.code)).toEqual([
    'BRANCH_UNKNOWN',
  ]);
});

test('The year before is closed, and every sale has its own date', async () => {
  const { closedThrough, late } = await read<Periods>('/api/periods');
  expect(closedThrough).toMatch(/^\d{4}-12-31$/);
  expect(late).toEqual([]);
  const all = await everyPage<TransactionRecord>(service, token, '/api/transactions');
  expect(all.filter(({ documentDate, date }) => documentDate !== date)).toEqual([]);
  expect(all.filter(({ categoryId }) => categoryId !== null)).toHaveLength(24);
  expect(all.filter(({ type }) => type === 'JOURNAL')).toHaveLength(13);
});

test('The reports of the demo tenant agree with its sales and journal entries', async () => {
  const sales = (await everyPage<SaleRecord>(service, token, '/api/sales')).filter(({ status }) => status === 'BOOKED');
  const net = (type: string): bigint =>
    sumOf(sales.filter((sale) => sale.type === type).map(({ totalNet }) => totalNet));
  const { sections } = await read<ProfitAndLoss>('/api/reports/profit-and-loss');
  const [income, expenses] = sections;
  expect(cents(income?.total ?? '')).toBe(net('SALE') - net('RETURN'));
  expect(expenses?.rows.map(({ name, amount }) => `${name} ${amount}`)).toEqual([
    'Goods purchased 6120.00',
    'Office rent 7800.00',
    'Bank fees 118.80',
  ]);
  const { totals, reconciliation } = await read<TaxReport>('/api/reports/tax');
  expect(cents(totals.net)).toBe(net('SALE') - net('RETURN'));
  expect(reconciliation.other).toBe('-1162.80');
  const { closedThrough } = await read<Periods>('/api/periods');
  for (const query of ['', `?asOf=${closedThrough ?? ''}`]) {
    const { totalAssets, totalLiabilitiesAndEquity } = await read<BalanceSheet>(`/api/reports/balance-sheet${query}`);
    expect(totalAssets).toBe(totalLiabilitiesAndEquity);
    expect(cents(totalAssets)).toBeGreaterThan(0n);
  }
});
