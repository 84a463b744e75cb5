import { BEFORE_ALL, type Position } from '../../../src/ports/event-store.js';

/** EventStoreDB's positions are byte offsets in its log and have gaps; the engine's are counters. */
const BYTES_PER_RECORD = 128;

/** The position −1 as EventStoreDB sends it. */
export const LARGEST_LOG_POSITION = String(2n ** 64n - 1n);

/** The position in EventStoreDB's notation: 0 is the start, before every event. */
export const toLogPosition = (position: Position): string => String((position + 1) * BYTES_PER_RECORD);

/** The position after the record, at which the next write starts. No event has this position. */
export const toLogPositionBehind = (position: Position): string =>
  String((position + 1) * BYTES_PER_RECORD + BYTES_PER_RECORD / 2);

/** Undefined if `commit` is inside a record. Any position beyond the end is accepted, because no record is there. */
export function fromLogPosition(commit: string, prepare: string, last: Position): Position | undefined {
  if (commit !== prepare) return undefined;
  const position = Number(commit) / BYTES_PER_RECORD - 1;
  if (position > last) return Math.min(Math.ceil(position), Number.MAX_SAFE_INTEGER);
  return Number.isSafeInteger(position) && position >= BEFORE_ALL ? position : undefined;
}
