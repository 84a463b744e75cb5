import { ensureOpen, firstOpenDate } from '../../src/aggregates/tenant-periods.js';
import {
  closePeriod,
  createTenant,
  detectLateEntries,
  reopenPeriod,
  tenant,
  type NewTenant,
  type TenantEvent,
} from '../../src/aggregates/tenant.aggregate.js';
import { given, NOW, refusal } from './given.js';

const facts: NewTenant = {
  ...{ name: 'Acme', slug: 'acme', currency: 'EUR', timeZone: 'Pacific/Kiritimati' },
  owner: { userId: 'u', fullName: 'Ada', email: 'ada@acme.test', passwordHash: 'h' },
  seeds: {
    branchId: 'b',
    customerId: 'c',
    accounts: { cash: '1', bank: '2', card: '3', sales: '4', tax: '5', openingBalances: '6', adjustments: '7' },
  },
};
const created = createTenant(tenant.initial, facts);
const closed = (through: string): TenantEvent => ({ type: 'PeriodClosed', data: { through, note: null } });
const entry = (transactionId: string) => ({ transactionId, date: '2026-01-15', amount: '1.00', currency: 'EUR' });

describe('Closing', () => {
  test('may include today in the zone of the tenant, which differs from the date in UTC', () => {
    const atNight = new Date('2026-03-04T23:00:00.000Z');
    given(tenant, created)
      .when(closePeriod, { through: '2026-03-05' }, atNight)
      .then({ type: 'PeriodClosed', data: { through: '2026-03-05', note: null } });
    given(tenant, created)
      .when(closePeriod, { through: '2026-03-06' }, atNight)
      .isRefused('invalid VALIDATION_FAILED through');
  });
  test('only moves forward, and is recorded once', () => {
    const books = given(tenant, [...created, closed('2026-01-31')]);
    books.when(closePeriod, { through: '2026-01-31' }).then();
    books.when(closePeriod, { through: '2026-01-30' }).isRefused('conflict PERIOD_CLOSED');
    books.when(closePeriod, { through: '2026-02-01', note: 'n' }, NOW).then({
      type: 'PeriodClosed',
      data: { through: '2026-02-01', note: 'n' },
    });
  });
});

test('Reopening only moves back, and is recorded once', () => {
  const reason = 'A bill was missing.';
  given(tenant, created).when(reopenPeriod, { through: null, reason }).then();
  given(tenant, created).when(reopenPeriod, { through: '2026-01-31', reason }).isRefused('conflict PERIOD_NOT_CLOSED');
  const books = given(tenant, [...created, closed('2026-01-31')]);
  books.when(reopenPeriod, { through: '2026-02-01', reason }).isRefused('conflict PERIOD_NOT_CLOSED');
  books.when(reopenPeriod, { through: '2026-01-31', reason }).then();
  for (const through of ['2026-01-30', null])
    books.when(reopenPeriod, { through, reason }).then({ type: 'PeriodReopened', data: { through, reason } });
});

test('A late entry is recorded once, however often it is found', () => {
  const closedThrough = '2026-01-31';
  const first: TenantEvent = { type: 'LateEntriesDetected', data: { closedThrough, entries: [entry('a')] } };
  const books = given(tenant, [...created, closed(closedThrough), first]);
  books.when(detectLateEntries, { closedThrough, entries: [entry('a')] }).then();
  books
    .when(detectLateEntries, { closedThrough, entries: [entry('a'), entry('b')] })
    .then({ type: 'LateEntriesDetected', data: { closedThrough, entries: [entry('b')] } });
});

test('The last closed day is closed, the day after is open, even at the end of a leap February', () => {
  const closing = { closedThrough: '2028-02-28' };
  expect(
    refusal(() => {
      ensureOpen(closing, '2028-02-28');
    }),
  ).toBe('conflict PERIOD_CLOSED');
  expect(
    refusal(() => {
      ensureOpen(closing, '2028-02-29');
    }),
  ).toBe('not refused');
  expect(
    refusal(() => {
      ensureOpen({ closedThrough: null }, '1900-01-01');
    }),
  ).toBe('not refused');
  expect(firstOpenDate(closing, '2028-02-28')).toBe('2028-02-29');
  expect(firstOpenDate(closing, '2028-02-29')).toBe('2028-02-29');
  expect(firstOpenDate({ closedThrough: '2027-12-31' }, '2020-05-05')).toBe('2028-01-01');
  expect(firstOpenDate({ closedThrough: null }, '2020-05-05')).toBe('2020-05-05');
});
