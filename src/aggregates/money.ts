import * as iso4217 from 'dinero.js/currencies';
import { z } from 'zod';
import { invalid } from '../eventsourcing/domain-error.js';

/**
 * Money is a decimal string with exactly its currency's number of decimals ("1250.00", "-100.00", JPY "1250").
 * Arithmetic uses minor units as bigint, never floating-point numbers.
 */
export const MAX_INTEGER_DIGITS = 15;

const digitsByCurrency = new Map<string, number>([
  ...Object.values(iso4217).map(({ code, exponent }) => [code, exponent] as const),
  // dinero uses one decimal for the ariary and the ouguiya, which are divided into fifths. ISO 4217 assigns two
  // decimals to both.
  ['MGA', 2],
  ['MRU', 2],
]);

/** Number of decimals of a currency (ISO 4217 minor units). @throws RangeError for an unknown code */
export function currencyDigits(currency: string): number {
  const digits = digitsByCurrency.get(currency);
  if (digits === undefined) throw new RangeError(`Unknown currency ${currency}`);
  return digits;
}

const CURRENCY_FORM = /^[A-Z]{3}$/;
export const Currency = z
  .string()
  .regex(CURRENCY_FORM, 'Must be a currency code of three capital letters, such as EUR.')
  .refine(
    (code) => !CURRENCY_FORM.test(code) || digitsByCurrency.has(code),
    'Must be an ISO 4217 currency with minor units.',
  );

/** @throws DomainError invalid CURRENCY_MISMATCH if `given` differs from the currency of the tenant's books */
export function ensureCurrency(given: string | undefined, currency: string): void {
  if (given === undefined || given === currency) return;
  throw invalid(
    [{ path: 'currency', message: `The books are kept in ${currency}. Omit the currency or use ${currency}.` }],
    'CURRENCY_MISMATCH',
  );
}

/** Converts a decimal string with at most `digits` decimals to minor units. @throws RangeError for any other string */
export function toMinor(amount: string, digits: number): bigint {
  const small = smallMinor(amount, digits);
  if (small !== undefined) return BigInt(small);
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount);
  const fraction = match?.[3] ?? '';
  if (!match || fraction.length > digits) throw new RangeError(`Not an amount of ${digits} decimals: ${amount}`);
  const minor = BigInt((match[2] ?? '') + fraction.padEnd(digits, '0'));
  return match[1] === '-' ? -minor : minor;
}

const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57];
/** Maximum length of an amount that is converted as a number. A number with at most 15 digits is exact. */
const SMALL_LENGTH = 15;

/**
 * Converts a short amount to minor units. Avoids a regular expression, which would take most of the conversion time.
 * Returns undefined if the text is long or malformed.
 */
function smallMinor(amount: string, digits: number): number | undefined {
  const start = amount.charCodeAt(0) === MINUS ? 1 : 0;
  const pointAt = digits === 0 ? amount.length : amount.length - digits - 1;
  if (amount.length > SMALL_LENGTH || pointAt <= start) return undefined;
  if (digits > 0 && amount.charCodeAt(pointAt) !== POINT) return undefined;
  const minor = withDigits(withDigits(0, amount, start, pointAt), amount, pointAt + 1, amount.length);
  if (Number.isNaN(minor)) return undefined;
  return start === 1 ? -minor : minor;
}

/** Appends the digits between two indexes to a number. Returns NaN if there is any other character between them. */
function withDigits(number: number, text: string, from: number, to: number): number {
  let result = number;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return Number.NaN;
    result = result * 10 + code - ZERO;
  }
  return result;
}

