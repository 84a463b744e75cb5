import { Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { ErrorLevel } from '../aggregates/error-log.aggregate.js';
import { ResolveErrorLog } from '../commands/error-log.commands.js';
import { PLATFORM_TENANT } from '../platform/stream-name.js';
import { GetErrorLog, ListErrorLogs } from '../queries/error-log.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Endpoint } from './endpoint.js';
import { fromInput, idInput, optionalPaging, queryBoolean, queryInteger, searchInput, toInput } from './input.js';
import { instantOut, named, recordFields } from './shapes.js';

const lately = { description: 'Of the last occurrence.' };

const ErrorLogDto = named(
  'ErrorLogDto',
  z.object({
    ...recordFields,
    level: ErrorLevel,
    message: z.string(),
    code: z.string().nullable(),
    statusCode: z.int().nullable().meta({ description: 'Null for background work.' }),
    method: z.string().nullable(),
    route: z.string().nullable().meta({ description: 'The pattern of the address.' }),
    path: z.string().nullable().meta(lately),
    stack: z.string().nullable(),
    requestId: z.string().nullable().meta(lately),
    tenantId: z.string().nullable().meta({ description: 'Of the last occurrence; `platform` for operators.' }),
    branchId: z.string().nullable().meta(lately),
    userId: z.string().nullable().meta(lately),
    count: z.int().min(1),
    firstSeenAt: instantOut,
    lastSeenAt: instantOut,
    resolved: z.boolean(),
    resolvedAt: instantOut.nullable(),
    resolvedBy: z.string().nullable().meta({ description: 'The operator.' }),
    requestIds: z.array(z.string()).max(100).optional().meta({
      description: 'Of the last 100 occurrences, oldest first. In a single record only; search finds all of them.',
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

const declared = { who: 'platform', tag: 'Platform Error Logs' } as const;

@Controller()
export class ErrorLogController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/error-logs',
    summary: 'Errors of requests and of background work, counted by kind, those seen last first',
    description:
      'The same error counts on one record until that is resolved. Dates select errors that were seen within them. ' +
      'Tenant, branch and user select errors that concerned them lately.',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: ErrorLogDto },
  })
  list(@Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListErrorLogs(query));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/error-logs/:id',
    summary: 'An error with the requests that met it last',
    answers: { status: 200, shape: 'envelope', schema: ErrorLogDto, etag: true },
  })
  async get(@Param('id') id: string): Promise<Answer> {
    const record = await this.queries.execute(new GetErrorLog(id));
    return answer(record, { revision: record.revision });
  }

  @Endpoint({
    ...declared,
    method: 'PATCH',
    path: '/api/platform/error-logs/:id/resolve',
    summary: 'Note that the error is seen to; should it occur again, that is a new record',
    answers: { status: 200, shape: 'command' },
  })
  resolve(@Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new ResolveErrorLog({ tenantId: PLATFORM_TENANT, id }, {}));
  }
}
