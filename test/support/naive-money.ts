/**
 * Money arithmetic for the models with which tests compare the service. Written independently and in the simplest way,
 * so that a model and the service do not share bugs. Amounts are in minor units.
 */
export const DIGITS = { EUR: 2, JPY: 0, KWD: 3 } as const;
export type Currency = keyof typeof DIGITS;

/** Returns 10 to the power of `digits`. */
export const unit = (digits: number): bigint => BigInt(`1${'0'.repeat(digits)}`);

/** @throws Error unless the text is an amount in the API's notation, with exactly this number of decimals */
export function minorUnits(text: string, digits: number): bigint {
  const form = digits === 0 ? /^-?(?:0|[1-9]\d*)$/ : new RegExp(`^-?(?:0|[1-9]\\d*)\\.\\d{${digits}}$`);
  if (!form.test(text) || /^-[0.]+$/.test(text)) throw new Error(`Not an amount of ${digits} digits: ${text}`);
  return BigInt(text.replace('.', ''));
}

export function amountText(minor: bigint, digits: number): string {
  const absolute = minor < 0n ? -minor : minor;
  const whole = `${minor < 0n ? '-' : ''}${absolute / unit(digits)}`;
  return digits === 0 ? whole : `${whole}.${String(absolute % unit(digits)).padStart(digits, '0')}`;
}

/** A decimal number as an exact fraction. */
type Ratio = { readonly top: bigint; readonly bottom: bigint };

function ratio(decimal: string): Ratio {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return { top: BigInt(whole + fraction), bottom: unit(fraction.length) };
}
const times = (a: Ratio, b: Ratio): Ratio => ({ top: a.top * b.top, bottom: a.bottom * b.bottom });
const plus = (a: Ratio, b: Ratio): Ratio => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});
const minus = (a: Ratio, b: Ratio): Ratio => plus(a, { top: -b.top, bottom: b.bottom });

/** Rounds to the nearest integer, half up. Supports only non-negative values. */
const rounded = ({ top, bottom }: Ratio): bigint => {
  const [whole, rest] = [top / bottom, top % bottom];
  return 2n * rest >= bottom ? whole + 1n : whole;
};

/** All decimal numbers are strings. */
export type NaiveLine = {
  readonly quantity: string;
  readonly unitPrice: string;
  readonly discount: string;
  readonly taxRate: string;
};

/** Returns the quantity times the unit price, truncated to an integer. */
export const wholePrice = (quantity: string, unitPrice: string): bigint => {
  const { top, bottom } = times(ratio(quantity), ratio(unitPrice));
  return top / bottom;
};

/** Returns undefined if the discount exceeds the price. */
export function pricedLine(line: NaiveLine, digits: number): { net: bigint; gross: bigint } | undefined {
  const exact = minus(times(ratio(line.quantity), ratio(line.unitPrice)), ratio(line.discount));
  if (exact.top < 0n) return undefined;
  const minor = { top: unit(digits), bottom: 1n };
  const net = rounded(times(exact, minor));
  const factor = plus({ top: 1n, bottom: 1n }, times(ratio(line.taxRate), { top: 1n, bottom: 100n }));
  return { net, gross: rounded(times({ top: net, bottom: 1n }, factor)) };
}
