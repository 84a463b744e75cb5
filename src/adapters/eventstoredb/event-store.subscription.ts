import type { AllSubscription, EventBatch, Position, RecordedEvent } from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { batchSizeOf, stoppable } from '../event-store.input.js';
import type { Connection } from './event-store.connection.js';
import { reasonOf } from './event-store.errors.js';
import type { Head } from './event-store.head.js';
import type { Reader } from './event-store.reader.js';
import { type Matches, matcherOf, positionOf, toRecordedEvent } from './event-store.record.js';
import { Source } from './event-store.source.js';

/** Bounds how many records a look of the watchdog reads; the next one goes on from there. */
const SEARCH_LIMIT = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export type Subscribing = {
  readonly connection: Connection;
  readonly reader: Reader;
  readonly head: Head;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a subscription may be quiet before it is compared with the head. */
  readonly quietMs: number;
};

/** A catch-up subscription as its consumer pulls it; every iteration begins anew after `after`. */
export function subscribe(parts: Subscribing, subscription: AllSubscription): AsyncIterable<EventBatch> {
  const maxBatchSize = batchSizeOf(subscription);
  const matches = matcherOf(subscription.filter);
  return { [Symbol.asyncIterator]: () => new Subscription(parts, subscription, maxBatchSize, matches).iterate() };
}

