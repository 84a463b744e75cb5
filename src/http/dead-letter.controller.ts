import { z } from 'zod';
import { deadLetter, DeadLetterOrigin, DeadLetterStatus } from '../aggregates/dead-letter.aggregate.js';
import { DiscardDeadLetter, ReplayDeadLetter, TriggerJob } from '../commands/operation.commands.js';
import { printable } from '../aggregates/fields.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import {
  BULK_JOBS,
  DEFAULT_PER_SECOND,
  GetDeadLetter,
  ListDeadLetters,
  MAX_PER_SECOND,
  PreviewBulk,
} from '../queries/dead-letter.queries.js';
import type { Target } from '../eventsourcing/command.js';
import { answer } from './answer.js';
import { fromInput, idInput, optionalPaging, searchInput, toInput } from './input.js';
import { JobTriggerResultDto, startedRun } from './job.controller.js';
import { controllerOf, pageOf, receipt, recordOf, routesAt, type Services, valueOf } from './routes.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';
import { recordRead } from './stream.controller.js';

const IntegrationDeadLetter = named(
  'IntegrationDeadLetter',
  z.object({
    ...recordFields,
    tenantId: z.string(),
    origin: DeadLetterOrigin,
    subscriber: z.string().meta({ description: 'Subscriber that could not process the event.' }),
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string().meta({ description: 'Stream that contains the event.' }),
    eventRevision: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Revision of the event in its stream; null if unknown.' }),
    subject: z.string().meta({ description: 'Subject of the event.' }),
    saleId: z.string().nullable().meta({ description: 'Sale to which the event belongs.' }),
    externalId: z
      .string()
      .nullable()
      .meta({
        description:
          'External id of the sale, or of the return or cancellation that the event books. Null if the event does not ' +
          'contain it.',
      }),
    payload: z.unknown().meta({
      description:
        'Data to be delivered: CloudEvents or the accepted sale. Null if there is no such data. Lists also return ' +
        'null for data that is longer than 4,096 characters.',
    }),
    reason: z.object({ code: z.string(), message: z.string() }),
    attempts: z.int().min(1),
    status: DeadLetterStatus,
    firstFailedAt: instantOut,
    lastFailedAt: instantOut,
    resolvedAt: instantOut.nullable(),
    resolvedBy: z.string().nullable().meta({
      description:
        'Operator or user who resolved the dead letter, or `system:` followed by the name of a service component.',
    }),
    discardReason: z.string().nullable(),
  }),
);

const ReplayResultDto = named(
  'ReplayResultDto',
  z.object({
    success: z.literal(true),
    id: recordId,
    revision: z.int(),
    status: z.enum(['PARKED', 'REPLAYED']).meta({ description: 'PARKED: processing failed again; see `reason`.' }),
  }),
);

const codeInput = z.string().trim().min(1).max(100).check(printable);
const filters = {
  search: searchInput.optional(),
  status: DeadLetterStatus.optional(),
  origin: DeadLetterOrigin.optional(),
  tenantId: idInput.optional(),
  eventType: codeInput.optional(),
  code: codeInput.optional().meta({ description: 'Value of `reason.code`.' }),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
};
const listQuery = z.strictObject({ ...optionalPaging, ...filters });

const bulk = {
  filter: z
    .strictObject(filters)
    .refine(({ dateFrom = '', dateTo }) => dateTo === undefined || dateFrom <= dateTo, {
      path: ['dateTo'],
      error: 'Must not be before dateFrom.',
    })
    .meta({
      description:
        'Accepts the same filters as the dead-letter list. Dead letters whose status is not PARKED never match.',
    }),
  dryRun: z.boolean().default(true).meta({ description: 'If true, the matching dead letters are only counted.' }),
  perSecond: z
    .int()
    .min(1)
    .max(MAX_PER_SECOND)
    .exactOptional()
    .meta({ description: `Maximum number of dead letters to process per second. Default: ${DEFAULT_PER_SECOND}.` }),
};
const replayBody = z.strictObject(bulk).meta({ id: 'ReplayDeadLettersDto' });
const discardBody = z
  .strictObject({ ...bulk, reason: DiscardDeadLetter.schema.shape.reason })
  .meta({ id: 'DiscardDeadLettersDto' });

