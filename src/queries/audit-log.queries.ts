import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { given, ReadModels, type ListRequest, type Page } from '../platform/query.js';
import { PLATFORM } from '../ports/read-store.js';
import { auditActors } from '../projections/audit-actor.projection.js';
import { auditLogs, auditSearch, type AuditLogView } from '../projections/audit-log.projection.js';
import { tenants } from '../projections/tenant.projection.js';
import { RecordChanges, type Change } from './record-changes.js';

/** An entry as the API shows it, with the names that its ids stand for at the moment of reading. */
export type AuditLogRecord = Omit<AuditLogView, 'actor' | 'carrier'> & {
  readonly tenantName: string | null;
  /** Of the user or operator, or `partner:<sourceId>`, `system:<name>`. */
  readonly userName: string | null;
};
export type AuditLogDetail = AuditLogRecord & { readonly changes: readonly Change[] };

export type AuditLogFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
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

export class ListAuditLogs extends Query<Page<AuditLogRecord>> {
  constructor(readonly filters: AuditLogFilters) {
    super();
  }
}
export class GetAuditLog extends Query<AuditLogDetail> {
  constructor(readonly id: string) {
    super();
  }
}

function requestOf({ pageNumber, pageSize, search, dateFrom, dateTo, ...where }: AuditLogFilters): ListRequest {
  const occurredAtMs = {
    ...(dateFrom !== undefined && { from: Date.parse(dateFrom) }),
    ...(dateTo !== undefined && { to: Date.parse(dateTo) }),
  };
  return {
    pageNumber,
    pageSize,
    ...(search !== undefined && { search: auditSearch(search) }),
    where: given(where),
    ...(Object.keys(occurredAtMs).length > 0 && { between: { occurredAtMs } }),
  };
}

/** Joins the names of tenants and users in one batch each. */
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
    tenantName: tenantNames.get(entry.tenantId)?.name ?? null,
    userName: userNames.get(entry.userId ?? '')?.name ?? actor,
  }));
}

@QueryHandler(ListAuditLogs)
export class ListAuditLogsHandler implements IQueryHandler<ListAuditLogs> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ filters }: ListAuditLogs): Promise<Page<AuditLogRecord>> {
    const page = await this.models.list(auditLogs, PLATFORM, requestOf(filters));
    return { ...page, items: await named(this.models, page.items) };
  }
}

@QueryHandler(GetAuditLog)
export class GetAuditLogHandler implements IQueryHandler<GetAuditLog> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(RecordChanges) private readonly changes: RecordChanges,
  ) {}

  async execute({ id }: GetAuditLog): Promise<AuditLogDetail> {
    const entry = await this.models.get(auditLogs, PLATFORM, id);
    const [record] = entry ? await named(this.models, [entry]) : [];
    if (!entry || !record) throw notFound('audit log entry');
    return { ...record, changes: await this.changes.of(entry) };
  }
}

export const auditLogQueryHandlers = [ListAuditLogsHandler, GetAuditLogHandler, RecordChanges];
