import { LRUCache } from 'lru-cache';
import { atMost } from '../ports/entry-limit.js';
import {
  EventStoreUnavailable,
  type EventStore,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import type { EventCatalogue } from './event-catalogue.js';
import { RecordChanges } from './record-changes.js';
import { isDivided } from './ranges.js';
import { parseStreamName, streamName } from './stream-name.js';
import { evolved, TailReads } from './tail-reads.js';
import { DONE } from './with-timeout.js';

/** A record, folded from its stream. `revision` is −1 for an empty stream, and counts fences. */
export type Loaded<State> = {
  readonly stream: string;
  readonly state: State;
  readonly revision: number;
  /** Position of the last event read; −1 if there is none. */
  readonly position: number;
};

type Look = { readonly beganAtMs: number; readonly found: Promise<Loaded<unknown>> };
type Entry = { readonly loaded: Loaded<unknown>; readonly checkedAtMs: number };
export type Freshness = {
  /**
   * Maximum age of the state in milliseconds, by the monotonic clock. The age is the time since the stream's tail was
   * read or, except for sales, since the cached states included the whole history. Default: 0, which requires the
   * current state.
   */
  readonly maxAgeMs?: number;
  /**
   * Maximum age of a fallback state, in milliseconds by the monotonic clock. The fallback is a cached state, returned
   * while the event store is unavailable or takes longer than PATIENCE_MS. Default: 0, which disables this fallback.
   */
  readonly maxAgeWhileAwayMs?: number;
  /** Collects the returned states. A result derived only from them is valid as long as they `areRecent`. */
  readonly reads?: Set<Loaded<unknown>>;
};

/** Maximum wait for the event store if a cached state is acceptable. */
export const PATIENCE_MS = 1_000;

/** Returns the expected revision for an append to a record. */
export const expectedAt = (revision: number): ExpectedRevision => (revision < 0 ? 'no_stream' : revision);

/**
 * Folds streams into states and keeps the states in a bounded cache. Updating a cached state requires reading only the
 * tail of its stream. A `RecordFollower` also applies live events to cached states.
 */
export class RecordReader {
  private readonly cache: LRUCache<string, Entry>;
  /** The store's method, bound once, because every access through the store's wrappers costs more than the call. */
  private readonly revisionOf: ((stream: string) => number | undefined) | undefined;
  /** Record changes caused by this process's appends, or by events that were applied. */
  readonly changes = new RecordChanges();
  private readonly startedAtMs: number;
  /** Tail reads in progress, which other readers may join. */
  private readonly looking = new Map<string, Look>();
  private readonly tails: TailReads;
  private followedTo: Position = Number.NEGATIVE_INFINITY;
  /** Time at which the cached states last included every followed event in the history. */
  private followedAtMs = Number.NEGATIVE_INFINITY;
  /** Time at which a state with a maximum age was last requested. */
  private usedAtMs = Number.NEGATIVE_INFINITY;
  /** Incremented when events may have been missed, so that the results of reads in progress are not cached. */
  private epoch = 0;

  constructor(
    private readonly store: Pick<EventStore, 'readStream' | 'revisionOf' | 'hasLocalReads'>,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    maxEntries = 10_000,
  ) {
    this.cache = new LRUCache(atMost(maxEntries));
    this.revisionOf = store.revisionOf?.bind(store);
    this.tails = new TailReads(store, catalogue);
    this.startedAtMs = clock.monotonicMs();
  }

  /**
   * Returns the current state of a record, or a state that is at most `maxAgeMs` old. @throws errors from readStream
   */
  async read<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    tenantId: string,
    id: string,
    { maxAgeMs = 0, maxAgeWhileAwayMs = 0, reads }: Freshness = {},
  ): Promise<Loaded<S>> {
    const stream = streamName(aggregate.name, tenantId, id);
    const entry = this.cache.get(stream);
    let loaded = entry?.loaded as Loaded<S> | undefined;
    if (!loaded || !this.isCurrent(entry, maxAgeMs)) {
      const read =
        maxAgeMs > 0 ? this.share(aggregate, stream, loaded, maxAgeMs) : this.refresh(aggregate, stream, loaded);
      loaded = await this.unlessAway(read, entry, maxAgeWhileAwayMs);
    }
    reads?.add(loaded);
    return loaded;
  }

  /** Returns the cached state if `read` would return it without reading the stream; otherwise undefined. */
  recent<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    tenantId: string,
    id: string,
    { maxAgeMs = 0 }: Freshness = {},
  ): Loaded<S> | undefined {
    const entry = this.cache.get(streamName(aggregate.name, tenantId, id));
    return this.isCurrent(entry, maxAgeMs) ? (entry.loaded as Loaded<S>) : undefined;
  }

  /** Whether `read` would return exactly these states, without reading their streams. */
  areRecent(states: readonly Loaded<unknown>[], { maxAgeMs = 0 }: Freshness): boolean {
    for (const state of states) {
      const entry = this.cache.get(state.stream);
      if (entry?.loaded !== state || !this.isCurrent(entry, maxAgeMs)) return false;
    }
    return true;
  }

  /** Returns the initial state of a record that is known not to exist, without reading its stream. */
  absent<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> {
    const stream = streamName(aggregate.name, tenantId, id);
    return { stream, state: aggregate.initial, revision: -1, position: -1 };
  }

  /** Returns the cached state regardless of its age; undefined if there is none. */
  cached<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> | undefined {
    return this.cache.get(streamName(aggregate.name, tenantId, id))?.loaded as Loaded<S> | undefined;
  }

  /**
   * Caches the state after an append. An older state never replaces a newer one. Caching does not count as a read of
   * the tail, because other appends may follow between the commit and the response.
   */
  remember(loaded: Loaded<unknown>): void {
    this.changes.note(loaded.stream, loaded.position);
    const known = this.cache.get(loaded.stream);
    if (known && known.loaded.revision > loaded.revision) return;
    // Later events of the stream may already have been delivered.
    if (!known && loaded.position <= this.followedTo) return;
    this.cache.set(loaded.stream, { loaded, checkedAtMs: known?.checkedAtMs ?? this.startedAtMs });
  }

  /** Starts following the history after a position. Earlier events may have been missed. */
  follow(after: Position): void {
    this.cache.clear();
    this.changes.begin(after);
    this.epoch += 1;
    this.followedTo = after;
    this.followedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Applies all followed events up to `position`, in order. */
  apply(events: readonly RecordedEvent[], position: Position): void {
    for (const event of events) this.applyOne(event);
    this.followedTo = position;
  }

  /** Records that all followed events that existed at the given time have been applied. */
  confirm(atMs: number): void {
    this.followedAtMs = atMs;
  }

  /** Position up to which the cached states include every followed event. */
  get position(): Position {
    return this.followedTo;
  }

  /** Whether cached states of at most this age can be used without a request to a server. */
  isPrompt(maxAgeMs: number): boolean {
    return this.store.hasLocalReads === true || this.isFollowing(maxAgeMs);
  }

  /** Whether cached states of at most this age include the events of other processes. */
  isFollowing(maxAgeMs: number): boolean {
    return this.use() - this.followedAtMs <= maxAgeMs;
  }

  /** Whether a state with a maximum age was requested within this time. */
  wasUsedWithin(ms: number): boolean {
    return this.clock.monotonicMs() - this.usedAtMs < ms;
  }

  private applyOne(event: RecordedEvent): void {
    const { stream, revision, position } = event;
    this.changes.note(stream, position);
    this.tails.note(stream, revision);
    const entry = this.cache.peek(stream);
    if (!entry || revision <= entry.loaded.revision) return;
    try {
      const aggregate = this.catalogue.aggregateOf(parseStreamName(stream)?.entity ?? '');
      if (aggregate && revision === entry.loaded.revision + 1) {
        const state = evolved(this.catalogue, aggregate, entry.loaded.state, event);
        this.cache.set(stream, { ...entry, loaded: { stream, state, revision, position } });
        return;
      }
    } catch {
      // If the error persists, the next read throws it.
    }
    this.cache.delete(stream);
  }

  private isCurrent(entry: Entry | undefined, maxAgeMs: number): entry is Entry {
    if (!entry) return false;
    const { stream, revision } = entry.loaded;
    const actual = this.revisionOf?.(stream);
    if (actual !== undefined) return actual === revision;
    return maxAgeMs > 0 && this.ageOf(entry, this.use()) <= maxAgeMs;
  }

  private ageOf({ loaded, checkedAtMs }: Entry, nowMs = this.clock.monotonicMs()): number {
    return nowMs - (isDivided(loaded.stream) ? checkedAtMs : Math.max(checkedAtMs, this.followedAtMs));
  }

  /** Records a request for a state with a maximum age. Returns the current time. */
  private use(): number {
    this.usedAtMs = this.clock.monotonicMs();
    return this.usedAtMs;
  }

  /** Joins a read that started at most `maxAgeMs` ago, or starts a new read. */
  private share<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    stream: string,
    known: Loaded<S> | undefined,
    maxAgeMs: number,
  ): Promise<Loaded<S>> {
    const beganAtMs = this.clock.monotonicMs();
    const other = this.looking.get(stream);
    if (other && beganAtMs - other.beganAtMs <= maxAgeMs) return other.found as Promise<Loaded<S>>;
    const found = this.refresh(aggregate, stream, known).finally(() => {
      if (this.looking.get(stream) === look) this.looking.delete(stream);
    });
    const look = { beganAtMs, found };
    this.looking.set(stream, look);
    return found;
  }

  /** Returns the result of the read. While the store is unavailable, returns the cached state if it is not too old. */
  private async unlessAway<S>(
    found: Promise<Loaded<S>>,
    entry: Entry | undefined,
    maxAgeMs: number,
  ): Promise<Loaded<S>> {
    if (!entry || maxAgeMs === 0) return found;
    const isGood = (): boolean => this.ageOf(entry) <= maxAgeMs;
    if (!isGood()) return found;
    const done = new AbortController();
    const late = this.clock.sleep(PATIENCE_MS, done.signal).then(() => undefined);
    try {
      const answer = await Promise.race([found, late]);
      if (answer !== undefined || !isGood()) return answer ?? (await found);
      found.catch(() => undefined);
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable) || !isGood()) throw error;
    } finally {
      done.abort(DONE);
    }
    return entry.loaded as Loaded<S>;
  }

  private refresh<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    stream: string,
    known: Loaded<S> | undefined,
  ): Promise<Loaded<S>> {
    const checkedAtMs = this.clock.monotonicMs();
    const { epoch } = this;
    return this.tails.read(aggregate, stream, known, (loaded) => {
      const present = this.cache.get(stream)?.loaded.revision ?? -1;
      if (epoch === this.epoch && present <= loaded.revision) this.cache.set(stream, { loaded, checkedAtMs });
    });
  }
}
