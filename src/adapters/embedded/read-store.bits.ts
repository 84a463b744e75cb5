/** A set of ordinals from 0 to `last`, inclusive, with one bit for each ordinal. */
export class Bits {
  private readonly words: Uint32Array;

  constructor(
    readonly last: number,
    words?: Uint32Array,
  ) {
    this.words = new Uint32Array((last >>> 5) + 1);
    if (words) this.words.set(words);
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  has(ordinal: number): boolean {
    return ((this.words[ordinal >>> 5] ?? 0) & (1 << (ordinal & 31))) !== 0;
  }

  /**
   * Adds the ordinals in a JSON array. Creates no intermediate array of numbers, because that would cause much garbage
   * collection.
   */
  addJson(json: string): this {
    let ordinal = -1;
    for (let at = 1; at < json.length; at += 1) {
      const digit = json.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) ordinal = Math.max(ordinal, 0) * 10 + digit;
      else if (ordinal >= 0) {
        this.add(ordinal);
        ordinal = -1;
      }
    }
    return this;
  }

  /** Adds the ordinals from `first` to `last` that another set does not contain. */
  addAllBut(other: Bits, first: number): this {
    for (let ordinal = first; ordinal <= this.last; ordinal += 1) if (!other.has(ordinal)) this.add(ordinal);
    return this;
  }

  private add(ordinal: number): void {
    const word = ordinal >>> 5;
    this.words[word] = (this.words[word] ?? 0) | (1 << (ordinal & 31));
  }

  /** Returns a copy with a larger `last`. */
  upTo(last: number): Bits {
    return new Bits(last, this.words);
  }

  and(other: Bits): Bits {
    const both = new Bits(this.last);
    for (let at = 0; at < both.words.length; at += 1) both.words[at] = (this.words[at] ?? 0) & (other.words[at] ?? 0);
    return both;
  }

  or(other: Bits): Bits {
    const either = new Bits(this.last);
    for (let at = 0; at < either.words.length; at += 1)
      either.words[at] = (this.words[at] ?? 0) | (other.words[at] ?? 0);
    return either;
  }

  get count(): number {
    let count = 0;
    for (const word of this.words) if (word !== 0) count += ones(word);
    return count;
  }

  *[Symbol.iterator](): Generator<number> {
    for (const [at, word] of this.words.entries())
      for (let rest = word; rest !== 0; rest &= rest - 1) yield at * 32 + 31 - Math.clz32(rest & -rest);
  }
}

const ZERO = 48;

/** Population count (Hacker's Delight, section 5-1). */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