/** Converts minor units to a decimal string. Zero has no sign. */
export function fromMinor(minor: bigint, digits: number): string {
  const sign = minor < 0n ? '-' : '';
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Sums amounts in one currency. */
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

/** Returns a negative, zero or positive number if `a` is less than, equal to or greater than `b`. */
export function compareAmounts(a: string, b: string, currency: string): number {
  const digits = currencyDigits(currency);
  const difference = toMinor(a, digits) - toMinor(b, digits);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

export type DecimalLimits = {
  readonly decimals: number;
  /** Whether to reject zero. */
  readonly positive?: boolean;
  readonly max?: number;
};

/** Lookahead that requires a non-zero digit. */
const ABOVE_ZERO = '(?=[0.]*[1-9])';

/**
 * Schema for a non-negative number with at most 15 integer digits, as a string or a JSON number. The result is a string
 * in plain decimal notation.
 */
export const decimalInput = ({ decimals, positive = false, max }: DecimalLimits) =>
  z
    .union([z.string(), z.number()], 'Must be a decimal number, as a string or a number.')
    .transform((input, context) => {
      const text = typeof input === 'string' ? input : plainDigits(input);
      const fault = faultOf(text, { decimals, positive, ...(max === undefined ? {} : { max }) });
      if (fault === undefined) return text;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    })
    // In JSON Schema, `pattern` applies only to strings and `minimum` only to numbers.
    .meta({
      pattern: `^${positive ? ABOVE_ZERO : ''}(?:0|[1-9]\\d{0,${MAX_INTEGER_DIGITS - 1}})(?:\\.\\d{1,${decimals}})?$`,
      minimum: positive ? 1 / 10 ** decimals : 0,
      maximum: max ?? 10 ** MAX_INTEGER_DIGITS - 1,
    });

/** Number of decimals sufficient for every currency. */
export const MAX_DECIMALS = 4;
/** A positive amount in a request. `amountIn` checks the amount against its currency. */
export const MoneyInput = decimalInput({ decimals: MAX_DECIMALS, positive: true });
/** Like MoneyInput, but accepts zero, for document totals. */
export const MoneyOrZeroInput = decimalInput({ decimals: MAX_DECIMALS });

// A double preserves at most 15 significant digits.
function plainDigits(input: number): string {
  const text = String(input);
  return text.replace(/[-.]/g, '').replace(/^0+/, '').length > 15 ? 'inexact' : text;
}

/** A value in its message, so that the console can show it in the viewer's notation. */
const EXAMPLE = '1250.00';

function unreadable(text: string): string {
  if (text === '') return 'Must not be empty.';
  if (text === 'inexact') return 'Must have at most 15 significant digits as a number. Send it as a string instead.';
  return `Must be a decimal number without a sign or an exponent, such as "${EXAMPLE}".`;
}

function faultOf(text: string, { decimals, positive, max }: DecimalLimits): string | undefined {
  const match = /^(?:0|[1-9]\d*)(?:\.(\d+))?$/.exec(text);
  if (!match) return unreadable(text);
  if (text.replace(/\..*$/, '').length > MAX_INTEGER_DIGITS)
    return 'Must have at most 15 digits before the decimal point.';
  if ((match[1] ?? '').length > decimals) return `Must have at most ${decimals} decimal places.`;
  if (positive === true && isZero(text)) return 'Must be greater than zero.';
  if (max !== undefined && toMinor(text, decimals) > BigInt(max) * 10n ** BigInt(decimals))
    return `Must be at most ${max}.`;
  return undefined;
}

/**
 * Formats a request's amount with exactly its currency's number of decimals.
 * @throws DomainError invalid if it has more decimals than the currency, is zero (unless `orZero`) or is too large
 */
export function amountIn(currency: string, text: string, path = 'amount', { orZero = false } = {}): string {
  const digits = currencyDigits(currency);
  const fault = faultOf(text, { decimals: digits, positive: !orZero });
  if (fault !== undefined) throw invalid([{ path, message: fault }]);
  return fromMinor(toMinor(text, digits), digits);
}

// Maximum number of decimals: LINE_DECIMALS for quantities, unit prices and discounts, RATE_DECIMALS for tax rates.
const LINE_DECIMALS = 6;
const RATE_DECIMALS = 4;
const LINE_UNIT = 10n ** BigInt(LINE_DECIMALS);
const EXACT_UNIT = LINE_UNIT * LINE_UNIT;
const HUNDRED_PER_CENT = 100n * 10n ** BigInt(RATE_DECIMALS);

/** Divides, and rounds to the nearest integer. Halves are rounded up. */
function roundedHalfUp(numerator: bigint, divisor: bigint): bigint {
  const [dividend, by] = [2n * numerator + divisor, 2n * divisor];
  // BigInt division truncates towards zero, but negative results must be rounded down.
  return dividend >= 0n ? dividend / by : (dividend - by + 1n) / by;
}

export type PricedLine = { readonly net: string; readonly tax: string; readonly gross: string };

/**
 * Prices a sale line, rounding half up to the currency's decimals: net = round(quantity × unitPrice − discount),
 * gross = round(net × (1 + taxRate / 100)), tax = gross − net. Returns undefined if the discount exceeds the price.
 */
export function priceLine(
  line: { readonly quantity: string; readonly unitPrice: string; readonly discount: string; readonly taxRate: string },
  currency: string,
): PricedLine | undefined {
  const digits = currencyDigits(currency);
  const price = toMinor(line.quantity, LINE_DECIMALS) * toMinor(line.unitPrice, LINE_DECIMALS);
  const exact = price - toMinor(line.discount, LINE_DECIMALS) * LINE_UNIT;
  const net = roundedHalfUp(exact * 10n ** BigInt(digits), EXACT_UNIT);
  if (net < 0n) return undefined;
  const gross = roundedHalfUp(net * (HUNDRED_PER_CENT + toMinor(line.taxRate, RATE_DECIMALS)), HUNDRED_PER_CENT);
  return { net: fromMinor(net, digits), tax: fromMinor(gross - net, digits), gross: fromMinor(gross, digits) };
}
