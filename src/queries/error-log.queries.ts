import { answers, query } from '../eventsourcing/handler.js';
import type { ErrorLevel } from '../aggregates/error-log.aggregate.js';
import { ReadModels, type Page, type Paging } from './query.js';
import { PLATFORM } from '../ports/read-store.js';
import { errorLogs, type ErrorLogView } from '../projections/error-log.projection.js';

/** An error record without the lists that only filters and searches use. */
export type ErrorLogDetail = Omit<ErrorLogView, 'tenantIds' | 'branchIds' | 'userIds'>;
export type ErrorLogRecord = Omit<ErrorLogDetail, 'requestIds'>;

export type ErrorLogFilters = Paging & {
  readonly search?: string | undefined;
  /**
   * `dateFrom` and `dateTo` are instants, both inclusive. They select errors first seen at or before `dateTo` and last
   * seen at or after `dateFrom`.
   */
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly level?: ErrorLevel | undefined;
  readonly statusCode?: number | undefined;
  readonly resolved?: boolean | undefined;
  readonly tenantId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly userId?: string | undefined;
};

export class ListErrorLogs extends query<Page<ErrorLogRecord>, [filters: ErrorLogFilters]>() {}
export class GetErrorLog extends query<ErrorLogDetail, [id: string]>() {}

const detailOf = ({ tenantIds: _t, branchIds: _b, userIds: _u, ...detail }: ErrorLogView): ErrorLogDetail => detail;
const recordOf = (view: ErrorLogView): ErrorLogRecord => {
  const { requestIds: _, ...record } = detailOf(view);
  return record;
};

export const errorLogQueryHandlers = [
  answers(ListErrorLogs, [ReadModels], (models, filters) => {
    const { pageNumber, pageSize, search, dateFrom, dateTo, ...where } = filters;
    const between = { lastSeenAt: { from: dateFrom }, firstSeenAt: { to: dateTo } };
    const request = { pageNumber, pageSize, search, where, between };
    return models.page(errorLogs, PLATFORM, request, (views) => views.map(recordOf));
  }),
  answers(GetErrorLog, [ReadModels], async (models, id) =>
    detailOf(await models.found(errorLogs, PLATFORM, id, 'error log')),
  ),
];