class Subscription {
  readonly #parts: Subscribing;
  readonly #asked: AllSubscription;
  readonly #maxBatchSize: number;
  readonly #matches: Matches;
  readonly #stopping = new AbortController();
  #source: Source | undefined;
  #failures = 0;
  /** Everything of the filter up to here has been taken from the source. */
  #position: Position;
  /** What the consumer was told last. */
  #told: { position: Position; caughtUp: boolean };
  /** An event that cannot be served: the consumer gets those before it first. */
  #corrupt: unknown;
  /** The server says that we have caught up, which the head is still to confirm. */
  #unconfirmed = false;
  #isLive = false;
  /** The head has just been compared with, and nothing lies between. */
  #atHead = false;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(parts: Subscribing, asked: AllSubscription, maxBatchSize: number, matches: Matches) {
    this.#parts = parts;
    this.#asked = asked;
    this.#maxBatchSize = maxBatchSize;
    this.#matches = matches;
    this.#position = asked.after;
    this.#told = { position: asked.after, caughtUp: false };
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
    const signals = [this.#asked.signal, this.#parts.connection.closing];
    for (const signal of signals) {
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) this.#stop();
    }
    try {
      for (let batch = await this.#next(); batch; batch = await this.#next()) {
        this.#told = batch;
        yield batch;
      }
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', stop);
      this.#drop();
    }
  }

  /** Undefined once it is over. @throws CorruptEvent */
  async #next(): Promise<EventBatch | undefined> {
    while (!this.#isOver()) {
      if (this.#corrupt) throw this.#corrupt as Error;
      const source = this.#source ?? (await this.#open());
      if (!source) continue;
      const batch = this.#take(source);
      if (batch) return batch;
      if (this.#corrupt) continue;
      if (source.hasFailed) await this.#reopenLater(source.failure);
      else if (this.#unconfirmed || !(await this.#more())) await this.#compare(source);
    }
    return undefined;
  }

  async #open(): Promise<Source | undefined> {
    const { connection } = this.#parts;
    try {
      await this.#unlessOver(connection.ready());
    } catch {
      // The connection has told why.
      await this.#pause();
      return undefined;
    }
    if (this.#isOver()) return undefined;
    const wake = (): void => {
      this.#isWoken = true;
      this.#wake?.();
    };
    this.#source = new Source(connection.client, this.#position, this.#asked.filter, wake);
    return this.#source;
  }

  /** What has arrived, up to a batch; undefined where that is nothing new. */
  #take(source: Source): EventBatch | undefined {
    this.#isWoken = false;
    const events = this.#drain(source);
    const isDrained = source.isEmpty && !this.#corrupt;
    if (isDrained) this.#position = Math.max(this.#position, source.checkpoint);
    if (events.length > 0) this.#failures = 0;
    const caughtUp = isDrained && this.#isCaughtUp(source);
    const isNews = this.#position > this.#told.position || (caughtUp && !this.#told.caughtUp);
    return events.length > 0 || isNews ? { events, position: this.#position, caughtUp } : undefined;
  }

  /** Once the server has said it and the head has confirmed it, a live subscription stays caught up between events. */
  #isCaughtUp(source: Source): boolean {
    if (!source.isLive) this.#isLive = false;
    else if (!this.#isLive) {
      this.#isLive = true;
      this.#unconfirmed = true;
    }
    const isAtEnd = this.#atHead || (this.#isLive && !this.#unconfirmed);
    this.#atHead = false;
    return isAtEnd && this.#position >= this.#parts.head.known;
  }

  #drain(source: Source): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    while (events.length < this.#maxBatchSize) {
      const item = source.read();
      if (!item) break;
      const { event } = item;
      // A link whose event is gone.
      if (!event) continue;
      const position = positionOf(event);
      if (position <= this.#position) continue;
      try {
        if (this.#matches(event.streamId, event.type)) events.push(toRecordedEvent(event));
      } catch (error) {
        this.#corrupt = error;
        break;
      }
      this.#position = position;
    }
    return events;
  }

  /** True when something has happened, false when it was quiet for too long. */
  async #more(): Promise<boolean> {
    if (this.#isWoken) return true;
    const quiet = new AbortController();
    const woken = new Promise<true>((resolve) => {
      this.#wake = () => {
        resolve(true);
      };
    });
    const late = this.#parts.clock.sleep(this.#parts.quietMs, quiet.signal).then(() => this.#isWoken);
    const happened = await Promise.race([woken, late]);
    quiet.abort();
    this.#wake = undefined;
    return happened || this.#isOver();
  }

  /**
   * Compares with the head: a subscription can die silently, and one with a filter is not told of a short stretch that
   * held nothing. What lies between is searched here; what is found there should have arrived.
   */
  async #compare(source: Source): Promise<void> {
    const wasQuiet = !this.#unconfirmed;
    try {
      const found = await this.#unlessOver(this.#searchToHead(source));
      this.#failures = 0;
      if (found !== undefined && wasQuiet) {
        this.#parts.logger.warn({ position: this.#position, found }, 'A subscription was silent and begins anew');
        this.#drop();
      } else this.#unconfirmed = false;
    } catch (error) {
      if (this.#failures === 0)
        this.#parts.logger.warn({ reason: reasonOf(error) }, 'A subscription could not be compared with the head');
      await this.#pause();
    }
  }

  /** Position of an event of the filter that has not arrived; undefined also where something has arrived meanwhile. */
  async #searchToHead(source: Source): Promise<Position | undefined> {
    const { head, reader } = this.#parts;
    const isStale = (): boolean => this.#isWoken || source.hasFailed;
    const upTo = await head.read();
    if (isStale()) return undefined;
    const { reached, found } = await reader.search(this.#position, upTo, this.#matches, SEARCH_LIMIT);
    if (isStale() || found !== undefined) return isStale() ? undefined : found;
    this.#position = Math.max(this.#position, reached);
    this.#atHead = this.#position >= upTo;
    return undefined;
  }

  async #reopenLater(failure: unknown): Promise<void> {
    this.#parts.logger.warn({ position: this.#position, reason: reasonOf(failure) }, 'A subscription broke off');
    this.#drop();
    await this.#pause();
  }

  async #pause(): Promise<void> {
    const pauseMs = backoffMs(this.#failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.#failures += 1;
    await this.#parts.clock.sleep(pauseMs, this.#stopping.signal);
  }

  /** Settles as `work` does, or at once when the subscription is to end. */
  #unlessOver<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stopping;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        resolve(undefined);
      };
      signal.addEventListener('abort', stop);
      void work.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', stop);
      });
      if (signal.aborted) stop();
    });
  }

  #drop(): void {
    this.#source?.end();
    this.#source = undefined;
    this.#isLive = false;
    this.#unconfirmed = false;
  }

  #stop(): void {
    this.#stopping.abort();
    this.#wake?.();
  }

  #isOver(): boolean {
    return this.#stopping.signal.aborted;
  }
}
