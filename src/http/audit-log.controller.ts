import { z } from 'zod';
import {
  EachAuditLog,
  EachTenantAuditLog,
  GetAuditLog,
  GetTenantAuditLog,
  ListAuditLogs,
  ListTenantAuditLogs,
} from '../queries/audit-log.queries.js';
import { fromInput, idInput, optionalPaging, searchInput, toInput } from './input.js';
import { controllerOf, recordOf, routesAt } from './routes.js';
import { instantOut, named, recordId } from './shapes.js';

const AuditAction = z.enum(['CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER']);

const AuditLogDto = named(
  'AuditLogDto',
  z.object({
    id: recordId,
    occurredAt: instantOut,
    createdAt: instantOut,
    updatedAt: instantOut,
    tenantId: z.string().meta({ description: 'Tenant of the record; `platform` for platform records.' }),
    tenantName: z.string().nullable(),
    branchId: z.string().nullable().meta({ description: 'Branch of the acting user.' }),
    userId: z
      .string()
      .nullable()
      .meta({ description: 'The acting user or operator; for a failed sign-in, the account owner.' }),
    userName: z
      .string()
      .nullable()
      .meta({
        description:
          'Name of the acting user or operator, `partner:<sourceId>`, or `system:<name>` for actions by the ' +
          "service. In a tenant's audit log, all operators appear as `operator`.",
      }),
    action: AuditAction,
    entity: z.string().meta({
      description:
        'Kind of record: customer, account, transaction, category, category-rule, rule-application, user, role, ' +
        'branch, tenant, operator, session, factor, sale, integration-key, webhook, notification, dead-letter, job, ' +
        'error-log, projection, policy, forwarder or inspection.',
    }),
    entityId: z.string(),
    summary: z.string(),
    eventType: z.string(),
    requestId: z.string(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    revision: z.int().min(0).meta({ description: "Revision of the event in its stream, not the record's revision." }),
    position: z.int(),
    changes: z
      .array(z.object({ path: z.string(), before: z.unknown(), after: z.unknown() }))
      .optional()
      .meta({
        description: 'Changed values, without secrets; null if a value was absent. Omitted from lists.',
      }),
  }),
);

const tenantQuery = z.strictObject({
  ...optionalPaging,
  search: searchInput.optional().meta({
    description: 'Searches entity, entityId, userName, summary and requestId. UUIDs match by prefix.',
  }),
  dateFrom: fromInput.optional(),
  dateTo: toInput.optional(),
  entity: idInput.optional(),
  entityId: idInput.optional(),
  action: AuditAction.optional(),
  branchId: idInput.optional(),
  userId: idInput.optional(),
});
const listQuery = tenantQuery.extend({ tenantId: idInput.optional() });

const ofTenant = routesAt('/api/audit-logs', { who: 'tenant', permission: 'audit.read', tag: 'Audit Logs' });
const routes = routesAt('/api/platform/audit-logs', { who: 'platform', tag: 'Platform Audit Logs' });

export const AuditLogController = controllerOf(
  routes.listWithCsv(
    'List audit log entries for all tenants, one per business event, newest first',
    listQuery,
    AuditLogDto,
    [ListAuditLogs, EachAuditLog],
  ),
  routes.query(
    'Get an audit log entry, including its changes',
    { path: '/:id', description: "The changes are derived from the record's history.", answers: recordOf(AuditLogDto) },
    ({ id }) => new GetAuditLog(id),
  ),
  ofTenant.listWithCsv(
    "List the tenant's audit log entries, one per business event, newest first",
    tenantQuery,
    AuditLogDto,
    [ListTenantAuditLogs, EachTenantAuditLog],
  ),
  ofTenant.query(
    "Get one of the tenant's audit log entries, including its changes",
    { path: '/:id', answers: recordOf(AuditLogDto) },
    ({ tenantId, id }) => new GetTenantAuditLog(tenantId, id),
  ),
);
