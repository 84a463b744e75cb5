import { bytesOf, codesIn } from './read-store.codes.js';
import type { ReadStoreDatabase, Value } from './read-store.database.js';
import { bitsFor, mark } from './read-store.sets.js';
import type { TableShape } from './read-store.tables.js';

/*
 * For words that many of a block's documents have: which of them do, a bit for each. The rows of words are all there
 * is; lists only save reading most of them: where a word has no list in a block, its rows are read.
 */

/** Of a document in a block: the number of the block's first one, and where it stands behind that one. */
type Place = { readonly scope: number; readonly first: number; readonly slot: number };

const wordsIn = (json: string): string[] => Object.keys(JSON.parse(json) as object);

/** Kept in step with the rows of words, inside the writer's transaction. */
export class WordListWriter {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly shape: TableShape,
    /** Documents that have a word: with fewer in a block it has no list there. */
    private readonly listed: number,
  ) {}

  /** Of a new block, whose documents' words are stored. */
  add(scope: number, numbers: Uint32Array): void {
    const slots = new Map<string, number[]>();
    const sql = `SELECT n.key, m.words FROM json_each(?) n CROSS JOIN ${this.shape.main} m ON m.number = n.value
      WHERE m.words IS NOT NULL`;
    for (const [slot, json] of this.db.all(sql, JSON.stringify([...numbers]))) {
      for (const word of wordsIn(json as string)) {
        const known = slots.get(word);
        if (known) known.push(slot as number);
        else slots.set(word, [slot as number]);
      }
    }
    for (const [word, own] of slots) {
      if (own.length < this.listed) continue;
      const bits = bitsFor(numbers.length);
      for (const slot of own) mark(bits, slot);
      this.put(scope, word, numbers[0] ?? 0, bits);
    }
  }

  /** A document of a block has lost some words, and others have come to it. */
  change(place: Place, gone: readonly string[], come: readonly string[]): void {
    for (const word of gone) this.set(place, word, 0);
    for (const word of come) this.set(place, word, 1);
  }

  private set({ scope, first, slot }: Place, word: string, bit: 0 | 1): void {
    const sql = `SELECT bits FROM ${this.shape.lists} WHERE scope = ? AND word = ? AND first = ?`;
    const known = this.db.get(sql, scope, word, first)?.[0];
    if (known === undefined) return;
    const bits = codesIn(known as unknown as Uint8Array).slice();
    const others = (bits[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
    bits[slot >>> 5] = others | (bit << (slot & 31));
    this.put(scope, word, first, bits);
  }

  private put(scope: number, word: string, first: number, bits: Uint32Array): void {
    const sql = `INSERT INTO ${this.shape.lists} (scope, word, first, bits) VALUES (?, ?, ?, ?)
      ON CONFLICT (scope, word, first) DO UPDATE SET bits = excluded.bits`;
    this.db.run(sql, scope, word, first, bytesOf(bits));
  }
}

/** A word's list in one block. */
export type List = { readonly word: string; readonly block: number; readonly bits: Uint32Array };
/** The numbers of a block's first and last documents. */
export type Span = { readonly first: number; readonly last: number };
export type FoundByLists = {
  readonly lists: readonly List[];
  /** Documents that have such a word where it has no list: their numbers, some of them twice. */
  readonly numbers: readonly number[];
};

/** Numbers of documents from rows of words: as one text, which costs a fraction of as many rows. */
export function docsOf(db: ReadStoreDatabase, from: string, ...values: readonly Value[]): number[] {
  const found = db.get(`SELECT json_group_array(w.doc) FROM ${from}`, ...values)?.[0];
  return JSON.parse(String(found ?? '[]')) as number[];
}

/** The words of one scope in one transaction. */
export class WordLists {
  /** The blocks by their first documents' numbers. */
  private readonly blocks: ReadonlyMap<number, number>;

  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly shape: TableShape,
    private readonly scope: number,
    private readonly spans: readonly Span[],
  ) {
    this.blocks = new Map(spans.map(({ first }, block) => [first, block]));
  }

  /** Documents that have a word from `from` on, and before `to`. */
  between(from: string, to: string): FoundByLists {
    const sql = `SELECT word, first, bits FROM ${this.shape.lists} WHERE scope = ? AND word >= ? AND word < ?
      ORDER BY word, first`;
    const lists: List[] = [];
    for (const [word, first, bits] of this.db.all(sql, this.scope, from, to)) {
      const block = this.blocks.get(first as number);
      if (block !== undefined)
        lists.push({ word: word as string, block, bits: codesIn(bits as unknown as Uint8Array) });
    }
    return { lists, numbers: this.beside(lists, from, to) };
  }

  /** What the rows say where there is no list. */
  private beside(lists: readonly List[], from: string, to: string): number[] {
    const found: number[][] = [];
    let word: string | undefined;
    let next = 0;
    /** What is left of the word, and the words between it and another. */
    const upTo = (end: string) => {
      if (word === undefined) found.push(this.docs('w.word >= ? AND w.word < ?', from, end));
      else {
        found.push(this.docs('w.word = ? AND w.doc > ?', word, this.lastBefore(next)));
        found.push(this.docs('w.word > ? AND w.word < ?', word, end));
      }
    };
    for (const list of lists) {
      if (list.word !== word) {
        upTo(list.word);
        word = list.word;
        next = 0;
      }
      if (list.block > next) {
        const gap = [this.lastBefore(next), this.spans[list.block]?.first ?? 0];
        found.push(this.docs('w.word = ? AND w.doc > ? AND w.doc < ?', word, ...gap));
      }
      next = list.block + 1;
    }
    upTo(to);
    return ([] as number[]).concat(...found);
  }

  private lastBefore(block: number): number {
    return this.spans[block - 1]?.last ?? 0;
  }

  private docs(where: string, ...values: readonly Value[]): number[] {
    return docsOf(this.db, `${this.shape.words} w WHERE w.scope = ? AND ${where}`, this.scope, ...values);
  }
}
