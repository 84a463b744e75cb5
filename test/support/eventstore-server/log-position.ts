import { BEFORE_ALL, type Position } from '../../../src/ports/event-store.js';

/** EventStoreDB's positions are byte offsets in the log, with gaps. The engine's positions are counters. */
const BYTES_PER_RECORD = 128;

/** Position −1, as EventStoreDB sends it. */
export const LARGEST_LOG_POSITION = String(2n ** 64n - 1n);

/** Returns the position in EventStoreDB's notation. 0 is the start of the log, before the first event. */
export const toLogPosition = (position: Position): string => String((position + 1) * BYTES_PER_RECORD);

/** Returns the position directly after a record, at which the next write would start. No event has this position. */
export const toLogPositionBehind = (position: Position): string =>
  String((position + 1) * BYTES_PER_RECORD + BYTES_PER_RECORD / 2);

/**
 * Returns undefined if `commit` is inside a record. Accepts any position beyond the end of the log.
 */
export function fromLogPosition(commit: string, prepare: string, last: Position): Position | undefined {
  if (commit !== prepare) return undefined;
  const position = Number(commit) / BYTES_PER_RECORD - 1;
  if (position > last) return Math.min(Math.ceil(position), Number.MAX_SAFE_INTEGER);
  return Number.isSafeInteger(position) && position >= BEFORE_ALL ? position : undefined;
}
