import { LRUCache } from 'lru-cache';
import { codesIn } from './read-store.codes.js';
import { columnOf, NONE, NUMBERS, TAG, tailRows, type TailRow } from './read-store.columns.js';
import type { ReadStoreDatabase } from './read-store.database.js';
import { ascending, lastUpTo, Marks, type Bits, type Places } from './read-store.sets.js';
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
    if (codes.length === 0) return new Uint32Array();
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
    const marks = new Marks(this.get(NUMBERS).length, this.block);
    for (const { block, bits } of lists) marks.addBlock(block, bits);
    for (const place of this.having(NUMBERS, numbers)) marks.add(place);
    return marks.places(this.count);
  }

  /** Those that lists show, which have a value or its stand-in in the order's first field. */
  shown(among?: Places): Places {
    const found = new Uint32Array(among?.length ?? this.count);
    let length = 0;
    this.each(0, among, (place, code) => {
      if (code !== NONE) found[length++] = place;
    });
    return found.subarray(0, length);
  }

  /** The codes of single values, beside their places. */
  each(column: number, among: Places | undefined, take: (place: number, code: number) => void): void {
    const blocks = this.get(column);
    const count = among?.length ?? this.count;
    let data = NOTHING;
    let base = 0;
    let end = 0;
    for (let at = 0; at < count; at += 1) {
      const place = among ? (among[at] ?? 0) : at;
      if (place >= end) {
        const block = Math.floor(place / this.block);
        data = blocks[block] ?? NOTHING;
        base = block * this.block;
        end = base + this.block;
      }
      take(place, data[place - base] ?? NONE);
    }
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
    const found = new Uint32Array(among?.length ?? this.count);
    const numbers = this.get(NUMBERS);
    let length = 0;
    let at = 0;
    for (const [block, data] of this.get(column).entries()) {
      const part: Block = { data, size: numbers[block]?.length ?? 0, base: block * this.block };
      if (!among) {
        length = lookThrough(part, codes, found, length);
        continue;
      }
      const own = among.subarray(at, lastUpTo(among, part.base + this.block - 1) + 1);
      length = lookAt(own, part, codes, found, length);
      at += own.length;
    }
    return found.subarray(0, length);
  }

  /** Where some documents stand: blocks hold them in the order of their numbers. */
  private ofNumbers(numbers: readonly number[]): Places {
    const blocks = this.get(NUMBERS).filter(({ length }) => length > 0);
    const firsts = Uint32Array.from(blocks, ([first]) => first ?? 0);
    const found = new Uint32Array(numbers.length);
    let length = 0;
    for (const number of numbers) {
      const block = lastUpTo(firsts, number);
      const within = blocks[block] ?? NOTHING;
      const slot = lastUpTo(within, number);
      if (within[slot] === number) found[length++] = block * this.block + slot;
    }
    return ascending(found.subarray(0, length));
  }
}

/** A block of a column: of `size` documents, the first of which stands at `base`. */
type Block = { readonly data: Uint32Array; readonly size: number; readonly base: number };

function lookThrough({ data, size, base }: Block, codes: Bits, found: Uint32Array, already: number): number {
  let length = already;
  if (data.length === size) {
    for (let slot = 0; slot < size; slot += 1) if (codes.has(data[slot] ?? NONE)) found[length++] = base + slot;
    return length;
  }
  for (let slot = 0; slot < size; slot += 1)
    if (codes.has(data[slot] ?? NONE) || isBehind(data, slot, size, codes)) found[length++] = base + slot;
  return length;
}

function lookAt(among: Places, { data, size, base }: Block, codes: Bits, found: Uint32Array, already: number): number {
  let length = already;
  for (const place of among)
    if (codes.has(data[place - base] ?? NONE) || isBehind(data, place - base, size, codes)) found[length++] = place;
  return length;
}

/** In the planes after the first. */
function isBehind(data: Uint32Array, slot: number, size: number, codes: Bits): boolean {
  for (let at = slot + size; at < data.length; at += size) if (codes.has(data[at] ?? NONE)) return true;
  return false;
}

/** To find a number takes as long as to look at so many. */
const FEW = 32;
const NOTHING: Uint32Array = new Uint32Array();
