import type { Position, RecordedEvent } from '../ports/event-store.js';
import { PLATFORM, type AnyTable, type DocumentKey, type ReadModel, type ReadStore } from '../ports/read-store.js';
import type { EventMetadata, Recorded } from '../eventsourcing/event-catalogue.js';
import { eventsOf } from '../eventsourcing/stream-events.js';
import { parseStreamName } from '../eventsourcing/stream-name.js';
import type { ProjectionRunnerParts } from './projection-runner.js';
import { apartBy, documentsOf, evolveWith, scopeOf, stoppedKey, wants } from './projection.js';
import { PoisonEvent, type Projector } from './projector.js';
import { modelPart, partsOf, rangeOfStream } from '../eventsourcing/ranges.js';

/** An event that a generation could not fold, and the affected document. */
export type QuarantineEntry = DocumentKey & {
  /**
   * `document`: the document remains as it was before the event. `projection`: the generation stops before the event.
   */
  readonly kind: 'document' | 'projection';
  readonly eventId: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
};

/** Reads and writes the projections' dead letters. See src/aggregates/dead-letter.aggregate.ts. */
export type ProjectionLetters = {
  /** Parks the event durably. Idempotent. `isRequested`: parks the event even if its letter was discarded. */
  park(projection: string, event: Parkable, error: unknown, isRequested: boolean): Promise<void>;
  /** Resolves the dead letter for an event that the projection has now folded. */
  settle(projection: string, event: Pick<QuarantineEntry, 'eventId' | 'stream'>): Promise<void>;
  /** Returns the id of the dead letter for an event that a projection could not fold. */
  idOf(projection: string, eventId: string): string;
  /** Returns the id of the dead letter that this event replays; undefined for other events. */
  replayedBy(event: Recorded): string | undefined;
};
/** The event fields recorded in a dead letter. */
export type Parkable = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'>;

// The stored name `marks` for quarantine entries dates from the first release.
type Entries = { readonly marks: readonly QuarantineEntry[] };
const quarantineModel: ReadModel<Entries> = {
  name: 'projection_marks',
  version: 1,
  fields: { marks: { type: 'integer', of: ({ marks }) => marks.length } },
  filters: [],
  order: { fields: ['marks'], direction: 'descending' },
};
/** The quarantine entries of all generations, one document per generation. Never rebuilt. */
export const QUARANTINE_TABLE: AnyTable = { model: quarantineModel, generation: 1 };

const MAX_ATTEMPTS = 20;
/**
 * Maximum number of stale documents per generation. A larger number indicates a defect in the code, so the projection
 * stops.
 */
const MAX_STALE = 1_000;

async function read(store: ReadStore, checkpoint: string): Promise<Entries & { readonly expected: number | null }> {
  const [found] = await store.load(QUARANTINE_TABLE, [{ scope: PLATFORM, id: checkpoint }]);
  const marks = found?.json ? (JSON.parse(found.json) as Entries).marks : [];
  return { marks, expected: found?.position ?? null };
}

/** Returns the quarantine entries of the generation with this checkpoint. @throws ReadStoreUnavailable */
export const quarantineOf = async (store: ReadStore, checkpoint: string): Promise<readonly QuarantineEntry[]> =>
  (await read(store, checkpoint)).marks;

/** Changes a generation's entries, even while other processes are writing them. @throws ReadStoreUnavailable */
export async function changeQuarantine(
  store: ReadStore,
  checkpoint: string,
  change: (entries: readonly QuarantineEntry[]) => readonly QuarantineEntry[],
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { marks, expected } = await read(store, checkpoint);
    const next = change(marks);
    if (JSON.stringify(next) === JSON.stringify(marks)) return;
    // Quarantine documents are not derived from events, so their position counts changes instead.
    const position = (expected ?? 0) + 1;
    const document = next.length === 0 ? null : { marks: next };
    const write = { scope: PLATFORM, id: checkpoint, document, position, expected };
    const { conflicts } = await store.write({
      tables: [{ table: QUARANTINE_TABLE, writes: [write] }],
      checkpoints: [],
    });
    if (conflicts.length === 0) return;
  }
  throw new Error(`The quarantine of ${checkpoint} keeps changing`);
}

