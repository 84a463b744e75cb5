/** Room for as many bits. */
export const bitsFor = (count: number): Uint32Array => new Uint32Array(wordsFor(count));
const wordsFor = (count: number): number => (count + 31) >>> 5;

export function mark(words: Uint32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

/** A set of whole numbers. */
export class Bits {
  private readonly words: Uint32Array;

  constructor(readonly all: readonly number[]) {
    let greatest = 0;
    for (const number of all) if (number > greatest) greatest = number;
    this.words = bitsFor(greatest + 1);
    for (const number of all) mark(this.words, number);
  }

  get length(): number {
    return this.all.length;
  }

  has(number: number): boolean {
    const at = number >>> 5;
    // What is read behind the end of an array takes many times as long.
    return at < this.words.length && (((this.words[at] ?? 0) >>> (number & 31)) & 1) === 1;
  }
}

/**
 * Documents of a scope by where they stand in its columns, a bit for each; every block begins with a word of its own. A
 * million documents are 125 kB: as numbers they were megabytes of garbage for every list, which kept the collector busy.
 */
export class Places {
  readonly words: Uint32Array;
  readonly wordsInBlock: number;

  /** None. @param block documents that a block has at most */
  constructor(blocks: number, block: number) {
    this.wordsInBlock = wordsFor(block);
    this.words = new Uint32Array(blocks * this.wordsInBlock);
  }

  get size(): number {
    let size = 0;
    for (const word of this.words) for (let bits = word; bits !== 0; bits &= bits - 1) size += 1;
    return size;
  }

  add(block: number, slot: number): void {
    mark(this.words, block * this.wordsInBlock * 32 + slot);
  }

  addBlock(block: number, bits: Uint32Array): void {
    const base = block * this.wordsInBlock;
    for (let at = 0; at < bits.length; at += 1) this.words[base + at] = (this.words[base + at] ?? 0) | (bits[at] ?? 0);
  }

  /** Adds what is in the others. */
  or({ words }: Places): this {
    for (let at = 0; at < words.length; at += 1) this.words[at] = (this.words[at] ?? 0) | (words[at] ?? 0);
    return this;
  }

  /** Leaves what is in the others as well. */
  and({ words }: Places): this {
    for (let at = 0; at < words.length; at += 1) this.words[at] = (this.words[at] ?? 0) & (words[at] ?? 0);
    return this;
  }
}

/** Where the lowest of some bits stands, of which there must be one. */
export const lowestOf = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** Where the last of some ascending numbers stands that is not above one; -1: all are. */
export function lastUpTo(numbers: Uint32Array, one: number): number {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) <= one) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
