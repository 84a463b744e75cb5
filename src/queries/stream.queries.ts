import { answers, query } from '../eventsourcing/handler.js';
import { isAudited } from '../eventsourcing/audit.js';
import { invalid, notFound } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type AnyAggregate, type EventMetadata } from '../eventsourcing/event-catalogue.js';
import { pageOf, ReadModels, type Page } from './query.js';
import { parseStreamName, streamName, type StreamParts } from '../eventsourcing/stream-name.js';
import { tenantScope } from '../ports/read-store.js';
import type { RecordedEvent } from '../ports/event-store.js';
import { transactions } from '../projections/ledger.projection.js';
import { StreamHistory } from './stream-history.js';

/** A record's address as specified by an operator. The record may not exist. */
export type RecordAddress = { readonly entity: string; readonly tenantId: string; readonly id: string };

/** An event as displayed to operators, without secrets. */
export type StreamEvent = {
  readonly id: string;
  readonly stream: string;
  readonly type: string;
  /** TECHNICAL: internal, not in the audit log. UNKNOWN: unknown to this release, so its data is not displayed. */
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
  /** Time of the event that produced the state. */
  readonly occurredAt: string;
  readonly state: unknown;
};

/**
 * A point in a record's history: after the event with the given revision, or after all events up to and including an
 * instant.
 */
export type Moment = { readonly revision: number } | { readonly instant: string };

export class ListStreamEvents extends query<
  Page<StreamEvent>,
  [address: RecordAddress, pageNumber: number, pageSize: number]
>() {}
export class GetStreamState extends query<StreamState, [address: RecordAddress, at: Moment | undefined]>() {}

const occurredAt = ({ metadata }: RecordedEvent): string => (metadata as EventMetadata).timestamp;

/**
 * Returns the aggregates that have this name or that the audit log displays under this entity name. Aggregates with
 * only technical events do not count as records.
 */
function aggregatesOf(catalogue: EventCatalogue, entity: string): readonly string[] {
  const isMeant = ({ name, events }: AnyAggregate): boolean =>
    Object.values(events).some(
      ({ audit }) => audit && (name === entity || (audit.entity === entity && audit.subject === undefined)),
    );
  return catalogue.aggregates.filter(isMeant).map(({ name }) => name);
}

async function lastOf(
  history: StreamHistory,
  { entity, tenantId, id }: RecordAddress,
): Promise<RecordedEvent | undefined> {
  const stream = streamName(entity, tenantId, id);
  const parts = parseStreamName(stream);
  if (parts?.entity !== entity || parts.tenantId !== tenantId || parts.id !== id) return undefined;
  return history.lastOf(stream);
}

/**
 * Returns the last event of the stream that contains the record. A transaction may be in the stream of another record:
 * a sale, a customer, or the transaction that it reverses.
 * @throws DomainError not_found
 */
export async function lastEvent(
  history: StreamHistory,
  catalogue: EventCatalogue,
  models: ReadModels,
  { entity, tenantId, id }: RecordAddress,
): Promise<RecordedEvent> {
  const aggregates = aggregatesOf(catalogue, entity);
  if (aggregates.length === 0) throw notFound('kind of record');
  for (const name of aggregates) {
    const own = await lastOf(history, { entity: name, tenantId, id });
    if (own) return own;
  }
  const carried = entity === 'transaction' ? await models.get(transactions, tenantScope(tenantId), id) : undefined;
  const { entity: name, recordId } = carried?.carrier ?? {};
  const carrier = name && recordId && (await lastOf(history, { entity: name, tenantId, id: recordId }));
  if (!carrier) throw notFound(entity.replaceAll('-', ' '));
  return carrier;
}

/** The event without secrets. */
export function shown(history: StreamHistory, event: RecordedEvent): StreamEvent {
  const { id, stream, type, revision, position, metadata } = event;
  const decoded = history.decode(event);
  const secrets = history.secretsOf(stream);
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

/**
 * Returns the state at a point in the record's history. An instant in the future is treated as the current time.
 * @throws DomainError not_found if the record does not exist, or did not exist at that point; invalid for a revision
 * beyond the end of the stream
 */
async function stateAt(history: StreamHistory, last: RecordedEvent, at: Moment | undefined): Promise<StreamState> {
  const { stream, revision } = last;
  if (at && 'revision' in at && at.revision > revision)
    throw invalid([{ path: 'at', message: `The last revision of the record is ${revision}.` }]);
  const reached = await history.reach(stream, wantedUpTo(at));
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

function wantedUpTo(at: Moment | undefined): (event: RecordedEvent) => boolean {
  if (at === undefined) return () => true;
  if ('revision' in at) return ({ revision }) => revision <= at.revision;
  return (event) => occurredAt(event) <= at.instant;
}

const HISTORY = [StreamHistory, EventCatalogue, ReadModels] as const;
export const streamQueryHandlers = [
  StreamHistory,
  // Revisions have no gaps, so the number of events can be derived from the last revision.
  answers(ListStreamEvents, HISTORY, async (history, catalogue, models, address, pageNumber, pageSize) => {
    const { stream, revision } = await lastEvent(history, catalogue, models, address);
    const from = revision - (pageNumber - 1) * pageSize;
    const events = from < 0 ? [] : await history.before(stream, from, pageSize);
    return pageOf(
      events.map((event) => shown(history, event)),
      revision + 1,
      pageNumber,
      pageSize,
    );
  }),
  answers(GetStreamState, HISTORY, async (history, catalogue, models, address, at) =>
    stateAt(history, await lastEvent(history, catalogue, models, address), at),
  ),
];
