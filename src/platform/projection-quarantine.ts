import type { EventReader, RecordedEvent } from '../ports/event-store.js';
import type { Logger } from '../ports/log.js';
import { PLATFORM, type ReadStore } from '../ports/read-store.js';
import type { EventCatalogue, EventMetadata, Recorded } from './event-catalogue.js';
import { clearMark, marksOf, setMark, type ProjectionMark } from './projection-marks.js';
import { apartBy, documentsOf, evolveWith, scopeOf, stoppedKey, wants } from './projection.js';
import { PoisonEvent, type Projector } from './projector.js';
import { eventsOf } from './stream-events.js';
import { parseStreamName } from './stream-name.js';

/** What becomes of events that a projection cannot fold; see src/aggregates/dead-letter.aggregate.ts. */
export type ProjectionLetters = {
  /** Keeps the event as a letter of the projection, durably; nothing where it waits already. */
  park(projection: string, event: Parkable, error: unknown): Promise<void>;
  /** Tells that the projection has the event after all. */
  settle(projection: string, event: Pick<ProjectionMark, 'eventId' | 'stream'>): Promise<void>;
  /** Of the letter that an event of a projection is parked as. */
  idOf(projection: string, eventId: string): string;
  /** The letter that this event says was replayed. */
  replayedBy(event: Recorded): string | undefined;
};
/** What a letter says of an event. */
export type Parkable = Pick<RecordedEvent, 'id' | 'type' | 'stream' | 'revision' | 'position'>;

/** More documents than these without an event are a defect of the code, and one letter tells as much as a thousand. */
const MAX_STALE = 1_000;

type Parts = {
  readonly events: EventReader;
  readonly store: ReadStore;
  readonly catalogue: EventCatalogue;
  readonly logger: Logger;
  readonly letters: ProjectionLetters;
  readonly onStopped: (name: string) => void;
};

/**
 * Keeps events that cannot be folded from stopping what can go on. A document made of one stream or of one event is left
 * as it was, and folded anew from there when its letter is replayed; where an event feeds documents of several streams
 * the projection stands still before it, alone, until its letter is replayed or new code folds it.
 */
export class ProjectionQuarantine {
  /** Of projections that stood still when this process began: settled when they have passed the event. */
  private readonly doubtful = new Map<Projector, ProjectionMark>();

  constructor(private readonly parts: Parts) {}

  /** Takes up the marks of a projector that begins at `position`, and mends what this code can fold. */
  async open(projector: Projector, position: number): Promise<void> {
    for (const mark of await marksOf(this.parts.store, projector.checkpointKey)) {
      if (mark.kind === 'projection') this.doubtful.set(projector, mark);
      else {
        projector.leave(mark);
        await this.mend(projector, mark, position);
      }
    }
  }

  /** Events that this code cannot read at all, for each projector that wants their records. */
  async isolateUnreadable(projectors: readonly Projector[], event: RecordedEvent, error: unknown): Promise<void> {
    const outline = outlineOf(event);
    if (!outline) return;
    for (const projector of projectors) {
      if (projector.halted || !wants(projector.projection, outline.entity)) continue;
      const document = documentOf(projector, outline);
      if (document && projector.isLeft(document.scope, document.id, outline.position)) continue;
      await this.isolate(new PoisonEvent(outline, projector, error, document));
    }
  }

  /** Parks the event, then leaves its document or the whole projection behind; durable when it resolves. */
  async isolate({ event, projector, cause, document, message }: PoisonEvent): Promise<void> {
    const { store, letters, logger, onStopped } = this.parts;
    const { id: eventId, stream, revision, position } = event;
    const where = { eventId, stream, revision, position };
    const isApart = document !== undefined && apartBy(projector.projection) !== undefined;
    if (isApart && projector.staleMarks.length < MAX_STALE) {
      const mark: ProjectionMark = { kind: 'document', ...document, ...where };
      await letters.park(projector.name, event, cause);
      await setMark(store, projector.checkpointKey, mark);
      projector.leave(mark);
      logger.error({ err: cause, projection: projector.name, position, document: document.id }, message);
      return;
    }
    const mark: ProjectionMark = { kind: 'projection', scope: PLATFORM, id: '', ...where };
    // A rebuild that cannot be done says so by itself, and leaves nothing behind.
    if (!projector.isAside) {
      await letters.park(projector.name, event, cause);
      await setMark(store, projector.checkpointKey, mark);
      // Other replicas learn of it here.
      await store.write({ tables: [], checkpoints: [{ key: stoppedKey(projector.checkpointKey), position }] });
      onStopped(projector.name);
    }
    projector.halted = mark;
    logger.error({ err: cause, projection: projector.name, position }, message);
  }