const isOther =
  (entry: QuarantineEntry) =>
  ({ kind, scope, id }: QuarantineEntry): boolean =>
    kind !== entry.kind || scope !== entry.scope || id !== entry.id;

/**
 * Isolates events that cannot be folded. A document derived from one stream or one event remains unchanged, and is
 * refolded when its dead letter is replayed. If documents are derived from several streams, the affected generation
 * stops before the event. It continues once the dead letter is replayed or new code folds the event.
 */
export class ProjectionQuarantine {
  /**
   * Quarantine entries that stopped their generations and whose events are being retried. A generation can have an
   * entry for each of its ranges. An entry is settled once the generation has passed the entry's event.
   */
  private readonly retried = new Map<Projector, readonly QuarantineEntry[]>();

  constructor(private readonly parts: ProjectionRunnerParts) {}

  /** Loads a starting generation's entries and refolds the documents that this release can fold. */
  async open(projector: Projector): Promise<void> {
    const { portion, checkpointKey } = projector;
    for (const entry of await quarantineOf(this.parts.store, checkpointKey)) {
      if (!portion.has(entry.stream)) continue;
      if (entry.kind === 'projection') this.noteRetry(projector, entry);
      else {
        projector.leave(entry);
        await this.mend(projector, entry, projector.position);
      }
    }
  }

  /**
   * For every generation whose sources include the event's entity, isolates an event that this release cannot decode.
   */
  async isolateUnreadable(projectors: readonly Projector[], event: RecordedEvent, error: unknown): Promise<void> {
    const outline = outlineOf(event);
    if (!outline) return;
    for (const projector of projectors) {
      if (projector.phase === 'stopped' || !wants(projector.projection, outline.entity)) continue;
      const document = documentOf(projector, outline);
      if (document && projector.isLeft(document, outline.position)) continue;
      await this.isolate(new PoisonEvent(outline, projector, error, document));
    }
  }

  /**
   * Parks the event, then quarantines its document or stops the generation. The change is durable once the promise
   * resolves.
   */
  async isolate({ event, projector, cause, document, message }: PoisonEvent): Promise<void> {
    const { store, letters, logger, onStopped } = this.parts;
    const { id: eventId, stream, revision, position } = event;
    const isApart = apartBy(projector.projection) !== undefined && projector.quarantined.length < MAX_STALE;
    const apart = isApart ? document : undefined;
    const key = apart
      ? { kind: 'document' as const, ...apart }
      : { kind: 'projection' as const, scope: PLATFORM, id: rangeIdOf(projector, stream) };
    const entry: QuarantineEntry = { ...key, eventId, stream, revision, position };
    // A stopped rebuild itself reports its failure, and leaves no entries behind.
    if (apart || projector.isLive) {
      // A rebuild was requested by an operator, who must learn that the new documents lack the event as well.
      await letters.park(projector.name, event, cause, !projector.isLive);
      await this.change(projector, (entries) => [...entries.filter(isOther(entry)), entry]);
    }
    if (apart) projector.leave(entry);
    else {
      if (projector.isLive) {
        // This checkpoint tells other replicas that the projection has stopped.
        const keys = partsOf(stoppedKey(projector.checkpointKey), modelPart, projector.portion);
        await store.write({ tables: [], checkpoints: keys.map((key) => ({ key, position })) });
        onStopped(projector.name, projector.portion.ranges);
      }
      projector.stoppedAt = entry;
      projector.become('stopped');
    }
    logger.error({ err: cause, projection: projector.name, position, document: apart?.id }, message);
  }

  /** Settles the events that stopped the generation and that it has passed. */
  async passed(projector: Projector): Promise<void> {
    const { position, phase } = projector;
    const entries = this.retried.get(projector);
    if (!entries || phase === 'stopped') return;
    for (const entry of entries) if (entry.position <= position) await this.clear(projector, entry);
    const open = entries.filter((entry) => entry.position > position);
    if (open.length > 0) this.retried.set(projector, open);
    else this.retried.delete(projector);
  }

