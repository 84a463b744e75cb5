import { Decimal } from 'decimal.js';
import * as iso4217 from 'dinero.js/currencies';
import { z } from 'zod';
import { invalid } from '../platform/domain-error.js';

/**
 * Money is a decimal string with exactly its currency's digits ("1250.00", "-100.00", JPY "1250"), in memory while
 * adding a bigint of minor units; never a floating-point number.
 */
export const MAX_INTEGER_DIGITS = 15;

const digitsByCurrency = new Map<string, number>([
  ...Object.values(iso4217).map(({ code, exponent }) => [code, exponent] as const),
  // dinero counts the fifths of ariary and ouguiya as one digit; ISO 4217 gives both two.
  ['MGA', 2],
  ['MRU', 2],
]);

export const isCurrency = (code: string): boolean => digitsByCurrency.has(code);

/** Digits after the point of a currency (ISO 4217 minor units). @throws RangeError for an unknown code */
export function currencyDigits(currency: string): number {
  const digits = digitsByCurrency.get(currency);
  if (digits === undefined) throw new RangeError(`Unknown currency ${currency}`);
  return digits;
}

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .refine(isCurrency, 'Must be a currency of ISO 4217 that has minor units.');

/** Minor units of a decimal string of at most `digits` decimals. @throws RangeError for any other text */
export function toMinor(amount: string, digits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.length > digits) throw new RangeError(`Not an amount of ${digits} decimals: ${amount}`);
  const minor = BigInt((match[2] ?? '') + fraction.padEnd(digits, '0'));
  return match[1] === '-' ? -minor : minor;
}

/** The decimal string of an amount in minor units; zero has no sign. */
export function fromMinor(minor: bigint, digits: number): string {
  const sign = minor < 0n ? '-' : '';
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The sum of amounts of one currency. */
export function sumOf(amounts: readonly string[], currency: string): string {
  const digits = currencyDigits(currency);
  return fromMinor(
    amounts.reduce((sum, amount) => sum + toMinor(amount, digits), 0n),
    digits,
  );
}

export const isZero = (amount: string): boolean => !/[1-9]/.test(amount);
export const negated = (amount: string): string => {
  if (isZero(amount)) return amount;
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
};

/** Negative, zero or positive as `a` is less than, equal to or more than `b`. */
export function compareAmounts(a: string, b: string, currency: string): number {
  const digits = currencyDigits(currency);
  const difference = toMinor(a, digits) - toMinor(b, digits);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

export type DecimalLimits = {
  readonly decimals: number;
  /** Refuses zero. */
  readonly positive?: boolean;
  readonly max?: number;
};

/**
 * A non-negative number of at most 15 integer digits, written as a string or as a JSON number; parsed to plain digits.
 */
export const decimalInput = ({ decimals, positive = false, max }: DecimalLimits) =>
  z
    .union([z.string(), z.number()])
    .transform((input, context) => {
      const text = typeof input === 'string' ? input : plainDigits(input);
      const fault = faultOf(text, { decimals, positive, ...(max === undefined ? {} : { max }) });
      if (fault === undefined) return text;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    })
    // In JSON Schema a pattern concerns only strings, a minimum only numbers.
    .meta({
      pattern: `^(?:0|[1-9]\\d{0,${MAX_INTEGER_DIGITS - 1}})(?:\\.\\d{1,${decimals}})?$`,
      ...(positive ? { exclusiveMinimum: 0 } : { minimum: 0 }),
      ...(max === undefined ? {} : { maximum: max }),
    });

/** An amount of money above zero, as it comes in; `amountIn` then fits it to its currency. */
export const MoneyInput = decimalInput({ decimals: 4, positive: true });
/** The same, zero included: totals of documents. */
export const MoneyOrZeroInput = decimalInput({ decimals: 4 });

// Beyond 15 significant digits a double no longer says what was written.
function plainDigits(input: number): string {
  const text = String(input);
  return text.replace(/[-.]/g, '').replace(/^0+/, '').length > 15 ? 'inexact' : text;
}

function faultOf(text: string, { decimals, positive, max }: DecimalLimits): string | undefined {
  if (text === 'inexact') return 'Has more than 15 significant digits: send it as a string.';
  const match = /^(?:0|[1-9]\d*)(?:\.(\d+))?$/.exec(text);
  if (!match) return 'Must be a decimal number without sign or exponent, such as "1250.00".';
  if (text.replace(/\..*$/, '').length > MAX_INTEGER_DIGITS) return 'Has more than 15 digits before the point.';
  if ((match[1] ?? '').length > decimals) return `Has more than ${decimals} decimals.`;
  if (positive === true && isZero(text)) return 'Must be more than zero.';
  if (max !== undefined && new Decimal(text).gt(max)) return `Must be at most ${max}.`;
  return undefined;
}

/**
 * An amount that came in, written with exactly its currency's digits.
 * @throws DomainError invalid when it has more decimals than the currency, is zero (unless `orZero`) or too large
 */
export function amountIn(currency: string, text: string, path = 'amount', { orZero = false } = {}): string {
  const digits = currencyDigits(currency);
  const fault = faultOf(text, { decimals: digits, positive: !orZero });
  if (fault !== undefined) throw invalid([{ path, message: fault }]);
  return fromMinor(toMinor(text, digits), digits);
}

// 100 digits hold every product of two 21-digit numbers with a tax rate exactly; half up as in commercial rounding.
const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_CEIL, toExpNeg: -100, toExpPos: 100 });

export type PricedLine = { readonly net: string; readonly tax: string; readonly gross: string };

/**
 * A line of a sale, at the currency's digits: net = round(quantity × unitPrice − discount), gross = round(net × (1 +
 * taxRate / 100)), half up; tax is the difference. Undefined when the discount is more than the price.
 */
export function priceLine(
  line: { readonly quantity: string; readonly unitPrice: string; readonly discount: string; readonly taxRate: string },
  currency: string,
): PricedLine | undefined {
  const digits = currencyDigits(currency);
  const net = new Exact(line.quantity).mul(line.unitPrice).minus(line.discount).toDecimalPlaces(digits);
  if (net.lt(0)) return undefined;
  const gross = net.mul(new Exact(line.taxRate).plus(100)).div(100).toDecimalPlaces(digits);
  const written = (value: Decimal): string => value.abs().toFixed(digits);
  return { net: written(net), tax: written(gross.minus(net)), gross: written(gross) };
}
