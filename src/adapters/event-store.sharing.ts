import {
  type AllSubscription,
  BEFORE_ALL,
  type EventBatch,
  type EventFilter,
  type EventReader,
  type LiveAfter,
  type Position,
  type Reached,
  type RecordedEvent,
} from '../ports/event-store.js';
import { overriding } from '../ports/overriding.js';
import { batchSizeOf, passes, stoppable } from './event-store.input.js';
import { relayed } from './event-store.relay.js';
import { unlessAborted } from './waiting.js';

/** Limits on the events kept for consumers that are slightly behind. A consumer that is further behind reads alone. */
const KEPT_EVENTS = 500;
const KEPT_CHARACTERS = 8 * 1024 * 1024;

type Subscription = AllSubscription & { readonly signal: AbortSignal };
type Consumer = {
  /** Position and state of the consumer's last batch, without its events, so that these can be freed. */
  told: Reached;
  /**
   * Whether the consumer has caught up. Only the consumer's own read can establish this, because the shared
   * subscription may have read its events before the consumer began.
   */
  hasCaughtUp: boolean;
};

export type Sharing = {
  /**
   * Filter of the shared subscription. A subscription that may need other events is not shared. Default: all events.
   */
  readonly filter?: EventFilter;
  /** Maximum number of events to keep. Default: 500. */
  readonly keptEvents?: number;
  /** Provides live events that another thread of the process receives. Default: every thread receives its own. */
  readonly liveAfter?: LiveAfter | undefined;
};

/**
 * Reads and decodes the live end of a history once for all subscriptions of a thread, with the guarantees of
 * `EventReader.subscribeToAll`. A subscription reads its backlog alone and joins when it has caught up. It reads alone
 * again when it falls too far behind or when the shared subscription fails. Therefore, it never delays the others, and
 * encounters every error at its own position. The shared subscription is also pull-based: it reads only while a
 * consumer is waiting for it.
 */
export class SharedSubscription {
  /** The latest batches with events, in order: everything read after `keptAfter`, up to and including `reached`. */
  private kept: EventBatch[] = [];
  private keptCount = 0;
  private characters = 0;
  private keptAfter: Position = 0;
  private reached: Position = 0;
  private caughtUp = false;
  private source: AsyncIterator<EventBatch> | undefined;
  private pulling: Promise<void> | undefined;
  private consumers = 0;
  /** Consumers that read from the kept batches. */
  private readonly joined = new Set<Consumer>();
  /** The consumer in another thread, if there is one. */
  private readonly remote: Consumer = { told: { position: BEFORE_ALL, caughtUp: false }, hasCaughtUp: true };
  private isClosed = false;
  private readonly keptEvents: number;

  constructor(
    private readonly reader: Pick<EventReader, 'subscribeToAll'>,
    private readonly sharing: Sharing = {},
  ) {
    this.keptEvents = sharing.keptEvents ?? KEPT_EVENTS;
  }

  subscribe(subscription: AllSubscription): AsyncIterable<EventBatch> {
    if (!covers(this.sharing.filter, subscription.filter)) return this.reader.subscribeToAll(subscription);
    batchSizeOf(subscription);
    return { [Symbol.asyncIterator]: () => this.iterate(subscription) };
  }

