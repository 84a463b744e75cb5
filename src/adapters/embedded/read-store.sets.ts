/**
 * Documents of a scope by where they stand in its columns: the number of the block times its size, and the slot in it.
 * Ascending, none twice.
 */
export type Places = Uint32Array<ArrayBuffer>;

// Loops rather than `from` and `map`, which take fifty times as long for a million codes.

/** A set of whole numbers. */
export class Bits {
  private readonly words: Uint32Array;

  constructor(readonly all: readonly number[]) {
    let greatest = 0;
    for (const number of all) if (number > greatest) greatest = number;
    this.words = new Uint32Array((greatest >>> 5) + 1);
    for (const number of all) this.words[number >>> 5] = (this.words[number >>> 5] ?? 0) | (1 << (number & 31));
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

/** A set of places: a bit for each, blocks beginning with words of their own. */
export class Marks {
  private readonly wordsInBlock: number;
  private readonly words: Uint32Array;

  constructor(
    blocks: number,
    private readonly block: number,
  ) {
    this.wordsInBlock = (block + 31) >>> 5;
    this.words = new Uint32Array(blocks * this.wordsInBlock);
  }

  add(place: number): void {
    const block = Math.floor(place / this.block);
    const slot = place - block * this.block;
    const at = block * this.wordsInBlock + (slot >>> 5);
    this.words[at] = (this.words[at] ?? 0) | (1 << (slot & 31));
  }

  addBlock(block: number, bits: Uint32Array): void {
    const base = block * this.wordsInBlock;
    for (let at = 0; at < bits.length; at += 1) this.words[base + at] = (this.words[base + at] ?? 0) | (bits[at] ?? 0);
  }

  places(atMost: number): Places {
    const found = new Uint32Array(atMost);
    let length = 0;
    for (let at = 0; at < this.words.length; at += 1) {
      let bits = this.words[at] ?? 0;
      if (bits === 0) continue;
      const block = Math.floor(at / this.wordsInBlock);
      const base = block * this.block + (at - block * this.wordsInBlock) * 32;
      for (; bits !== 0; bits &= bits - 1) found[length++] = base + 31 - Math.clz32(bits & -bits);
    }
    return found.subarray(0, length);
  }
}

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

/** In ascending order, and none twice. */
export function ascending(places: Places): Places {
  let isAscending = true;
  for (let at = 1; at < places.length && isAscending; at += 1) isAscending = (places[at - 1] ?? 0) < (places[at] ?? 0);
  if (isAscending) return places;
  places.sort();
  let length = 0;
  for (const place of places) if (length === 0 || places[length - 1] !== place) places[length++] = place;
  return places.subarray(0, length);
}

/** What is in both. */
export function common(some: Places, others: Places): Places {
  const both = new Uint32Array(Math.min(some.length, others.length));
  let length = 0;
  for (let a = 0, b = 0; a < some.length && b < others.length;) {
    const left = some[a] ?? 0;
    const right = others[b] ?? 0;
    if (left === right) both[length++] = left;
    if (left <= right) a += 1;
    if (right <= left) b += 1;
  }
  return both.subarray(0, length);
}

/** What is in either. */
export function union(some: Places, others: Places): Places {
  if (some.length === 0) return others;
  if (others.length === 0) return some;
  const both = new Uint32Array(some.length + others.length);
  let length = 0;
  for (let a = 0, b = 0; a < some.length || b < others.length;) {
    const left = some[a] ?? Infinity;
    const right = others[b] ?? Infinity;
    both[length++] = Math.min(left, right);
    if (left <= right) a += 1;
    if (right <= left) b += 1;
  }
  return both.subarray(0, length);
}
