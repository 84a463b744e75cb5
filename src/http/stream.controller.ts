import { z } from 'zod';
import { printable } from '../aggregates/fields.js';
import { RecordEventsRead, RecordHistoryRead } from '../commands/operation.commands.js';
import { PLATFORM_TENANT } from '../eventsourcing/stream-name.js';
import { IDS, type Ids } from '../ports/time.js';
import { ListEvents } from '../queries/event-list.query.js';
import { GetStreamState, ListStreamEvents, type RecordAddress } from '../queries/stream.queries.js';
import { UUID } from '../ports/uuid.js';
import { dateDocument, fromInput, idInput, instantDocument, optionalPaging, queryInteger, toInput } from './input.js';
import { controllerOf, pageOf, routesAt, valueOf, type Services } from './routes.js';
import { documented, instantOut, named } from './shapes.js';
import { WebhookDeliveryDto } from './webhook.controller.js';

const StreamEventDto = named(
  'StreamEventDto',
  z.object({
    id: z.string(),
    stream: z.string(),
    type: z.string(),
    kind: z.enum(['DOMAIN', 'TECHNICAL', 'UNKNOWN']).meta({
      description:
        'TECHNICAL: the event has no audit log entry. UNKNOWN: the type is unknown to this release, so the data is ' +
        'omitted.',
    }),
    revision: z.int().min(0),
    position: z.int(),
    occurredAt: instantOut,
    data: z.unknown().meta({ description: 'Event data in the current version of the event type, without secrets.' }),
    metadata: z.unknown().meta({ description: 'Actor, origin, request and cause of the event.' }),
  }),
);

const EventDeliveryDto = named(
  'EventDeliveryDto',
  WebhookDeliveryDto.omit({ responseBody: true, updatedAt: true, revision: true }),
);

const ListedEventDto = named(
  'ListedEventDto',
  StreamEventDto.extend({
    entity: z.string().meta({
      description:
        "Kind of the record to which the event's audit log entry refers. This record may differ from the record " +
        'whose stream contains the event. For technical events, which have no entry, this is the kind of the record ' +
        'whose stream contains the event.',
    }),
    tenantId: z.string().meta({ description: 'Tenant of the audit log entry; `platform` for platform entries.' }),
    recordId: z.string(),
    deliveries: z.array(EventDeliveryDto).meta({
      description:
        "Webhook deliveries of the event's messages, newest first. The log keeps the last 1,000 deliveries of each " +
        'webhook.',
    }),
  }),
);

const StreamStateDto = named(
  'StreamStateDto',
  z.object({
    entity: z.string(),
    id: z.string(),
    tenantId: z.string(),
    stream: z.string(),
    revision: z.int().min(0),
    position: z.int(),
    occurredAt: instantOut.meta({ description: 'Time of the last event included in this state.' }),
    state: z.unknown().meta({ description: 'State of the record, without secrets.' }),
  }),
);

export const recordTenant = idInput.meta({
  description: 'Tenant of the record; `platform` for platform records.',
});
const eventsQuery = z.strictObject({ ...optionalPaging, tenantId: recordTenant });

const MAX_REVISION = 1_000_000_000_000;
const at = documented(
  z.union(
    [
      queryInteger(0, MAX_REVISION).transform((revision) => ({ revision })),
      toInput.transform((instant) => ({ instant })),
    ],
    { error: 'Must be a revision (0, 1, 2 …), a date (YYYY-MM-DD) or an ISO 8601 instant.' },
  ),
  {
    anyOf: [{ type: 'string', pattern: '^(?:0|[1-9]\\d{0,11})$' }, dateDocument, instantDocument],
    description: 'Last revision, date or instant to include. A date includes the whole UTC day.',
  },
);
const stateQuery = z.strictObject({ tenantId: recordTenant, at: at.optional() });

const routes = routesAt('/api/platform/streams/:entity/:id', {
  who: 'platform',
  tag: 'Platform Projections',
  ids: [],
  isRecorded: true,
});
const description =
  '`entity` accepts the same values as in the audit log. If a transaction was recorded by an event of another record, ' +
  "such as a sale, it is in that record's stream. Every successful request is recorded in the audit log.";

/**
 * Only ids that are UUIDs are lowercased. Names that serve as ids, such as the name of a forwarder, are case-sensitive.
 */
export const addressOf = ({ entity, id }: { entity: string; id: string }, tenantId: string): RecordAddress => ({
  entity,
  tenantId,
  id: UUID.test(id.toLowerCase()) ? id.toLowerCase() : id,
});

export const StreamController = controllerOf(
  routes.route(
    "List a record's events, newest first",
    { path: '/events', description, query: eventsQuery, answers: pageOf(StreamEventDto) },
    async ({ params, query: { tenantId, pageNumber, pageSize } }, services) => {
      const address = addressOf(params, tenantId);
      const page = await services.queries.execute(new ListStreamEvents(address, pageNumber, pageSize));
      await recordRead(services, address, 'EVENTS');
      return page;
    },
  ),
  routes.route(
    "Get a record's current state, or its state at a revision or an instant",
    { path: '/state', description, query: stateQuery, answers: valueOf(StreamStateDto) },
    async ({ params, query }, services) => {
      const address = addressOf(params, query.tenantId);
      const state = await services.queries.execute(new GetStreamState(address, query.at));
      await recordRead(services, address, 'STATE');
      return state;
    },
  ),
);

const nameInput = z.string().trim().min(1).max(200).check(printable);
const listQuery = z
  .strictObject({
    type: nameInput
      .optional()
      .meta({ description: 'Type of the event. Technical events are listed only if you specify their type.' }),
    entity: nameInput.optional().meta({ description: 'Kind of record, as in the audit log.' }),
    tenantId: recordTenant.optional(),
    correlationId: nameInput.optional().meta({
      description: 'Id of the request that started the causal chain, as returned in the `X-Request-Id` header.',
    }),
    requestId: nameInput.optional(),
    from: fromInput.optional(),
    to: toInput.optional(),
    cursor: z.string().max(1_000).optional().meta({ description: '`nextCursor` from the previous page.' }),
    pageSize: optionalPaging.pageSize,
  })
  .refine(({ from = '', to }) => to === undefined || from <= to, { path: ['to'], error: 'Must not be before from.' });

export const EventController = controllerOf(
  routesAt('/api/platform/events', { who: 'platform', tag: 'Platform Projections', isRecorded: true }).route(
    'List the events of all records, newest first',
    {
      description:
        'Lists events with an audit log entry, as soon as the entry is available. To list technical events, which ' +
        'have no entry, specify their `type`. Each such request examines at most 5,000 events. If `nextCursor` is ' +
        'not null, pass it as `cursor` to continue the search, even if the page is empty. Every successful request ' +
        'is recorded in the audit log.',
      query: listQuery,
      answers: { ...pageOf(ListedEventDto), cursor: true },
    },
    async ({ query: { cursor, pageSize, ...filter } }, services) => {
      const page = await services.queries.execute(new ListEvents(filter, pageSize, cursor));
      const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
      const target = { tenantId: PLATFORM_TENANT, id: services.get<Ids>(IDS).next() };
      await services.commands.execute(new RecordEventsRead(target, { filter: Object.fromEntries(given) }));
      return page;
    },
  ),
);

export async function recordRead(
  services: Services,
  { id, ...address }: RecordAddress & { readonly listed?: string },
  part: 'EVENTS' | 'STATE',
): Promise<void> {
  const target = { tenantId: PLATFORM_TENANT, id: services.get<Ids>(IDS).next() };
  await services.commands.execute(new RecordHistoryRead(target, { ...address, recordId: id, part }));
}
