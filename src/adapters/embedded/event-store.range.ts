import {
  type AllRead,
  BEFORE_ALL,
  CorruptEvent,
  type Direction,
  type Position,
  type RecordedEvent,
  type StreamRead,
} from '../../ports/event-store.js';
import { assertPosition, assertRevision } from '../event-store.input.js';
import type { StreamHead } from './event-store.heads.js';
import type { Page, StreamRange } from './event-store.query.js';

/** Positions or revisions, both ends inclusive; empty where `low` is above `high`. */
export type Span = { readonly low: number; readonly high: number };

export const isEmpty = ({ low, high }: Span): boolean => low > high;

/** The positions that a read of the whole history may return. */
export function spanOf({ direction = 'forwards', from }: AllRead, last: Position): Span {
  assertPosition(from);
  if (direction === 'forwards') return { low: Math.max(0, (from ?? BEFORE_ALL) + 1), high: last };
  return { low: 0, high: from === undefined ? last : Math.min(from - 1, last) };
}

/** The first stretch of a span, in reading order. */
export const stretchOf = ({ low, high }: Span, direction: Direction, length: number): Span =>
  direction === 'forwards'
    ? { low, high: Math.min(high, low + length - 1) }
    : { low: Math.max(low, high - length + 1), high };

/** What of `span` is still to be read after a page of its first stretch that came to `reached`, or to its end. */
export function restOf(span: Span, direction: Direction, stretch: Span, page: Page, reached: number | undefined): Span {
  const forwards = direction === 'forwards';
  const end = forwards ? stretch.high : stretch.low;
  const at = page.complete ? end : (reached ?? end);
  return forwards ? { low: at + 1, high: span.high } : { low: span.low, high: at - 1 };
}

/** The revisions that a read may return, with what the stream's rules hide left out. */
export function rangeOf(
  stream: string,
  { from, direction = 'forwards' }: StreamRead,
  { rules, revision }: StreamHead,
  nowMs: () => number,
): StreamRange {
  assertRevision(from);
  const { truncateBefore = 0, maxCount = Infinity, maxAgeMs } = rules ?? {};
  const first = Math.max(truncateBefore, revision - maxCount + 1, 0);
  const sinceMs = maxAgeMs === undefined ? 0 : Math.max(0, nowMs() - maxAgeMs);
  if (direction === 'forwards') return { stream, low: Math.max(first, from ?? 0), high: revision, direction, sinceMs };
  return { stream, low: first, high: Math.min(from ?? revision, revision), direction, sinceMs };
}

/**
 * Revisions have no gaps: where one is missing, the index or a record is damaged. Age alone may hide some.
 * @throws CorruptEvent
 */
export function assertWhole(
  { low, high, direction, sinceMs }: StreamRange,
  events: readonly RecordedEvent[],
  maxCount: number,
): void {
  if (sinceMs > 0) return;
  const step = direction === 'forwards' ? 1 : -1;
  let expected = direction === 'forwards' ? low : high;
  for (const { revision, position } of events) {
    if (revision !== expected) throw new CorruptEvent(position);
    expected += step;
  }
  if (events.length < Math.min(maxCount, high - low + 1)) throw new CorruptEvent(events.at(-1)?.position ?? BEFORE_ALL);
}
