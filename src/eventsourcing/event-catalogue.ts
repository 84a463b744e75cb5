import { z } from 'zod';
import type { RecordedEvent } from '../ports/event-store.js';
import type {
  Aggregate,
  AuditDeclaration,
  Claim,
  DomainEvent,
  EventDeclaration,
  EventDeclarations,
} from './aggregate.js';
import { technical } from './aggregate.js';
import { compiled } from './compiled-schema.js';
import type { RequestContext } from './context.js';
import { parseStreamName } from './stream-name.js';

/**
 * Event metadata. `$correlationId` and `$causationId` are EventStoreDB's names, so that its tools can follow a causal
 * chain.
 */
export type EventMetadata = {
  readonly tenantId: string;
  /** Time of the decision according to the service's clock, in ISO 8601 format (UTC). */
  readonly timestamp: string;
  /** Schema version of the stored data. */
  readonly version: number;
  readonly commandId: string;
  readonly requestId: string;
  readonly $correlationId: string;
  readonly $causationId?: string;
  readonly userId?: string;
  readonly operatorId?: string;
  readonly sessionId?: string;
  readonly sourceId?: string;
  readonly keyId?: string;
  /** Name of the service's component, if the service acted on its own initiative. */
  readonly system?: string;
  readonly branchId?: string;
  readonly ip?: string;
  readonly userAgent?: string;
};

/** A stored event in its current version, with the parts of its stream's name. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  readonly id: string;
  readonly stream: string;
  readonly entity: string;
  readonly tenantId: string;
  /** Id of the record to which the event belongs, taken from the stream's name. */
  readonly recordId: string;
  readonly revision: number;
  readonly position: number;
  readonly metadata: EventMetadata;
  /** The audit declaration of the event's type; null for technical events. */
  readonly audit?: AuditDeclaration | null;
};

/**
 * A fence occupies a revision, so that a delayed append at that revision fails. It does not change state. See
 * claims.ts.
 */
export const CLAIM_FENCED = 'ClaimFenced';
const fence = technical(z.object({ claim: z.string(), attemptId: z.string() }));

/** Thrown for an event that this release cannot read, written by a newer release or by another application. */
export class UnknownEvent extends Error {
  constructor(readonly event: RecordedEvent) {
    super(`Unknown event ${event.type} in ${event.stream} at position ${event.position}`);
    this.name = 'UnknownEvent';
  }
}

/**
 * Thrown for an event of an unknown type or version in a stream of this service. Only a newer release writes such
 * events. During a rolling upgrade, subscribers wait at them until a replica of that release leads.
 */
export class NewerEvent extends UnknownEvent {
  constructor(event: RecordedEvent) {
    super(event);
    this.name = 'NewerEvent';
  }
}

/** An aggregate without its type parameters. The catalogue folds each aggregate only with its own events. */
export type AnyAggregate = {
  readonly name: string;
  readonly events: EventDeclarations;
  readonly initial: unknown;
  readonly evolve: (state: never, event: never) => unknown;
  readonly claims?: (state: never, tenantId: string) => readonly Claim[];
};

/** All event types of the service, by name. Converts stored events to their current version. */
export class EventCatalogue {
  private readonly declarations = new Map<string, EventDeclaration>([[CLAIM_FENCED, fence]]);
  private readonly byEntity = new Map<string, AnyAggregate>();

  /** @throws Error if two aggregates share a name or an event type */
  constructor(aggregates: readonly AnyAggregate[]) {
    for (const aggregate of aggregates) {
      if (this.byEntity.has(aggregate.name)) throw new Error(`Two aggregates are named ${aggregate.name}`);
      this.byEntity.set(aggregate.name, aggregate);
      for (const [type, declaration] of Object.entries(aggregate.events)) {
        if (this.declarations.has(type)) throw new Error(`Two event types are named ${type}`);
        this.declarations.set(type, declaration);
      }
    }
  }

  /** Name prefixes of all streams that the service writes, used in its subscription filters. */
  get streamPrefixes(): string[] {
    return [...this.byEntity.keys()].map((name) => `${name}-`);
  }

  get aggregates(): readonly AnyAggregate[] {
    return [...this.byEntity.values()];
  }

  get types(): ReadonlyMap<string, EventDeclaration> {
    return this.declarations;
  }

  /** Returns the aggregate whose stream names start with `entity`. */
  aggregateOf(entity: string): Aggregate<unknown, DomainEvent> | undefined {
    return this.byEntity.get(entity) as Aggregate<unknown, DomainEvent> | undefined;
  }

  /**
   * Converts an event to the current version of its type. Data in the current version is not validated again, because
   * it was validated before the append and its checksum proves that it has not changed. Older data is upcast and
   * validated.
   * @throws NewerEvent, UnknownEvent, ZodError
   */
  decode(event: RecordedEvent): Recorded {
    const declaration = this.declarations.get(event.type);
    const name = parseStreamName(event.stream);
    if (!name) throw new UnknownEvent(event);
    if (!declaration) throw this.byEntity.has(name.entity) ? new NewerEvent(event) : new UnknownEvent(event);
    const metadata = event.metadata as EventMetadata;
    if (metadata.version > declaration.version) throw new NewerEvent(event);
    return {
      type: event.type,
      data: metadata.version === declaration.version ? event.data : upcast(declaration, event.data, metadata.version),
      id: event.id,
      stream: event.stream,
      // Use the aggregate's own string. Comparing it with the sources of projections then compares only addresses, not
      // characters.
      entity: this.byEntity.get(name.entity)?.name ?? name.entity,
      tenantId: name.tenantId,
      recordId: name.id,
      revision: event.revision,
      position: event.position,
      metadata,
      audit: declaration.audit,
    };
  }

  /**
   * Validates an event's data against its schema before the append. @throws Error for a type that no aggregate
   * declares; ZodError for invalid data
   */
  encode(event: DomainEvent): { readonly data: object; readonly version: number } {
    const declaration = this.declarations.get(event.type);
    if (!declaration) throw new Error(`Event type ${event.type} is declared by no aggregate`);
    return { data: compiled(declaration.schema).parse(event.data), version: declaration.version };
  }
}

function upcast(declaration: EventDeclaration, stored: object, from: number): object {
  let data = stored;
  for (let version = from; version < declaration.version; version += 1) {
    const step = declaration.upcasters[version];
    if (!step) throw new Error(`No upcaster from version ${version}`);
    data = step(data);
  }
  return declaration.schema.parse(data);
}

/** Returns the metadata of an event that is appended in `context`. */
export function metadataOf(context: RequestContext, version: number, timestamp: string): EventMetadata {
  const { actor } = context;
  return {
    tenantId: context.tenantId,
    timestamp,
    version,
    commandId: context.commandId,
    requestId: context.requestId,
    $correlationId: context.correlationId,
    ...(context.causationId !== undefined && { $causationId: context.causationId }),
    ...(actor.kind === 'user' && { userId: actor.userId, sessionId: actor.sessionId }),
    ...(actor.kind === 'operator' && { operatorId: actor.userId, sessionId: actor.sessionId }),
    ...(actor.kind === 'partner' && { sourceId: actor.sourceId, keyId: actor.keyId }),
    ...(actor.kind === 'system' && { system: actor.name }),
    ...(context.branchId !== undefined && { branchId: context.branchId }),
    ...(context.ip !== undefined && { ip: context.ip }),
    ...(context.userAgent !== undefined && { userAgent: context.userAgent }),
  };
}
