import { setImmediate as nextTurn } from 'node:timers/promises';
import { combined } from '../ports/combined.js';
import { BEFORE_ALL } from '../ports/event-store.js';
import type { ReadStore, WriteBatch } from '../ports/read-store.js';
import { partsOf, positionsIn, subscriberPart, WHOLE, type Portion } from '../eventsourcing/ranges.js';

/** Storage for subscriber checkpoints. */
export interface Checkpoints {
  /** Returns the position that every range has reached. */
  load(name: string): Promise<number>;
  /** Returns the positions of the ranges, in the given order. */
  loadRanges(name: string, ranges: readonly number[]): Promise<readonly number[]>;
  /** Saves a portion's position. Default portion: the whole history. */
  save(name: string, position: number, portion?: Portion): Promise<void>;
}

/** Key of a subscriber's checkpoint in the read store. */
export const subscriberKey = (name: string): string => `subscriber:${name}`;

/** Number of checkpoints that the coordinator saves before it combines the positions of all ranges. */
const COMBINE_EVERY = 5;

/**
 * Stores checkpoints alongside the read models. `isDivided`: other processes may save the checkpoints of other ranges.
 */
export function checkpointsIn(store: ReadStore, isDivided = false): Checkpoints {
  const saves = new Map<string, number>();
  const write = combined<WriteBatch['checkpoints'], undefined>(nextTurn, async (asked) => {
    await store.write({ tables: [], checkpoints: asked.flat() });
    return [];
  });
  const ranges = isDivided ? undefined : [];
  const load = async (name: string): Promise<number> =>
    (await positionsIn(store, [subscriberKey(name)], subscriberPart, ranges))[0] ?? BEFORE_ALL;
  /** Updates the undivided checkpoint, from which a release without ranges continues. */
  const combine = async (name: string): Promise<void> => {
    const count = (saves.get(name) ?? 0) + 1;
    saves.set(name, count % COMBINE_EVERY);
    if (count === COMBINE_EVERY) await write([{ key: subscriberKey(name), position: await load(name) }]);
  };
  return {
    load,
    loadRanges: async (name, wanted) => {
      const key = subscriberKey(name);
      const [whole, ...parts] = await store.checkpoints([key, ...wanted.map((range) => subscriberPart(key, range))]);
      return parts.map((position) => Math.max(position, whole ?? BEFORE_ALL));
    },
    save: async (name, position, portion = WHOLE) => {
      const keys = partsOf(subscriberKey(name), subscriberPart, portion);
      await write(keys.map((key) => ({ key, position })));
      if (portion.ranges && portion.coordinates) await combine(name);
    },
  };
}
