import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { DeadLetterOrigin, DeadLetterStatus } from '../aggregates/dead-letter.aggregate.js';
import { FORWARDER } from '../aggregates/forwarder.aggregate.js';
import { DiscardDeadLetter, ReplayDeadLetter } from '../commands/dead-letter.commands.js';
import { RewindForwarder } from '../commands/forwarder.commands.js';
import { currentContext, inContext } from '../platform/context.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { GetDeadLetter, ListDeadLetters } from '../queries/dead-letter.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { fromInput, idInput, instantInput, optionalPaging, searchInput, toInput } from './input.js';
import { instantOut, named, recordId } from './shapes.js';

const IntegrationDeadLetter = named(
  'IntegrationDeadLetter',
  z.object({
    id: recordId,
    tenantId: z.string(),
    origin: DeadLetterOrigin,
    subscriber: z.string().meta({ description: 'Who could not handle it.' }),
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string().meta({ description: "The event's stream." }),
    eventRevision: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: "The event's revision in its stream; null where the letter does not say." }),
    subject: z.string().meta({ description: 'The record that the event is about.' }),
    payload: z.unknown().meta({
      description:
        'What was to be delivered: CloudEvents, or the accepted sale. Null where there is none, and in lists over 4 KiB.',
    }),
    reason: z.object({ code: z.string(), message: z.string() }),
    attempts: z.int().min(1),
    status: DeadLetterStatus,
    firstFailedAt: instantOut,
    lastFailedAt: instantOut,
    resolvedAt: instantOut.nullable(),
    resolvedBy: z.string().nullable().meta({ description: 'The operator.' }),
    discardReason: z.string().nullable(),
    revision: z.int(),
  }),
);

const ReplayResultDto = named(
  'ReplayResultDto',
  z.object({
    success: z.literal(true),
    id: recordId,
    revision: z.int(),
    status: z.enum(['PARKED', 'REPLAYED']).meta({ description: 'PARKED: it was refused again; `reason` says why.' }),
  }),
);

const listQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.optional(),
  status: DeadLetterStatus.optional(),
  origin: DeadLetterOrigin.optional(),
  tenantId: idInput.optional(),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
});

const MAX_POSITION = Number.MAX_SAFE_INTEGER;
const rewindBody = z
  .strictObject({
    position: z.exactOptional(z.int().min(0).max(MAX_POSITION)),
    instant: z.exactOptional(instantInput),
  })
  .refine(({ position, instant }) => (position === undefined) !== (instant === undefined), {
    error: 'Give either a position or an instant.',
    path: ['position'],
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'RewindForwarderDto' });

const startOf = ({ position, instant = '' }: z.output<typeof rewindBody>) =>
  position === undefined ? { instant } : { position };

const declared = { who: 'platform', tag: 'Platform Dead Letters' } as const;

@Controller()
export class DeadLetterController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/dead-letters',
    summary: 'What could not be done for good, of all tenants, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: IntegrationDeadLetter },
  })
  list(@Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListDeadLetters(query));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/dead-letters/:id',
    summary: 'A dead letter with its whole payload',
    answers: { status: 200, shape: 'envelope', schema: IntegrationDeadLetter, etag: true },
  })
  async get(@Param('id') id: string): Promise<Answer> {
    const letter = await this.queries.execute(new GetDeadLetter(id));
    return answer(letter, { revision: letter.revision });
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/dead-letters/:id/replay',
    summary: 'Try again; where it is refused again the letter stays parked with one more attempt',
    answers: { status: 201, shape: 'command', schema: ReplayResultDto },
  })
  async replay(@Param('id') id: string): Promise<Answer> {
    const { revision, position, status } = await this.within(id, (target) =>
      this.commands.execute(new ReplayDeadLetter(target, {})),
    );
    return answer({ success: true, id, revision, status }, await this.gateway.settled(position));
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/dead-letters/:id/discard',
    summary: 'Decide that it is not to be done',
    body: DiscardDeadLetter.schema,
    answers: { status: 201, shape: 'command' },
  })
  discard(@Param('id') id: string, @Body() body: z.output<typeof DiscardDeadLetter.schema>): Promise<Answer> {
    return this.within(id, (target) => this.gateway.send(new DiscardDeadLetter(target, body)));
  }

  @Endpoint({
    ...declared,
    method: 'POST',
    path: '/api/platform/forwarders/:name/rewind',
    summary: `Publish again from a position or an instant; the one forwarder is ${FORWARDER}`,
    body: rewindBody,
    answers: { status: 201, shape: 'command' },
  })
  rewind(@Param('name') name: string, @Body() body: z.output<typeof rewindBody>): Promise<Answer> {
    return this.gateway.send(new RewindForwarder({ tenantId: PLATFORM_TENANT, id: name }, startOf(body)));
  }

  /** The events are those of the letter's tenant, done by an operator. */
  private async within<T>(id: string, work: (target: { tenantId: string; id: string }) => Promise<T>): Promise<T> {
    const { tenantId } = await this.queries.execute(new GetDeadLetter(id));
    return inContext({ ...currentContext(), tenantId }, () => work({ tenantId, id }));
  }
}
