import { day, oneOf, pageNumber, searchParams, text } from '../parts/search-params';

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
