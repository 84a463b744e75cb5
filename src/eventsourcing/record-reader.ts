import { LRUCache } from 'lru-cache';
import { EventStoreUnavailable, type EventStore, type ExpectedRevision } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import { CLAIM_FENCED, type EventCatalogue } from './event-catalogue.js';
import { streamName } from './stream-name.js';
import { DONE } from './with-timeout.js';

/** A record folded from its stream. `revision` is −1 for an empty stream; fences count as revisions. */
export type Loaded<State> = {
  readonly stream: string;
  readonly state: State;
  readonly revision: number;
  /** Position of the last event read; −1 if there is none. */
  readonly position: number;
};

type Entry = { readonly loaded: Loaded<unknown>; readonly checkedAtMs: number };
export type Freshness = {
  /** Maximum age of the last read of the stream's tail, monotonic milliseconds. Default 0: always read the tail. */
  readonly maxAgeMs?: number;
  /**
   * Maximum age of a cached state that is returned while the event store is unavailable or takes longer than
   * PATIENCE_MS. In monotonic milliseconds; the default 0 disables this.
   */
  readonly maxAgeWhileAwayMs?: number;
};

const PAGE = 1_000;
/** Maximum wait for the event store while a cached state is acceptable. */
export const PATIENCE_MS = 1_000;

/** The expected revision for an append to this record. */
export const expectedAt = (revision: number): ExpectedRevision => (revision < 0 ? 'no_stream' : revision);

/** Folds streams to states, in a bounded cache. Cached states are updated by reading only the stream's tail. */
export class RecordReader {
  private readonly cache: LRUCache<string, Entry>;
  private readonly startedAtMs: number;
  /** Tail reads in progress, which other readers may join. */
  private readonly looking = new Map<
    string,
    { readonly beganAtMs: number; readonly found: Promise<Loaded<unknown>> }
  >();

  constructor(
    private readonly store: Pick<EventStore, 'readStream' | 'revisionOf'>,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    maxEntries = 10_000,
  ) {
    this.cache = new LRUCache({ max: maxEntries });
    this.startedAtMs = clock.monotonicMs();
  }

  /** The record's state now, or at most `maxAgeMs` ago. @throws the errors of readStream */
  async read<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    tenantId: string,
    id: string,
    { maxAgeMs = 0, maxAgeWhileAwayMs = 0 }: Freshness = {},
  ): Promise<Loaded<S>> {
    const stream = streamName(aggregate.name, tenantId, id);
    const entry = this.cache.get(stream);
    const known = entry?.loaded as Loaded<S> | undefined;
    if (known && this.isCurrent(entry, maxAgeMs)) return known;
    const found =
      maxAgeMs > 0 ? this.share(aggregate, stream, known, maxAgeMs) : this.refresh(aggregate, stream, known);
    return this.unlessAway(found, entry, maxAgeWhileAwayMs);
  }

  /** The state of a record whose stream is empty, without reading it. */
  absent<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> {
    const stream = streamName(aggregate.name, tenantId, id);
    return { stream, state: aggregate.initial, revision: -1, position: -1 };
  }

  /** The cached state regardless of its age; undefined if there is none. */
  cached<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> | undefined {
    return this.cache.get(streamName(aggregate.name, tenantId, id))?.loaded as Loaded<S> | undefined;
  }

  /**
   * Caches the state after an append. An older state never replaces a newer one. This does not count as a read of the
   * tail: other appends may follow between the commit and its response.
   */
  remember(loaded: Loaded<unknown>): void {
    const known = this.cache.get(loaded.stream);
    if (known && known.loaded.revision > loaded.revision) return;
    this.cache.set(loaded.stream, { loaded, checkedAtMs: known?.checkedAtMs ?? this.startedAtMs });
  }

  private isCurrent(entry: Entry | undefined, maxAgeMs: number): boolean {
    if (!entry) return false;
    const { stream, revision } = entry.loaded;
    return (maxAgeMs > 0 && this.ageOf(entry) <= maxAgeMs) || this.store.revisionOf?.(stream) === revision;
  }

  private ageOf({ checkedAtMs }: Entry): number {
    return this.clock.monotonicMs() - checkedAtMs;
  }

  /** Joins a read that started at most `maxAgeMs` ago, or starts one. */
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

  /** The result of the read. While the store is unavailable: the cached state, if it is not too old. */
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

  private async refresh<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    stream: string,
    known: Loaded<S> | undefined,
  ): Promise<Loaded<S>> {
    let { state, revision, position } = known ?? { state: aggregate.initial, revision: -1, position: -1 };
    const checkedAtMs = this.clock.monotonicMs();
    for (;;) {
      const slice = await this.store.readStream(stream, { from: revision + 1, maxCount: PAGE });
      for (const event of slice.events) {
        if (event.type !== CLAIM_FENCED) state = aggregate.evolve(state, this.catalogue.decode(event) as unknown as E);
        ({ revision, position } = event);
      }
      if (slice.events.length < PAGE) break;
    }
    const loaded: Loaded<S> = known?.revision === revision ? known : { stream, state, revision, position };
    const present = this.cache.get(stream);
    if (!present || present.loaded.revision <= revision) this.cache.set(stream, { loaded, checkedAtMs });
    return loaded;
  }
}
