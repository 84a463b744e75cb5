import fc from 'fast-check';
import { z } from 'zod';
import { currencyDigits, fromMinor, toMinor } from '../../src/aggregates/money.js';
import { priceSale, saleId, SalePayload } from '../../src/aggregates/sale-payload.js';
import { refusal } from './given.js';

const coffee = { description: 'Coffee', quantity: 2, unitPrice: '3.50', taxRate: 20 };
const body = { externalId: 'S-1', occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR', lines: [coffee] };

/** Returns the paths of the invalid values in a body. The result is empty if the body is accepted. */
const faults = (value: unknown): string[] => {
  const parsed = SalePayload.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};
// JSON text may contain 1e400, which JSON.parse reads as infinity.
const beyondDoubles = (_: string, value: unknown): unknown => (value === '1e400' ? Infinity : value);
const price = (value: object) => priceSale(SalePayload.parse(value));

describe('the body of a sale', () => {
  test('has few required fields, and gets defaults', () => {
    expect(SalePayload.parse(body)).toEqual({
      externalId: 'S-1',
      type: 'SALE',
      occurredAt: '2026-03-04T10:00:00.000Z',
      currency: 'EUR',
      branchCode: null,
      customer: null,
      lines: [{ sku: null, description: 'Coffee', quantity: '2', unitPrice: '3.50', discount: '0', taxRate: '20' }],
      payments: [],
      relatedExternalId: null,
      metadata: null,
    });
  });
  test('can have any time zone', () => {
    const occurredAt = SalePayload.parse({ ...body, occurredAt: '2026-03-04T01:30:00.5+03:00' }).occurredAt;
    expect(occurredAt).toBe('2026-03-03T22:30:00.500Z');
  });
  test('can contain null for values that the partner does not have', () => {
    const customer = { name: 'Jane', externalId: null, code: null, email: null, phone: null, taxNumber: null };
    expect(faults({ ...body, branchCode: null, metadata: null, relatedExternalId: null, customer })).toEqual([]);
  });
  test.each<[string, object, string]>([
    ['an unknown member', { tenantId: 'x' }, ''],
    ['an unknown member of a line', { lines: [{ ...coffee, price: 5 }] }, 'lines.0'],
    ['no external id', { externalId: undefined }, 'externalId'],
    ['an empty external id', { externalId: '' }, 'externalId'],
    ['an external id of 201 characters', { externalId: 'x'.repeat(201) }, 'externalId'],
    ['a control character in it', { externalId: 'a\u0000b' }, 'externalId'],
    ['an unknown type', { type: 'GIFT' }, 'type'],
    ['a date without time', { occurredAt: '2026-03-04' }, 'occurredAt'],
    ['a time without zone', { occurredAt: '2026-03-04T10:00:00' }, 'occurredAt'],
    ['a day that does not exist', { occurredAt: '2026-02-29T10:00:00Z' }, 'occurredAt'],
    ['a year before 1900', { occurredAt: '0026-03-04T10:00:00Z' }, 'occurredAt'],
    ['an unknown currency', { currency: 'ABC' }, 'currency'],
    ['no lines', { lines: [] }, 'lines'],
    ['501 lines', { lines: Array<object>(501).fill(coffee) }, 'lines'],
    ['a quantity of zero', { lines: [{ ...coffee, quantity: 0 }] }, 'lines.0.quantity'],
    ['a quantity with 7 decimals', { lines: [{ ...coffee, quantity: '1.0000001' }] }, 'lines.0.quantity'],
    ['a negative price', { lines: [{ ...coffee, unitPrice: -1 }] }, 'lines.0.unitPrice'],
    ['a negative discount', { lines: [{ ...coffee, discount: '-1' }] }, 'lines.0.discount'],
    ['a tax rate above 100', { lines: [{ ...coffee, taxRate: 101 }] }, 'lines.0.taxRate'],
    ['a tax rate with 5 decimals', { lines: [{ ...coffee, taxRate: '1.00001' }] }, 'lines.0.taxRate'],
    ['an inexact number', { lines: [{ ...coffee, unitPrice: 0.1 + 0.2 }] }, 'lines.0.unitPrice'],
    ['a payment of zero', { payments: [{ method: 'CASH', amount: '0.00' }] }, 'payments.0.amount'],
    ['an unknown payment method', { payments: [{ method: 'BARTER', amount: '1' }] }, 'payments.0.method'],
    ['a customer without a name', { customer: { email: 'a@b.test' } }, 'customer.name'],
    ['a customer with half an address', { customer: { name: 'Jane', email: 'jane@' } }, 'customer.email'],
    [
      'metadata nested too deep',
      { metadata: { a: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) as unknown } },
      'metadata',
    ],
    ['metadata that is too long', { metadata: { a: 'x'.repeat(17_000) } }, 'metadata'],
    ['metadata with a reserved name', { metadata: { a: { toJSON: 1 } } }, 'metadata'],
    ['metadata with a number beyond doubles', { metadata: { a: '1e400' } }, 'metadata'],
    ['a total that is not a number', { total: 'much' }, 'total'],
    ['a total of null', { total: null }, 'total'],
    ['a RETURN without its sale', { type: 'RETURN' }, 'relatedExternalId'],
    ['a RETURN without lines', { type: 'RETURN', relatedExternalId: 'S-0', lines: undefined }, 'lines'],
    ['a CANCELLATION with lines', { type: 'CANCELLATION', relatedExternalId: 'S-0' }, 'lines'],
    ['a CANCELLATION without its sale', { type: 'CANCELLATION', lines: [] }, 'relatedExternalId'],
  ])('is rejected with %s', (_, change, path) => {
    const changed: unknown = JSON.parse(JSON.stringify({ ...body, ...change }), beyondDoubles);
    expect(faults(changed)).toEqual([path]);
  });
  test('is a RETURN with lines and the sale’s id, or a CANCELLATION with the id alone', () => {
    const { lines: _, ...without } = body;
    expect(faults({ ...body, type: 'RETURN', relatedExternalId: 'S-0' })).toEqual([]);
    expect(faults({ ...without, type: 'CANCELLATION', relatedExternalId: 'S-0' })).toEqual([]);
    expect(price({ ...without, type: 'CANCELLATION', relatedExternalId: 'S-0' }).total).toBe('0.00');
  });
  test.each([null, [], 'text', 5])('is an object, not %j', (value) => {
    expect(faults(value)).toEqual(['']);
  });
  test('can be documented', () => {
    const { $defs = {} } = z.toJSONSchema(SalePayload, { io: 'input' });
    expect(Object.keys($defs)).toEqual(['IntegrationSaleDto', 'SaleLineDto', 'SalePaymentDto', 'SaleCustomerDto']);
    expect($defs.IntegrationSaleDto?.required).toEqual(['externalId', 'occurredAt', 'currency']);
    const { quantity } = $defs.SaleLineDto?.properties ?? {};
    expect(quantity).toMatchObject({ type: ['string', 'number'], minimum: 0.000001, maximum: 999_999_999_999_999 });
  });
});

