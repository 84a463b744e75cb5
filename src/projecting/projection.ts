import { tenantScope, type ReadModel, type Scope } from '../ports/read-store.js';
import type { DomainEvent } from '../eventsourcing/aggregate.js';
import { CLAIM_FENCED, type Recorded } from '../eventsourcing/event-catalogue.js';

/** Value of `sources` that selects the events of all entities, including entities added by later releases. */
export const ALL_ENTITIES = Symbol('ALL_ENTITIES');
/** The aggregates whose events a projection folds. */
export type Sources = readonly string[] | typeof ALL_ENTITIES;

/**
 * Turns events into the documents of a read model. Pure: the same events in the same order always produce the same
 * documents. The projector handles loading, positions, guards and retries.
 */
export type Projection<Doc extends object, Event extends DomainEvent> = {
  readonly model: ReadModel<Doc>;
  /** Entities (first parts of stream names) whose events the projection folds. */
  readonly sources: Sources;
  /**
   * Entities whose records have a document with the same id that carries the record's revision. Default: all sources if
   * `documents` is `ofRecord`.
   */
  readonly recordsOf?: readonly string[];
  /** Returns the ids of the documents that an event affects; empty if the event is ignored. */
  readonly documents: (event: Recorded<Event>) => readonly string[];
  /**
   * Returns the document after the event. Undefined deletes the document or leaves it absent. Must not throw for events
   * of the projection's sources.
   */
  readonly evolve: (document: Doc | undefined, event: Recorded<Event>, id: string) => Doc | undefined;
  /** Returns the scope of the affected documents. Default: the event's tenant. */
  readonly scope?: (event: Recorded<Event>) => Scope;
  /** Each document is derived from a single event and has the event's id. */
  readonly ofEvents?: true;
  /**
   * Returns whether the event is the first to affect the document, which then need not be loaded. Default: whether the
   * event is the first event of the record with the document's id. Required if several records with the same id affect
   * a document.
   */
  readonly begins?: (event: Recorded<Event>, id: string) => boolean;
  /**
   * Returns whether a document in this state rarely changes again. Such documents are not cached, because they would
   * only fill the old generation of the heap. Requires that each event for which `begins` returns true is in fact the
   * first event, or creates the document.
   */
  readonly rarelyChanges?: (document: Doc) => boolean;
  /** Events of several tenants affect the same document, so one process folds them all. */
  readonly acrossTenants?: true;
};

/** A projection with its document and event types erased. */
export type AnyProjection = Pick<
  Projection<object, DomainEvent>,
  'sources' | 'recordsOf' | 'ofEvents' | 'acrossTenants'
> & {
  readonly rarelyChanges?: (document: never) => boolean;
  readonly begins?: (event: never, id: string) => boolean;
  readonly model: ReadModel;
  readonly documents: (event: never) => readonly string[];
  readonly evolve: (document: never, event: never, id: string) => object | undefined;
  readonly scope?: (event: never) => Scope;
};

/** The simplest mapping: one document per record, with the record's id. */
export const ofRecord = <E extends DomainEvent>(event: Recorded<E>): readonly string[] => [event.recordId];

/**
 * Returns the source from which a document can be refolded in isolation: its record's stream or its single event.
 * Returns undefined if several streams feed a document, because a missing event would then invalidate all later states.
 */
export function apartBy(projection: AnyProjection): 'record' | 'event' | undefined {
  if (projection.ofEvents) return 'event';
  const { documents, sources } = projection;
  return documents === ofRecord && sources !== ALL_ENTITIES && sources.length === 1 ? 'record' : undefined;
}

/** Whether the projection folds events of the entity. */
export const wants = ({ sources }: Pick<AnyProjection, 'sources'>, entity: string): boolean =>
  sources === ALL_ENTITIES || sources.includes(entity);

/**
 * Events, and the number of events for each entity. Most projections fold none of a batch's events. The counts per
 * entity reveal this without a scan of the events.
 */
export type CountedEvents = { readonly events: readonly Recorded[]; readonly byEntity: ReadonlyMap<string, number> };

export function counted(events: readonly Recorded[]): CountedEvents {
  const byEntity = new Map<string, number>();
  for (const { entity } of events) byEntity.set(entity, (byEntity.get(entity) ?? 0) + 1);
  return { events, byEntity };
}

/** Returns the number of events that the projection folds. */
export function countWanted(projection: Pick<AnyProjection, 'sources'>, { byEntity }: CountedEvents): number {
  let wanted = 0;
  byEntity.forEach((count, entity) => {
    if (wants(projection, entity)) wanted += count;
  });
  return wanted;
}

/** Returns the name prefixes of the streams that a projection folds. `all`: the prefixes of every stream. */
export const prefixesOf = ({ sources }: Pick<AnyProjection, 'sources'>, all: readonly string[]): readonly string[] =>
  sources === ALL_ENTITIES ? all : sources.map((source) => `${source}-`);

// A projection receives only events that are in the catalogue and belong to its sources. Fences belong to no aggregate,
// so they are folded here instead of by the projections.

/** Returns the ids of the documents that an event affects. */
export const documentsOf = (projection: AnyProjection, event: Recorded): readonly string[] => {
  if (event.type !== CLAIM_FENCED) return projection.documents(event as never);
  const hasDocument = projection.recordsOf?.includes(event.entity) ?? projection.documents === ofRecord;
  return hasDocument ? [event.recordId] : [];
};

/** Returns the document after an event; undefined if the document is absent or deleted. */
export const evolveWith = (
  projection: AnyProjection,
  document: object | undefined,
  event: Recorded,
  id: string,
): object | undefined =>
  event.type === CLAIM_FENCED ? fenced(document, event) : projection.evolve(document as never, event as never, id);

/** A fence changes only the stream's revision, which the record's document provides for `If-Match`. */
const fenced = (document: object | undefined, { revision }: Recorded): object | undefined =>
  document && 'revision' in document ? { ...document, revision } : document;

/** Returns whether the event is the first to affect the document. */
export const begins = (projection: AnyProjection, event: Recorded, id: string): boolean =>
  projection.ofEvents ?? projection.begins?.(event as never, id) ?? (event.revision === 0 && event.recordId === id);

/** Returns the scope of the documents that an event affects. */
export const scopeOf = (projection: AnyProjection, event: Recorded): Scope =>
  projection.scope ? projection.scope(event as never) : tenantScope(event.tenantId);

/** Key of a projection's checkpoint. Each version and generation has a separate checkpoint. */
export const checkpointKey = (model: { name: string; version: number }, generation: number): string =>
  `projection:${model.name}:v${model.version}:g${generation}`;

/**
 * Key under which a projection's leader stores the position of the event that stopped it. The value applies only while
 * it is beyond the checkpoint.
 */
export const stoppedKey = (checkpoint: string): string => `${checkpoint}:stopped`;