  private noteRetry(projector: Projector, entry: QuarantineEntry): void {
    this.retried.set(projector, [...(this.retried.get(projector) ?? []).filter(isOther(entry)), entry]);
  }

  /** Makes a stopped generation retry its event. */
  retry(projector: Projector): void {
    if (projector.stoppedAt) this.noteRetry(projector, projector.stoppedAt);
    projector.stoppedAt = undefined;
    projector.forget();
    projector.become('catching-up');
  }

  /**
   * Refolds a document from its stream or its single event, up to and including a position. If an event still cannot be
   * folded, the document remains unchanged and that event is parked.
   */
  async mend(projector: Projector, entry: QuarantineEntry, upTo: Position): Promise<void> {
    try {
      while (!(await this.refold(projector, entry, upTo)));
    } catch (error) {
      if (!(error instanceof PoisonEvent)) throw error;
      const { event, cause } = error;
      await this.parts.letters.park(projector.name, event, cause, false);
      if (event.id === entry.eventId) return;
      await this.clear(projector, entry);
      await this.isolate(error);
      return;
    }
    projector.resume(entry);
    await this.clear(projector, entry);
  }

  /** Returns false if another process changed the document in the meantime. @throws PoisonEvent */
  private async refold(projector: Projector, entry: QuarantineEntry, upTo: Position): Promise<boolean> {
    const { store, events } = this.parts;
    const { table } = projector;
    const { scope, id, stream, revision } = entry;
    const isRecord = apartBy(projector.projection) === 'record';
    const sources = isRecord
      ? eventsOf(events, stream)
      : (await events.readStream(stream, { from: revision, maxCount: 1 })).events;
    let [document, position]: [object | undefined, Position] = [undefined, entry.position];
    for await (const event of sources) {
      if (event.position > upTo && event.position > entry.position) break;
      [document, position] = [this.step(projector, entry, document, event), event.position];
    }
    const [stored] = await store.load(table, [{ scope, id }]);
    if (document === undefined && stored === undefined) return true;
    const write = { scope, id, document: document ?? null, position, expected: stored?.position ?? null };
    const { conflicts } = await store.write({ tables: [{ table, writes: [write] }], checkpoints: [] });
    return conflicts.length === 0;
  }

  private step(
    projector: Projector,
    { scope, id }: QuarantineEntry,
    document: object | undefined,
    stored: RecordedEvent,
  ): object | undefined {
    const { projection } = projector;
    let event: Recorded | undefined;
    try {
      event = this.parts.catalogue.decode(stored);
      return documentsOf(projection, event).includes(id) ? evolveWith(projection, document, event, id) : document;
    } catch (error) {
      const outline = event ?? outlineOf(stored);
      if (!outline) throw error;
      throw new PoisonEvent(outline, projector, error, { scope, id });
    }
  }

  private async clear(projector: Projector, entry: QuarantineEntry): Promise<void> {
    await this.change(projector, (entries) => entries.filter(isOther(entry)));
    await this.parts.letters.settle(projector.name, entry);
  }

  private change(projector: Projector, by: Parameters<typeof changeQuarantine>[2]): Promise<void> {
    return changeQuarantine(this.parts.store, projector.checkpointKey, by);
  }
}

/** Each range has a separate entry for the event that stopped the projection. */
const rangeIdOf = ({ portion }: Projector, stream: string): string =>
  portion.ranges ? String(rangeOfStream(stream)) : '';

/** Returns the readable part of an event that this release cannot decode; undefined if its stream name is invalid. */
function outlineOf(event: RecordedEvent): Recorded | undefined {
  const name = parseStreamName(event.stream);
  if (!name) return undefined;
  const { entity, tenantId, id: recordId } = name;
  const { data, metadata } = event;
  return { ...event, entity, tenantId, recordId, data, metadata: metadata as EventMetadata };
}

/** Returns the document that the event affects, if this can be determined without decoding the event. */
function documentOf(projector: Projector, outline: Recorded): DocumentKey | undefined {
  const by = apartBy(projector.projection);
  if (by === undefined) return undefined;
  try {
    return { scope: scopeOf(projector.projection, outline), id: by === 'record' ? outline.recordId : outline.id };
  } catch {
    return undefined;
  }
}
