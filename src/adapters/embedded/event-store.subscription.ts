import type { AllSubscription, EventBatch, Position, RecordedEvent } from '../../ports/event-store.js';
import { batchSizeOf, stoppable } from '../event-store.input.js';
import type { History } from './event-store.history.js';
import { SCAN_STEP } from './event-store.query.js';

/** Maximum number of scans per batch. Even an empty batch advances the checkpoint. */
const SCAN_STEPS_PER_BATCH = 8;

/** Interval at which the start of the fresh records advances. Fresh records are assumed to be undamaged. */
const FRESH_MS = 60_000;

/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Creates a pull-based catch-up subscription. Every iteration starts at the event following `after`. */
export function subscribe(history: History, subscription: AllSubscription): AsyncIterable<EventBatch> {
  const maxBatchSize = batchSizeOf(subscription);
  return { [Symbol.asyncIterator]: () => new Subscription(history, subscription, maxBatchSize).iterate() };
}

class Subscription {
  private position: Position;
  /** Events beyond `after` are fresh: less than three times FRESH_MS old. `end` is the end of the history at `atMs`. */
  private fresh: { readonly after: Position; readonly end: Position; readonly atMs: number } | undefined;
  private stopped = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly history: History,
    private readonly asked: AllSubscription,
    private readonly maxBatchSize: number,
  ) {
    this.position = asked.after;
  }

  iterate(): AsyncIterableIterator<EventBatch, void> {
    return stoppable(this.batches(), this.stop);
  }

  private async *batches(): AsyncGenerator<EventBatch, void> {
    this.asked.signal?.addEventListener('abort', this.stop, { once: true });
    let waited = true;
    try {
      while (!this.isOver()) {
        // During catch-up, yield to the event loop between batches.
        if (!waited) await turn();
        if (this.isOver()) return;
        const batch = await this.read();
        yield batch;
        waited = batch.caughtUp;
        if (waited) await this.more();
      }
    } finally {
      this.asked.signal?.removeEventListener('abort', this.stop);
    }
  }

  private async read(): Promise<EventBatch> {
    const events: RecordedEvent[] = [];
    let characters = 0;
    for (let step = 1; ; step += 1) {
      const last = this.history.last();
      const scanned = this.scan(events, last, this.freshAfter(last));
      const succeeded = scanned !== undefined;
      characters += scanned ?? 0;
      const caughtUp = succeeded && this.position >= last;
      const isFull = events.length >= this.maxBatchSize || step === SCAN_STEPS_PER_BATCH;
      if (!succeeded || caughtUp || isFull) return { events, position: this.position, caughtUp, characters };
      await turn();
      if (this.isOver()) return { events, position: this.position, caughtUp, characters };
    }
  }

  /**
   * Returns the size of the data read, or undefined if reading fails after some events. Those events are delivered
   * first, and the next batch fails.
   */
  private scan(events: RecordedEvent[], last: Position, freshAfter: Position): number | undefined {
    if (this.position >= last) return 0;
    const { filter, textOnly = false } = this.asked;
    const low = this.position + 1;
    const high = Math.min(this.position + SCAN_STEP, last);
    try {
      const maxCount = this.maxBatchSize - events.length;
      const isFresh = this.position >= freshAfter;
      const page =
        (isFresh && this.history.recent?.take({ low, high }, filter, maxCount)) ||
        this.history.queries.scan({ low, high, filter, direction: 'forwards', isFresh, textOnly }, maxCount);
      for (const event of page.events) events.push(event);
      this.position = page.reached;
      return page.characters;
    } catch (error) {
      if (events.length === 0) throw error;
      return undefined;
    }
  }

  /** Returns a recently recorded end of the history, or the current end if none was recorded recently. */
  private freshAfter(last: Position): Position {
    const atMs = this.history.clock.monotonicMs();
    const ageMs = this.fresh ? atMs - this.fresh.atMs : Infinity;
    if (!this.fresh || ageMs >= 2 * FRESH_MS) this.fresh = { after: last, end: last, atMs };
    else if (ageMs >= FRESH_MS) this.fresh = { after: this.fresh.end, end: last, atMs };
    return this.fresh.after;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.isOver()) resolve();
      else this.history.signal.onBeyond(this.position, resolve);
    });
  }

  private readonly stop = (): void => {
    this.stopped = true;
    if (!this.wake) return;
    this.history.signal.forget(this.wake);
    this.wake();
  };

  private isOver(): boolean {
    return this.stopped || this.asked.signal?.aborted === true || this.history.signal.ended;
  }
}
