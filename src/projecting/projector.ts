import { LRUCache } from 'lru-cache';
import { atMost } from '../ports/entry-limit.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { AnyTable, DocumentKey, DocumentWrite, ReadStore, Scope, StoredDocument } from '../ports/read-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { QuarantineEntry } from './projection-quarantine.js';
import { WHOLE, type Portion } from '../eventsourcing/ranges.js';
import { begins, checkpointKey, documentsOf, evolveWith, scopeOf, wants, type AnyProjection } from './projection.js';

type Folded = { document: object | undefined; position: number; readonly expected: number | null; made: boolean };
type Touched = Folded & { readonly scope: Scope; readonly id: string };
type Step = { readonly event: Recorded; readonly scope: Scope; readonly id: string; readonly key: string };

type Filled = { readonly projection: AnyProjection; readonly table: AnyTable; readonly portion?: Portion };

/** The read store methods that a projector and `project` need. */
export type DocumentStore = Pick<ReadStore, 'load' | 'write'>;

/**
 * A generation's phase. It is independent of `isLive`: after the store has been emptied, even the live generation is
 * building.
 */
export type Phase =
  /** Folds the history together with other generations, without secondary indexes. */
  | 'building'
  /** Reads from its own position until it has caught up with the shared subscription. */
  | 'catching-up'
  /** Fed by the shared subscription. */
  | 'following'
  /** Stopped before an event that it cannot fold. */
  | 'stopped'
  /** No longer fed, and about to be removed. */
  | 'retired';

const NEXT_PHASES: Readonly<Record<Phase, readonly Phase[]>> = {
  building: ['catching-up', 'following', 'stopped', 'retired'],
  'catching-up': ['following', 'stopped', 'retired'],
  following: ['stopped', 'retired'],
  stopped: ['catching-up', 'retired'],
  retired: [],
};

/**
 * Maximum number of documents cached per generation. Few documents change repeatedly, so a larger cache would only fill
 * the heap's old generation.
 */
const MAX_KNOWN = 500;

/** An event that a projection cannot fold. */
export class PoisonEvent extends Error {
  constructor(
    readonly event: Recorded,
    readonly projector: Projector,
    override readonly cause: unknown,
    /** The document that could not be updated with the event, if known. */
    readonly document: DocumentKey | undefined,
  ) {
    super(`${projector.name} cannot fold ${event.type} at position ${event.position}`);
    this.name = 'PoisonEvent';
  }
}

/**
 * Folds batches of events into one generation. Loads the affected documents, folds the events in memory, and writes the
 * documents with the checkpoint. Writes a document only if its stored position is unchanged. Skips events that a
 * document already contains, judging by their positions. Therefore, redelivery, a second projector and a crash at any
 * point are harmless.
 */
export class Projector {
  private readonly known = new LRUCache<string, Readonly<Folded>>(atMost(MAX_KNOWN));
  /**
   * If documents rarely change, contains those created by the last batch that created any. They are moved to `known` if
   * they change.
   */
  private readonly created = new Map<string, Readonly<Folded>>();
  /**
   * Whether the projector assumes that a document that begins with an event does not exist yet. A conflict disproves
   * this assumption and sets the value to false.
   */
  private isFirst = true;
  /** Quarantined documents, by key. They remain in the state before the quarantined event. */
  private readonly stale = new Map<string, QuarantineEntry>();
  private current: Phase = 'building';
  /** The table contains every event up to and including this position. */
  position: Position = BEFORE_ALL;
  /** Whether queries read this generation. */
  isLive = true;
  /** The event before which the generation stopped. */
  stoppedAt: QuarantineEntry | undefined;
  readonly projection: AnyProjection;
  /** The generation that the projector fills. */
  readonly table: AnyTable;
  /** The part of the history that the projector folds. */
  readonly portion: Portion;
  /**
   * No process will store platform documents for further events up to and including this position. Undefined if this
   * process stores all platform documents.
   */
  platformUpTo: Position | undefined;

  constructor(
    private readonly store: Pick<DocumentStore, 'load'>,
    { projection, table, portion = WHOLE }: Filled,
    /** Restricts folding to a sample of the documents. */
    private readonly accepts?: (key: DocumentKey, position: Position) => boolean,
  ) {
    this.projection = projection;
    this.table = table;
    this.portion = projection.acrossTenants ? WHOLE : portion;
    if (this.portion.ranges) this.platformUpTo = BEFORE_ALL;
  }

  get phase(): Phase {
    return this.current;
  }

  /** Enters a phase. Does nothing once the generation is retired. */
  become(next: Phase): void {
    if (this.current === 'retired' || this.current === next) return;
    if (!NEXT_PHASES[this.current].includes(next)) throw new Error(`${this.name} is ${this.current}, not ${next}`);
    this.current = next;
  }

  get quarantined(): readonly QuarantineEntry[] {
    return [...this.stale.values()];
  }

  /** Stops folding events into a document, beginning with the entry's event. */
  leave(entry: QuarantineEntry): void {
    this.stale.set(keyOf(entry.scope, entry.id), entry);
  }

