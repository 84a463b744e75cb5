import { z } from 'zod';
import { DeadLetterOrigin, DeadLetterStatus } from '../aggregates/dead-letter.aggregate.js';
import { DiscardDeadLetter, ReplayDeadLetter } from '../commands/operation.commands.js';
import { currentContext, inContext } from '../eventsourcing/context.js';
import { GetDeadLetter, ListDeadLetters } from '../queries/operation.queries.js';
import type { Target } from '../eventsourcing/command.js';
import { fromInput, idInput, optionalPaging, searchInput, toInput } from './input.js';
import { controllerOf, pageOf, receipt, recordOf, routesAt, type Services } from './routes.js';
import { instantOut, named, recordFields, recordId } from './shapes.js';

const IntegrationDeadLetter = named(
  'IntegrationDeadLetter',
  z.object({
    ...recordFields,
    tenantId: z.string(),
    origin: DeadLetterOrigin,
    subscriber: z.string().meta({ description: 'Consumer that failed.' }),
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string().meta({ description: 'Stream of the event.' }),
    eventRevision: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Revision of the event in its stream; null if unknown.' }),
    subject: z.string().meta({ description: 'Subject of the event.' }),
    saleId: z.string().nullable().meta({ description: 'Sale that the event belongs to.' }),
    externalId: z.string().nullable().meta({ description: 'External id of a rejected sale.' }),
    payload: z.unknown().meta({
      description:
        'Data to be delivered: CloudEvents or the accepted sale. Null if absent, and in lists if larger than ' +
        '4 KiB.',
    }),
    reason: z.object({ code: z.string(), message: z.string() }),
    attempts: z.int().min(1),
    status: DeadLetterStatus,
    firstFailedAt: instantOut,
    lastFailedAt: instantOut,
    resolvedAt: instantOut.nullable(),
    resolvedBy: z
      .string()
      .nullable()
      .meta({ description: 'Operator or user who resolved it, or `system:` followed by a component of the service.' }),
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

const listQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.optional(),
  status: DeadLetterStatus.optional(),
  origin: DeadLetterOrigin.optional(),
  tenantId: idInput.optional(),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
});

const routes = routesAt('/api/platform/dead-letters', { who: 'platform', tag: 'Platform Dead Letters' });

export const DeadLetterController = controllerOf(
  routes.query(
    'List dead letters of all tenants, newest first',
    { query: listQuery, answers: pageOf(IntegrationDeadLetter) },
    ({ query }) => new ListDeadLetters(query),
  ),
  routes.query(
    'Get a dead letter with its full payload',
    { path: '/:id', answers: recordOf(IntegrationDeadLetter) },
    ({ id }) => new GetDeadLetter(id),
  ),
  routes.route(
    'Replay a dead letter; it stays parked if it fails again',
    { method: 'POST', path: '/:id/replay', answers: { ...receipt(201), schema: ReplayResultDto } },
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
 * Runs work in the context of the dead letter's tenant. The events belong to that tenant, although an operator causes
 * them.
 */
async function within<T>(services: Services, id: string, work: (target: Target) => Promise<T>): Promise<T> {
  const { tenantId } = await services.queries.execute(new GetDeadLetter(id));
  return inContext({ ...currentContext(), tenantId }, () => work({ tenantId, id }));
}
