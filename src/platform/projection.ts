import { tenantScope, type ReadModel, type Scope } from '../ports/read-store.js';
import type { DomainEvent } from './aggregate.js';
import { CLAIM_FENCED, type Recorded } from './event-catalogue.js';

/** As a projection's sources: the events of every entity that the service has, those of later versions too. */
export const ALL_ENTITIES = Symbol('ALL_ENTITIES');
/** The aggregates whose events a projection folds. */
export type Sources = readonly string[] | typeof ALL_ENTITIES;

/**
 * How events become the documents of a read model. Pure: the same events in the same order always give the same
 * documents; the projector supplies loading, positions, guards and retries.
 */
export type Projection<Doc extends object, Event extends DomainEvent> = {
  readonly model: ReadModel<Doc>;
  /** Entities (first parts of stream names) whose events it wants. */
  readonly sources: Sources;
  /** Entities whose records have a document of the same id, with the record's revision. Default: all, with `ofRecord`. */
  readonly recordsOf?: readonly string[];
  /** Ids of the documents that an event touches; none where it does not matter here. */
  readonly documents: (event: Recorded<Event>) => readonly string[];
  /** The document after the event; undefined deletes it (or leaves it absent). Never throws for an event that it wants. */
  readonly evolve: (document: Doc | undefined, event: Recorded<Event>, id: string) => Doc | undefined;
  /** Whose documents the event touches. Default: those of the event's tenant. */
  readonly scope?: (event: Recorded<Event>) => Scope;
  /** Each document is made of the one event whose id it has. */
  readonly ofEvents?: true;
};

/** A projection whose document and event types do not matter. */
export type AnyProjection = {
  readonly model: ReadModel;
  readonly sources: Sources;
  readonly recordsOf?: readonly string[];
  readonly documents: (event: never) => readonly string[];
  readonly evolve: (document: never, event: never, id: string) => object | undefined;
  readonly scope?: (event: never) => Scope;
  readonly ofEvents?: true;
};

/** The simplest kind: one document for each stream of one entity, with the same id. */
export const ofRecord = <E extends DomainEvent>(event: Recorded<E>): readonly string[] => [event.recordId];

/**
 * What a document can be made of again without the others: the stream of its record, or its one event. Undefined where
 * documents are fed by several streams: an event that is missing in one of them would make all wrong that come after it.
 */
export function apartBy(projection: AnyProjection): 'record' | 'event' | undefined {
  if (projection.ofEvents) return 'event';
  const { documents, sources } = projection;
  return documents === ofRecord && sources !== ALL_ENTITIES && sources.length === 1 ? 'record' : undefined;
}

/** Whether events of an entity's streams are for the projection. */
export const wants = ({ sources }: Pick<AnyProjection, 'sources'>, entity: string): boolean =>
  sources === ALL_ENTITIES || sources.includes(entity);

/** Beginnings of the names of the streams whose events a projection wants, of all that there are. */
export const prefixesOf = ({ sources }: Pick<AnyProjection, 'sources'>, all: readonly string[]): readonly string[] =>
  sources === ALL_ENTITIES ? all : sources.map((source) => `${source}-`);

// A catalogue's events are the only ones that reach a projection, and it is asked only for those of its sources. Fences
// belong to no aggregate, so no projection knows them: they are folded here.

/** Ids of the documents that an event changes. */
export const documentsOf = (projection: AnyProjection, event: Recorded): readonly string[] => {
  if (event.type !== CLAIM_FENCED) return projection.documents(event as never);
  const hasDocument = projection.recordsOf?.includes(event.entity) ?? projection.documents === ofRecord;
  return hasDocument ? [event.recordId] : [];
};

/** A document after an event; undefined where there is none then. */
export const evolveWith = (
  projection: AnyProjection,
  document: object | undefined,
  event: Recorded,
  id: string,
): object | undefined =>
  event.type === CLAIM_FENCED ? fenced(document, event) : projection.evolve(document as never, event as never, id);

/** A fence changes nothing but the stream's revision, which the record's document tells for If-Match. */
const fenced = (document: object | undefined, { revision }: Recorded): object | undefined =>
  document && 'revision' in document ? { ...document, revision } : document;

/** Whose documents an event changes. */
export const scopeOf = (projection: AnyProjection, event: Recorded): Scope =>
  projection.scope ? projection.scope(event as never) : tenantScope(event.tenantId);

/** Names a projection's checkpoint: each version and generation has its own. */
export const checkpointKey = (model: { name: string; version: number }, generation: number): string =>
  `projection:${model.name}:v${model.version}:g${generation}`;

/** Where a projection's leader tells the others at which event it stands still: beyond its checkpoint, or it goes on again. */
export const stoppedKey = (checkpoint: string): string => `${checkpoint}:stopped`;
