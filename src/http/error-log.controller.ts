import { z } from 'zod';
import { ErrorLevel } from '../aggregates/error-log.aggregate.js';
import { ResolveErrorLog } from '../commands/error-log.commands.js';
import { GetErrorLog, ListErrorLogs } from '../queries/error-log.queries.js';
import { fromInput, idInput, optionalPaging, queryBoolean, queryInteger, searchInput, toInput } from './input.js';
import { controllerOf, pageOf, recordOf, routesAt } from './routes.js';
import { instantOut, named, recordFields } from './shapes.js';

const ofTheLast = { description: 'Value from the last request that caused the error.' };

const ErrorLogDto = named(
  'ErrorLogDto',
  z.object({
    ...recordFields,
    level: ErrorLevel,
    message: z.string(),
    code: z.string().nullable(),
    statusCode: z.int().nullable().meta({ description: 'HTTP status; null for background work.' }),
    method: z.string().nullable(),
    route: z.string().nullable().meta({ description: 'Route pattern of the request.' }),
    path: z.string().nullable().meta(ofTheLast),
    stack: z.string().nullable(),
    requestId: z.string().nullable().meta(ofTheLast),
    tenantId: z.string().nullable().meta({ description: 'Tenant of the last occurrence; `platform` for operators.' }),
    branchId: z.string().nullable().meta(ofTheLast),
    userId: z.string().nullable().meta(ofTheLast),
    count: z.int().min(1),
    firstSeenAt: instantOut,
    lastSeenAt: instantOut,
    resolved: z.boolean(),
    resolvedAt: instantOut.nullable(),
    resolvedBy: z.string().nullable().meta({ description: 'Operator who resolved the error.' }),
    requestIds: z.array(z.string()).max(100).optional().meta({
      description:
        'Request ids of the last 100 occurrences, oldest first. Omitted from lists, but covered by `search`.',
    }),
  }),
);

const listQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.optional(),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
  level: ErrorLevel.optional(),
  branchId: idInput.optional(),
  userId: idInput.optional(),
  tenantId: idInput.optional(),
  resolved: queryBoolean.optional(),
  statusCode: queryInteger(100, 599).optional(),
});

const routes = routesAt('/api/platform/error-logs', { who: 'platform', tag: 'Platform Error Logs' });

export const ErrorLogController = controllerOf(
  routes.query(
    'List errors from requests and background work, grouped by kind, most recent first',
    {
      description:
        'Occurrences of the same error are counted in one record until the error is resolved. `dateFrom` and ' +
        '`dateTo` select errors that occurred in that period. Filters by tenant, branch or user select errors that ' +
        'recently affected that tenant, branch or user.',
      query: listQuery,
      answers: pageOf(ErrorLogDto),
    },
    ({ query }) => new ListErrorLogs(query),
  ),
  routes.query(
    'Get an error with the request ids of its latest occurrences',
    { path: '/:id', answers: recordOf(ErrorLogDto) },
    ({ id }) => new GetErrorLog(id),
  ),
  routes.change(
    'Resolve an error',
    { method: 'PATCH', path: '/:id/resolve', description: 'A later occurrence creates a new record.' },
    ResolveErrorLog,
  ),
);