describe('the price of a sale', () => {
  test('is computed for each line and in total', () => {
    const priced = price({ ...body, lines: [coffee, { ...coffee, quantity: 1, discount: 0.5 }], total: '12.00' });
    expect(priced.lines.map(({ net, tax, gross }) => [net, tax, gross])).toEqual([
      ['7.00', '1.40', '8.40'],
      ['3.00', '0.60', '3.60'],
    ]);
    expect(priced).toMatchObject({ totalNet: '10.00', totalTax: '2.00', total: '12.00' });
    expect(priced).not.toHaveProperty('given');
  });
  test('can be given as a total in any notation, and is rejected if that differs', () => {
    for (const total of ['8.40', '8.4', 8.4]) expect(price({ ...body, total }).total).toBe('8.40');
    for (const total of ['8.41', 8, '0'])
      expect(refusal(() => price({ ...body, total }))).toBe('invalid TOTAL_MISMATCH total');
    expect(refusal(() => price({ ...body, total: '8.401' }))).toBe('invalid VALIDATION_FAILED total');
  });
  test('can be zero, but not negative', () => {
    expect(price({ ...body, lines: [{ ...coffee, discount: 7 }], total: 0 }).total).toBe('0.00');
    const lines = [coffee, { ...coffee, discount: 8 }];
    expect(refusal(() => price({ ...body, lines }))).toBe('invalid VALIDATION_FAILED lines[1].discount');
  });
  test('has no more digits than an amount allows', () => {
    const lines = [{ description: 'Gold', quantity: '999999999999999', unitPrice: '999999999999999' }];
    expect(refusal(() => price({ ...body, lines }))).toBe('invalid VALIDATION_FAILED lines');
  });
  test('is paid in amounts that fit the currency', () => {
    const payments = [
      { method: 'CASH', amount: 5 },
      { method: 'CARD', amount: '1.005' },
    ];
    expect(refusal(() => price({ ...body, payments }))).toBe('invalid VALIDATION_FAILED payments[1].amount');
    expect(price({ ...body, payments: payments.slice(0, 1) }).payments).toEqual([
      { method: 'CASH', amount: '5.00', accountCode: null },
    ]);
  });
  test('adds up, for every sale', () => {
    const digitsUpTo = (integer: number, decimals: number) =>
      fc.bigInt({ min: 1n, max: 10n ** BigInt(integer + decimals) - 1n }).map((value) => fromMinor(value, decimals));
    const lines = fc.array(
      fc.record({
        description: fc.constant('x'),
        quantity: digitsUpTo(4, 6),
        unitPrice: digitsUpTo(5, 6),
        taxRate: fc.bigInt({ min: 0n, max: 1_000_000n }).map((value) => fromMinor(value, 4)),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(lines, fc.constantFrom('EUR', 'JPY', 'KWD'), (drawn, currency) => {
        const priced = price({ ...body, currency, lines: drawn });
        const digits = currencyDigits(currency);
        const sum = (field: 'net' | 'tax' | 'gross') =>
          priced.lines.reduce((total, one) => total + toMinor(one[field], digits), 0n);
        expect([priced.totalNet, priced.totalTax, priced.total].map((text) => toMinor(text, digits))).toEqual([
          sum('net'),
          sum('tax'),
          sum('gross'),
        ]);
        expect(sum('net') + sum('tax')).toBe(sum('gross'));
        expect(price({ ...body, currency, lines: drawn, total: priced.total }).total).toBe(priced.total);
      }),
    );
  });
});

describe('the identity of a sale', () => {
  test('distinguishes where one part ends and the next begins', () => {
    expect(saleId('t', 'a', 'b/c')).not.toBe(saleId('t', 'a/b', 'c'));
    expect(saleId('t', 'a","b', 'c')).not.toBe(saleId('t', 'a', 'b","c'));
    expect(saleId('t', 'ab', '')).not.toBe(saleId('t', 'a', 'b'));
  });
});
