import { BEFORE_ALL, type Position } from '../../../src/ports/event-store.js';

/** EventStoreDB's positions are byte offsets in its log and have gaps; the engine's are counters. */
const BYTES_PER_RECORD = 128;

/** −1 as sent by EventStoreDB. */
export const LARGEST_LOG_POSITION = String(2n ** 64n - 1n);

/** The position in EventStoreDB's notation: 0 is the start, before every event. */
export const toLogPosition = (position: Position): string => String((position + 1) * BYTES_PER_RECORD);

/** The position behind the record, where the next write starts. No event has this position. */
export const toLogPositionBehind = (position: Position): string =>
  String((position + 1) * BYTES_PER_RECORD + BYTES_PER_RECORD / 2);

/** Undefined if `commit` lies inside a record. Beyond the end there are no records, so any position is accepted. */
export function fromLogPosition(commit: string, prepare: string, last: Position): Position | undefined {
  if (commit !== prepare) return undefined;
  const position = Number(commit) / BYTES_PER_RECORD - 1;
  if (position > last) return Math.min(Math.ceil(position), Number.MAX_SAFE_INTEGER);
  return Number.isSafeInteger(position) && position >= BEFORE_ALL ? position : undefined;
}