  /** Resumes folding a document after it has been refolded. */
  resume(entry: QuarantineEntry): void {
    const key = keyOf(entry.scope, entry.id);
    this.stale.delete(key);
    this.known.delete(key);
    this.created.delete(key);
  }

  /** Whether the document lacks the event at this position. */
  isLeft(key: DocumentKey, position: Position): boolean {
    const entry = this.stale.get(keyOf(key.scope, key.id));
    return entry !== undefined && position >= entry.position;
  }

  get name(): string {
    return this.projection.model.name;
  }

  /** Key of the generation's checkpoint, which may be divided into parts. */
  get checkpointKey(): string {
    return checkpointKey(this.table.model, this.table.generation);
  }

  /** Folds a batch of the portion's events without storing the resulting documents. @throws PoisonEvent */
  async fold(events: readonly Recorded[]): Promise<DocumentWrite[]> {
    const { projection } = this;
    const wanted = events.filter((event) => wants(projection, event.entity));
    const steps = wanted.flatMap((event) => this.stepsOf(event));
    if (steps.length === 0) return [];
    const touched = await this.load(steps);
    for (const { event, key } of steps) {
      const document = touched.get(key);
      if (!document || event.position <= document.position) continue;
      document.document = this.evolve(document.document, event, document);
      document.position = event.position;
      document.made ||= document.document !== undefined;
    }
    return [...touched.values()].filter(changed).map(({ scope, id, document, position, expected }) => ({
      scope,
      id,
      document: document ?? null,
      position,
      expected,
    }));
  }

  /** Caches stored documents, so that the next batch need not load them. */
  remember(writes: readonly DocumentWrite[]): void {
    const { ofEvents, rarelyChanges = false } = this.projection;
    this.isFirst = true;
    if (ofEvents) return;
    if (writes.some(({ expected }) => expected === null)) this.created.clear();
    for (const { scope, id, document, position, expected } of writes) {
      const isBrief = rarelyChanges && expected === null;
      const [cache, other] = isBrief ? [this.created, this.known] : [this.known, this.created];
      const key = keyOf(scope, id);
      cache.set(key, { document: document ?? undefined, position, expected: position, made: true });
      // The other cache may contain an older state, such as ABSENT for a document that has now been created.
      other.delete(key);
    }
  }

  forget(): void {
    this.known.clear();
    this.created.clear();
    this.isFirst = false;
  }

  private stepsOf(event: Recorded): Step[] {
    const { projection } = this;
    try {
      const scope = scopeOf(projection, event);
      const ids = documentsOf(projection, event);
      const isAll = this.stale.size === 0 && !this.accepts;
      const wanted = isAll ? ids : ids.filter((id) => this.isWanted({ scope, id }, event.position));
      return wanted.map((id) => ({ event, scope, id, key: keyOf(scope, id) }));
    } catch (error) {
      throw new PoisonEvent(event, this, error, undefined);
    }
  }

  private isWanted(key: DocumentKey, position: Position): boolean {
    return !this.isLeft(key, position) && (this.accepts?.(key, position) ?? true);
  }

  private evolve(document: object | undefined, event: Recorded, { scope, id }: DocumentKey): object | undefined {
    try {
      return evolveWith(this.projection, document, event, id);
    } catch (error) {
      throw new PoisonEvent(event, this, error, { scope, id });
    }
  }

  private async load(steps: readonly Step[]): Promise<Map<string, Touched>> {
    const touched = new Map<string, Touched>();
    const missing = new Map<string, DocumentKey>();
    for (const { event, scope, id, key } of steps) {
      if (touched.has(key) || missing.has(key)) continue;
      const known = this.known.get(key) ?? this.created.get(key) ?? this.assumed(event, id);
      if (known) touched.set(key, { ...known, scope, id });
      else missing.set(key, { scope, id });
    }
    if (missing.size === 0) return touched;
    const stored = await this.store.load(this.table, [...missing.values()]);
    for (const [index, [key, place]] of [...missing].entries())
      touched.set(key, { ...place, ...this.found(key, stored[index]) });
    return touched;
  }

  private assumed(event: Recorded, id: string): Readonly<Folded> | undefined {
    return this.isFirst && begins(this.projection, event, id) ? ABSENT : undefined;
  }

  private found(key: string, stored: StoredDocument | undefined): Readonly<Folded> {
    if (stored) return unpack(stored);
    // Every transaction looks up some documents, such as those of deleted records.
    this.known.set(key, ABSENT);
    return ABSENT;
  }
}

const ABSENT = { document: undefined, position: -1, expected: null, made: false };

const unpack = ({ json, position }: StoredDocument) => ({
  document: json === null ? undefined : (JSON.parse(json) as object),
  position,
  expected: position,
  made: true,
});

const keyOf = (scope: Scope, id: string): string => `${scope}/${id}`;

/**
 * Whether the batch changed the document. A document that never existed needs no tombstone. A document created and
 * deleted within the batch needs one. Otherwise, a slower projector whose batch ends in between would store the
 * document permanently.
 */
const changed = ({ expected, position, made }: Touched): boolean => made && position > (expected ?? -1);
