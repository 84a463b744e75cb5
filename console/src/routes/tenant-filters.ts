import { day, moment, oneOf, pageNumber, searchParams, text } from '../parts/search-params';

export const transactionsSearch = searchParams({
  page: pageNumber,
  search: text,
  type: oneOf(
    'COLLECTION',
    'PAYMENT',
    'TRANSFER',
    'ADJUSTMENT',
    'OPENING_BALANCE',
    'JOURNAL',
    'INVOICE',
    'RETURN',
    'CANCELLATION',
  ),
  direction: oneOf('IN', 'OUT'),
  beginDate: day,
  endDate: day,
  customerId: text,
  accountId: text,
  categoryId: text,
  showSystemGenerated: oneOf('false'),
});
/** Filters of the page, as in its address. */
export type TransactionsFilters = Omit<ReturnType<typeof transactionsSearch>, 'page'>;

export const rulesSearch = searchParams({
  page: pageNumber,
  search: text,
  categoryId: text,
  source: oneOf('SEED', 'LEARNED', 'MANUAL'),
  isEnabled: oneOf('true', 'false'),
});
/** Filters of the page, as in its address. */
export type RulesFilters = Omit<ReturnType<typeof rulesSearch>, 'page'>;

export const customersSearch = searchParams({
  page: pageNumber,
  search: text,
  status: oneOf('ACTIVE', 'PASSIVE', 'ALL'),
  isDefault: oneOf('true', 'false'),
});
/** Filters of the page, as in its address. */
export type CustomersFilters = Omit<ReturnType<typeof customersSearch>, 'page'>;

export const salesSearch = searchParams({
  page: pageNumber,
  search: text,
  status: oneOf('ACCEPTED', 'BOOKED', 'REJECTED'),
  type: oneOf('SALE', 'RETURN', 'CANCELLATION'),
  customerId: text,
  sourceId: text,
  dateFrom: day,
  dateTo: day,
});
/** Filters of the page, as in its address. */
export type SalesFilters = Omit<ReturnType<typeof salesSearch>, 'page'>;

export const accountsSearch = searchParams({
  page: pageNumber,
  search: text,
  type: oneOf(
    ...(['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'SUPPLIER', 'EMPLOYEE'] as const),
    ...(['EXPENSE', 'INCOME', 'TAX', 'EQUITY', 'OTHER'] as const),
  ),
  isActive: oneOf('true', 'false'),
});
/** Filters of the page, as in its address. */
export type AccountsFilters = Omit<ReturnType<typeof accountsSearch>, 'page'>;

export const reportSearch = searchParams({
  from: day,
  to: day,
  asOf: day,
  knownAt: moment,
  by: oneOf('month', 'quarter'),
  zero: oneOf('true'),
  accountId: text,
  page: pageNumber,
});
/** Parameters of a report, as in its address. */
export type ReportFilters = ReturnType<typeof reportSearch>;

export const tenantAuditSearch = searchParams({
  page: pageNumber,
  search: text,
  entity: text,
  entityId: text,
  action: oneOf('CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER'),
  userId: text,
  dateFrom: day,
  dateTo: day,
});
/** Filters of the page, as in its address. */
export type TenantAuditFilters = Omit<ReturnType<typeof tenantAuditSearch>, 'page'>;
