import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ErrorLevel } from '../aggregates/error-log.aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { given, ReadModels, type ListRequest, type Page } from '../platform/query.js';
import { PLATFORM, type Range } from '../ports/read-store.js';
import { errorLogs, type ErrorLogView } from '../projections/error-log.projection.js';

type Found = 'requestIds' | 'tenantIds' | 'branchIds' | 'userIds';
/** As lists show it: without what it is only found by. */
export type ErrorLogRecord = Omit<ErrorLogView, Found>;
export type ErrorLogDetail = ErrorLogRecord & Pick<ErrorLogView, 'requestIds'>;

export type ErrorLogFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly search?: string | undefined;
  /** Instants, both inclusive: errors that were seen first at `dateTo` or before, and last at `dateFrom` or after. */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly level?: ErrorLevel | undefined;
  readonly statusCode?: number | undefined;
  readonly resolved?: boolean | undefined;
  readonly tenantId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly userId?: string | undefined;
};

export class ListErrorLogs extends Query<Page<ErrorLogRecord>> {
  constructor(readonly filters: ErrorLogFilters) {
    super();
  }
}
export class GetErrorLog extends Query<ErrorLogDetail> {
  constructor(readonly id: string) {
    super();
  }
}

function requestOf({ pageNumber, pageSize, search, dateFrom, dateTo, ...where }: ErrorLogFilters): ListRequest {
  const between: Record<string, Range> = {
    ...(dateFrom !== undefined && { lastSeenAt: { from: dateFrom } }),
    ...(dateTo !== undefined && { firstSeenAt: { to: dateTo } }),
  };
  return {
    pageNumber,
    pageSize,
    ...(search !== undefined && { search }),
    where: given(where),
    ...(Object.keys(between).length > 0 && { between }),
  };
}

const detailOf = ({ tenantIds: _t, branchIds: _b, userIds: _u, ...detail }: ErrorLogView): ErrorLogDetail => detail;
const recordOf = (view: ErrorLogView): ErrorLogRecord => {
  const { requestIds: _, ...record } = detailOf(view);
  return record;
};

@QueryHandler(ListErrorLogs)
export class ListErrorLogsHandler implements IQueryHandler<ListErrorLogs> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ filters }: ListErrorLogs): Promise<Page<ErrorLogRecord>> {
    const page = await this.models.list(errorLogs, PLATFORM, requestOf(filters));
    return { ...page, items: page.items.map(recordOf) };
  }
}

@QueryHandler(GetErrorLog)
export class GetErrorLogHandler implements IQueryHandler<GetErrorLog> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ id }: GetErrorLog): Promise<ErrorLogDetail> {
    const view = await this.models.get(errorLogs, PLATFORM, id);
    if (!view) throw notFound('error log');
    return detailOf(view);
  }
}

export const errorLogQueryHandlers = [ListErrorLogsHandler, GetErrorLogHandler];
