import type { AllSubscription, EventBatch, EventFilter, Position, RecordedEvent } from '../../ports/event-store.js';
import { batchSizeOf, stoppable } from '../event-store.input.js';
import type { History } from './event-store.history.js';
import { SCAN_STEP } from './event-store.query.js';

/** Limits the positions scanned per batch; an empty batch still advances the checkpoint. */
const SCAN_STEPS_PER_BATCH = 8;

/** Yields to the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Pull-based catch-up subscription; every iteration restarts after `after`. */
export function subscribe(history: History, subscription: AllSubscription): AsyncIterable<EventBatch> {
  const maxBatchSize = batchSizeOf(subscription);
  return { [Symbol.asyncIterator]: () => new Subscription(history, subscription, maxBatchSize).iterate() };
}

class Subscription {
  readonly #history: History;
  readonly #filter: EventFilter | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #maxBatchSize: number;
  #position: Position;
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(history: History, { after, filter, signal }: AllSubscription, maxBatchSize: number) {
    this.#history = history;
    this.#filter = filter;
    this.#signal = signal;
    this.#maxBatchSize = maxBatchSize;
    this.#position = after;
  }

  iterate(): AsyncIterableIterator<EventBatch, void> {
    return stoppable(this.#batches(), this.#stop);
  }

  async *#batches(): AsyncGenerator<EventBatch, void> {
    this.#signal?.addEventListener('abort', this.#stop, { once: true });
    let waited = true;
    try {
      while (!this.#isOver()) {
        // During catch-up, yield to the event loop between batches.
        if (!waited) await turn();
        if (this.#isOver()) return;
        const batch = await this.#read();
        yield batch;
        waited = batch.caughtUp;
        if (waited) await this.#more();
      }
    } finally {
      this.#signal?.removeEventListener('abort', this.#stop);
    }
  }

  async #read(): Promise<EventBatch> {
    const events: RecordedEvent[] = [];
    for (let step = 1; ; step += 1) {
      const last = this.#history.last();
      const succeeded = this.#scan(events, last);
      const caughtUp = succeeded && this.#position >= last;
      const isFull = events.length >= this.#maxBatchSize || step === SCAN_STEPS_PER_BATCH;
      if (!succeeded || caughtUp || isFull) return { events, position: this.#position, caughtUp };
      await turn();
      if (this.#isOver()) return { events, position: this.#position, caughtUp };
    }
  }

  /** False if an error follows events that are still to be delivered: the next batch then fails on it. */
  #scan(events: RecordedEvent[], last: Position): boolean {
    if (this.#position >= last) return true;
    const low = this.#position + 1;
    const high = Math.min(this.#position + SCAN_STEP, last);
    try {
      const page = this.#history.queries.scan(
        { low, high, filter: this.#filter, direction: 'forwards' },
        this.#maxBatchSize - events.length,
      );
      for (const event of page.events) events.push(event);
      this.#position = page.reached;
      return true;
    } catch (error) {
      if (events.length === 0) throw error;
      return false;
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#isOver()) resolve();
      else this.#history.signal.onBeyond(this.#position, resolve);
    });
  }

  readonly #stop = (): void => {
    this.#stopped = true;
    if (!this.#wake) return;
    this.#history.signal.forget(this.#wake);
    this.#wake();
  };

  #isOver(): boolean {
    return this.#stopped || this.#signal?.aborted === true || this.#history.signal.ended;
  }
}
