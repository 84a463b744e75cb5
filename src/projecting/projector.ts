import { LRUCache } from 'lru-cache';
import { atMost } from '../ports/entry-limit.js';
import { BEFORE_ALL, type Position } from '../ports/event-store.js';
import type { AnyTable, DocumentKey, DocumentWrite, ReadStore, Scope, StoredDocument } from '../ports/read-store.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { QuarantineEntry } from './projection-quarantine.js';
import { WHOLE, type Portion } from '../eventsourcing/ranges.js';
import { begins, checkpointKey, documentsOf, evolveWith, scopeOf, wants, type AnyProjection } from './projection.js';

type Folded = Pick<DocumentWrite, 'document' | 'position'>;
export type FoldedWrite = DocumentWrite & { readonly key: string };
/** A document that a batch affects. */
type Touched = { -readonly [Name in keyof DocumentWrite]: DocumentWrite[Name] } & {
  readonly key: string;
  /** Whether the document exists or existed. */
  made: boolean;
  /** Events to fold once the stored document has been loaded; undefined once `document` contains that state. */
  waiting: Recorded[] | undefined;
};

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
 * Folds batches of events into one generation. Loads the affected documents and folds the events in memory. `project`
 * then writes the documents with the checkpoint. A document is written only if its stored position is unchanged. Skips
 * events that a document already contains, judging by their positions. Therefore, redelivery, a second projector and a
 * crash at any point are harmless.
 */
export class Projector {
  private readonly known = new LRUCache<string, Folded>(atMost(MAX_KNOWN));
  /**
   * Whether the projector assumes that a document does not exist before the event with which it begins. A conflict
   * disproves this assumption and sets the value to false.
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
  /** Key of the generation's checkpoint, which may be divided into parts. */
  readonly checkpointKey: string;
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
    this.checkpointKey = checkpointKey(table.model, table.generation);
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
  }

  /** Whether the document lacks the event at this position. */
  isLeft(key: DocumentKey, position: Position): boolean {
    const entry = this.stale.get(keyOf(key.scope, key.id));
    return entry !== undefined && position >= entry.position;
  }

  get name(): string {
    return this.projection.model.name;
  }

  /**
   * Folds a batch of the portion's events without storing the resulting documents.
   * @throws PoisonEvent for the first event that cannot be folded
   */
  async fold(events: readonly Recorded[]): Promise<FoldedWrite[]> {
    try {
      return await this.foldAll(events);
    } catch (error) {
      // Documents that must be loaded are folded last, so an earlier event may fail too.
      if (error instanceof PoisonEvent)
        await this.fold(events.filter(({ position }) => position < error.event.position));
      throw error;
    }
  }

  private async foldAll(events: readonly Recorded[]): Promise<FoldedWrite[]> {
    const { projection } = this;
    const touched = new TouchedDocuments();
    for (const event of events) if (wants(projection, event.entity)) this.take(event, touched);
    const documents = touched.all();
    await this.load(documents.filter(({ waiting }) => waiting));
    return documents.filter(changed);
  }

  /** Caches stored documents, except those that rarely change again, so that the next batch need not load them. */
  remember(writes: readonly FoldedWrite[]): void {
    const { ofEvents, rarelyChanges } = this.projection;
    this.isFirst = true;
    if (ofEvents) return;
    for (const write of writes) {
      const { key, document } = write;
      // The cache may contain an older state, such as ABSENT for a document that has now been created.
      if (document && rarelyChanges?.(document as never)) this.known.delete(key);
      else this.known.set(key, write);
    }
  }

  forget(): void {
    this.known.clear();
    this.isFirst = false;
  }

  /** Folds an event into the documents that it affects, except those that must be loaded first. */
  private take(event: Recorded, touched: TouchedDocuments): void {
    const { projection } = this;
    let scope: Scope;
    let ids: readonly string[];
    try {
      scope = scopeOf(projection, event);
      ids = documentsOf(projection, event);
    } catch (error) {
      throw new PoisonEvent(event, this, error, undefined);
    }
    if (ids.length === 0) return;
    const documents = touched.in(scope);
    for (const id of ids) {
      if (!this.isWanted(scope, id, event.position)) continue;
      let document = documents.get(id);
      if (!document) documents.set(id, (document = this.touch(event, scope, id)));
      if (document.waiting) document.waiting.push(event);
      else this.evolve(document, event);
    }
  }

  private isWanted(scope: Scope, id: string, position: Position): boolean {
    if (this.stale.size === 0 && !this.accepts) return true;
    const key = { scope, id };
    return !this.isLeft(key, position) && (this.accepts?.(key, position) ?? true);
  }

  private touch(event: Recorded, scope: Scope, id: string): Touched {
    const key = keyOf(scope, id);
    const known = this.known.get(key) ?? this.assumed(event, id);
    const { document, position } = known ?? ABSENT;
    const isStored = position >= 0;
    const expected = isStored ? position : null;
    return { scope, id, key, document, position, expected, made: isStored, waiting: known ? undefined : [] };
  }

  private evolve(document: Touched, event: Recorded): void {
    if (event.position <= document.position) return;
    try {
      document.document = evolveWith(this.projection, document.document ?? undefined, event, document.id) ?? null;
    } catch (error) {
      throw new PoisonEvent(event, this, error, { scope: document.scope, id: document.id });
    }
    document.position = event.position;
    document.made ||= document.document !== null;
  }

  /** Loads documents and folds the events that were waiting for them. */
  private async load(documents: readonly Touched[]): Promise<void> {
    if (documents.length === 0) return;
    const stored = await this.store.load(this.table, documents);
    for (const [index, document] of documents.entries()) {
      this.found(document, stored[index]);
      const { waiting = [] } = document;
      document.waiting = undefined;
      for (const event of waiting) this.evolve(document, event);
    }
  }

  private assumed(event: Recorded, id: string): Folded | undefined {
    return this.isFirst && begins(this.projection, event, id) ? ABSENT : undefined;
  }

  private found(document: Touched, stored: StoredDocument | undefined): void {
    if (stored) {
      document.document = stored.json === null ? null : (JSON.parse(stored.json) as object);
      document.position = document.expected = stored.position;
      document.made = true;
    }
    // Absent documents are cached, because every transaction looks up some, such as its accounts' deleted-record
    // documents. Stored documents are cached even if the batch leaves them unchanged. Otherwise, they might later be
    // assumed to be absent.
    this.known.set(document.key, stored ? { document: document.document, position: stored.position } : ABSENT);
  }
}

/** The documents that a batch affects, by scope and id. Building a key for each event would take longer. */
class TouchedDocuments {
  private readonly byScope = new Map<Scope, Map<string, Touched>>();

  in(scope: Scope): Map<string, Touched> {
    const known = this.byScope.get(scope);
    if (known) return known;
    const documents = new Map<string, Touched>();
    this.byScope.set(scope, documents);
    return documents;
  }

  all(): Touched[] {
    return [...this.byScope.values()].flatMap((documents) => [...documents.values()]);
  }
}

const ABSENT: Folded = { document: null, position: -1 };

const keyOf = (scope: Scope, id: string): string => `${scope}/${id}`;

/**
 * Whether the batch changed the document. A document that never existed needs no tombstone. A document created and
 * deleted within the batch needs one. Otherwise, a slower projector whose batch ends in between would store the
 * document permanently.
 */
const changed = ({ expected, position, made }: Touched): boolean => made && position > (expected ?? -1);
