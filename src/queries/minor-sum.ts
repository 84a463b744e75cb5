/** Half of the largest exact integer. A double represents the sum of two such numbers exactly. */
const MAX_LOW = 2 ** 52;

/**
 * An exact sum of minor units. Uses a double as long as the sum is exact, because bigint arithmetic is ten times
 * slower.
 */
export class MinorSum {
  private low = 0;
  private high = 0n;

  /** Adds an amount of at most 2^52 as a number, or any amount as a string or bigint. */
  add(amount: number | string | bigint, sign: 1 | -1 = 1): this {
    if (typeof amount !== 'number') {
      this.high += BigInt(amount) * BigInt(sign);
      return this;
    }
    this.low += sign * amount;
    if (this.low > MAX_LOW || this.low < -MAX_LOW) {
      this.high += BigInt(this.low);
      this.low = 0;
    }
    return this;
  }

  get value(): bigint {
    return this.high + BigInt(this.low);
  }
}

/**
 * Maximum length of an amount as a string. For amounts up to this length, rounding once always yields the exact minor
 * units as a double.
 */
const MAX_LENGTH = 14;

/** Converts an amount in a read model to minor units, for `MinorSum`. */
export function minorOf(amount: string, digits: number): number | bigint {
  if (amount.length <= MAX_LENGTH) return Math.round(Number(amount) * 10 ** digits);
  return BigInt(digits === 0 ? amount : amount.slice(0, -digits - 1) + amount.slice(-digits));
}
