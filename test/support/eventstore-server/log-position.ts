import { BEFORE_ALL, type Position } from '../../../src/ports/event-store.js';

/** EventStoreDB's positions are byte offsets of its log, so they have gaps; the engine's are counters. */
const BYTES_PER_RECORD = 128;

/** As EventStoreDB would number it: 0 is the start, before every event. */
export const toLogPosition = (position: Position): string => String((position + 1) * BYTES_PER_RECORD);

/** Undefined where no record begins at `commit`: EventStoreDB refuses such a position. */
export function fromLogPosition(commit: string, prepare: string, last: Position): Position | undefined {
  if (commit !== prepare) return undefined;
  const position = Number(commit) / BYTES_PER_RECORD - 1;
  return Number.isSafeInteger(position) && position >= BEFORE_ALL && position <= last ? position : undefined;
}
