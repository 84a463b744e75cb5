import {
  type AllRead,
  type AllSubscription,
  BEFORE_ALL,
  CorruptEvent,
  type Direction,
  type EventBatch,
  EventStoreUnavailable,
  type Position,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
} from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import { assertPosition, assertRevision, countOf, isName } from '../event-store.input.js';
import { type HistoryQueries, SCAN_STEP, type Span } from './event-store.query.js';
import type { RecentEvents } from './event-store.recent.js';
import type { CommitSignal } from './event-store.signal.js';
import { subscribe, turn } from './event-store.subscription.js';

/** A history connection with its commit state. */
export type History = {
  readonly queries: HistoryQueries;
  /** Position of the last committed event. */
  readonly last: () => Position;
  /** Returns a stream's last revision, or −1 if the stream was never written to. */
  readonly revisionOf: (stream: string) => number;
  /** Events that this thread has appended. Absent in threads that only read. */
  readonly recent?: RecentEvents;
  readonly signal: CommitSignal;
  readonly clock: Clock;
};

/** Implements the port's read methods. `EmbeddedEventReader` and `EmbeddedEventStore` extend this class. */
export class HistoryReader {
  readonly hasLocalReads = true;

  protected constructor(protected readonly history: History) {}

  async readStream(stream: string, { from, direction = 'forwards', ...read }: StreamRead = {}): Promise<StreamSlice> {
    this.assertOpen();
    const maxCount = countOf(read.maxCount);
    assertRevision(from);
    // A stream with an invalid name cannot exist. SQLite might truncate an invalid name to that of an existing stream.
    const revision = isName(stream) ? this.history.revisionOf(stream) : -1;
    if (revision < 0) return { exists: false, revision, events: [] };
    const span =
      direction === 'forwards'
        ? { low: from ?? 0, high: revision }
        : { low: 0, high: Math.min(from ?? revision, revision) };
    const events = await this.readSpan(stream, span, direction, maxCount);
    assertWhole(span, direction, events, maxCount);
    return { exists: true, revision, events };
  }

  async readAll({ from, direction = 'forwards', filter, ...read }: AllRead = {}): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    const maxCount = countOf(read.maxCount);
    assertPosition(from);
    let span = spanOf(from, direction, this.history.last());
    const events: RecordedEvent[] = [];
    while (!isEmpty(span)) {
      const scan = { ...stepOf(span, direction), filter, direction, isFresh: false };
      const page = this.history.queries.scan(scan, maxCount - events.length);
      for (const event of page.events) events.push(event);
      if (events.length >= maxCount) break;
      span = beyond(span, direction, page.reached);
      if (!isEmpty(span)) await this.yieldTurn();
    }
    return events;
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    this.assertOpen();
    return subscribe(this.history, subscription);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- the port returns a promise; a failure must reject it, not throw
  async head(): Promise<Position> {
    this.assertOpen();
    return this.history.last();
  }

  /** @throws EventStoreUnavailable after the store has been closed */
  protected assertOpen(): void {
    if (this.history.signal.ended) throw new EventStoreUnavailable('The event store is closed');
  }

  private async readSpan(
    stream: string,
    whole: Span,
    direction: Direction,
    maxCount: number,
  ): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    let span = whole;
    while (!isEmpty(span)) {
      const page = this.history.queries.stream(stream, span, direction, maxCount - events.length);
      for (const event of page) events.push(event);
      const last = events.at(-1);
      if (page.length === 0 || !last || events.length >= maxCount) break;
      span = beyond(span, direction, last.revision);
      if (!isEmpty(span)) await this.yieldTurn();
    }
    return events;
  }

  private async yieldTurn(): Promise<void> {
    await turn();
    this.assertOpen();
  }
}

/** Returns the range of positions that a read of the global history covers. */
const spanOf = (from: Position | undefined, direction: Direction, last: Position): Span =>
  direction === 'forwards'
    ? { low: Math.max(0, (from ?? BEFORE_ALL) + 1), high: last }
    : { low: 0, high: Math.min((from ?? Infinity) - 1, last) };

/** Returns the part of a span that one scan covers. */
const stepOf = ({ low, high }: Span, direction: Direction): Span =>
  direction === 'forwards'
    ? { low, high: Math.min(high, low + SCAN_STEP - 1) }
    : { low: Math.max(low, high - SCAN_STEP + 1), high };

const isEmpty = ({ low, high }: Span): boolean => low > high;

/** Returns the part of a span that remains after a read up to and including `reached`. */
const beyond = ({ low, high }: Span, direction: Direction, reached: number): Span =>
  direction === 'forwards' ? { low: reached + 1, high } : { low, high: reached - 1 };

/** Revisions have no gaps, so a missing revision means that the index or a record is damaged. @throws CorruptEvent */
function assertWhole(
  { low, high }: Span,
  direction: Direction,
  events: readonly RecordedEvent[],
  maxCount: number,
): void {
  const step = direction === 'forwards' ? 1 : -1;
  let expected = direction === 'forwards' ? low : high;
  for (const { revision, position } of events) {
    if (revision !== expected) throw new CorruptEvent(position);
    expected += step;
  }
  if (events.length < Math.min(maxCount, high - low + 1)) throw new CorruptEvent(events.at(-1)?.position ?? BEFORE_ALL);
}
