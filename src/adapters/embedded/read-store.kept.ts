import { LRUCache } from 'lru-cache';
import { Bits } from './read-store.bits.js';
import type { Target } from './read-store.criteria.js';

const KEPT_BYTES = 24 * 1024 * 1024;

/** `stamp` identifies the data from which the bits were computed, apart from new documents. */
type Kept = { readonly stamp: string; readonly bits: Bits };

/** A cache of bit sets. */
export class KeptBits {
  private readonly kept = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bits }) => bits.bytes + 200,
  });

  /**
   * Returns the set of documents that meet a criterion.
   * @param on identifies the state of other tables from which the set is computed
   * @param add adds the matches among the documents with ordinals greater than `after`
   */
  of(
    { shape, scope, state }: Target,
    criterion: string,
    on: string,
    add: (bits: Bits, after: number) => unknown,
  ): Bits {
    const key = `${shape.name} ${scope} ${criterion}`;
    const stamp = `${state.changes} ${on}`;
    const known = this.kept.get(key);
    const isCurrent = known?.stamp === stamp && known.bits.last <= state.last;
    if (isCurrent && known.bits.last === state.last) return known.bits;
    const bits = isCurrent ? known.bits.upTo(state.last) : new Bits(state.last);
    add(bits, isCurrent ? known.bits.last : 0);
    this.kept.set(key, { stamp, bits });
    return bits;
  }
}
