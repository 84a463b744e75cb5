import { locale } from '../messages/language.js';

const LOCALE_DECIMAL =
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** The minus sign in displayed amounts. Unlike a hyphen, it is as wide as a digit, and no line break follows it. */
export const MINUS = '−';

/**
 * Formats an amount for a locale and keeps its number of decimals. The result is exact, because no floating-point
 * numbers are used.
 */
function formatted(amount: string, inLocale: string, useGrouping: boolean): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping };
  return new Intl.NumberFormat(inLocale, format).format(amount as Intl.StringNumericLiteral);
}

/** Formats an amount for the viewer's locale. */
export const amountWords = (amount: string, inLocale = locale): string =>
  formatted(amount, inLocale, true).replace(/^-/, MINUS);

/** Formats an amount as the viewer would type it, without digit grouping. */
export const typedAmount = (amount: string): string => formatted(amount, locale, false);

/** Matches an amount: sign, digits with or without grouping, decimal separator, and decimals. */
const SHAPE = /^([-+]?)(\d+|\d{1,3}(?:([.,])\d{3})(?:\3\d{3})*)(?:([.,])(\d+))?$/;
/** Matches an amount whose only separator precedes three digits, and may therefore be a thousands separator. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}([.,])\d{3}$/;

/** Removes grouping separators. Returns ambiguous text unchanged. */
function plain(text: string): string {
  const shape = SHAPE.exec(text);
  if (shape === null || (shape[3] !== undefined && shape[3] === shape[4])) return text;
  const [, sign = '', whole = '', , , decimals] = shape;
  return `${sign}${whole.replace(/[.,]/g, '')}${decimals === undefined ? '' : `.${decimals}`}`;
}

/**
 * Converts a typed amount to the service's notation: `1.250,00`, `1,250.00`, `1 250,00` and `1250.00` all become
 * `1250.00`. A single separator before three digits is interpreted according to the viewer's locale. Returns any other
 * text unchanged, so that the service rejects it.
 */
export function amountOf(typed: string, localeDecimal = LOCALE_DECIMAL): string {
  const text = typed
    .trim()
    .replace(/[\s’']/g, '')
    .replace(MINUS, '-');
  const separator = THOUSANDS.exec(text)?.[1] ?? localeDecimal;
  return separator === localeDecimal ? plain(text) : text.replace(separator, '');
}

const SCALE = 6;
const UNIT = 10n ** BigInt(SCALE);

/**
 * Converts an amount in the service's notation to an exact number of millionths. Returns undefined for any other text.
 */
export function unitsIn(amount: string): bigint | undefined {
  const [, sign, whole, decimals = ''] = /^([-+]?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  const units = BigInt(whole) * UNIT + BigInt(decimals.padEnd(SCALE, '0'));
  return sign === '-' ? -units : units;
}

/** Converts a typed amount to an exact number of millionths. Returns undefined for any other text. */
export const unitsOf = (typed: string | undefined): bigint | undefined => unitsIn(amountOf(typed ?? ''));

/** Converts millionths to the service's notation with the given number of decimals. Rounds half away from zero. */
export function amountIn(units: bigint, digits: number): string {
  const step = 10n ** BigInt(SCALE - digits);
  const size = units < 0n ? -units : units;
  const rounded = ((size + step / 2n) / step).toString().padStart(digits + 1, '0');
  const text = digits === 0 ? rounded : `${rounded.slice(0, -digits)}.${rounded.slice(-digits)}`;
  return units < 0n && /[1-9]/.test(text) ? `-${text}` : text;
}

/**
 * Currencies that do not have two decimals (ISO 4217). This list is needed because browsers also omit decimals that are
 * rarely used.
 */
const DIGITS = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const;

/** Returns the number of decimal places that the service uses for a currency. */
export const digitsOf = (currency: string): number =>
  DIGITS.find(([, currencies]) => currencies.split(' ').includes(currency))?.[0] ?? 2;

/** Returns the tax contained in a gross amount. */
export const taxIn = (gross: bigint, ratePercent: bigint): bigint =>
  (2n * gross * ratePercent + (100n * UNIT + ratePercent)) / (2n * (100n * UNIT + ratePercent));

/**
 * Returns the gross amount of a sale line. Like the service, rounds net and gross amounts to the currency's decimals.
 */
export function grossOf(line: Readonly<Record<string, string>>, digits: number): bigint {
  const [quantity, price] = [unitsOf(line['quantity']) ?? 0n, unitsOf(line['unitPrice']) ?? 0n];
  const [discount, rate] = [unitsOf(line['discount']) ?? 0n, unitsOf(line['taxRate']) ?? 0n];
  const rounded = (units: bigint): bigint => unitsIn(amountIn(units, digits)) ?? 0n;
  const net = rounded((quantity * price) / UNIT - discount);
  return rounded((net * (100n * UNIT + rate)) / (100n * UNIT));
}
