import type { AllSubscription, EventBatch, EventFilter, Position, RecordedEvent } from '../../ports/event-store.js';
import type { Clock } from '../../ports/time.js';
import { batchSizeOf, stoppable } from '../event-store.input.js';
import { type HistoryQueries, SCAN_STEP } from './event-store.query.js';
import type { CommitSignal } from './event-store.signal.js';

/** Where a subscription reads: the statements, the last committed position and the word that there is more. */
export type History = {
  readonly queries: HistoryQueries;
  readonly last: () => Position;
  readonly signal: CommitSignal;
  readonly clock: Clock;
};

/** Bounds the positions looked at for one batch: an empty batch still moves the checkpoint on. */
const SCAN_STEPS_PER_BATCH = 8;

/** What was written no longer ago is taken to be as it was written. */
const FRESH_MS = 60_000;

/** Lets the event loop do other things. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A catch-up subscription as its consumer pulls it; every iteration begins anew after `after`. */
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
  /** What comes after `after` was written four times FRESH_MS ago at most. `end`: where the history ended at `atMs`. */
  #fresh: { readonly after: Position; readonly end: Position; readonly atMs: number } | undefined;
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
    return stoppable(this.#batches(), () => {
      this.#stop();
    });
  }

  async *#batches(): AsyncGenerator<EventBatch, void> {
    const stop = (): void => {
      this.#stop();
    };
    this.#signal?.addEventListener('abort', stop, { once: true });
    let waited = true;
    try {
      while (!this.#isOver()) {
        // While there is more and more to read, everyone else gets a turn between batches.
        if (!waited) await turn();
        if (this.#isOver()) return;
        const batch = await this.#read();
        yield batch;
        waited = batch.caughtUp;
        if (waited) await this.#more();
      }
    } finally {
      this.#signal?.removeEventListener('abort', stop);
    }
  }

  async #read(): Promise<EventBatch> {
    const events: RecordedEvent[] = [];
    for (let step = 1; ; step += 1) {
      const last = this.#history.last();
      const sound = this.#scan(events, last, this.#freshAfter(last));
      const caughtUp = sound && this.#position >= last;
      const isFull = events.length >= this.#maxBatchSize || step === SCAN_STEPS_PER_BATCH;
      if (!sound || caughtUp || isFull) return { events, position: this.#position, caughtUp };
      await turn();
      if (this.#isOver()) return { events, position: this.#position, caughtUp };
    }
  }

  /** False where something stopped it after events that are still to be delivered: the next batch meets it first. */
  #scan(events: RecordedEvent[], last: Position, freshAfter: Position): boolean {
    if (this.#position >= last) return true;
    const high = Math.min(this.#position + SCAN_STEP, last);
    const limit = this.#maxBatchSize - events.length;
    try {
      const range = { low: this.#position + 1, high, filter: this.#filter, direction: 'forwards' } as const;
      const isFresh = this.#position >= freshAfter;
      const page = this.#history.queries.scan({ ...range, isFresh }, limit);
      for (const event of page.events) events.push(event);
      this.#position = page.complete ? high : (page.reached ?? this.#position);
      return true;
    } catch (error) {
      if (events.length === 0) throw error;
      return false;
    }
  }

  /** Where the history ended a while ago: now, where nobody has looked since. */
  #freshAfter(last: Position): Position {
    const atMs = this.#history.clock.monotonicMs();
    const ageMs = this.#fresh ? atMs - this.#fresh.atMs : Infinity;
    if (!this.#fresh || ageMs >= 2 * FRESH_MS) this.#fresh = { after: last, end: last, atMs };
    else if (ageMs >= FRESH_MS) this.#fresh = { after: this.#fresh.end, end: last, atMs };
    return this.#fresh.after;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#isOver()) resolve();
      else this.#history.signal.onBeyond(this.#position, resolve);
    });
  }

  #stop(): void {
    this.#stopped = true;
    if (!this.#wake) return;
    this.#history.signal.forget(this.#wake);
    this.#wake();
  }

  #isOver(): boolean {
    return this.#stopped || this.#signal?.aborted === true || this.#history.signal.ended;
  }
}
