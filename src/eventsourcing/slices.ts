import { parseStreamName, PLATFORM_TENANT } from './stream-name.js';
import { isUuid } from '../ports/uuid.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { ReadStore } from '../ports/read-store.js';

/**
 * The history is divided by tenant into slices. Slices are grouped into ranges, which replicas lead. Records of the
 * platform are in slice 0. Neither the hash function nor the counts may change, because checkpoints belong to ranges.
 */
export const SLICES = 64;
export const RANGES = 16;
/**
 * Identifies the hash function and the counts. It must be increased whenever these change, so that an older release
 * refuses to start.
 */
export const DIVISION = 1_064_016;

/** Returns the 32-bit FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export const sliceOf = (tenantId: string): number => (tenantId === PLATFORM_TENANT ? 0 : hashOf(tenantId) % SLICES);
export const rangeOf = (tenantId: string): number => Math.floor(sliceOf(tenantId) / (SLICES / RANGES));

/** Returns the range of a stream. A tenant's own record, which belongs to the platform, is in the tenant's range. */
export function rangeOfStream(stream: string): number {
  const name = parseStreamName(stream);
  if (!name) return 0;
  const isOwnRecord = name.tenantId === PLATFORM_TENANT && name.entity === 'tenant' && isUuid(name.id);
  return rangeOf(isOwnRecord ? name.id : name.tenantId);
}

/** The part of the history on which a leader works. */
export type Portion = {
  /** Ranges in the portion; undefined for the whole history. */
  readonly ranges: readonly number[] | undefined;
  /** Whether this leader also does the undivided work. */
  readonly coordinates: boolean;
  has(stream: string): boolean;
};

export const WHOLE: Portion = { ranges: undefined, coordinates: true, has: () => true };

/** The range whose leader also does the undivided work. */
const COORDINATOR = 0;

export function portionOf(ranges: readonly number[]): Portion {
  const owned = new Set(ranges);
  return { ranges, coordinates: owned.has(COORDINATOR), has: (stream) => owned.has(rangeOfStream(stream)) };
}

/** Returns the key of the part of a checkpoint that belongs to a range; see `WriteBatch.checkpoints`. */
export type PartKey = (key: string, range: number) => string;
/** All read models share one stored value per range, because a batch advances them together. */
export const modelPart: PartKey = (key, range) => `range:${range}#${key}`;
/** All ranges of a subscriber share one stored value. */
export const subscriberPart: PartKey = (key, range) => `${key}#${range}`;

export const ALL_RANGES = Array.from({ length: RANGES }, (_, range) => range);

export const partsOf = (key: string, part: PartKey, { ranges }: Pick<Portion, 'ranges'>): readonly string[] =>
  ranges ? ranges.map((range) => part(key, range)) : [key];

/**
 * Returns, for each key, the position that every range of a portion has reached. The undivided checkpoint counts for
 * every range. It is the minimum of all ranges, or was stored by an earlier release.
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