  /** Settles the letter of an event before which the projection stood still, and which it has folded now. */
  async passed(projector: Projector, position: number): Promise<void> {
    const mark = this.doubtful.get(projector);
    if (!mark || position < mark.position || projector.halted) return;
    this.doubtful.delete(projector);
    await this.clear(projector, mark);
  }

  /** The projection goes on from its checkpoint: the event is tried again. */
  retry(projector: Projector): void {
    if (projector.halted) this.doubtful.set(projector, projector.halted);
    projector.halted = undefined;
    projector.forget();
  }

  /**
   * Folds a document anew from its own stream (or event), as far as the projector has come. Where an event cannot be
   * folded (still, or another) the document stays as it is, and that event is parked.
   */
  async mend(projector: Projector, mark: ProjectionMark, upTo: number): Promise<void> {
    try {
      while (!(await this.fold(projector, mark, upTo)));
    } catch (error) {
      if (!(error instanceof PoisonEvent)) throw error;
      const { event, cause } = error;
      await this.parts.letters.park(projector.name, event, cause);
      if (event.id === mark.eventId) return;
      await this.clear(projector, mark);
      await this.isolate(error);
      return;
    }
    projector.resume(mark);
    await this.clear(projector, mark);
  }

  /** Whether the document has been brought up to date: not where another process has just changed it. */
  private async fold(projector: Projector, mark: ProjectionMark, upTo: number): Promise<boolean> {
    const { store } = this.parts;
    const { table } = projector.target;
    const key = { scope: mark.scope, id: mark.id };
    const { document, position } = await this.refold(projector, mark, upTo);
    const [stored] = await store.load(table, [key]);
    if (document === undefined && stored === undefined) return true;
    const write = { ...key, document: document ?? null, position, expected: stored?.position ?? null };
    const { conflicts } = await store.write({ tables: [{ table, writes: [write] }], checkpoints: [] });
    return conflicts.length === 0;
  }

  private async clear(projector: Projector, mark: ProjectionMark): Promise<void> {
    await clearMark(this.parts.store, projector.checkpointKey, mark);
    await this.parts.letters.settle(projector.name, mark);
  }

  /** @throws PoisonEvent */
  private async refold(projector: Projector, mark: ProjectionMark, upTo: number): Promise<Folded> {
    let folded: Folded = { document: undefined, position: mark.position };
    for await (const event of this.eventsFor(projector, mark)) {
      if (event.position > upTo && event.position > mark.position) break;
      folded = this.step(projector, mark, folded, event);
    }
    return folded;
  }

  /** What the document is made of. */
  private async *eventsFor(projector: Projector, { stream, revision }: ProjectionMark): AsyncIterable<RecordedEvent> {
    const { events } = this.parts;
    if (apartBy(projector.projection) === 'record') yield* eventsOf(events, stream);
    else yield* (await events.readStream(stream, { from: revision, maxCount: 1 })).events;
  }

  private step(projector: Projector, mark: ProjectionMark, { document }: Folded, stored: RecordedEvent): Folded {
    const { catalogue } = this.parts;
    const { projection } = projector;
    let event: Recorded | undefined;
    try {
      event = catalogue.decode(stored);
      if (!documentsOf(projection, event).includes(mark.id)) return { document, position: event.position };
      return { document: evolveWith(projection, document, event, mark.id), position: event.position };
    } catch (error) {
      const outline = event ?? outlineOf(stored);
      if (!outline) throw error;
      throw new PoisonEvent(outline, projector, error, { scope: mark.scope, id: mark.id });
    }
  }
}

type Folded = { readonly document: object | undefined; readonly position: number };

/** What can be said of an event that this code cannot read. */
function outlineOf(event: RecordedEvent): Recorded | undefined {
  const name = parseStreamName(event.stream);
  if (!name) return undefined;
  const { entity, tenantId, id: recordId } = name;
  return { ...event, entity, tenantId, recordId, metadata: event.metadata as EventMetadata };
}

/** The document that an event would have been folded into, where that can be told without reading it. */
function documentOf(projector: Projector, outline: Recorded): PoisonEvent['document'] {
  const by = apartBy(projector.projection);
  if (by === undefined) return undefined;
  try {
    return { scope: scopeOf(projector.projection, outline), id: by === 'record' ? outline.recordId : outline.id };
  } catch {
    return undefined;
  }
}
