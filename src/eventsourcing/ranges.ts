import { PLATFORM_TENANT, tenantOfStream } from './stream-name.js';
import { BEFORE_ALL, type Narrowing, type Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';

/**
 * The history is divided by tenant into ranges, which replicas lead. The last hexadecimal digit of the tenant's id
 * determines the range, so that EventStoreDB can select a range's streams by name (ADR 0088). Platform records are in
 * range 0. The division must not change, because checkpoints belong to ranges.
 */
export const RANGES = 16;
/** Identifies the division. Increase it whenever the division changes, so that older releases refuse to start. */
export const DIVISION = 2_000_016;

export const rangeOf = (tenantId: string): number =>
  tenantId === PLATFORM_TENANT ? 0 : Number.parseInt(tenantId.slice(-1), 16);

/** Returns the range of a stream. A tenant's own record, which belongs to the platform, is in the tenant's range. */
export const rangeOfStream = (stream: string): number => rangeOf(tenantOfStream(stream) ?? PLATFORM_TENANT);

/** The part of the history on which a leader works. */
export type Portion = {
  /** Ranges in the portion; undefined for the whole history. */
  readonly ranges: readonly number[] | undefined;
  /** Whether this leader also performs the work that is not divided into ranges. */
  readonly coordinates: boolean;
  has(stream: string): boolean;
};

export const WHOLE: Portion = { ranges: undefined, coordinates: true, has: () => true };

/** The range whose leader also performs the work that is not divided into ranges. */
const COORDINATOR = 0;

export function portionOf(ranges: readonly number[]): Portion {
  const owned = new Set(ranges);
  return { ranges, coordinates: owned.has(COORDINATOR), has: (stream) => owned.has(rangeOfStream(stream)) };
}

/** Name prefix of sale streams, which contain most events. Every sale belongs to a tenant. */
const DIVIDED = 'sale-';
const UUID_LENGTH = 36;
/** Index of the last digit of the tenant id in a sale stream's name. */
const DIGIT_AT = DIVIDED.length + UUID_LENGTH - 1;

/**
 * Returns a narrowing that selects the sale streams of some ranges, and all streams other than sales. Returns no
 * narrowing if all ranges are selected.
 */
export function narrowedTo(ranges: readonly number[] | undefined): { readonly narrowing?: Narrowing } {
  if (!ranges || ranges.length === RANGES) return {};
  const characters = ranges.map((range) => range.toString(16)).sort();
  return { narrowing: { prefix: DIVIDED, at: DIGIT_AT, characters: characters.join('') } };
}

/** Whether `narrowedTo` may exclude a stream. */
export const isDivided = (stream: string): boolean => stream.startsWith(DIVIDED);

/** Returns the key for a range's part of a checkpoint; see `WriteBatch.checkpoints`. */
export type PartKey = (key: string, range: number) => string;
/** All read models share one stored value per range, because a batch advances them together. */
export const modelPart: PartKey = (key, range) => `digit:${range.toString(16)}#${key}`;
/** All ranges of a subscriber share one stored value. */
export const subscriberPart: PartKey = (key, range) => `${key}#digit-${range.toString(16)}`;

export const ALL_RANGES = Array.from({ length: RANGES }, (_, range) => range);

/**
 * Returns the number of ranges that the process at index `at` of `count` processes should lead, and all ranges in that
 * process's order of preference. The shares of all processes add up to the number of ranges. The order is the same in
 * every group to which the process belongs. A process that leads the same ranges in each group receives fewer events.
 */
export function shareOf(at: number, count: number): { readonly share: number; readonly preferred: readonly number[] } {
  const base = Math.floor(RANGES / count);
  const larger = RANGES % count;
  const first = at * base + Math.min(at, larger);
  return {
    share: base + (at < larger ? 1 : 0),
    preferred: [...ALL_RANGES.slice(first), ...ALL_RANGES.slice(0, first)],
  };
}

export const partsOf = (key: string, part: PartKey, { ranges }: Pick<Portion, 'ranges'>): readonly string[] =>
  ranges ? ranges.map((range) => part(key, range)) : [key];

/**
 * Returns, for each key, the position that every range of a portion has reached. The checkpoint under the key itself
 * applies to every range. It is the minimum across all ranges, or was stored by an earlier release.
 */
export async function positionsIn(
  store: Pick<ReadStore, 'checkpoints'>,
  keys: readonly string[],
  part: PartKey,
  ranges: readonly number[] = ALL_RANGES,
): Promise<Position[]> {
  const wanted = keys.flatMap((key) => [key, ...ranges.map((range) => part(key, range))]);
  const stored = await store.checkpoints(wanted);
  const width = ranges.length + 1;
  return keys.map((_, at) => {
    const whole = stored[at * width] ?? BEFORE_ALL;
    const own = stored.slice(at * width + 1, (at + 1) * width);
    return own.length === 0 ? whole : Math.min(...own.map((position) => Math.max(position, whole)));
  });
}

const DIVISION_KEY = 'division';

/** Records how the history is divided. @throws Error if another division is in use; ReadStoreUnavailable */
export async function checkDivision(store: Pick<ReadStore, 'checkpoint' | 'write'>): Promise<void> {
  await store.write({ tables: [], checkpoints: [{ key: DIVISION_KEY, position: DIVISION }] });
  const known = await store.checkpoint(DIVISION_KEY);
  if (known !== DIVISION)
    throw new Error(`The read models divide the history differently (${known} instead of ${DIVISION}).`);
}
