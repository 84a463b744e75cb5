import { MinorSum } from './minor-sum.js';

/**
 * The postings of one event to a customer: debits minus credits in minor units (see MinorSum), and the earliest date.
 */
export type CustomerPosting = { readonly net: number | bigint; readonly date: string };

/**
 * Combines the postings of a record's later events (such as a return or cancellation) with the postings of its first
 * event. Postings must be added newest first. The remaining amount of a record is either an open item or a credit,
 * which settles the oldest items. A posting dated before the first event's posting counts separately.
 */
export class LaterPostings {
  private readonly waiting = new Map<string, CustomerPosting[]>();

  /** Adds a posting. `key` identifies the record and the customer. */
  add(key: string, posting: CustomerPosting): void {
    const known = this.waiting.get(key);
    if (known) known.push(posting);
    else this.waiting.set(key, [posting]);
  }

  /**
   * Returns the remaining amount of the record that begins with `first`, followed by the record's postings that count
   * separately.
   */
  joined(key: string, first: CustomerPosting): readonly CustomerPosting[] {
    const later = this.waiting.get(key);
    if (!later) return [first];
    this.waiting.delete(key);
    const own = later.filter(({ date }) => date >= first.date);
    const net = own.reduce((sum, posting) => sum + BigInt(posting.net), BigInt(first.net));
    return [{ net, date: first.date }, ...later.filter(({ date }) => date < first.date)];
  }

  /** Returns the postings of records whose first event did not post to the customer or is not part of the report. */
  get rest(): ReadonlyMap<string, readonly CustomerPosting[]> {
    return this.waiting;
  }
}

/** Whether a return is a separate open item: more was refunded than returned, so the customer owes the difference. */
export const isOwnItem = (isReturn: boolean, net: number | bigint): boolean => isReturn && net > 0;

export const BUCKETS = ['current', 'd30', 'd60', 'd90', 'older'] as const;
export type Bucket = (typeof BUCKETS)[number];

const DAY_MS = 86_400_000;

/** Returns the number of days from one date to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

const LIMITS = [0, 30, 60, 90];

/**
 * Returns the index of an item's bucket. Items are due on their date: `current` is not overdue, `d30` is overdue by at
 * most 30 days, and so on.
 */
export function bucketOf(date: string, asOf: string): number {
  const days = daysBetween(date, asOf);
  const at = LIMITS.findIndex((limit) => days <= limit);
  return at < 0 ? LIMITS.length : at;
}

/** The amounts that a customer owes, by age. */
export class AgedBalance {
  private readonly items = BUCKETS.map(() => new MinorSum());
  private readonly sum = new MinorSum();

  add(bucket: number, left: number | bigint): void {
    this.sum.add(left);
    if (left > 0) this.items[bucket]?.add(left);
  }

  get balance(): bigint {
    return this.sum.value;
  }

  /**
   * The open amount in each bucket. The sum of these amounts is the balance. Credits settle the oldest items, so the
   * newest items that make up the balance are open. A credit balance belongs to the `current` bucket.
   */
  get open(): bigint[] {
    let left = this.balance;
    if (left < 0n) return BUCKETS.map((_, at) => (at === 0 ? left : 0n));
    return this.items.map(({ value }) => {
      const open = value < left ? value : left;
      left -= open;
      return open;
    });
  }
}
