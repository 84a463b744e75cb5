import { LRUCache } from 'lru-cache';
import { codesIn } from './read-store.codes.js';
import { columnOf, NONE, NUMBERS, TAG, tailRows, type TailRow } from './read-store.columns.js';
import type { ReadStoreDatabase } from './read-store.database.js';
import { lastUpTo, lowestOf, Places, type Bits } from './read-store.sets.js';
import type { TableShape } from './read-store.tables.js';
import type { List, Span } from './read-store.word-lists.js';

type Kept = { readonly tag: string; readonly blocks: readonly Uint32Array[] };

/**
 * The blocks of columns that were read last, of all tables: to read four megabytes takes longer than to look through them.
 * What is kept holds as long as the scope's tag is the one that was read with it, see ColumnWriter.
 */
export class KeptColumns {
  private readonly kept: LRUCache<string, Kept>;

  constructor(
    private readonly db: ReadStoreDatabase,
    maxBytes: number,
  ) {
    const sizeCalculation = ({ blocks }: Kept) => blocks.reduce((sum, { byteLength }) => sum + byteLength, 1);
    this.kept = new LRUCache({ maxSize: maxBytes, sizeCalculation });
  }

  /** @param tag of the scope; undefined where its columns were written before there were tags */
  get({ blocks: table }: TableShape, scope: number, column: number, tag: string | undefined): readonly Uint32Array[] {
    const key = `${table} ${scope} ${column}`;
    const known = this.kept.get(key);
    if (known !== undefined && known.tag === tag) return known.blocks;
    const text = `SELECT data FROM ${table} WHERE scope = ? AND field = ? ORDER BY first`;
    const blocks = this.db.all(text, scope, column).map(([data]) => codesIn(data as unknown as Uint8Array));
    if (tag !== undefined) this.kept.set(key, { tag, blocks });
    return blocks;
  }

  tagOf({ blocks: table }: TableShape, scope: number): string | undefined {
    const found = this.db.get(`SELECT hex(data) FROM ${table} WHERE scope = ? AND field = ${TAG}`, scope)?.[0];
    return found as string | undefined;
  }
}

/** The columns of a scope in one transaction, each read when it is first asked for; the tail is the last block. */
export class Columns {
  private readonly read = new Map<number, readonly Uint32Array[]>();
  private readonly rows: readonly TailRow[];
  private readonly tag: string | undefined;

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly kept: KeptColumns,
    private readonly shape: TableShape,
    private readonly scope: number,
    private readonly block: number,
  ) {
    this.rows = tailRows(this.db, shape, scope, block);
    this.tag = kept.tagOf(shape, scope);
  }

  /** What documents have, or those of some places, in a column that is one of `codes`, in whichever of its planes. */
  having(column: number, codes: Bits, among?: Places): Places {
    if (codes.length === 0) return this.none();
    const isFew = codes.length * FEW < this.count;
    return column === NUMBERS && isFew && !among ? this.ofNumbers(codes.all) : this.looked(column, codes, among);
  }

  /** What is between the tail and the beginning, block by block. */
  spans(): Span[] {
    const full = this.get(NUMBERS).slice(0, -1);
    return full.map((numbers) => ({ first: numbers[0] ?? 0, last: numbers.at(-1) ?? 0 }));
  }

  /** What is in lists, and some documents more by their numbers. */
  listed(lists: readonly List[], numbers: Bits): Places {
    const found = this.having(NUMBERS, numbers);
    for (const { block, bits } of lists) found.addBlock(block, bits);
    return found;
  }

  /** Every document, those that no list shows among them. */
  all(): Places {
    const found = this.none();
    for (const [block, { length }] of this.get(NUMBERS).entries())
      for (let at = 0; at * 32 < length; at += 1)
        found.words[block * found.wordsInBlock + at] = firstBits(length - at * 32);
    return found;
  }

  /** The codes of single values. */
  each(column: number, among: Places, take: (code: number) => void): void {
    for (const [block, data] of this.get(column).entries()) {
      const base = block * among.wordsInBlock;
      for (let at = 0; at < among.wordsInBlock; at += 1) {
        let bits = among.words[base + at] ?? 0;
        for (; bits !== 0; bits &= bits - 1) take(data[at * 32 + lowestOf(bits)] ?? NONE);
      }
    }
  }

  private none(): Places {
    return new Places(this.get(0).length, this.block);
  }

  private get(column: number): readonly Uint32Array[] {
    const known = this.read.get(column);
    if (known) return known;
    const last = column === NUMBERS ? Uint32Array.from(this.rows, ({ number }) => number) : columnOf(this.rows, column);
    const found = [...this.kept.get(this.shape, this.scope, column, this.tag), last];
    this.read.set(column, found);
    return found;
  }

  /** All blocks but the tail are full. */
  private get count(): number {
    return (this.get(0).length - 1) * this.block + this.rows.length;
  }

  private looked(column: number, codes: Bits, among: Places | undefined): Places {
    const found = this.none();
    const numbers = this.get(NUMBERS);
    for (const [block, data] of this.get(column).entries()) {
      const size = numbers[block]?.length ?? 0;
      const base = block * found.wordsInBlock;
      for (let at = 0; at * 32 < size; at += 1) {
        const bits = among ? (among.words[base + at] ?? 0) : firstBits(size - at * 32);
        if (bits !== 0) found.words[base + at] = bitsOf(data, size, at * 32, bits, codes);
      }
    }
    return found;
  }

  /** Where some documents stand: blocks hold them in the order of their numbers. */
  private ofNumbers(numbers: readonly number[]): Places {
    const blocks = this.get(NUMBERS).filter(({ length }) => length > 0);
    const firsts = Uint32Array.from(blocks, ([first]) => first ?? 0);
    const found = this.none();
    for (const number of numbers) {
      const block = lastUpTo(firsts, number);
      const within = blocks[block] ?? NOTHING;
      const slot = lastUpTo(within, number);
      if (within[slot] === number) found.add(block, slot);
    }
    return found;
  }
}

const ALL = -1;
/** As many bits, up to all 32. */
const firstBits = (count: number): number => (count < 32 ? (1 << count) - 1 : ALL);

/** Those of `bits`, which stand for 32 documents of a column from `from` on, that have one of the codes. */
function bitsOf(data: Uint32Array, size: number, from: number, bits: number, codes: Bits): number {
  if (bits === ALL && data.length === size) return bitsOfAll(data, from, codes);
  let found = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    const slot = from + lowestOf(rest);
    if (codes.has(data[slot] ?? NONE) || (data.length > size && isBehind(data, slot, size, codes)))
      found |= rest & -rest;
  }
  return found;
}

/** Of a column with single values. A loop over 32 numbers is twice as fast as one over bits. */
function bitsOfAll(data: Uint32Array, from: number, codes: Bits): number {
  let found = 0;
  for (let slot = 0; slot < 32; slot += 1) if (codes.has(data[from + slot] ?? NONE)) found |= 1 << slot;
  return found;
}

/** In the planes after the first. */
function isBehind(data: Uint32Array, slot: number, size: number, codes: Bits): boolean {
  for (let at = slot + size; at < data.length; at += size) if (codes.has(data[at] ?? NONE)) return true;
  return false;
}

/** To find a number takes as long as to look at so many. */
const FEW = 32;
const NOTHING: Uint32Array = new Uint32Array();
