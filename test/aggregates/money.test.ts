import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import {
  amountIn,
  compareAmounts,
  Currency,
  currencyDigits,
  decimalInput,
  fromMinor,
  MoneyInput,
  negated,
  priceLine,
  sumOf,
  toMinor,
} from '../../src/aggregates/money.js';
import { refusal } from './given.js';

describe('currencies', () => {
  test.each([
    ['EUR', 2],
    ['TRY', 2],
    ['JPY', 0],
    ['CLP', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['BHD', 3],
    ['HUF', 2],
    ['ISK', 0],
    ['MGA', 2],
    ['MRU', 2],
    ['UYW', 4],
    ['CLF', 4],
  ])('%s has the digits of ISO 4217: %i', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits);
  });
  test.each(['XAU', 'XXX', 'eur', 'EURO', '', 'ABC', '__proto__'])('%j is not a currency for books', (code) => {
    expect(Currency.safeParse(code).success).toBe(false);
    expect(() => currencyDigits(code)).toThrow(RangeError);
  });
});

describe('an amount', () => {
  test.each([
    ['1250.00', 2, 125000n],
    ['1250', 0, 1250n],
    ['-100.00', 2, -10000n],
    ['0.05', 2, 5n],
    ['7.5', 3, 7500n],
  ])('%s with %i digits is %s minor units', (text, digits, minor) => {
    expect(toMinor(text, digits)).toBe(minor);
  });
  test.each(['', '1,5', '1e3', ' 1', '.5', '1.', '0x10', '1.234'])('%j is not parsed as one', (text) => {
    expect(() => toMinor(text, 2)).toThrow(RangeError);
  });
  test('is written with exactly its digits, and zero without a sign', () => {
    expect([fromMinor(-10000n, 2), fromMinor(5n, 3), fromMinor(-5n, 2), fromMinor(0n, 2), fromMinor(1250n, 0)]).toEqual(
      ['-100.00', '0.005', '-0.05', '0.00', '1250'],
    );
    expect([negated('0.00'), negated('1.50'), negated('-1.50')]).toEqual(['0.00', '-1.50', '1.50']);
  });
  test('survives the conversion to minor units and back, whatever its size', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
        fc.integer({ min: 0, max: 4 }),
        (minor, digits) => {
          const text = fromMinor(minor, digits);
          expect(text).toMatch(digits === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${digits}}$`));
          expect(toMinor(text, digits)).toBe(minor);
        },
      ),
    );
  });
  test('is parsed from exactly the texts of its form', () => {
    const text = fc.string({ unit: fc.constantFrom('-', '.', '0', '1', '9', ' ', 'e'), maxLength: 18 });
    const minorOf = (amount: string, digits: number): bigint | undefined => {
      const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
      if (whole === '' || fraction.length > digits) return undefined;
      return BigInt(`${sign}${whole}${fraction.padEnd(digits, '0')}`);
    };
    fc.assert(
      fc.property(fc.oneof(text, fc.float().map(String)), fc.integer({ min: 0, max: 4 }), (amount, digits) => {
        const expected = minorOf(amount, digits);
        if (expected === undefined) expect(() => toMinor(amount, digits)).toThrow(RangeError);
        else expect(toMinor(amount, digits)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });
  test('adds up exactly where floating point would not', () => {
    expect(sumOf(['0.10', '0.20', '999999999999999.99'], 'EUR')).toBe('1000000000000000.29');
    expect(sumOf([], 'JPY')).toBe('0');
    expect([compareAmounts('9.00', '10.00', 'EUR'), compareAmounts('10.00', '10.00', 'EUR')]).toEqual([-1, 0]);
    expect(compareAmounts('10.01', '10.00', 'EUR')).toBe(1);
  });
});

describe('money as input', () => {
  test.each([
    ['EUR', '1250', '1250.00'],
    ['EUR', '12.5', '12.50'],
    ['JPY', '1250', '1250'],
    ['KWD', '1.005', '1.005'],
    ['EUR', '999999999999999.99', '999999999999999.99'],
  ])('in %s: %s is %s', (currency, text, amount) => {
    expect(amountIn(currency, text)).toBe(amount);
  });
  test.each([
    ['EUR', '12.345'],
    ['JPY', '12.5'],
    ['JPY', '12.00'],
    ['EUR', '0'],
    ['EUR', '0.00'],
    ['EUR', '1000000000000000'],
    ['EUR', '-1'],
    ['EUR', '007'],
  ])('in %s: %s is rejected', (currency, text) => {
    expect(refusal(() => amountIn(currency, text, 'payments[0].amount'))).toBe(
      'invalid VALIDATION_FAILED payments[0].amount',
    );
  });
  test.each([
    [1250, '1250'],
    [12.5, '12.5'],
    [0.1, '0.1'],
    ['1250.00', '1250.00'],
    [123456789012.345, '123456789012.345'],
  ])('as %j is accepted as %s', (input, text) => {
    expect(MoneyInput.parse(input)).toBe(text);
  });
  test.each([
    0.1 + 0.2,
    1234567890123456,
    1e21,
    1e-7,
    -5,
    0,
    Number.NaN,
    Infinity,
    '1e3',
    '',
    ' 5',
    '+5',
    '٣',
    null,
    true,
    ['5'],
  ])('as %j is rejected', (input) => {
    expect(MoneyInput.safeParse(input).success).toBe(false);
  });
  test('is reported as missing if it is empty, and otherwise explained by an example', () => {
    const fault = (input: string) => MoneyInput.safeParse(input).error?.issues[0]?.message;
    expect(fault('')).toBe('Must not be empty.');
    expect(fault('five')).toBe('Must be a decimal number without a sign or an exponent, such as "1250.00".');
  });
  test('has limits: decimals, the largest value, and more than zero if required', () => {
    const rate = decimalInput({ decimals: 4, max: 100 });
    expect([rate.safeParse('100.0000').success, rate.safeParse('100.0001').success]).toEqual([true, false]);
    expect([rate.safeParse('0').success, rate.safeParse('1.00001').success]).toEqual([true, false]);
    expect(decimalInput({ decimals: 6, positive: true }).safeParse('0.000000').success).toBe(false);
  });
});

describe('a line of a sale', () => {
  const free = { quantity: '1', unitPrice: '0', discount: '0', taxRate: '0' };
  test('is rounded half up, first the net, then the gross', () => {
    expect(priceLine({ ...free, unitPrice: '0.125' }, 'EUR')?.net).toBe('0.13');
    expect(priceLine({ quantity: '3', unitPrice: '9.99', discount: '0', taxRate: '18' }, 'EUR')).toEqual({
      net: '29.97',
      tax: '5.39',
      gross: '35.36',
    });
    expect(priceLine({ ...free, unitPrice: '1.50', taxRate: '10' }, 'JPY')).toEqual({ net: '2', tax: '0', gross: '2' });
  });
  test('can be free, but not negative', () => {
    expect(priceLine({ ...free, unitPrice: '5', discount: '5' }, 'EUR')).toEqual({
      net: '0.00',
      tax: '0.00',
      gross: '0.00',
    });
    expect(priceLine({ ...free, unitPrice: '5', discount: '5.004' }, 'EUR')?.net).toBe('0.00');
    expect(priceLine({ ...free, unitPrice: '5', discount: '5.01' }, 'EUR')).toBeUndefined();
  });
  test('equals the result of a library with enough digits', () => {
    const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_CEIL });
    const decimal = (integerDigits: number, decimals: number) =>
      fc
        .bigInt({ min: 0n, max: 10n ** BigInt(integerDigits + decimals) - 1n })
        .map((minor) => fromMinor(minor, decimals));
    // Short numbers produce exact halves far more often than long numbers, and cancel each other out more often.
    const amount = fc.oneof(decimal(15, 6), decimal(3, 1), decimal(1, 3), decimal(2, 0));
    const rate = fc.oneof(decimal(2, 4), decimal(2, 0), fc.constantFrom('0', '50', '100'));
    const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'UYW');
    fc.assert(
      fc.property(amount, amount, amount, rate, currency, (quantity, unitPrice, discount, taxRate, code) => {
        const digits = currencyDigits(code);
        const net = new Exact(quantity).mul(unitPrice).minus(discount).toDecimalPlaces(digits);
        const gross = net.mul(new Exact(taxRate).div(100).plus(1)).toDecimalPlaces(digits);
        const expected = [net.abs(), gross.minus(net).abs(), gross.abs()].map((value) => value.toFixed(digits));
        const priced = priceLine({ quantity, unitPrice, discount, taxRate }, code);
        expect(priced && [priced.net, priced.tax, priced.gross]).toEqual(net.lt(0) ? undefined : expected);
      }),
      { numRuns: 1000 },
    );
  });
});
