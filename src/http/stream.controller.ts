import { Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { GetStreamState, ListStreamEvents, type RecordAddress } from '../queries/stream.queries.js';
import { Endpoint } from './endpoint.js';
import { dateDocument, idInput, instantDocument, optionalPaging, queryInteger, toInput } from './input.js';
import { documented, instantOut, named } from './shapes.js';

const StreamEventDto = named(
  'StreamEventDto',
  z.object({
    id: z.string(),
    stream: z.string(),
    type: z.string(),
    kind: z.enum(['DOMAIN', 'TECHNICAL', 'UNKNOWN']).meta({
      description: 'TECHNICAL: in no audit log. UNKNOWN: this version does not know the type, and hides its data.',
    }),
    revision: z.int().min(0),
    position: z.int(),
    occurredAt: instantOut,
    data: z.unknown().meta({ description: 'In its current version, without secrets.' }),
    metadata: z.unknown().meta({ description: 'Who, from where, in which request, because of what.' }),
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
    occurredAt: instantOut.meta({ description: 'When this state was reached.' }),
    state: z.unknown().meta({ description: 'Without secrets.' }),
  }),
);

const tenantId = idInput.meta({ description: 'The tenant whose record it is; `platform` for those of the platform.' });
const eventsQuery = z.strictObject({ ...optionalPaging, tenantId });

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
    description: 'A revision, or an instant: the state after the last event up to then (of a date: to its end, UTC).',
  },
);
const stateQuery = z.strictObject({ tenantId, at: at.optional() });

const declared = { who: 'platform', tag: 'Platform Projections', ids: [] } as const;
const description =
  '`entity` is one of the audit log’s. A transaction that was recorded by another record’s event is told by that stream.';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Names of records (a forwarder's) are taken as they are. */
const addressOf = (entity: string, tenant: string, id: string): RecordAddress => ({
  entity,
  tenantId: tenant,
  id: UUID.test(id) ? id.toLowerCase() : id,
});

@Controller()
export class StreamController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/streams/:entity/:id/events',
    summary: 'The history of a record, newest event first',
    description,
    query: eventsQuery,
    answers: { status: 200, shape: 'page', schema: StreamEventDto },
  })
  events(
    @Param('entity') entity: string,
    @Param('id') id: string,
    @Query() { tenantId: tenant, pageNumber, pageSize }: z.output<typeof eventsQuery>,
  ): Promise<unknown> {
    return this.queries.execute(new ListStreamEvents(addressOf(entity, tenant, id), pageNumber, pageSize));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/streams/:entity/:id/state',
    summary: 'A record as it was at a revision or an instant, or as it is',
    description,
    query: stateQuery,
    answers: { status: 200, shape: 'envelope', schema: StreamStateDto },
  })
  state(
    @Param('entity') entity: string,
    @Param('id') id: string,
    @Query() query: z.output<typeof stateQuery>,
  ): Promise<unknown> {
    return this.queries.execute(new GetStreamState(addressOf(entity, query.tenantId, id), query.at));
  }
}