  /** Provides live events to another thread of the process. */
  readonly liveAfter: LiveAfter = async (told) => {
    this.remote.told = told;
    this.joined.add(this.remote);
    while (this.isKept(told.position) && !this.isClosed) {
      const batch = this.next(told, KEPT_EVENTS, () => true);
      if (batch) return batch;
      await this.pull();
    }
    this.joined.delete(this.remote);
    return undefined;
  };

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
    const { signal, after } = subscription;
    const consumer: Consumer = { told: { position: after, caughtUp: false }, hasCaughtUp: false };
    this.consumers += 1;
    try {
      while (!signal.aborted && !this.isClosed) {
        if (this.joins(consumer)) yield* this.together(consumer, subscription);
        else if (!(yield* this.alone(consumer, subscription))) return;
      }
    } finally {
      ended();
      this.consumers -= 1;
      if (this.consumers === 0) this.drop();
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
        if (batch) yield told(consumer, batch);
        else await unlessAborted(this.pull(), signal);
      }
    } finally {
      this.joined.delete(consumer);
    }
  }

  /** Reads alone. Returns true when the consumer can join, and false when its subscription is over. */
  private async *alone(consumer: Consumer, subscription: Subscription): AsyncGenerator<EventBatch, boolean> {
    for await (const batch of this.reader.subscribeToAll({ ...subscription, after: consumer.told.position })) {
      yield told(consumer, batch);
      consumer.hasCaughtUp ||= batch.caughtUp;
      if (batch.caughtUp) this.begin(batch.position);
      if (this.joins(consumer)) return true;
    }
    return false;
  }

  private joins({ hasCaughtUp, told }: Consumer): boolean {
    return hasCaughtUp && this.isKept(told.position);
  }

  /** Whether every event after the position is either kept or still to be read. */
  private isKept(position: Position): boolean {
    return this.source !== undefined && position >= this.keptAfter;
  }

  /** Begins the shared subscription at the position of a consumer that has caught up. */
  private begin(position: Position): void {
    if (this.source) return;
    const { filter, liveAfter } = this.sharing;
    const subscription = { after: position, ...(filter && { filter }) };
    try {
      const batches = liveAfter
        ? relayed(this.reader, liveAfter, subscription)
        : this.reader.subscribeToAll(subscription);
      this.source = batches[Symbol.asyncIterator]();
    } catch {
      // The store is closed, which also ends the consumer's own subscription.
      return;
    }
    this.keptAfter = this.reached = position;
    this.caughtUp = true;
  }

  private drop(): void {
    this.source?.return?.().catch(() => undefined);
    this.source = undefined;
    this.pulling = undefined;
    this.kept = [];
    this.keptCount = this.characters = 0;
  }

  private next(
    told: Reached,
    maxBatchSize: number,
    isWanted: (event: RecordedEvent) => boolean,
  ): EventBatch | undefined {
    const events = this.eventsAfter(told.position, maxBatchSize, isWanted);
    const last = events.at(-1)?.position ?? BEFORE_ALL;
    if (events.length === maxBatchSize && last < this.reached) return { events, position: last, caughtUp: false };
    const position = Math.max(told.position, this.reached);
    const caughtUp = this.caughtUp && told.position <= this.reached;
    const isNews = position > told.position || (caughtUp && !told.caughtUp);
    return events.length > 0 || isNews ? { events, position, caughtUp } : undefined;
  }

  private eventsAfter(position: Position, most: number, isWanted: (event: RecordedEvent) => boolean): RecordedEvent[] {
    const events: RecordedEvent[] = [];
    for (const batch of this.kept.slice(this.firstAfter(position)))
      for (const event of batch.events)
        if (event.position > position && events.length < most && isWanted(event)) events.push(event);
    return events;
  }

  /** Returns the index of the first kept batch beyond a position. Most consumers are near the end. */
  private firstAfter(position: Position): number {
    return this.kept.findLastIndex((batch) => batch.position <= position) + 1;
  }

  /** Reads the next shared batch once for all consumers that are waiting for it. */
  private pull(): Promise<void> {
    this.pulling ??= this.read(this.source as AsyncIterator<EventBatch>);
    return this.pulling;
  }

  private async read(source: AsyncIterator<EventBatch>): Promise<void> {
    try {
      const next = await source.next();
      if (this.source !== source) return;
      if (next.done === true) this.isClosed = true;
      else this.keep(next.value);
      this.pulling = undefined;
    } catch {
      // Each consumer continues alone and encounters the error at its own position.
      if (this.source === source) this.drop();
    }
  }

  private keep(batch: EventBatch): void {
    const { events, position, caughtUp } = batch;
    this.reached = position;
    this.caughtUp = caughtUp;
    if (events.length === 0) return;
    this.release();
    this.kept.push(batch);
    this.keptCount += events.length;
    this.characters += charactersOf(batch);
    if (this.isFull(1)) this.evict();
  }

  /**
   * Releases the batches that all joined consumers have received. Freeing events early makes garbage collection
   * cheaper.
   */
  private release(): void {
    const received = Math.min(...Array.from(this.joined, ({ told: { position } }) => position));
    this.remove(this.kept.findLastIndex((batch) => batch.position <= received) + 1);
  }

  private isFull(share: number): boolean {
    return this.keptCount > this.keptEvents * share || this.characters > KEPT_CHARACTERS * share;
  }

  /** Evicts about half of the batches, so that the array is rarely shifted. */
  private evict(): void {
    while (this.isFull(0.5) && this.kept.length > 0) this.remove(1);
  }

  private remove(count: number): void {
    for (const batch of this.kept.splice(0, count)) {
      this.keptCount -= batch.events.length;
      this.characters -= charactersOf(batch);
      this.keptAfter = batch.position;
    }
  }
}

/** Records the position that the consumer reaches with the batch. */
function told(consumer: Consumer, batch: EventBatch): EventBatch {
  consumer.told = { position: batch.position, caughtUp: batch.caughtUp };
  return batch;
}

const charactersOf = ({ characters, events }: EventBatch): number => characters ?? JSON.stringify(events).length;

/**
 * Whether the shared filter passes every event that a subscription needs. The event types occur only in the shared
 * streams.
 */
function covers(shared: EventFilter | undefined, wanted: EventFilter | undefined): boolean {
  if (!shared || wanted?.on === 'type') return true;
  return wanted?.prefixes.every((prefix) => shared.prefixes.some((known) => prefix.startsWith(known))) ?? false;
}

/** Wraps a reader so that all of its subscriptions share a single underlying subscription. */
export function sharingSubscription<R extends EventReader>(reader: R, shared = new SharedSubscription(reader)): R {
  return overriding<R, EventReader>(reader, { subscribeToAll: (subscription) => shared.subscribe(subscription) });
}
