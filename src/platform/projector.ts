import { LRUCache } from 'lru-cache';
import type { AnyTable, DocumentKey, DocumentWrite, ReadStore, Scope, StoredDocument } from '../ports/read-store.js';
import type { Recorded } from './event-catalogue.js';
import type { ProjectionMark } from './projection-marks.js';
import { checkpointKey, documentsOf, evolveWith, scopeOf, wants, type AnyProjection } from './projection.js';

/** A projection on its way into one generation of its table. */
export type Target = { readonly projection: AnyProjection; readonly table: AnyTable };

type Folded = { document: object | undefined; position: number };
type Touched = Folded & { readonly scope: Scope; readonly id: string; readonly expected: number | null; made: boolean };

const MAX_REFOLDS = 20;
/** For each model. Few documents are changed again and again; all others kept are garbage that has grown old. */
const MAX_KNOWN = 500;

/** An event that a projection cannot fold. */
export class PoisonEvent extends Error {
  constructor(
    readonly event: Recorded,
    readonly projector: Projector,
    override readonly cause: unknown,
    /** The document that it could not be folded into, where that is known. */
    readonly document: DocumentKey | undefined,
  ) {
    super(`${projector.name} cannot fold ${event.type} at position ${event.position}`);
    this.name = 'PoisonEvent';
  }
}

/**
 * Folds batches of events into one table: reads the documents that the batch touches, folds in memory, writes each
 * under the guard that it is still at the position that was read, and the checkpoint with them. Events that a document
 * already has are skipped by position, so redelivery, a second projector and a crash at any point change nothing.
 */
export class Projector {
  private readonly known = new LRUCache<string, Folded>({ max: MAX_KNOWN });
  /** Each document is made by one event, and until a conflict tells otherwise none of them is there yet. */
  private isFirst: boolean;
  /** Documents that lack an event, by key: from that event on they are left as they are. */
  private readonly stale = new Map<string, ProjectionMark>();
  /** The event before which the whole projection stands still. */
  halted: ProjectionMark | undefined;

  constructor(
    private readonly store: ReadStore,
    readonly target: Target,
    /** It feeds a generation that is not the one that is read. */
    public isAside = false,
  ) {
    this.isFirst = target.projection.ofEvents === true;
  }

  get projection(): AnyProjection {
    return this.target.projection;
  }

  get staleMarks(): readonly ProjectionMark[] {
    return [...this.stale.values()];
  }

  /** Leaves a document as it is from an event on. */
  leave(mark: ProjectionMark): void {
    this.stale.set(keyOf(mark.scope, mark.id), mark);
  }

  /** Folds a document again, which has been brought up to date. */
  resume(mark: ProjectionMark): void {
    this.stale.delete(keyOf(mark.scope, mark.id));
    this.known.delete(keyOf(mark.scope, mark.id));
  }

  /** Whether the event is one that a document is left without. */
  isLeft(scope: Scope, id: string, position: number): boolean {
    const mark = this.stale.get(keyOf(scope, id));
    return mark !== undefined && position >= mark.position;
  }

  get name(): string {
    return this.target.projection.model.name;
  }

  get checkpointKey(): string {
    return checkpointKey(this.target.table.model, this.target.table.generation);
  }

  /** Prepares a batch. Nothing is stored by it. @throws PoisonEvent */
  async fold(events: readonly Recorded[]): Promise<DocumentWrite[]> {
    const { projection } = this.target;
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

  /** Keeps what has been stored, so that the next batch need not read it. */
  remember(writes: readonly DocumentWrite[]): void {
    this.isFirst = this.projection.ofEvents === true;
    if (this.isFirst) return;
    for (const { scope, id, document, position } of writes)
      this.known.set(keyOf(scope, id), { document: document ?? undefined, position });
  }

  forget(): void {
    this.known.clear();
    this.isFirst = false;
  }

  private stepsOf(event: Recorded): { event: Recorded; scope: Scope; id: string; key: string }[] {
    const { projection } = this.target;
    try {
      const scope = scopeOf(projection, event);
      const ids = documentsOf(projection, event);
      const wanted = this.stale.size === 0 ? ids : ids.filter((id) => !this.isLeft(scope, id, event.position));
      return wanted.map((id) => ({ event, scope, id, key: keyOf(scope, id) }));
    } catch (error) {
      throw new PoisonEvent(event, this, error, undefined);
    }
  }

  private evolve(document: object | undefined, event: Recorded, { scope, id }: DocumentKey): object | undefined {
    try {
      return evolveWith(this.target.projection, document, event, id);
    } catch (error) {
      throw new PoisonEvent(event, this, error, { scope, id });
    }
  }

  private async load(steps: readonly { scope: Scope; id: string; key: string }[]): Promise<Map<string, Touched>> {
    const touched = new Map<string, Touched>();
    const missing = new Map<string, { scope: Scope; id: string }>();
    for (const { scope, id, key } of steps) {
      if (touched.has(key) || missing.has(key)) continue;
      const known = this.known.get(key);
      if (known) touched.set(key, { ...known, scope, id, expected: known.position, made: true });
      else missing.set(key, { scope, id });
    }
    const keys = [...missing.values()];
    const stored = keys.length === 0 || this.isFirst ? [] : await this.store.load(this.target.table, keys);
    for (const [index, { scope, id }] of keys.entries()) {
      const found = stored[index];
      touched.set(keyOf(scope, id), { scope, id, ...(found ? unpack(found) : ABSENT) });
    }
    return touched;
  }
}

/**
 * Folds one batch into several tables and stores it in one write with all their checkpoints. On a conflict (another
 * projector was faster) everything is read and folded again.
 * @throws PoisonEvent, ReadStoreUnavailable
 */
export async function project(
  store: ReadStore,
  projectors: readonly Projector[],
  events: readonly Recorded[],
  position: number,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const folded: { projector: Projector; writes: DocumentWrite[] }[] = [];
    for (const projector of projectors) folded.push({ projector, writes: await projector.fold(events) });
    const { conflicts } = await store
      .write({
        tables: folded
          .filter(({ writes }) => writes.length > 0)
          .map(({ projector, writes }) => ({ table: projector.target.table, writes })),
        checkpoints: projectors.map((projector) => ({ key: projector.checkpointKey, position })),
      })
      .catch((error: unknown) => {
        // What reached the store is unknown: the next fold must read it.
        for (const projector of projectors) projector.forget();
        throw error;
      });
    if (conflicts.length === 0) {
      for (const { projector, writes } of folded) projector.remember(writes);
      return;
    }
    for (const projector of projectors) projector.forget();
    if (attempt === MAX_REFOLDS) throw new Error(`Projections keep conflicting at position ${position}`);
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
 * A document that the batch has advanced. One that was never there is not worth a tombstone; one made and deleted within
 * the batch is: its tombstone keeps a slower projector, whose batch ends between the two, from making it for good.
 */
const changed = ({ expected, position, made }: Touched): boolean => made && position > (expected ?? -1);
