import { notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { PLATFORM, type Scope } from '../ports/read-store.js';
import {
  auditActors,
  auditLogs,
  type AuditLogView,
  auditSearch,
  isShownToTenant,
  OPERATOR_ACTOR,
  shownTo,
} from '../projections/audit-log.projection.js';
import { tenants } from '../projections/tenant.projection.js';
import { type Filters, type ListRequest, type Page, ReadModels, type Rows } from './query.js';
import { type Change, RecordChanges } from './record-changes.js';

/** An audit log entry as returned by the API, with the current names of the records that its ids identify. */
export type AuditLogRecord = Omit<AuditLogView, 'actor' | 'carrier'> & {
  /** Both timestamps equal `occurredAt`, because an entry never changes. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tenantName: string | null;
  /** Name of the user or operator, or `partner:<sourceId>`, or `system:<name>`. */
  readonly userName: string | null;
};
export type AuditLogDetail = AuditLogRecord & { readonly changes: readonly Change[] };

/** `dateFrom` and `dateTo` are instants, both inclusive. */
export type AuditLogFilters = Filters<
  'dateFrom' | 'dateTo' | 'tenantId' | 'entity' | 'entityId' | 'action' | 'branchId' | 'userId'
>;
type TenantAuditLogFilters = Omit<AuditLogFilters, 'tenantId'>;

export class ListAuditLogs extends query<Page<AuditLogRecord>, [scope: Scope, filters: AuditLogFilters]>() {}
/** All pages of the audit log for all tenants. */
export class EachAuditLog extends query<Rows<AuditLogRecord>, [scope: Scope, filters: AuditLogFilters]>() {}
export class GetAuditLog extends query<AuditLogDetail, [id: string]>() {}
/** Like ListAuditLogs, but for the users of a tenant: omits other tenants' entries and the operators' identities. */
export class ListTenantAuditLogs extends query<
  Page<AuditLogRecord>,
  [tenantId: string, filters: TenantAuditLogFilters]
>() {}
/** All pages of a tenant's audit log. */
export class EachTenantAuditLog extends query<
  Rows<AuditLogRecord>,
  [tenantId: string, filters: TenantAuditLogFilters]
>() {}
export class GetTenantAuditLog extends query<AuditLogDetail, [tenantId: string, id: string]>() {}

const msOf = (instant: string | undefined) => (instant === undefined ? undefined : Date.parse(instant));

function requestOf({ pageNumber, pageSize, search, dateFrom, dateTo, ...where }: AuditLogFilters): ListRequest {
  return {
    ...{ pageNumber, pageSize, where },
    search: search === undefined ? undefined : auditSearch(search),
    between: { occurredAtMs: { from: msOf(dateFrom), to: msOf(dateTo) } },
  };
}

/** Adds the names of tenants and users with one batch read operation each. */
async function named(models: ReadModels, entries: readonly AuditLogView[]): Promise<AuditLogRecord[]> {
  const idsOf = (field: 'tenantId' | 'userId'): string[] => [
    ...new Set(entries.map((entry) => entry[field]).filter((id) => id !== null)),
  ];
  const [tenantNames, userNames] = await Promise.all([
    models.getMany(tenants, PLATFORM, idsOf('tenantId')),
    models.getMany(auditActors, PLATFORM, idsOf('userId')),
  ]);
  return entries.map(({ actor, carrier: _, ...entry }) => ({
    ...entry,
    createdAt: entry.occurredAt,
    updatedAt: entry.occurredAt,
    tenantName: tenantNames.get(entry.tenantId)?.name ?? null,
    userName: userNames.get(entry.userId ?? '')?.name ?? actor,
  }));
}

const withoutOperator = (entry: AuditLogView): AuditLogView =>
  entry.actor === OPERATOR_ACTOR ? { ...entry, userId: null, ipAddress: null, userAgent: null } : entry;

/**
 * A search considers only the names of the tenant's own users, and no other `userId` matches anything. Otherwise, the
 * matches would reveal which operator acted.
 */
async function ofTenant(models: ReadModels, tenantId: string, filters: TenantAuditLogFilters): Promise<ListRequest> {
  const { userId } = filters;
  const request = { ...requestOf({ ...filters, tenantId: shownTo(tenantId) }), joinedWhere: { tenantId } };
  if (userId === undefined || (await models.get(auditActors, PLATFORM, userId))?.tenantId === tenantId) return request;
  return { ...request, anyOf: { userId: [] } };
}
const shownToTenant = (models: ReadModels, entries: readonly AuditLogView[]): Promise<AuditLogRecord[]> =>
  named(models, entries.map(withoutOperator));

async function detailOf(models: ReadModels, changes: RecordChanges, entry: AuditLogView): Promise<AuditLogDetail> {
  const [record] = await named(models, [entry]);
  if (!record) throw notFound('audit log entry');
  return { ...record, changes: await changes.of(entry) };
}

export const auditLogQueryHandlers = [
  RecordChanges,
  answers(ListAuditLogs, [ReadModels], (models, scope, filters) =>
    models.page(auditLogs, scope, requestOf(filters), (entries) => named(models, entries)),
  ),
  answers(EachAuditLog, [ReadModels], (models, scope, filters) =>
    Promise.resolve(models.joined(auditLogs, scope, requestOf(filters), (entries) => named(models, entries))),
  ),
  answers(GetAuditLog, [ReadModels, RecordChanges], async (models, changes, id) => {
    return detailOf(models, changes, await models.found(auditLogs, PLATFORM, id, 'audit log entry'));
  }),
  answers(ListTenantAuditLogs, [ReadModels], async (models, tenantId, filters) => {
    const request = await ofTenant(models, tenantId, filters);
    return models.page(auditLogs, PLATFORM, request, (entries) => shownToTenant(models, entries));
  }),
  answers(EachTenantAuditLog, [ReadModels], async (models, tenantId, filters) => {
    const request = await ofTenant(models, tenantId, filters);
    return models.joined(auditLogs, PLATFORM, request, (entries) => shownToTenant(models, entries));
  }),
  answers(GetTenantAuditLog, [ReadModels, RecordChanges], async (models, changes, tenantId, id) => {
    const entry = await models.found(auditLogs, PLATFORM, id, 'audit log entry');
    if (entry.tenantId !== tenantId || !isShownToTenant(entry)) throw notFound('audit log entry');
    return detailOf(models, changes, withoutOperator(entry));
  }),
];
