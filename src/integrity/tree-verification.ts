import type { RecordedEvent } from '../ports/event-store.js';
import { GrowingTree, TILE_WIDTH } from './growing-tree.js';
import { leafHashOf, type LeafEvent } from './leaf.js';
import type { Digest } from './merkle.js';

/** An event with its position in the history or in a backup. */
export type PlacedEvent = LeafEvent & Pick<RecordedEvent, 'position'>;

/** A checkpoint with which the events are compared. `source` completes the phrase "the checkpoint over 10 events …". */
export type KnownRoot = { readonly size: number; readonly rootHash: string; readonly source: string };

/** Returns the known leaf hashes of a tile. They were stored when the events were appended. */
export type KnownLeaves = (tile: number) => Promise<readonly Digest[]>;

/** The events differ from those that a checkpoint covers. `index`: zero-based number of the first differing event. */
export class TamperedHistory extends Error {
  override readonly name = 'TamperedHistory';
  constructor(
    readonly index: number,
    message: string,
  ) {
    super(message);
  }
}

export type Verified = {
  readonly size: number;
  readonly root: Digest;
  /** Number of checkpoints that match the events. */
  readonly checkpoints: number;
  /** Number of events covered by a matching checkpoint. */
  readonly covered: number;
  /** Index of the first event that differs from its stored leaf although every checkpoint that covers it matches. */
  readonly damagedLeaf: number | undefined;
};

type Deviation = { readonly index: number; readonly event: PlacedEvent };
/** Number of events, starting with the first deviation, used to determine the kind of deviation. */
const WINDOW = 64;

/**
 * Adds events to a tree in order and compares the tree with checkpoints. If the leaves are known, locates the first
 * deviation exactly. Otherwise, the deviation is only known to lie between two checkpoints.
 */
export class TreeVerification {
  private readonly tree = new GrowingTree();
  private readonly roots: KnownRoot[];
  private next = 0;
  private covered = 0;
  /** Positions of the last event covered by a matching checkpoint, and of the last event added. */
  private coveredPosition = -1;
  private lastPosition = -1;
  private deviation: Deviation | undefined;
  private readonly window: Digest[] = [];
  private tile: readonly Digest[] = [];

  constructor(
    roots: readonly KnownRoot[],
    private readonly leaves?: KnownLeaves,
  ) {
    this.roots = roots.toSorted((a, b) => a.size - b.size);
  }

  /** @throws TamperedHistory */
  async add(events: readonly PlacedEvent[]): Promise<void> {
    for (const event of events) {
      const index = this.tree.size;
      if (this.leaves && index % TILE_WIDTH === 0) this.tile = await this.leaves(index / TILE_WIDTH);
      const hashed = leafHashOf(event);
      this.locate(index, event, hashed);
      this.tree.append(hashed);
      this.lastPosition = event.position;
      if (this.roots[this.next]?.size === index + 1) this.next = await this.compare(this.next);
    }
  }

  /**
   * Remembers the first event that differs from its stored leaf, and the hashes of this event and the events that
   * follow it.
   */
  private locate(index: number, event: PlacedEvent, hashed: Digest): void {
    const known = this.tile[index % TILE_WIDTH];
    if (!this.deviation && known && !known.equals(hashed)) this.deviation = { index, event };
    if (this.deviation && this.window.length < WINDOW) this.window.push(hashed);
  }

  /** @throws TamperedHistory if checkpoints cover more events than were added */
  async end(): Promise<Verified> {
    const { size } = this.tree;
    const beyond = this.roots[this.next];
    if (beyond) {
      const last = this.roots.at(-1)?.size ?? 0;
      await this.fail(
        `${last - size} events are missing at the end, after position ${this.lastPosition}: there are ${size} events, ` +
          `but the checkpoint ${beyond.source} covers ${last}.`,
        size,
      );
    }
    return {
      ...{ size, root: this.tree.root(), checkpoints: this.next, covered: this.covered },
      damagedLeaf: this.deviation?.index,
    };
  }

  /**
   * Compares the tree with the checkpoints of its current size, starting at index `first`. Returns the index of the
   * first checkpoint with a larger size.
   */
  private async compare(first: number): Promise<number> {
    const root = this.tree.root().toString('hex');
    const same = this.roots.slice(first, this.roots.findLastIndex(({ size }) => size === this.tree.size) + 1);
    for (const known of same) {
      if (known.rootHash !== root)
        await this.fail(
          `The events from number ${this.covered} (after position ${this.coveredPosition}) to number ` +
            `${known.size - 1} (position ${this.lastPosition}) differ from those that the checkpoint ${known.source} covers.`,
          this.covered,
        );
    }
    this.covered = this.tree.size;
    this.coveredPosition = this.lastPosition;
    return first + same.length;
  }

  private async fail(message: string, index: number): Promise<never> {
    if (!this.deviation) throw new TamperedHistory(index, message);
    const { index: at, event } = this.deviation;
    const { position, type, revision, stream } = event;
    const place = `number ${at}, at position ${position} (${type}, revision ${revision} of ${stream})`;
    throw new TamperedHistory(at, `${await this.what(at, place)} ${message}`);
  }

  /** Determines the kind of deviation from the events that follow the first deviation. */
  private async what(at: number, place: string): Promise<string> {
    const known: Digest[] = [];
    const first = Math.floor(at / TILE_WIDTH);
    for (const tile of [first, first + 1]) known.push(...((await this.leaves?.(tile)) ?? []));
    const expected = known.slice(at % TILE_WIDTH, (at % TILE_WIDTH) + WINDOW);
    const found = this.window;
    const indexIn = (hashes: readonly Digest[], one: Digest | undefined): number =>
      one === undefined ? -1 : hashes.findIndex((each) => each.equals(one));
    const [isMoved, isShifted] = [indexIn(expected, found[0]), indexIn(found, expected[0])];
    if (isMoved > 0 && isShifted > 0) return `Events were reordered, beginning with ${place}.`;
    if (isMoved > 0) return `${isMoved} events were removed before the event ${place}.`;
    if (isShifted > 0) return `${isShifted} events were inserted: the first is ${place}.`;
    return `The event ${place} was changed.`;
  }
}
