import { answers, query } from '../eventsourcing/handler.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { ReadModels, type ListRequest, type Page, type Paging } from './query.js';
import { PLATFORM } from '../ports/read-store.js';
import { auditActors } from '../projections/audit-actor.projection.js';
import { auditLogs, auditSearch, type AuditLogView } from '../projections/audit-log.projection.js';
import { tenants } from '../projections/tenant.projection.js';
import { RecordChanges, type Change } from './record-changes.js';

/** An audit log entry as returned by the API, with the current names of its ids. */
export type AuditLogRecord = Omit<AuditLogView, 'actor' | 'carrier'> & {
  /** Both are `occurredAt`, because an entry never changes. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tenantName: string | null;
  /** Name of the user or operator, or `partner:<sourceId>`, `system:<name>`. */
  readonly userName: string | null;
};
export type AuditLogDetail = AuditLogRecord & { readonly changes: readonly Change[] };

export type AuditLogFilters = Paging & {
  readonly search?: string | undefined;
  /** Instants, both inclusive. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly entity?: string | undefined;
  readonly entityId?: string | undefined;
  readonly action?: string | undefined;
  readonly branchId?: string | undefined;
  readonly userId?: string | undefined;
};

export class ListAuditLogs extends query<Page<AuditLogRecord>, [filters: AuditLogFilters]>() {}
export class GetAuditLog extends query<AuditLogDetail, [id: string]>() {}

const msOf = (instant: string | undefined) => (instant === undefined ? undefined : Date.parse(instant));

function requestOf({ pageNumber, pageSize, search, dateFrom, dateTo, ...where }: AuditLogFilters): ListRequest {
  return {
    ...{ pageNumber, pageSize, where },
    search: search === undefined ? undefined : auditSearch(search),
    between: { occurredAtMs: { from: msOf(dateFrom), to: msOf(dateTo) } },
  };
}

/** Joins tenant and user names with one batch read each. */
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

export const auditLogQueryHandlers = [
  RecordChanges,
  answers(ListAuditLogs, [ReadModels], (models, filters) =>
    models.page(auditLogs, PLATFORM, requestOf(filters), (entries) => named(models, entries)),
  ),
  answers(GetAuditLog, [ReadModels, RecordChanges], async (models, changes, id) => {
    const entry = await models.found(auditLogs, PLATFORM, id, 'audit log entry');
    const [record] = await named(models, [entry]);
    if (!record) throw notFound('audit log entry');
    return { ...record, changes: await changes.of(entry) };
  }),
];
