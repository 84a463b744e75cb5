import { Bits } from './read-store.bits.js';
import type { ReadStoreCatalog } from './read-store.catalog.js';
import type { Bound, Sql, Target } from './read-store.criteria.js';
import type { ReadStoreDatabase } from './read-store.database.js';
import { BLOCK, blockOf, rangeIndex } from './read-store.ddl.js';
import type { KeptBits } from './read-store.kept.js';
import { BASE, type Column } from './read-store.shape.js';

/** Bounds on one field that has a range index. */
export type IndexedRange = { readonly column: Column; readonly bounds: readonly Bound[] };

/** Number of blocks that are read to estimate how many documents are within a range. */
const SAMPLED_BLOCKS = 16;

/** Finds the documents within a range of a field, as bit sets. */
export class Ranges {
  constructor(
    private readonly db: ReadStoreDatabase,
    private readonly catalog: ReadStoreCatalog,
    private readonly kept: KeptBits,
  ) {}

  /**
   * Separates the bounds for which there is a range index from those that are checked while the list is scanned in
   * order. Bounds on the order itself are among the latter.
   */
  split({ shape }: Target, bounds: readonly Bound[]) {
    const isIndexed = (column: Column): boolean =>
      bounds.some((bound) => bound.column === column) &&
      !shape.order.includes(column) &&
      this.catalog.hasIndex(rangeIndex(shape, column));
    const columns = shape.ranged.filter(isIndexed);
    return {
      scanned: bounds.filter(({ column }) => !columns.includes(column)),
      ranges: columns.map((column): IndexedRange => ({
        column,
        bounds: bounds.filter((one) => one.column === column),
      })),
    };
  }

  /** Returns the documents within a range. */
  within(target: Target, range: IndexedRange): Bits {
    const bounds = range.bounds.map(({ operator, value }) => [operator, String(value)]);
    const criterion = `range ${JSON.stringify([range.column.field, ...bounds])}`;
    return this.kept.of(target, criterion, '', (bits, after) => {
      this.addTo(bits, target, range, after);
    });
  }

  /** Returns the documents from `first` to `last` that are within a range, and possibly others within the range. */
  among(target: Target, range: IndexedRange, first: number, last: number): Bits {
    return new Bits(target.state.last).addJson(this.read(target, range.column, insideOf(range), first, last));
  }

  /** Reads the documents outside the range instead if there are fewer of them. */
  private addTo(bits: Bits, target: Target, range: IndexedRange, after: number): void {
    const { count, last } = target.state;
    const read = (condition: Sql): string => this.read(target, range.column, condition, after + 1, last);
    const hasTombstones = count !== last;
    if (hasTombstones || !this.isWide(target, range, after)) bits.addJson(read(insideOf(range)));
    else {
      const outside = new Bits(last);
      for (const condition of outsideOf(range)) outside.addJson(read(condition));
      bits.addAllBut(outside, after + 1);
    }
  }

  /** Estimates whether more than half of the documents after `after` are within the range. */
  private isWide(target: Target, range: IndexedRange, after: number): boolean {
    const { last } = target.state;
    const [firstBlock, lastBlock] = [Math.floor((after + 1) / BLOCK), Math.floor(last / BLOCK)];
    const step = Math.ceil((lastBlock - firstBlock + 1) / SAMPLED_BLOCKS);
    const found = new Bits(last);
    let sampled = 0;
    for (let block = firstBlock; block <= lastBlock; block += step) {
      const [from, to] = [Math.max(1, block * BLOCK), Math.min((block + 1) * BLOCK - 1, last)];
      found.addJson(this.read(target, range.column, insideOf(range), from, to));
      sampled += to - from + 1;
    }
    return found.count > sampled / 2;
  }

  /**
   * Returns the ordinals that meet a condition on the column, as a JSON array. Reads all blocks that contain ordinals
   * from `first` to `last`. Comparing each ordinal with these limits would take a fifth of the time.
   */
  private read({ shape, scope }: Target, column: Column, { text, values }: Sql, first: number, last: number): string {
    const sql = `WITH RECURSIVE blocks (block) AS (SELECT ${blockOf(`(${BASE} + ?)`)}
        UNION ALL SELECT block + 1 FROM blocks WHERE block < ${blockOf(`(${BASE} + ?)`)})
      SELECT json_group_array(m.number - ${BASE}) FROM blocks
        CROSS JOIN ${shape.main} m INDEXED BY ${rangeIndex(shape, column)} ON ${blockOf('m.number')} = block
        WHERE m.dead = 0 AND ${text}`;
    return this.db.get(sql, scope, first, scope, last, scope, ...values)?.[0] as string;
  }
}

const insideOf = ({ column, bounds }: IndexedRange): Sql => ({
  text: bounds.map(({ operator }) => `m.${column.sql} ${operator} ?`).join(' AND '),
  values: bounds.map(({ value }) => value),
});

/** Returns conditions of which each document outside the range meets exactly one. */
const outsideOf = ({ column, bounds }: IndexedRange): Sql[] => [
  ...bounds.flatMap(({ operator, value }) =>
    OUTSIDE[operator].map((opposite): Sql => ({ text: `m.${column.sql} ${opposite} ?`, values: [value] })),
  ),
  { text: `m.${column.sql} IS NULL`, values: [] },
];
const OUTSIDE: Readonly<Record<Bound['operator'], readonly string[]>> = { '=': ['<', '>'], '>=': ['<'], '<=': ['>'] };
