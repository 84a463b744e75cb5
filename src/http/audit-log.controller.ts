import { Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { GetAuditLog, ListAuditLogs } from '../queries/audit-log.queries.js';
import { answer, type Answer } from './answer.js';
import { Endpoint } from './endpoint.js';
import { fromInput, idInput, optionalPaging, searchInput, toInput } from './input.js';
import { instantOut, named, recordId } from './shapes.js';

const AuditAction = z.enum(['CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER']);

const AuditLogDto = named(
  'AuditLogDto',
  z.object({
    id: recordId,
    occurredAt: instantOut,
    tenantId: z.string().meta({ description: '`platform` for records of the platform.' }),
    tenantName: z.string().nullable(),
    branchId: z.string().nullable().meta({ description: 'Of the user who acted.' }),
    userId: z
      .string()
      .nullable()
      .meta({ description: 'The user or operator who acted; of a refused sign-in the one whose account it was.' }),
    userName: z
      .string()
      .nullable()
      .meta({ description: 'Or `partner:<sourceId>`, or `system:<name>` where the service acted by itself.' }),
    action: AuditAction,
    entity: z.string(),
    entityId: z.string(),
    summary: z.string(),
    eventType: z.string(),
    requestId: z.string(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    revision: z.int().min(0),
    position: z.int(),
    changes: z
      .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
      .optional()
      .meta({ description: 'Of a single entry: what it changed. Null: not there. Secrets are left out.' }),
  }),
);

const listQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.optional().meta({
    description: 'Entity, entityId, userName, summary, requestId. A UUID is found by its beginning.',
  }),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
  tenantId: idInput.optional(),
  entity: idInput.optional(),
  entityId: idInput.optional(),
  action: AuditAction.optional(),
  branchId: idInput.optional(),
  userId: idInput.optional(),
});

const declared = { who: 'platform', tag: 'Platform Audit Logs' } as const;

@Controller()
export class AuditLogController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/audit-logs',
    summary: 'Who did what: one entry for each event of the business, of all tenants, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: AuditLogDto },
  })
  list(@Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListAuditLogs(query));
  }

  @Endpoint({
    ...declared,
    method: 'GET',
    path: '/api/platform/audit-logs/:id',
    summary: 'An entry with what it changed, folded from the history of the record',
    answers: { status: 200, shape: 'envelope', schema: AuditLogDto, etag: true },
  })
  async get(@Param('id') id: string): Promise<Answer> {
    const entry = await this.queries.execute(new GetAuditLog(id));
    return answer(entry, { revision: entry.revision });
  }
}
