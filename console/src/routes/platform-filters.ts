import { moment, number, oneOf, pageNumber, searchParams, text } from '../parts/search-params';

export const auditSearch = searchParams({
  page: pageNumber,
  search: text,
  dateFrom: moment,
  dateTo: moment,
  tenantId: text,
  entity: text,
  entityId: text,
  action: oneOf('CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER'),
  userId: text,
});
/** Filters of the page, as in its address. */
export type AuditFilters = Omit<ReturnType<typeof auditSearch>, 'page'>;

export const errorsSearch = searchParams({
  page: pageNumber,
  search: text,
  dateFrom: moment,
  dateTo: moment,
  level: oneOf('ERROR', 'WARN', 'INFO'),
  resolved: oneOf('true', 'false', 'any'),
  statusCode: number,
  tenantId: text,
  userId: text,
});
/** Filters of the page, as in its address. */
export type ErrorsFilters = Omit<ReturnType<typeof errorsSearch>, 'page'>;

const eventFilters = {
  type: text,
  entity: text,
  tenantId: text,
  correlationId: text,
  requestId: text,
  dateFrom: moment,
  dateTo: moment,
};
export const eventsSearch = searchParams({ ...eventFilters, cursor: text });
/** Filters of the page, as in its address. */
export type EventsFilters = Omit<ReturnType<typeof eventsSearch>, 'cursor'>;
