import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { isAudited } from '../platform/audit.js';
import { invalid, notFound } from '../platform/domain-error.js';
import { EventCatalogue, type AnyAggregate, type EventMetadata } from '../platform/event-catalogue.js';
import { pageOf, ReadModels, type Page } from '../platform/query.js';
import { parseStreamName, streamName, type StreamParts } from '../platform/stream-name.js';
import { tenantScope } from '../ports/read-store.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { transactions } from '../projections/transaction.projection.js';
import { StreamHistory } from './stream-history.js';

/** A record's address as operators give it: any of these may be of nothing that there is. */
export type RecordAddress = { readonly entity: string; readonly tenantId: string; readonly id: string };

/** An event as operators see it, without secrets. */
export type StreamEvent = {
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  /** TECHNICAL: of the machinery, and in no audit log; UNKNOWN: not known to this version, so its data is not shown. */
  readonly kind: 'DOMAIN' | 'TECHNICAL' | 'UNKNOWN';
  readonly revision: number;
  readonly position: number;
  readonly occurredAt: string;
  readonly data: object | null;
  readonly metadata: object;
};

/** A record's state after one of its events. */
export type StreamState = StreamParts & {
  readonly tenantId: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** When the event happened by which the state was reached. */
  readonly occurredAt: string;
  readonly state: unknown;
};

/** A moment of a record's history: the state after the event of a revision, or of all events up to an instant. */
export type Moment = { readonly revision: number } | { readonly instant: string };

export class ListStreamEvents extends Query<Page<StreamEvent>> {
  constructor(
    readonly address: RecordAddress,
    readonly pageNumber: number,
    readonly pageSize: number,
  ) {
    super();
  }
}
export class GetStreamState extends Query<StreamState> {
  constructor(
    readonly address: RecordAddress,
    readonly at: Moment | undefined,
  ) {
    super();
  }
}

const occurredAt = ({ metadata }: RecordedEvent): string => (metadata as EventMetadata).timestamp;

/** Finds the stream that tells of a record. */
class StreamFinder {
  constructor(
    private readonly history: StreamHistory,
    private readonly catalogue: EventCatalogue,
    private readonly models: ReadModels,
  ) {}

  /**
   * The last event of the record's stream. A transaction that rides on another record's stream (a sale's, a customer's,
   * that of the one that it undoes) is told by that one.
   * @throws DomainError not_found
   */
  async lastEvent({ entity, tenantId, id }: RecordAddress): Promise<RecordedEvent> {
    const aggregates = this.aggregatesOf(entity);
    if (aggregates.length === 0) throw notFound('kind of record');
    for (const name of aggregates) {
      const own = await this.lastOf(name, tenantId, id);
      if (own) return own;
    }
    const carried =
      entity === 'transaction' ? await this.models.get(transactions, tenantScope(tenantId), id) : undefined;
    const carrier = carried && (await this.lastOf(carried.carrier.entity, tenantId, carried.carrier.recordId));
    if (!carrier) throw notFound(entity.replaceAll('-', ' '));
    return carrier;
  }

  /**
   * The aggregates of the records that the audit log calls so, or that are called so themselves. What is nothing but
   * machinery is nobody's record.
   */
  private aggregatesOf(entity: string): readonly string[] {
    const isMeant = ({ name, events }: AnyAggregate): boolean =>
      Object.values(events).some(
        ({ audit }) => audit && (name === entity || (audit.entity === entity && audit.subject === undefined)),
      );
    return this.catalogue.aggregates.filter(isMeant).map(({ name }) => name);
  }

  private async lastOf(entity: string, tenantId: string, id: string): Promise<RecordedEvent | undefined> {
    const stream = streamName(entity, tenantId, id);
    const parts = parseStreamName(stream);
    if (parts?.entity !== entity || parts.tenantId !== tenantId || parts.id !== id) return undefined;
    return this.history.lastOf(stream);
  }
}

@QueryHandler(ListStreamEvents)
export class ListStreamEventsHandler implements IQueryHandler<ListStreamEvents> {
  private readonly finder: StreamFinder;

  constructor(
    @Inject(StreamHistory) private readonly history: StreamHistory,
    @Inject(EventCatalogue) catalogue: EventCatalogue,
    @Inject(ReadModels) models: ReadModels,
  ) {
    this.finder = new StreamFinder(history, catalogue, models);
  }

  /** The newest first. Revisions have no gaps, so they count the events. */
  async execute({ address, pageNumber, pageSize }: ListStreamEvents): Promise<Page<StreamEvent>> {
    const { stream, revision } = await this.finder.lastEvent(address);
    const from = revision - (pageNumber - 1) * pageSize;
    const events = from < 0 ? [] : await this.history.before(stream, from, pageSize);
    const shown = events.map((event) => this.shown(event));
    return pageOf(shown, revision + 1, pageNumber, pageSize);
  }

  private shown(event: RecordedEvent): StreamEvent {
    const { id, stream, type, revision, position, metadata } = event;
    const decoded = this.history.decode(event);
    const secrets = this.history.secretsOf(stream);
    if (decoded) secrets.learn(decoded);
    const kind = decoded && isAudited(decoded) ? 'DOMAIN' : 'TECHNICAL';
    return {
      id,
      stream,
      type,
      kind: decoded ? kind : 'UNKNOWN',
      revision,
      position,
      occurredAt: occurredAt(event),
      data: decoded ? secrets.without(decoded.data) : null,
      metadata,
    };
  }
}

@QueryHandler(GetStreamState)
export class GetStreamStateHandler implements IQueryHandler<GetStreamState> {
  private readonly finder: StreamFinder;

  constructor(
    @Inject(StreamHistory) private readonly history: StreamHistory,
    @Inject(EventCatalogue) catalogue: EventCatalogue,
    @Inject(ReadModels) models: ReadModels,
  ) {
    this.finder = new StreamFinder(history, catalogue, models);
  }

  /**
   * An instant in the future is now. @throws DomainError not_found, also before the record's first event; invalid for a
   * revision that the stream does not have (yet)
   */
  async execute({ address, at }: GetStreamState): Promise<StreamState> {
    const last = await this.finder.lastEvent(address);
    const { stream, revision } = last;
    if (at && 'revision' in at && at.revision > revision)
      throw invalid([{ path: 'at', message: `The last revision of the record is ${revision}.` }]);
    const reached = await this.history.reach(stream, wantedUpTo(at));
    const parts = parseStreamName(stream);
    if (!reached || !parts) throw notFound('record at that time');
    const { event, state, secrets } = reached;
    return {
      ...parts,
      stream,
      revision: event.revision,
      position: event.position,
      occurredAt: occurredAt(event),
      state: secrets.without(state),
    };
  }
}

function wantedUpTo(at: Moment | undefined): (event: RecordedEvent) => boolean {
  if (at === undefined) return () => true;
  if ('revision' in at) return ({ revision }) => revision <= at.revision;
  return (event) => occurredAt(event) <= at.instant;
}

export const streamQueryHandlers = [StreamHistory, ListStreamEventsHandler, GetStreamStateHandler];
