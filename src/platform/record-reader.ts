import { LRUCache } from 'lru-cache';
import { EventStoreUnavailable, type EventStore, type ExpectedRevision } from '../ports/event-store.js';
import type { Clock } from '../ports/time.js';
import type { Aggregate, DomainEvent } from './aggregate.js';
import { CLAIM_FENCED, type EventCatalogue } from './event-catalogue.js';
import { streamName } from './stream-name.js';

/** A record folded from its stream. `revision` −1: nothing was ever written; fences count as revisions. */
export type Loaded<State> = {
  readonly stream: string;
  readonly state: State;
  readonly revision: number;
  /** Position of the last event read, −1 without one. */
  readonly position: number;
};

type Entry = { readonly loaded: Loaded<unknown>; readonly checkedAtMs: number };
type Freshness = {
  /** How old (monotonic milliseconds) the last look at the stream's tail may be. 0, the default: look now. */
  readonly maxAgeMs?: number;
  /**
   * While the event store does not answer, a look that is no older than this (monotonic milliseconds) still counts. 0,
   * the default: nothing does. An answer that takes longer than PATIENCE_MS is not waited for then.
   */
  readonly maxAgeWhileAwayMs?: number;
};

const PAGE = 1_000;
/** How long an answer is waited for where an older state would do. */
export const PATIENCE_MS = 1_000;

/** The revision at which an append to this record must find the stream. */
export const expectedAt = (revision: number): ExpectedRevision => (revision < 0 ? 'no_stream' : revision);

/** Folded states of streams, kept in a bounded cache and brought up to date by reading only the stream's tail. */
export class RecordReader {
  private readonly cache: LRUCache<string, Entry>;
  private readonly startedAtMs: number;
  /** Looks at tails that are under way, for others who may share them. */
  private readonly looking = new Map<
    string,
    { readonly beganAtMs: number; readonly found: Promise<Loaded<unknown>> }
  >();

  constructor(
    private readonly store: EventStore,
    private readonly catalogue: EventCatalogue,
    private readonly clock: Clock,
    maxEntries = 10_000,
  ) {
    this.cache = new LRUCache({ max: maxEntries });
    this.startedAtMs = clock.monotonicMs();
  }

  /** The record as its stream says now (or at most `maxAgeMs` ago). @throws what reading a stream throws */
  async read<S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    tenantId: string,
    id: string,
    { maxAgeMs = 0, maxAgeWhileAwayMs = 0 }: Freshness = {},
  ): Promise<Loaded<S>> {
    const stream = streamName(aggregate.name, tenantId, id);
    const entry = this.cache.get(stream);
    if (entry && maxAgeMs > 0 && this.ageOf(entry) <= maxAgeMs) return entry.loaded as Loaded<S>;
    const known = entry?.loaded as Loaded<S> | undefined;
    const found =
      maxAgeMs > 0 ? this.share(aggregate, stream, known, maxAgeMs) : this.refresh(aggregate, stream, known);
    return this.unlessAway(found, entry, maxAgeWhileAwayMs);
  }

  /** A record that nobody has looked for: as if nothing were written. */
  absent<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> {
    const stream = streamName(aggregate.name, tenantId, id);
    return { stream, state: aggregate.initial, revision: -1, position: -1 };
  }

  /** What the cache holds, however old; undefined when it holds nothing. */
  cached<S, E extends DomainEvent>(aggregate: Aggregate<S, E>, tenantId: string, id: string): Loaded<S> | undefined {
    return this.cache.get(streamName(aggregate.name, tenantId, id))?.loaded as Loaded<S> | undefined;
  }

  /**
   * Keeps a state that an append has just produced. An older one never replaces a newer one. It does not count as a look
   * at the tail: others may have appended between the commit and its answer.
   */
  remember(loaded: Loaded<unknown>): void {
    const known = this.cache.get(loaded.stream);
    if (known && known.loaded.revision > loaded.revision) return;
    this.cache.set(loaded.stream, { loaded, checkedAtMs: known?.checkedAtMs ?? this.startedAtMs });
  }

  private ageOf({ checkedAtMs }: Entry): number {
    return this.clock.monotonicMs() - checkedAtMs;
  }

  /** A look that another reader began no longer ago than `maxAgeMs`, or one of our own. */
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

  /** What is found, or, where the store does not answer, what is known as long as it is not too old. */
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
      done.abort();
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
        if (event.type !== CLAIM_FENCED)
          state = aggregate.evolve(state, this.catalogue.decode(event) as unknown as E, event.revision);
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
