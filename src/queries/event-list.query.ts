import { invalid } from '../eventsourcing/domain-error.js';
import { EventCatalogue, type EventMetadata } from '../eventsourcing/event-catalogue.js';
import { answers, query } from '../eventsourcing/handler.js';
import { eventAt } from '../eventsourcing/stream-events.js';
import { parseStreamName, PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { type Delivery, DeliveryLog } from '../observability/delivery-log.js';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../ports/event-store.js';
import { PLATFORM } from '../ports/read-store.js';
import { words } from '../ports/search.js';
import { auditLogs, auditSearch, type AuditLogView, streamOf } from '../projections/audit-log.projection.js';
import { type Matching, type Page, pageOf, ReadModels } from './query.js';
import { StreamHistory } from './stream-history.js';
import { shown, type StreamEvent } from './stream.queries.js';

/**
 * An event with the record to which its audit entry refers. A technical event has no entry and is listed with the
 * record whose stream contains it.
 */
export type ListedEvent = StreamEvent & {
  readonly entity: string;
  readonly tenantId: string;
  readonly recordId: string;
  /** Logged deliveries of the event's messages to webhooks, newest first. */
  readonly deliveries: readonly ListedDelivery[];
};
export type ListedDelivery = Omit<Delivery, 'source' | 'number' | 'responseBody'>;

/** `from` and `to` are instants, both inclusive. */
export type EventFilter = Partial<
  Record<'type' | 'entity' | 'tenantId' | 'correlationId' | 'requestId' | 'from' | 'to', string | undefined>
>;

/** Totals are lower bounds. `nextCursor` is null at the end of the list. */
export type EventPage = Page<ListedEvent> & { readonly nextCursor: string | null };

/**
 * The domain events that match the filter, newest first. Technical events match only if the filter names their type.
 */
export class ListEvents extends query<
  EventPage,
  [filter: EventFilter, pageSize: number, cursor: string | undefined]
>() {}

/** Maximum number of read operations on the audit log per request. */
const MAX_READS = 20;
/**
 * Maximum number of events that a request for a technical type examines, and the number of events per read operation.
 */
const [MAX_EXAMINED, PART] = [5_000, 500];

type Subject = Pick<ListedEvent, 'entity' | 'tenantId' | 'recordId'>;
type FoundEvent = { readonly event: RecordedEvent; readonly subject: Subject };
type Found = { readonly events: readonly FoundEvent[]; readonly next: string | undefined };
type Reads = { readonly events: EventStore; readonly models: ReadModels };
type Request = { readonly filter: EventFilter; readonly limit: number; readonly after: string };

/**
 * Every filter uses an index of the audit log, whose full-text search includes request ids and the words of event
 * types. An event caused by another event has the request id of its cause, which is also the correlation id.
 */
function matchingOf({ type, entity, tenantId, correlationId, requestId, from, to }: EventFilter): Matching {
  const texts = [type?.replaceAll(/(?=[A-Z])/g, ' '), correlationId, requestId].filter((text) => text !== undefined);
  const search = auditSearch(texts.join(' '));
  const msOf = (instant: string | undefined) => (instant === undefined ? undefined : Date.parse(instant));
  return {
    where: { entity, tenantId },
    between: { occurredAtMs: { from: msOf(from), to: msOf(to) } },
    // A search without words would match nothing. Without a search, `isOf` still compares the events with the filter.
    ...(words(search).length > 0 && { search }),
  };
}

const metadataOf = ({ metadata }: RecordedEvent): EventMetadata => metadata as EventMetadata;

function isOf({ type, correlationId, requestId }: EventFilter, event: RecordedEvent): boolean {
  const metadata = metadataOf(event);
  return (
    (type === undefined || event.type === type) &&
    (correlationId === undefined || metadata.$correlationId === correlationId) &&
    (requestId === undefined || metadata.requestId === requestId)
  );
}

async function domainEvents({ events, models }: Reads, { filter, limit, after }: Request): Promise<Found> {
  const matching = matchingOf(filter);
  const found: FoundEvent[] = [];
  let next: string | undefined = after;
  for (let reads = 0; reads < MAX_READS && found.length < limit && next !== undefined; reads += 1) {
    const part: { documents: readonly AuditLogView[]; next: string | undefined } = await models.part(
      auditLogs,
      PLATFORM,
      { ...matching, limit: limit - found.length, after: next },
    );
    const those = await Promise.all(
      part.documents.map(async (entry) => {
        const { entity, tenantId, entityId: recordId } = entry;
        const event = await eventAt(events, streamOf(entry), entry.revision);
        return event && isOf(filter, event) ? [{ event, subject: { entity, tenantId, recordId } }] : [];
      }),
    );
    found.push(...those.flat());
    next = part.next;
  }
  return { events: found, next };
}

/** The record whose stream contains the event. */
function carrierOf({ stream }: RecordedEvent): Subject {
  const { entity = '', tenantId = PLATFORM_TENANT, id: recordId = '' } = parseStreamName(stream) ?? {};
  return { entity, tenantId, recordId };
}

/** Whether an event meets the conditions that the audit log checks for domain events. */
function isWithin({ entity, tenantId, to }: EventFilter, { event, subject }: FoundEvent): boolean {
  return (
    (entity === undefined || subject.entity === entity) &&
    (tenantId === undefined || subject.tenantId === tenantId) &&
    (to === undefined || metadataOf(event).timestamp <= to)
  );
}

/** Yields the events before a position (default: the end of the history), newest first. */
async function* backwards(events: EventStore, before: number | undefined): AsyncGenerator<RecordedEvent> {
  let page: readonly RecordedEvent[] = [];
  let from = before;
  do {
    page = await events.readAll({ direction: 'backwards', maxCount: PART, ...(from !== undefined && { from }) });
    yield* page;
    from = page.at(-1)?.position;
  } while (page.length === PART);
}

/** Reads the history backwards. `after` is a position; if empty, reading starts at the end of the history. */
async function technicalEvents({ events }: Reads, { filter, limit, after }: Request): Promise<Found> {
  const { from = '' } = filter;
  const found: FoundEvent[] = [];
  let examined = 0;
  for await (const event of backwards(events, after === '' ? undefined : Number(after))) {
    if (event.type === filter.type && metadataOf(event).timestamp < from) break;
    examined += 1;
    const one = { event, subject: carrierOf(event) };
    if (isOf(filter, event) && isWithin(filter, one)) found.push(one);
    if (found.length === limit || examined === MAX_EXAMINED) return { events: found, next: String(event.position) };
  }
  return { events: found, next: undefined };
}

const encoded = (place: string): string => Buffer.from(place).toString('base64url');

/** @throws DomainError invalid */
function placeOf(cursor: string | undefined, isTechnical: boolean): string {
  if (cursor === undefined) return '';
  const place = Buffer.from(cursor, 'base64url').toString();
  const isPlace = isTechnical ? /^\d{1,15}$/.test(place) : place.startsWith('[');
  if (!isPlace || encoded(place) !== cursor) throw wrongCursor();
  return place;
}

const wrongCursor = () => invalid([{ path: 'cursor', message: 'Must be a nextCursor from the same list.' }]);

/** Adds the deliveries of the events' messages, with one read operation per tenant. */
async function withDeliveries(
  log: DeliveryLog,
  events: readonly Omit<ListedEvent, 'deliveries'>[],
): Promise<ListedEvent[]> {
  const deliveries = new Map<string, ListedDelivery[]>(events.map(({ id }) => [id, []]));
  for (const tenantId of new Set(events.map((event) => event.tenantId))) {
    if (tenantId === PLATFORM_TENANT) continue;
    const ids = events.filter((event) => event.tenantId === tenantId).map(({ id }) => id);
    for (const { source, number: _, responseBody: __, ...delivery } of await log.ofEvents(tenantId, ids))
      deliveries.get(source.eventId)?.push(delivery);
  }
  return events.map((event) => ({ ...event, deliveries: deliveries.get(event.id) ?? [] }));
}

export const eventListHandler = answers(
  ListEvents,
  [EVENT_STORE, ReadModels, StreamHistory, EventCatalogue, DeliveryLog],
  async (events, models, history, catalogue, log, filter, pageSize, cursor): Promise<EventPage> => {
    const isTechnical = catalogue.types.get(filter.type ?? '')?.audit === null;
    const request = { filter, limit: pageSize, after: placeOf(cursor, isTechnical) };
    const find = isTechnical ? technicalEvents : domainEvents;
    const found = await find({ events, models }, request).catch((error: unknown) => {
      throw error instanceof RangeError ? wrongCursor() : error;
    });
    const items = await withDeliveries(
      log,
      found.events.map(({ event, subject }) => ({ ...shown(history, event), ...subject })),
    );
    const { next } = found;
    if (next === undefined) return { ...pageOf(items, items.length, 1, pageSize), nextCursor: null };
    const page = pageOf(items, items.length + 1, 1, pageSize);
    return { ...page, hasNextPage: true, totalIsCapped: true, nextCursor: encoded(next) };
  },
);
