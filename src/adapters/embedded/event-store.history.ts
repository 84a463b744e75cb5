import {
  type AllRead,
  type AllSubscription,
  CorruptEvent,
  type EventBatch,
  EventStoreUnavailable,
  type RecordedEvent,
  type StreamRead,
  type StreamSlice,
  StreamTombstoned,
} from '../../ports/event-store.js';
import { countOf, isName } from '../event-store.input.js';
import { isSoftlyDeleted, type StreamHead, type StreamHeads } from './event-store.heads.js';
import { PAGE_MAX_EVENTS, SCAN_STEP, type StreamRange } from './event-store.query.js';
import { assertWhole, isEmpty, rangeOf, restOf, type Span, spanOf, stretchOf } from './event-store.range.js';
import { type History, subscribe, turn } from './event-store.subscription.js';

/** The reading half of the port, for the process that writes and for readers beside it. */
export class HistoryReader {
  readonly #history: History;
  readonly #heads: StreamHeads;
  readonly #nowMs: () => number;

  constructor(history: History, heads: StreamHeads) {
    this.#history = history;
    this.#heads = heads;
    this.#nowMs = () => history.clock.nowMs();
  }

  async readStream(stream: string, read: StreamRead = {}): Promise<StreamSlice> {
    this.assertOpen();
    const maxCount = countOf(read.maxCount);
    // A name that cannot be written was never written; SQLite might cut it to one that was.
    if (!isName(stream)) return { exists: false, revision: -1, events: [] };
    const head = this.#headOf(stream);
    const { revision } = head;
    if (head.tombstoned) throw new StreamTombstoned(stream);
    if (revision < 0 || isSoftlyDeleted(head)) return { exists: false, revision, events: [] };
    const range = rangeOf(stream, read, head, this.#nowMs);
    if (isEmpty(range)) return { exists: true, revision, events: [] };
    const events = await this.#readRange(range, maxCount);
    assertWhole(range, events, maxCount);
    return { exists: true, revision, events };
  }

  async readAll(read: AllRead = {}): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    const { filter, direction = 'forwards' } = read;
    const maxCount = countOf(read.maxCount);
    const events: RecordedEvent[] = [];
    let span: Span = spanOf(read, this.#history.last());
    while (!isEmpty(span)) {
      const stretch = stretchOf(span, direction, SCAN_STEP);
      const limit = Math.min(maxCount - events.length, PAGE_MAX_EVENTS);
      const page = this.#history.queries.scan({ ...stretch, filter, direction, isFresh: false }, limit);
      for (const event of page.events) events.push(event);
      if (events.length >= maxCount) break;
      span = restOf(span, direction, stretch, page, page.reached);
      if (!isEmpty(span)) await this.#yieldTurn();
    }
    return events;
  }

  subscribeToAll(subscription: AllSubscription): AsyncIterable<EventBatch> {
    this.assertOpen();
    return subscribe(this.#history, subscription);
  }

  /** @throws EventStoreUnavailable once closed */
  assertOpen(): void {
    if (this.#history.signal.ended) throw new EventStoreUnavailable('The event store is closed');
  }

  #headOf(stream: string): StreamHead {
    try {
      return this.#heads.find(stream);
    } catch (error) {
      if (error instanceof CorruptEvent) throw error;
      throw new EventStoreUnavailable('The event history could not be read', error);
    }
  }

  async #readRange(range: StreamRange, maxCount: number): Promise<RecordedEvent[]> {
    const { direction } = range;
    const events: RecordedEvent[] = [];
    let span: Span = range;
    for (;;) {
      const limit = Math.min(maxCount - events.length, PAGE_MAX_EVENTS);
      const page = this.#history.queries.stream({ ...range, ...span }, limit);
      for (const event of page.events) events.push(event);
      if (events.length >= maxCount) return events;
      span = restOf(span, direction, span, page, page.events.at(-1)?.revision);
      if (isEmpty(span)) return events;
      await this.#yieldTurn();
    }
  }

  async #yieldTurn(): Promise<void> {
    await turn();
    this.assertOpen();
  }
}
