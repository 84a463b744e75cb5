import fc from 'fast-check';
import { z } from 'zod';
import { prefers } from '../../src/http/accept.js';
import { Email, line, paragraph } from '../../src/aggregates/fields.js';
import { decimalInput } from '../../src/aggregates/money.js';
import {
  dateInput,
  fromInput,
  idInput,
  instantInput,
  optionalPaging,
  queryBooleanOr,
  toInput,
} from '../../src/http/input.js';
import { isPermission, PERMISSIONS, SYSTEM_ROLE_PERMISSIONS } from '../../src/security/permissions.js';

const moneyInput = decimalInput({ decimals: 6, positive: true });
const priceInput = decimalInput({ decimals: 6 });
const quantityInput = decimalInput({ decimals: 6, positive: true });
const taxRateInput = decimalInput({ decimals: 4, max: 100 });

const out = (schema: z.ZodType, value: unknown): unknown => {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
};

describe('an amount of money', () => {
  test.each([
    ['1250.00', '1250.00'],
    ['0.01', '0.01'],
    ['1250', '1250'],
    [1250.5, '1250.5'],
    [100, '100'],
    ['999999999999999.99', '999999999999999.99'],
    [999_999_999_999_999, '999999999999999'],
    [123_456_789.012_345, '123456789.012345'],
  ])('accepts %p as %s', (given, taken) => {
    expect(out(moneyInput, given)).toBe(taken);
  });

  test.each([
    [0],
    ['0'],
    ['0.00'],
    [-1],
    ['-1'],
    ['+1'],
    ['1,5'],
    ['1e3'],
    [''],
    [' 1'],
    ['01'],
    ['.5'],
    ['1.'],
    [null],
    [true],
    [{}],
    [[1]],
    ['1000000000000000'],
    [1_000_000_000_000_000],
    [1234567890.123456],
    [1e-7],
    [1e21],
    ['1.0000001'],
    [Number.NaN],
    [Infinity],
    ['NaN'],
    ['0x10'],
    ['١'],
  ])('rejects %p', (given) => {
    expect(out(moneyInput, given)).toBeUndefined();
  });

  test('keeps the value of every accepted number', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.000001, max: 1e15, noNaN: true }), (value) => {
        const taken = out(moneyInput, value) as string | undefined;
        if (taken !== undefined) expect(Number(taken)).toBe(value);
      }),
    );
  });

  test('explains why a number is rejected', () => {
    const said = (value: unknown) => moneyInput.safeParse(value).error?.issues[0]?.message;
    expect(said(1234567890.123456)).toContain('15 significant digits');
    expect(said('x')).toContain('Must be a decimal');
    expect(said('0')).toBe('Must be greater than zero.');
    expect(said({})).toContain('Must be a decimal');
  });
});

test('prices can be zero, quantities cannot, and tax rates end at 100', () => {
  expect([out(priceInput, '0'), out(quantityInput, '0')]).toEqual(['0', undefined]);
  expect([out(taxRateInput, 100), out(taxRateInput, '100.0001'), out(taxRateInput, '18.12345')]).toEqual([
    '100',
    undefined,
    undefined,
  ]);
  expect([
    out(decimalInput({ decimals: 0, positive: true }), '5'),
    out(decimalInput({ decimals: 0, positive: true }), '5.0'),
  ]).toEqual(['5', undefined]);
});

describe('texts', () => {
  test('are trimmed and free of control characters', () => {
    expect(out(line(10), '  Ağaç  ')).toBe('Ağaç');
    for (const bad of ['', '   ', 'a\nb', 'a\u0000', '\u0085x', '\udc00', 'x'.repeat(11), 5, null])
      expect([bad, out(line(10), bad)]).toEqual([bad, undefined]);
    expect(out(paragraph(20), 'a\r\n\tb')).toBe('a\r\n\tb');
    expect(out(paragraph(20), 'a\u0007b')).toBeUndefined();
    expect(out(line(10), '😀')).toBe('😀');
  });

  test('that are ids are not validated, so an unknown id is not found', () => {
    expect([out(idInput, 'NOT-AN-ID'), out(idInput, ''), out(idInput, 'x'.repeat(101))]).toEqual([
      'not-an-id',
      undefined,
      undefined,
    ]);
  });

  test('that attack patterns are checked quickly', () => {
    const started = performance.now();
    out(Email, `${'a'.repeat(200)}@${'a.'.repeat(20)}!`);
    out(instantInput, '2026-01-01T00:00:00.' + '0'.repeat(50_000) + 'X');
    out(moneyInput, '1'.repeat(100_000));
    expect(performance.now() - started).toBeLessThan(200);
  });
});

