import type { FiltersOf } from '../parts/list-state';
import { day, listParams, number, oneOf, searchParams, text } from '../parts/search-params';

export const auditSearch = searchParams({
  ...listParams,
  search: text,
  dateFrom: day,
  dateTo: day,
  tenantId: text,
  entity: text,
  entityId: text,
  action: oneOf('CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER'),
  userId: text,
});
export type AuditFilters = FiltersOf<typeof auditSearch>;

export const errorsSearch = searchParams({
  ...listParams,
  search: text,
  dateFrom: day,
  dateTo: day,
  level: oneOf('ERROR', 'WARN', 'INFO'),
  resolved: oneOf('true', 'false', 'any'),
  statusCode: number,
  tenantId: text,
  userId: text,
});
export type ErrorsFilters = FiltersOf<typeof errorsSearch>;

const eventFilters = {
  type: text,
  entity: text,
  tenantId: text,
  correlationId: text,
  requestId: text,
  dateFrom: day,
  dateTo: day,
};
export const eventsSearch = searchParams({ ...eventFilters, ...listParams, cursor: text });
export type EventsFilters = FiltersOf<typeof eventsSearch>;