const BulkPreviewDto = named(
  'BulkPreviewDto',
  z.object({
    matched: z.int().min(0).meta({ description: 'Number of matching parked dead letters.' }),
    sample: z.array(IntegrationDeadLetter).max(20).meta({ description: 'Oldest matching dead letters.' }),
  }),
);

const bulkDetails = {
  method: 'POST',
  description:
    'The run is a job execution. GET /api/platform/jobs/logs reports its progress, and the job operations pause, ' +
    'resume or cancel it. The run processes the dead letters that are parked when it starts, oldest first. It ' +
    'skips dead letters whose outcome has been recorded since. If a process crashes after replaying a dead letter, ' +
    'but before recording the outcome, the dead letter is replayed again: a sale is booked only once, but a message, ' +
    'a webhook delivery or a push may be sent twice.',
  creates: {},
  answers: {
    ...valueOf(BulkPreviewDto),
    also: {
      200: 'A preview, or the replayed response to an earlier request.',
      201: 'The run has started.',
    },
    bodies: { 201: JobTriggerResultDto },
    headers: {
      'X-Event-Position': { description: 'Position of the event that started the run. Absent from previews.' },
      'X-Read-Model': { description: '`behind` if the read models have not reached X-Event-Position.' },
    },
  },
} as const;

/** Previews a bulk run, or starts the job that performs it. */
async function bulkRun(
  job: string,
  { tenantId, id: executionId, body }: { tenantId: string; id: string; body: z.output<typeof replayBody> },
  services: Services,
): Promise<unknown> {
  const { dryRun, ...parameters } = body;
  if (dryRun) return services.queries.execute(new PreviewBulk(parameters.filter));
  const started = await services.commands.execute(new TriggerJob({ tenantId, id: job }, { executionId, parameters }));
  return services.settled(startedRun(started), started, { status: 201 });
}

const shared = { who: 'platform', tag: 'Platform Dead Letters' } as const;
const routes = routesAt('/api/platform/dead-letters', shared);

export const DeadLetterController = controllerOf(
  routes.query(
    'List dead letters for all tenants, newest first',
    { query: listQuery, answers: pageOf(IntegrationDeadLetter) },
    ({ query }) => new ListDeadLetters(query),
  ),
  routesAt('/api/platform/dead-letters', { ...shared, isRecorded: true }).route(
    'Get a dead letter with its full payload',
    {
      path: '/:id',
      description: 'Every successful request is recorded in the audit log.',
      answers: recordOf(IntegrationDeadLetter),
    },
    async ({ id }, services) => {
      const letter = await services.queries.execute(new GetDeadLetter(id));
      await recordRead(services, { entity: deadLetter.name, tenantId: letter.tenantId, id }, 'STATE');
      return answer(letter, { revision: letter.revision });
    },
  ),
  routes.route(
    'Replay the dead letters that match a filter, or only count them',
    { ...bulkDetails, path: '/replay', body: replayBody },
    (call, services) => bulkRun(BULK_JOBS.replay, call, services),
  ),
  routes.route(
    'Discard the dead letters that match a filter, or only count them',
    { ...bulkDetails, path: '/discard', body: discardBody },
    (call, services) => bulkRun(BULK_JOBS.discard, call, services),
  ),
  routes.route(
    'Replay a dead letter',
    {
      method: 'POST',
      path: '/:id/replay',
      description: 'The dead letter remains parked if processing fails again.',
      answers: { ...receipt(201), schema: ReplayResultDto },
    },
    async ({ id }, services) => {
      const result = await within(services, id, (target) =>
        services.commands.execute(new ReplayDeadLetter(target, {})),
      );
      const { revision, status } = result;
      return services.settled({ success: true, id, revision, status }, result);
    },
  ),
  routes.route(
    'Discard a dead letter',
    { method: 'POST', path: '/:id/discard', body: DiscardDeadLetter.schema, answers: receipt(201) },
    ({ id, body }, services) => within(services, id, (target) => services.send(new DiscardDeadLetter(target, body))),
  ),
);

/**
 * Runs work in the context of the dead letter's tenant. The resulting events belong to that tenant, although an
 * operator caused them.
 */
async function within<T>(services: Services, id: string, work: (target: Target) => Promise<T>): Promise<T> {
  const { tenantId } = await services.queries.execute(new GetDeadLetter(id));
  return inContext({ ...currentContext(), tenantId }, () => work({ tenantId, id }));
}
