import { answers, query } from '../eventsourcing/handler.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { ReadModels, shown, type Page, type Paging } from './query.js';
import type { Scalar, Scope } from '../ports/read-store.js';
import { accounts } from '../projections/account.projection.js';
import { categories } from '../projections/category.projection.js';
import { customers } from '../projections/customer.projection.js';
import { transactions, type TransactionView } from '../projections/transaction.projection.js';
import { statementHandler } from './statement.query.js';

/** A transaction as returned by the API, with the current names of its ids. */
export type TransactionRecord = Omit<TransactionView, 'sequence' | 'carrier'> & {
  readonly customerName: string | null;
  readonly accountName: string | null;
  readonly categoryName: string | null;
};

export type TransactionFilters = Paging & {
  readonly search?: string | undefined;
  readonly customerId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly expenseItemId?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly beginDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly type?: string | undefined;
  readonly direction?: string | undefined;
  readonly showSystemGenerated?: boolean | undefined;
};

type Listed = Page<TransactionRecord>;
export class ListTransactions extends query<Listed, [scope: Scope, filters: TransactionFilters]>() {}
export class GetTransaction extends query<TransactionRecord, [scope: Scope, id: string]>() {}
export class ListCustomerTransactions extends query<
  Listed,
  [scope: Scope, customerId: string, filters: TransactionFilters]
>() {}

/** These filter by the effect of a document; they are not transaction types. */
const DOCUMENT_EFFECTS: readonly string[] = ['INVOICE', 'RETURN', 'CANCELLATION'];

const typeFilter = (type: string | undefined): Record<string, Scalar | undefined> =>
  type !== undefined && DOCUMENT_EFFECTS.includes(type) ? { documentEffect: type } : { type };

function list(models: ReadModels, scope: Scope, filters: TransactionFilters): Promise<Listed> {
  const { pageNumber, pageSize, search, beginDate, endDate, accountId, type, showSystemGenerated, ...others } = filters;
  const where = {
    ...others,
    account: accountId,
    ...typeFilter(type),
    ...(showSystemGenerated === false && { manual: true }),
  };
  const request = { pageNumber, pageSize, search, where, between: { date: { from: beginDate, to: endDate } } };
  return models.page(transactions, scope, request, (views) => named(models, scope, views));
}

/** Joins the names of other records with one batch read per model. */
export async function named(
  models: ReadModels,
  scope: Scope,
  views: readonly TransactionView[],
): Promise<TransactionRecord[]> {
  const [customerNames, accountNames, categoryNames] = await Promise.all([
    models.getMany(customers, scope, idsOf(views, 'customerId')),
    models.getMany(accounts, scope, idsOf(views, 'accountId')),
    models.getMany(categories, scope, idsOf(views, 'categoryId')),
  ]);
  return views.map((view) =>
    shown(view, {
      sequence: undefined,
      carrier: undefined,
      customerName: customerNames.get(view.customerId ?? '')?.name ?? null,
      accountName: accountNames.get(view.accountId ?? '')?.name ?? null,
      categoryName: categoryNames.get(view.categoryId ?? '')?.name ?? null,
    }),
  );
}

const idsOf = (views: readonly TransactionView[], field: 'customerId' | 'accountId' | 'categoryId'): string[] => [
  ...new Set(views.flatMap((view) => view[field] ?? [])),
];

export const transactionQueryHandlers = [
  answers(GetTransaction, [ReadModels], async (models, scope, id) => {
    const [record] = await named(models, scope, [await models.found(transactions, scope, id, 'transaction')]);
    if (!record) throw notFound('transaction');
    return record;
  }),
  answers(ListTransactions, [ReadModels], list),
  answers(ListCustomerTransactions, [ReadModels], async (models, scope, customerId, filters) => {
    const customer = await models.get(customers, scope, customerId);
    if (!customer || customer.isDeleted) throw notFound('customer');
    return list(models, scope, { ...filters, customerId });
  }),
  statementHandler,
];
