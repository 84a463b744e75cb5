import {
  type AllSubscription,
  BEFORE_ALL,
  type EventBatch,
  type EventFilter,
  type EventReader,
  type LiveAfter,
  type Narrowing,
  type Position,
  type Reached,
  type RecordedEvent,
} from '../ports/event-store.js';
import { overriding } from '../ports/overriding.js';
import { batchSizeOf, passes, stoppable } from './event-store.input.js';
import { Consumer, JoinedConsumers } from './event-store.consumer.js';
import { covers, isSame, narrowed, narrowingOf } from './event-store.narrowing.js';
import { relayed } from './event-store.relay.js';
import { KeptBatches } from './kept-batches.js';
import { unlessAborted } from './waiting.js';

/** Maximum number of events in a batch for another thread. */
const REMOTE_EVENTS = 500;
const NARROW_EVERY_MS = 1_000;

type Subscription = AllSubscription & { readonly signal: AbortSignal };

export type Sharing = {
  /**
   * Filter of the shared subscription. A subscription that may need other events is not shared. Default: all events.
   */
  readonly filter?: EventFilter;
  /** Whether to exclude subscriptions that permit a delay, because the engine serves them at a lower cost. */
  readonly keepsLateApart?: boolean;
  /** Maximum number of events to keep. Default: 500. */
  readonly keptEvents?: number;
  /** Maximum time for which a slow consumer delays the others. Default: 250 ms. */
  readonly patienceMs?: number;
  /** Interval at which the shared subscription stops selecting events that no consumer needs. Default: 1,000 ms. */
  readonly narrowEveryMs?: number;
  /** Provides live events that another thread of the process receives. Default: every thread receives its own. */
  readonly liveAfter?: LiveAfter | undefined;
};

/**
 * Reads and decodes the live end of a history once for all subscriptions of a thread, with the guarantees of
 * `EventReader.subscribeToAll`. A subscription reads its backlog separately and joins when it has caught up. It reads
 * separately again if it falls too far behind or the shared subscription fails. It therefore never delays the others,
 * and encounters every error at its own position. The shared subscription is also pull-based: it reads only while a
 * consumer is waiting for it.
 */
export class SharedSubscription {
  /** Events for consumers that are slightly behind, up to and including `reached`. */
  private readonly kept: KeptBatches;
  private reached: Position = 0;
  private caughtUp = false;
  private source: AsyncIterator<EventBatch> | undefined;
  /** Filter of the source and the position at which the source started. */
  private selected: EventFilter | undefined;
  private selectedAfter: Position = 0;
  private selectedAtMs = Number.NEGATIVE_INFINITY;
  private pulling: Promise<void> | undefined;
  private readonly consumers = new Set<Consumer>();
  /** Consumers that read from the kept batches. */
  private readonly joined: JoinedConsumers;
  /** The consumer in another thread, if there is one. */
  private remote: Consumer | undefined;
  private isClosed = false;

  constructor(
    private readonly reader: Pick<EventReader, 'subscribeToAll'>,
    private readonly sharing: Sharing = {},
  ) {
    this.kept = new KeptBatches(sharing.keptEvents);
    this.joined = new JoinedConsumers(sharing.patienceMs);
  }

  subscribe(subscription: AllSubscription): AsyncIterable<EventBatch> {
    const isAlone = subscription.maxDelayMs !== undefined && this.sharing.keepsLateApart === true;
    if (isAlone || !covers(this.sharing.filter, subscription.filter)) return this.reader.subscribeToAll(subscription);
    batchSizeOf(subscription);
    return { [Symbol.asyncIterator]: () => this.iterate(subscription) };
  }

  /** Provides live events to another thread of the process. */
  readonly liveAfter: LiveAfter = async (told, narrowing) => {
    const remote = this.remoteWith(narrowing);
    this.joined.give(remote, told);
    this.widenFor(remote);
    if (this.joins(remote)) this.joined.add(remote);
    while (this.joins(remote) && !this.isClosed) {
      const batch = this.next(told, REMOTE_EVENTS, passes(remote.filter));
      if (batch) return batch;
      await this.pull();
    }
    this.joined.delete(remote);
    return undefined;
  };

  /** Returns the consumer for the other thread: a new one if that thread needs different events than before. */
  private remoteWith(narrowing: Narrowing | undefined): Consumer {
    const filter = narrowed(this.sharing.filter, narrowing);
    if (this.remote && isSame(this.remote.filter?.narrowing, filter?.narrowing)) return this.remote;
    if (this.remote) this.joined.delete(this.remote);
    return (this.remote = new Consumer(filter, BEFORE_ALL, true));
  }

  private iterate(subscription: AllSubscription): AsyncIterableIterator<EventBatch, void> {
    const ending = new AbortController();
    const stop = (): void => {
      ending.abort();
    };
    subscription.signal?.addEventListener('abort', stop, { once: true });
    if (subscription.signal?.aborted) stop();
    const batches = this.batches({ ...subscription, signal: ending.signal }, () =>
      subscription.signal?.removeEventListener('abort', stop),
    );
    return stoppable(batches, stop);
  }

  private async *batches(subscription: Subscription, ended: () => void): AsyncGenerator<EventBatch, void> {
    const { signal, after, filter } = subscription;
    const consumer = new Consumer(filter, after);
    this.consumers.add(consumer);
    try {
      while (!signal.aborted && !this.isClosed) {
        if (this.joins(consumer)) yield* this.together(consumer, subscription);
        else if (!(yield* this.alone(consumer, subscription))) return;
      }
    } finally {
      ended();
      this.consumers.delete(consumer);
      if (this.consumers.size === 0) this.drop();
    }
  }

