import {
  type AllSubscription,
  type EventBatch,
  InvalidPosition,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js';
import type { Logger } from '../../ports/log.js';
import type { Clock } from '../../ports/time.js';
import { backoffMs } from '../backoff.js';
import { batchSizeOf, stoppable } from '../event-store.input.js';
import { Wakeup } from '../waiting.js';
import type { Calling, Connection } from './event-store.connection.js';
import { isDenied, isTooSlow, reasonOf, typeOf } from './event-store.errors.js';
import type { Head } from './event-store.head.js';
import type { Reader } from './event-store.reader.js';
import { type Matches, matcherOf, positionOf, toRecordedEvent } from './event-store.record.js';
import { Source, type SourceParts } from './event-store.source.js';
import type { WireEvent } from './event-store.wire.js';

/** Maximum number of records read per check. The next check continues after them. */
const SEARCH_LIMIT = 5_000;
/** Largest burst that a live EventStoreDB 23.10 subscription tolerates. If fewer events remain, subscribing is safe. */
const NEAR_HEAD = 32;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

export type Subscribing = {
  readonly connection: Connection;
  readonly reader: Reader;
  readonly head: Head;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time without events after which a subscription's position is compared with the head. */
  readonly quietMs: number;
  readonly gatherMs: SourceParts['gatherMs'];
};

/** Creates a pull-based catch-up subscription. Every iteration starts at the event following `after`. */
export function subscribe(parts: Subscribing, subscription: AllSubscription): AsyncIterable<EventBatch> {
  const maxBatchSize = batchSizeOf(subscription);
  const matches = matcherOf(subscription.filter);
  return { [Symbol.asyncIterator]: () => new Subscription(parts, subscription, maxBatchSize, matches).iterate() };
}

class Subscription {
  private readonly stopping = new AbortController();
  private source: Source | undefined;
  private failures = 0;
  /** Position up to which every matching event has been taken from the source. */
  private position: Position;
  /** Last position and state delivered to the consumer. */
  private told: { position: Position; caughtUp: boolean };
  /** Error caused by an unreadable event. It is thrown after all preceding events have been delivered. */
  private corrupt: unknown;
  /** Whether the server's report that the subscription has caught up still has to be checked against the head. */
  private unconfirmed = false;
  private isLive = false;
  /** Whether to read pages until the head is near. True initially, and after the server drops the subscription. */
  private isBehind = true;
  private wasDropped = false;
  /** Whether the last comparison with the head found no events between the position and the head. */
  private atHead = false;
  private readonly arrival = new Wakeup();

  constructor(
    private readonly parts: Subscribing,
    private readonly asked: AllSubscription,
    private readonly maxBatchSize: number,
    private readonly matches: Matches,
  ) {
    this.position = asked.after;
    this.told = { position: asked.after, caughtUp: false };
  }

  iterate(): AsyncIterableIterator<EventBatch, void> {
    return stoppable(this.batches(), () => {
      this.stop();
    });
  }

  private async *batches(): AsyncGenerator<EventBatch, void> {
    const stop = (): void => {
      this.stop();
    };
    const signals = [this.asked.signal, this.parts.connection.closing];
    for (const signal of signals) {
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) this.stop();
    }
    try {
      for (let batch = await this.next(); batch; batch = await this.next()) {
        this.told = batch;
        yield batch;
      }
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', stop);
      this.drop();
    }
  }

  /** Returns the next batch, or undefined once the subscription has ended. @throws CorruptEvent, InvalidPosition */
  private async next(): Promise<EventBatch | undefined> {
    const { maxDelayMs } = this.asked;
    while (!this.isOver()) {
      if (this.corrupt) throw this.corrupt as Error;
      if (!this.isBehind && maxDelayMs !== undefined) await this.parts.clock.sleep(maxDelayMs, this.stopping.signal);
      const batch = this.isBehind || maxDelayMs !== undefined ? await this.readPage() : await this.follow();
      if (batch) return batch;
    }
    return undefined;
  }

  private async follow(): Promise<EventBatch | undefined> {
    const source = this.source ?? (await this.open());
    if (!source) return undefined;
    await source.gather();
    const batch = this.take(source);
    if (batch || this.corrupt) return batch;
    if (source.hasFailed) await this.goOnAfter(source.failure);
    else if (this.unconfirmed || !(await this.arrival.wait(this.parts.clock, this.parts.quietMs, this.stopping.signal)))
      await this.compare(source);
    return undefined;
  }

  private async readPage(): Promise<EventBatch | undefined> {
    const { reader, head } = this.parts;
    const page = await this.orPause(() => reader.pageAfter(this.position, this.maxBatchSize));
    if (!page) return undefined;
    const events = this.accept(page.events);
    this.isBehind = page.events.length >= NEAR_HEAD;
    // The server dropped the subscription although no events were pending. Back off instead of looping.
    if (page.events.length === 0 && this.wasDropped) await this.pause();
    else this.failures = 0;
    this.wasDropped = false;
    const caughtUp = page.end && !this.corrupt && this.position >= head.known;
    return this.batchOf(events, caughtUp, page.events);
  }

  private async open(): Promise<Source | undefined> {
    const { connection, gatherMs } = this.parts;
    let calling: Calling | undefined;
    try {
      calling = await this.unlessOver(connection.calling());
    } catch {
      // The connection has already logged the error.
      return this.pause();
    }
    if (!calling) return undefined;
    const { position: after, arrival } = this;
    this.source = new Source({ connection, calling, after, filter: this.asked.filter, wake: arrival.note, gatherMs });
    return this.source;
  }

  /** Returns at most one batch of the events that have arrived, or undefined if there are none. */
  private take(source: Source): EventBatch | undefined {
    this.arrival.forget();
    const arrived = source.take(this.maxBatchSize);
    const events = this.accept(arrived);
    const isDrained = source.isEmpty && !this.corrupt;
    if (isDrained) this.position = Math.max(this.position, source.checkpoint);
    if (events.length > 0) this.failures = 0;
    const caughtUp = isDrained && this.isCaughtUp(source);
    return this.batchOf(events, caughtUp, arrived);
  }

  private batchOf(events: RecordedEvent[], caughtUp: boolean, arrived: readonly WireEvent[]): EventBatch | undefined {
    const isNews = this.position > this.told.position || (caughtUp && !this.told.caughtUp);
    if (events.length === 0 && !isNews) return undefined;
    const characters = arrived.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    return { events, position: this.position, caughtUp, characters };
  }

  /** A live subscription remains caught up between events once the server's report has been confirmed. */
  private isCaughtUp(source: Source): boolean {
    if (!source.isLive) this.isLive = false;
    else if (!this.isLive) {
      this.isLive = true;
      this.unconfirmed = true;
    }
    const isAtEnd = this.atHead || (this.isLive && !this.unconfirmed);
    this.atHead = false;
    return isAtEnd && this.position >= this.parts.head.known;
  }

  /** Returns the new matching events that precede the first unreadable event. */
  private accept(arrived: readonly WireEvent[]): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    for (const event of arrived) {
      const position = positionOf(event);
      if (position <= this.position) continue;
      try {
        if (this.matches(event.stream, event.type)) events.push(toRecordedEvent(event));
      } catch (error) {
        this.corrupt = error;
        break;
      }
      this.position = position;
    }
    return events;
  }

  /**
   * Compares the position with the head. A subscription can fail silently, and a filtered one receives no checkpoint
   * for a short range without a match. A matching event before the head should already have arrived.
   */
  private async compare(source: Source): Promise<void> {
    const wasQuiet = !this.unconfirmed;
    const search = await this.orPause(() => this.searchToHead(source));
    if (!search) return;
    this.failures = 0;
    if (search.found !== undefined && wasQuiet) {
      this.parts.logger.warn({ position: this.position, ...search }, 'Restarting a silent subscription');
      this.drop();
    } else this.unconfirmed = false;
  }

  /** Returns the position of a matching event that has not arrived, unless any events have arrived in the meantime. */
  private async searchToHead(source: Source): Promise<{ readonly found?: Position }> {
    const { head, reader } = this.parts;
    const isStale = (): boolean => this.arrival.hasHappened || source.hasFailed;
    const upTo = await head.read();
    if (isStale()) return {};
    const { reached, found } = await reader.search(this.position, upTo, this.matches, SEARCH_LIMIT);
    if (isStale()) return {};
    if (found !== undefined) return { found };
    this.position = Math.max(this.position, reached);
    this.atHead = this.position >= upTo;
    return {};
  }

  /** @throws InvalidPosition */
  private async goOnAfter(failure: unknown): Promise<void> {
    this.drop();
    if (isTooSlow(failure)) {
      this.isBehind = true;
      this.wasDropped = true;
      return;
    }
    this.parts.connection.diagnosis.noteFailed('read $all', failure);
    // EventStoreDB 23.10 reports an invalid position and other faults with the same error.
    if (typeOf(failure) === 'unknown') await this.orPause(() => this.parts.reader.assertPosition(this.position));
    if (!isDenied(failure))
      this.parts.logger.warn({ position: this.position, reason: reasonOf(failure) }, 'A subscription was interrupted');
    await this.pause();
  }

  /**
   * Returns the result of `read`, or undefined if the subscription has ended. If `read` fails, returns undefined after
   * a pause.
   * @throws InvalidPosition
   */
  private async orPause<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.unlessOver(read());
    } catch (error) {
      if (error instanceof InvalidPosition) throw error;
      if (this.failures === 0 && this.parts.connection.diagnosis.fault === undefined)
        this.parts.logger.warn({ reason: reasonOf(error) }, 'A subscription cannot continue');
      return this.pause();
    }
  }

  private async pause(): Promise<undefined> {
    const pauseMs = backoffMs(this.failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    this.failures += 1;
    await this.parts.clock.sleep(pauseMs, this.stopping.signal);
  }

  /** Settles like `work`, but resolves with undefined as soon as the subscription must end. */
  private unlessOver<T>(work: Promise<T>): Promise<T | undefined> {
    const { signal } = this.stopping;
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

  private drop(): void {
    this.source?.end();
    this.source = undefined;
    this.isLive = false;
    this.unconfirmed = false;
  }

  private stop(): void {
    this.stopping.abort();
    this.arrival.note();
  }

  private isOver(): boolean {
    return this.stopping.signal.aborted;
  }
}
