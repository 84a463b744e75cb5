import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { given, ReadModels, shown, type Page } from '../platform/query.js';
import type { Scalar, Scope } from '../ports/read-store.js';
import { accounts } from '../projections/account.projection.js';
import { categories } from '../projections/category.projection.js';
import { customers } from '../projections/customer.projection.js';
import { transactions, type TransactionView } from '../projections/transaction.projection.js';
import { GetStatementHandler } from './statement.query.js';

/** A transaction as the API shows it, with the names that its ids stand for at the moment of reading. */
export type TransactionRecord = Omit<TransactionView, 'sequence' | 'carrier'> & {
  readonly customerName: string | null;
  readonly accountName: string | null;
  readonly categoryName: string | null;
};

export type TransactionFilters = {
  readonly pageNumber: number;
  readonly pageSize: number;
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

export class ListTransactions extends Query<Page<TransactionRecord>> {
  constructor(
    readonly scope: Scope,
    readonly filters: TransactionFilters,
  ) {
    super();
  }
}

export class GetTransaction extends Query<TransactionRecord> {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {
    super();
  }
}

export class ListCustomerTransactions extends Query<Page<TransactionRecord>> {
  constructor(
    readonly scope: Scope,
    readonly customerId: string,
    readonly filters: TransactionFilters,
  ) {
    super();
  }
}

/** These filter by what a document does; they are no transaction types. */
const DOCUMENT_EFFECTS: readonly string[] = ['INVOICE', 'RETURN', 'CANCELLATION'];

const typeFilter = (type: string | undefined): Record<string, Scalar | undefined> =>
  type !== undefined && DOCUMENT_EFFECTS.includes(type) ? { documentEffect: type } : { type };

function criteria(filters: TransactionFilters) {
  const { accountId, customerId, expenseItemId, categoryId, branchId, direction } = filters;
  const where = given({
    account: accountId,
    customerId,
    expenseItemId,
    categoryId,
    branchId,
    direction,
    ...typeFilter(filters.type),
    ...(filters.showSystemGenerated === false && { manual: true }),
  });
  const { beginDate: from, endDate: to } = filters;
  const date = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  return { where, ...(from === undefined && to === undefined ? {} : { between: { date } }) };
}

@QueryHandler(ListTransactions)
export class ListTransactionsHandler implements IQueryHandler<ListTransactions> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, filters }: ListTransactions): Promise<Page<TransactionRecord>> {
    const { pageNumber, pageSize, search } = filters;
    const request = { pageNumber, pageSize, ...(search !== undefined && { search }), ...criteria(filters) };
    const page = await this.models.list(transactions, scope, request);
    return { ...page, items: await named(this.models, scope, page.items) };
  }
}

@QueryHandler(ListCustomerTransactions)
export class ListCustomerTransactionsHandler implements IQueryHandler<ListCustomerTransactions> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(ListTransactionsHandler) private readonly list: ListTransactionsHandler,
  ) {}

  async execute({ scope, customerId, filters }: ListCustomerTransactions): Promise<Page<TransactionRecord>> {
    const customer = await this.models.get(customers, scope, customerId);
    if (!customer || customer.isDeleted) throw notFound('customer');
    return this.list.execute(new ListTransactions(scope, { ...filters, customerId }));
  }
}

@QueryHandler(GetTransaction)
export class GetTransactionHandler implements IQueryHandler<GetTransaction> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, id }: GetTransaction): Promise<TransactionRecord> {
    const view = await this.models.get(transactions, scope, id);
    const [record] = view ? await named(this.models, scope, [view]) : [];
    if (!record) throw notFound('transaction');
    return record;
  }
}

/** Joins the names of other records in one batch per model. */
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
  GetTransactionHandler,
  ListTransactionsHandler,
  ListCustomerTransactionsHandler,
  GetStatementHandler,
];