  private async *together(consumer: Consumer, subscription: Subscription): AsyncGenerator<EventBatch, void> {
    const { signal, filter } = subscription;
    const maxBatchSize = batchSizeOf(subscription);
    const isWanted = passes(filter);
    this.joined.add(consumer);
    try {
      while (this.joins(consumer) && !signal.aborted && !this.isClosed) {
        const batch = this.next(consumer.told, maxBatchSize, isWanted);
        if (batch) yield this.joined.give(consumer, batch);
        else await unlessAborted(this.pull(), signal);
      }
    } finally {
      this.joined.delete(consumer);
    }
  }

  /** Reads separately. Returns true when the consumer can join, and false when its subscription has ended. */
  private async *alone(consumer: Consumer, subscription: Subscription): AsyncGenerator<EventBatch, boolean> {
    for await (const batch of this.reader.subscribeToAll({ ...subscription, after: consumer.told.position })) {
      yield this.joined.give(consumer, batch);
      consumer.hasCaughtUp ||= batch.caughtUp;
      if (batch.caughtUp) this.begin(batch.position);
      if (consumer.hasCaughtUp) this.widenFor(consumer);
      if (this.joins(consumer)) return true;
    }
    return false;
  }

  private joins(consumer: Consumer): boolean {
    const { hasCaughtUp, told, filter } = consumer;
    if (!hasCaughtUp || !this.isKept(told.position)) return false;
    return this.joined.has(consumer) || (told.position >= this.selectedAfter && covers(this.selected, filter));
  }

  /** Whether a consumer at this position can get all later events from the kept batches and the source. */
  private isKept(position: Position): boolean {
    return this.source !== undefined && position >= this.kept.after;
  }

  /** Starts the shared subscription at the position of a consumer that has caught up. */
  private begin(position: Position): void {
    if (this.source || !this.open(position)) return;
    this.kept.begin(position);
    this.reached = position;
    this.caughtUp = true;
  }

  /** Opens the source after a position for the events that consumers need. Returns false if it cannot be opened. */
  private open(position: Position): boolean {
    const { liveAfter } = this.sharing;
    const filter = this.needed();
    const subscription = { after: position, maxBatchSize: this.kept.batchSize, ...(filter && { filter }) };
    try {
      const batches = liveAfter
        ? relayed(this.reader, liveAfter, subscription)
        : this.reader.subscribeToAll(subscription);
      this.source = batches[Symbol.asyncIterator]();
    } catch {
      // The store is closed, which also ends the consumer's own subscription.
      return false;
    }
    this.selected = filter;
    this.selectedAfter = position;
    this.selectedAtMs = performance.now();
    return true;
  }

  /** Returns a filter that selects all events needed by any consumer. */
  private needed(): EventFilter | undefined {
    const all = [...this.consumers, ...(this.remote ? [this.remote] : [])];
    return narrowed(this.sharing.filter, narrowingOf(all.map(({ filter }) => filter)));
  }

  /** Reopens the source if it does not select all events that a consumer needs. Joined consumers miss no events. */
  private widenFor({ filter }: Consumer): void {
    if (this.source && !covers(this.selected, filter)) this.reopen();
  }

  /** Reopens the source, at most once per interval, if it selects more events than the consumers need. */
  private narrow(): void {
    if (performance.now() - this.selectedAtMs < (this.sharing.narrowEveryMs ?? NARROW_EVERY_MS)) return;
    this.selectedAtMs = performance.now();
    if (!isSame(this.needed()?.narrowing, this.selected?.narrowing)) this.reopen();
  }

  private reopen(): void {
    const { source } = this;
    this.source = this.pulling = undefined;
    source?.return?.().catch(() => undefined);
    if (!this.open(this.reached)) this.drop();
  }

  private drop(): void {
    this.source?.return?.().catch(() => undefined);
    this.source = undefined;
    this.pulling = undefined;
    this.kept.begin(this.reached);
  }

  private next(
    told: Reached,
    maxBatchSize: number,
    isWanted: (event: RecordedEvent) => boolean,
  ): EventBatch | undefined {
    const events = this.kept.eventsAfter(told.position, maxBatchSize, isWanted);
    const last = events.at(-1)?.position ?? BEFORE_ALL;
    if (events.length === maxBatchSize && last < this.reached) return { events, position: last, caughtUp: false };
    const position = Math.max(told.position, this.reached);
    const caughtUp = this.caughtUp && told.position <= this.reached;
    const isNews = position > told.position || (caughtUp && !told.caughtUp);
    return events.length > 0 || isNews ? { events, position, caughtUp } : undefined;
  }

  /** Reads the next shared batch once for all consumers that are waiting for it. */
  private pull(): Promise<void> {
    this.narrow();
    if (this.source) this.pulling ??= this.read(this.source);
    return this.pulling ?? Promise.resolve();
  }

  private async read(source: AsyncIterator<EventBatch>): Promise<void> {
    try {
      await this.joined.notSlow((position) => this.isKept(position) && this.kept.isFullFor(position));
      const next = await source.next();
      if (this.source !== source) return;
      if (next.done === true) this.isClosed = true;
      else this.keep(next.value);
      this.pulling = undefined;
    } catch {
      // Each consumer continues separately and encounters the error at its own position.
      if (this.source === source) this.drop();
    }
  }

  private keep(batch: EventBatch): void {
    const { events, position, caughtUp } = batch;
    this.reached = position;
    this.caughtUp = caughtUp;
    if (events.length === 0) return;
    this.kept.add(batch, this.joined.positions);
  }
}

/** Wraps a reader so that all of its subscriptions share a single underlying subscription. */
export function sharingSubscription<R extends EventReader>(reader: R, shared = new SharedSubscription(reader)): R {
  return overriding<R, EventReader>(reader, { subscribeToAll: (subscription) => shared.subscribe(subscription) });
}
