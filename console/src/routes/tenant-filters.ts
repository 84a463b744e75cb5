import type { FiltersOf } from '../parts/list-state';
import { amount, day, listParams, moment, oneOf, pageNumber, searchParams, text } from '../parts/search-params';

export const transactionsSearch = searchParams({
  ...listParams,
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
  branchId: text,
  amountMin: amount,
  amountMax: amount,
  isCancelled: oneOf('true', 'false'),
  showSystemGenerated: oneOf('false'),
});
export type TransactionsFilters = FiltersOf<typeof transactionsSearch>;

export const rulesSearch = searchParams({
  ...listParams,
  search: text,
  categoryId: text,
  source: oneOf('SEED', 'LEARNED', 'MANUAL'),
  isEnabled: oneOf('true', 'false'),
});
export type RulesFilters = FiltersOf<typeof rulesSearch>;

export const customersSearch = searchParams({
  ...listParams,
  search: text,
  sort: oneOf('name', 'code', 'newest'),
  status: oneOf('ACTIVE', 'PASSIVE', 'ALL'),
  isDefault: oneOf('true', 'false'),
});
export type CustomersFilters = FiltersOf<typeof customersSearch>;

export const salesSearch = searchParams({
  ...listParams,
  search: text,
  status: oneOf('ACCEPTED', 'BOOKED', 'REJECTED'),
  type: oneOf('SALE', 'RETURN', 'CANCELLATION'),
  customerId: text,
  sourceId: text,
  dateFrom: day,
  dateTo: day,
});
export type SalesFilters = FiltersOf<typeof salesSearch>;

export const accountsSearch = searchParams({
  ...listParams,
  sort: oneOf('name', 'code', 'newest'),
  search: text,
  type: oneOf(
    ...(['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'SUPPLIER', 'EMPLOYEE'] as const),
    ...(['EXPENSE', 'INCOME', 'TAX', 'EQUITY', 'OTHER'] as const),
  ),
  isActive: oneOf('true', 'false'),
});
export type AccountsFilters = FiltersOf<typeof accountsSearch>;

export const reportSearch = searchParams({
  from: day,
  to: day,
  asOf: day,
  knownAt: moment,
  by: oneOf('month', 'quarter'),
  zero: oneOf('true'),
  accountId: text,
  page: pageNumber,
  size: listParams.size,
});
/** A report's parameters, as contained in the URL. */
export type ReportFilters = ReturnType<typeof reportSearch>;

export const tenantAuditSearch = searchParams({
  ...listParams,
  search: text,
  entity: text,
  entityId: text,
  action: oneOf('CREATE', 'UPDATE', 'DELETE', 'LOGIN', 'LOGOUT', 'OTHER'),
  userId: text,
  dateFrom: day,
  dateTo: day,
});
export type TenantAuditFilters = FiltersOf<typeof tenantAuditSearch>;
