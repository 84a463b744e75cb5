import { z } from 'zod';
import { documented } from './shapes.js';

/**
 * Amounts in requests: decimal text, or a JSON number of at most 15 significant digits, which a double holds exactly.
 * What comes out is always decimal text, with the digits as given; nothing here calculates.
 */
const MAX_INTEGER_DIGITS = 15;
const MAX_SIGNIFICANT_DIGITS = 15;
/** No currency of ISO 4217 has more digits than 4; prices and quantities have up to 6. */
const MAX_MONEY_DECIMALS = 6;

const significantDigits = (decimal: string): number => decimal.replace('.', '').replace(/^0+|0+$/g, '').length;

const fromNumber = (value: number, context: z.RefinementCtx): string => {
  const decimal = String(value);
  if (significantDigits(decimal.replace(/e.*/, '')) > MAX_SIGNIFICANT_DIGITS) {
    context.addIssue(`As a JSON number it has at most ${MAX_SIGNIFICANT_DIGITS} significant digits; send it as text.`);
    return z.NEVER;
  }
  return decimal;
};

export type DecimalBounds = {
  readonly maxDecimals: number;
  /** Zero is taken too. Default: only what is greater. */
  readonly zero?: boolean;
  /** Greatest value, inclusive. */
  readonly maximum?: number;
};

const isZero = (decimal: string): boolean => !/[1-9]/.test(decimal);

/** Plain decimal text, not negative. */
export function decimalInput({ maxDecimals, zero = false, maximum }: DecimalBounds) {
  const fraction = maxDecimals === 0 ? '' : `(?:\\.\\d{1,${maxDecimals}})?`;
  const pattern = new RegExp(`^(?:0|[1-9]\\d{0,${MAX_INTEGER_DIGITS - 1}})${fraction}$`);
  const form = `Must be a decimal with at most ${MAX_INTEGER_DIGITS} digits before the point and ${maxDecimals} after it.`;
  const decimal = z
    .union([z.string(), z.number().transform(fromNumber)], { error: (issue) => messageOf(issue, form) })
    .pipe(
      z
        .string()
        .regex(pattern, { error: form, abort: true })
        .refine((value) => zero || !isZero(value), 'Must be greater than 0.')
        .refine((value) => maximum === undefined || Number(value) <= maximum, `Must be at most ${maximum ?? ''}.`),
    );
  return documented(decimal, {
    oneOf: [
      { type: 'string', pattern: pattern.source },
      {
        type: 'number',
        ...(zero ? { minimum: 0 } : { exclusiveMinimum: 0 }),
        ...(maximum === undefined ? {} : { maximum }),
      },
    ],
  });
}

/** The union says what its number branch found, where the value was a number. */
function messageOf(issue: z.core.$ZodRawIssue, form: string): string {
  if (issue.code !== 'invalid_union') return form;
  const faults = (issue.errors as z.core.$ZodIssue[][]).flat().filter(({ code }) => code === 'custom');
  return faults[0]?.message ?? form;
}

/** An amount of money, greater than 0. Whether its digits fit the currency is decided where the currency is known. */
export const moneyInput = decimalInput({ maxDecimals: MAX_MONEY_DECIMALS });
/** Unit prices and discounts. */
export const priceInput = decimalInput({ maxDecimals: 6, zero: true });
export const quantityInput = decimalInput({ maxDecimals: 6 });
/** Per cent. */
export const taxRateInput = decimalInput({ maxDecimals: 4, zero: true, maximum: 100 });

/** ISO 4217 code; whether it is the tenant's is decided later. */
export const currencyInput = z
  .string()
  .trim()
  .regex(/^[A-Z]{3}$/, 'Must be an ISO 4217 code such as EUR.');