describe('dates and instants', () => {
  test.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2026-13-01', false],
    ['1899-12-31', false],
    ['2026-1-1', false],
    ['2026-01-01T00:00:00Z', false],
  ])('%s as a date: %p', (date, taken) => {
    expect(out(dateInput, date)).toBe(taken ? date : undefined);
  });

  test.each([
    ['2026-01-31T08:30:00Z', '2026-01-31T08:30:00.000Z'],
    ['2026-01-31T08:30:00.123456+03:00', '2026-01-31T05:30:00.123Z'],
    ['2026-01-31T08:30:00', undefined],
    ['2026-02-30T08:30:00Z', undefined],
    ['2026-01-31T25:00:00Z', undefined],
    ['2026-01-31', undefined],
    ['9999-12-31T23:30:00+01:00', '9999-12-31T22:30:00.000Z'],
    ['9999-12-31T23:30:00-01:00', undefined],
    ['0000-01-01T00:30:00+01:00', undefined],
  ])('%s as an instant is %s', (given, taken) => {
    expect(out(instantInput, given)).toBe(taken);
  });

  test('a date as a bound includes the whole day', () => {
    expect([out(fromInput, '2026-01-31'), out(toInput, '2026-01-31')]).toEqual([
      '2026-01-31T00:00:00.000Z',
      '2026-01-31T23:59:59.999Z',
    ]);
    expect(out(toInput, '2026-01-31T08:30:00Z')).toBe('2026-01-31T08:30:00.000Z');
    expect(out(toInput, 'yesterday')).toBeUndefined();
  });

  test.each([
    ['1899-12-31', 'Must not be before 1900.'],
    ['0000-01-01', 'Must not be before 1900.'],
    ['2026-02-30', 'Must be a date (YYYY-MM-DD) or an ISO 8601 instant.'],
    ['yesterday', 'Must be a date (YYYY-MM-DD) or an ISO 8601 instant.'],
  ])('%s as a bound is rejected with a message that applies to it', (given, message) => {
    for (const schema of [fromInput, toInput])
      expect(schema.safeParse(given).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});

test('paging and booleans have defaults', () => {
  const schema = z.strictObject({ ...optionalPaging, all: queryBooleanOr(true) });
  expect(out(schema, {})).toEqual({ pageNumber: 1, pageSize: 20, all: true });
  expect(out(schema, { pageNumber: '3', all: 'false' })).toEqual({ pageNumber: 3, pageSize: 20, all: false });
  expect(out(schema, { pageSize: '101' })).toBeUndefined();
  expect(out(schema, { pageNumber: '' })).toBeUndefined();
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['text/csv', true],
  ['text/csv, application/json', true],
  ['application/json, text/csv', false],
  ['text/*;q=0.9, application/json;q=0.1', true],
  ['text/csv;q=0', false],
  ['TEXT/CSV', true],
  ['', false],
  [';;,,q=', false],
])('Accept: %s prefers CSV: %p', (accept, csv) => {
  expect(prefers(accept, 'text/csv')).toBe(csv);
});

describe('permissions', () => {
  test('match the catalogue of the contract', () => {
    expect(PERMISSIONS.map(({ code }) => code).sort()).toEqual(
      [
        ...['customers', 'accounts', 'transactions', 'categories', 'users', 'roles', 'branches'].flatMap((resource) => [
          `${resource}.read`,
          `${resource}.write`,
        ]),
        'notifications.send',
        'integrations.manage',
        'reports.read',
        'periods.close',
        'audit.read',
      ].sort(),
    );
    expect([isPermission('users.read'), isPermission('users.fly'), isPermission('__proto__')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('of USER are all reads except users, roles and the audit log, and two writes', () => {
    expect([...SYSTEM_ROLE_PERMISSIONS.USER].sort()).toEqual([
      'accounts.read',
      'branches.read',
      'categories.read',
      'customers.read',
      'customers.write',
      'reports.read',
      'transactions.read',
      'transactions.write',
    ]);
    expect(SYSTEM_ROLE_PERMISSIONS.OWNER.size).toBe(19);
    expect(SYSTEM_ROLE_PERMISSIONS.ADMIN.size).toBe(19);
  });
});
