import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { idempotencyKey, idempotencyKeyId, isBound } from '../aggregates/request-key.aggregate.js';
import { transactionIdsOf } from '../aggregates/sale-booking.js';
import { saleId } from '../aggregates/sale-payload.js';
import { acceptedSale, type AcceptedSale, holderIdOf, isBookedOn, sale } from '../aggregates/sale.aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { rangeOf } from '../eventsourcing/ranges.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { PLATFORM, ReadStoreUnavailable, type Scalar, type Scope, tenantScope } from '../ports/read-store.js';
import { CLOCK } from '../ports/time.js';
import { Progress } from '../projecting/progress.js';
import { accounts, customers } from '../projections/account.projection.js';
import { categories } from '../projections/category.projection.js';
import { auditActors } from '../projections/audit-log.projection.js';
import { amountKey, type ReversedBy, transactions, type TransactionView } from '../projections/ledger.projection.js';
import { type Filters, type ListRequest, type Page, ReadModels, type Rows, shown } from './query.js';
import { statementHandlers } from './statement.query.js';

/** A transaction as returned by the API, with the current names of the records that its ids identify. */
export type TransactionRecord = Omit<
  TransactionView,
  'sequence' | 'carrier' | 'isChosen' | 'documentDate' | 'reversedBy'
> & {
  readonly documentDate: string;
  readonly customerName: string | null;
  readonly accountName: string | null;
  readonly categoryName: string | null;
  readonly createdByName: string | null;
  readonly reversedBy: (ReversedBy & { readonly userName: string | null }) | null;
};

type References = 'customerId' | 'accountId' | 'expenseItemId' | 'categoryId' | 'branchId';
export type TransactionFilters = Filters<References | 'beginDate' | 'endDate' | 'type' | 'direction'> & {
  readonly amountMin?: string | undefined;
  readonly amountMax?: string | undefined;
  readonly isCancelled?: boolean | undefined;
  readonly showSystemGenerated?: boolean | undefined;
};

type Listed = Page<TransactionRecord>;
export class ListTransactions extends query<Listed, [scope: Scope, filters: TransactionFilters]>() {}
/** All pages of the transaction list. */
export class EachTransaction extends query<Rows<TransactionRecord>, [scope: Scope, filters: TransactionFilters]>() {}
export class GetTransaction extends query<TransactionRecord, [scope: Scope, id: string]>() {}
export class ListCustomerTransactions extends query<
  Listed,
  [scope: Scope, customerId: string, filters: TransactionFilters]
>() {}

/** Filter values for the effect of a document rather than a transaction type. */
const DOCUMENT_EFFECTS: readonly string[] = ['INVOICE', 'RETURN', 'CANCELLATION'];

const typeFilter = (type: string | undefined): Record<string, Scalar | undefined> =>
  type !== undefined && DOCUMENT_EFFECTS.includes(type) ? { documentEffect: type } : { type };

const cancelledFilter = (isCancelled: boolean | undefined): Record<string, Scalar | undefined> =>
  isCancelled === undefined ? {} : { [isCancelled ? 'cancelled' : 'standing']: true };

const keyOf = (amount: string | undefined): string | undefined => amount && amountKey(amount);

function requestOf(filters: TransactionFilters): ListRequest {
  const { pageNumber, pageSize, search, beginDate, endDate, customerId, accountId, type, ...others } = filters;
  const { amountMin, amountMax, isCancelled, showSystemGenerated, ...references } = others;
  const where = {
    ...references,
    // A customer's account has the customer's id. A journal entry may post to several customers.
    posting: customerId,
    account: accountId,
    ...typeFilter(type),
    ...cancelledFilter(isCancelled),
    ...(showSystemGenerated === false && { manual: true }),
  };
  const amount = { from: keyOf(amountMin), to: keyOf(amountMax) };
  return { pageNumber, pageSize, search, where, between: { date: { from: beginDate, to: endDate }, amount } };
}

const list = (models: ReadModels, scope: Scope, filters: TransactionFilters): Promise<Listed> =>
  models.page(transactions, scope, requestOf(filters), (views) => named(models, scope, views));

/** Replaces ids that do not belong to customers, so that they match nothing even if they belong to other accounts. */
async function ofCustomers(models: ReadModels, scope: Scope, filters: TransactionFilters): Promise<TransactionFilters> {
  const { customerId } = filters;
  if (customerId === undefined || (await models.get(customers, scope, customerId))) return filters;
  return { ...filters, customerId: '' };
}

/** Adds the names of other records with one batch read operation per model. */
export async function named(
  models: ReadModels,
  scope: Scope,
  views: readonly TransactionView[],
): Promise<TransactionRecord[]> {
  const users = views.flatMap(({ createdBy, reversedBy }) => [createdBy, reversedBy?.userId]);
  const [customerNames, accountNames, categoryNames, userNames] = await Promise.all([
    models.getMany(customers, scope, idsOf(views, 'customerId')),
    models.getMany(accounts, scope, idsOf(views, 'accountId')),
    models.getMany(categories, scope, idsOf(views, 'categoryId')),
    models.getMany(auditActors, PLATFORM, [...new Set(users.flatMap((id) => id ?? []))]),
  ]);
  return views.map((view) =>
    shown(view, {
      sequence: undefined,
      carrier: undefined,
      isChosen: undefined,
      documentDate: view.documentDate ?? view.date,
      customerName: nameIn(customerNames, view.customerId),
      accountName: nameIn(accountNames, view.accountId),
      categoryName: nameIn(categoryNames, view.categoryId),
      createdByName: nameIn(userNames, view.createdBy),
      reversedBy: view.reversedBy && { ...view.reversedBy, userName: nameIn(userNames, view.reversedBy.userId) },
    }),
  );
}

const nameIn = (records: ReadonlyMap<string, { readonly name: string }>, id: string | null): string | null =>
  records.get(id ?? '')?.name ?? null;

const idsOf = (views: readonly TransactionView[], field: 'customerId' | 'accountId' | 'categoryId'): string[] => [
  ...new Set(views.flatMap((view) => view[field] ?? [])),
];

export type SaleStatus = {
  readonly saleId: string;
  readonly externalId: string;
  readonly sourceId: string;
  readonly status: 'ACCEPTED' | 'BOOKED' | 'REJECTED';
  readonly acceptedAt: string;
  readonly rejection: { readonly code: string; readonly message: string } | null;
};

export class GetSaleStatus extends query<SaleStatus, [tenantId: string, sourceId: string, externalId: string]>() {}

/** A booking: the position of the last event in its stream, and its transaction ids. */
type Booked = { readonly position: number; readonly transactionIds: readonly string[] };

/**
 * Reads the sale's own stream. Reports BOOKED only once the read model contains the sale's transactions, unless the read
 * model has stopped.
 */
@QueryHandler(GetSaleStatus)
export class GetSaleStatusHandler implements IQueryHandler<GetSaleStatus> {
  constructor(
    @Inject(RecordReader) private readonly reader: RecordReader,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(ReadModels) private readonly models: ReadModels,
  ) {}

  async execute({ args: [tenantId, sourceId, externalId] }: GetSaleStatus): Promise<SaleStatus> {
    const id = saleId(tenantId, sourceId, externalId);
    const found = acceptedSale((await this.reader.read(sale, tenantId, id)).state);
    const { acceptedAt } = found;
    const booking = await this.bookingOf(tenantId, id, found);
    const isReadable = booking !== undefined && (await this.isReadable(tenantId, booking));
    // If a return was rejected at first and booked later, its stream still contains the rejection.
    const rejection = booking ? null : found.rejection;
    const outcome = rejection ? 'REJECTED' : 'ACCEPTED';
    return {
      saleId: id,
      externalId,
      sourceId,
      status: isReadable ? 'BOOKED' : outcome,
      acceptedAt,
      rejection: rejection && { code: rejection.code, message: rejection.message },
    };
  }

  private async bookingOf(tenantId: string, id: string, found: AcceptedSale): Promise<Booked | undefined> {
    const { state, position } = await this.reader.read(sale, tenantId, holderIdOf(tenantId, id, found));
    return isBookedOn(state, id, found) ? { position, transactionIds: transactionIdsOf(id, found, state) } : undefined;
  }

  /**
   * Whether the read model contains the booking. The model may contain the booking before it has processed the whole
   * stream, so this method looks for the transactions. Also true if the model has stopped, because it will not contain
   * the booking until an operator intervenes, and partners must not wait that long for the status.
   */
  private async isReadable(tenantId: string, { position, transactionIds }: Booked): Promise<boolean> {
    const [{ name }, range] = [transactions, rangeOf(tenantId)];
    if (this.progress.position(name, range) >= position || this.progress.isStopped(name, range)) return true;
    try {
      const there = await this.models.getMany(transactions, tenantScope(tenantId), transactionIds);
      return there.size === transactionIds.length;
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return false;
      throw error;
    }
  }
}

export type IdempotencyKeyStatus = {
  /** ACCEPTED: the key is bound to its payload. EXPIRED: the key may be reused. */
  readonly state: 'ACCEPTED' | 'EXPIRED';
  readonly saleId: string;
  readonly externalId: string;
  /** Time at which the sale was accepted. */
  readonly acceptedAt: string;
  /** Time at which the key expires or expired. */
  readonly expiresAt: string;
};

export class GetIdempotencyKeyStatus extends query<
  IdempotencyKeyStatus,
  [tenantId: string, sourceId: string, key: string]
>() {}

export const transactionQueryHandlers = [
  answers(GetTransaction, [ReadModels], async (models, scope, id) => {
    const [record] = await named(models, scope, [await models.found(transactions, scope, id, 'transaction')]);
    if (!record) throw notFound('transaction');
    return record;
  }),
  answers(ListTransactions, [ReadModels], async (models, scope, filters) =>
    list(models, scope, await ofCustomers(models, scope, filters)),
  ),
  answers(EachTransaction, [ReadModels], async (models, scope, filters) => {
    const request = requestOf(await ofCustomers(models, scope, filters));
    return models.joined(transactions, scope, request, (views) => named(models, scope, views));
  }),
  answers(ListCustomerTransactions, [ReadModels], async (models, scope, customerId, filters) => {
    const customer = await models.get(customers, scope, customerId);
    if (!customer || customer.isDeleted) throw notFound('customer');
    return list(models, scope, { ...filters, customerId });
  }),
  ...statementHandlers,
  GetSaleStatusHandler,
  // Returns the result that a retry with the key would return now. After a crash, a key may exist although its sale was
  // never accepted.
  answers(GetIdempotencyKeyStatus, [RecordReader, CLOCK], async (reader, clock, tenantId, sourceId, key) => {
    const { state: claim } = await reader.read(idempotencyKey, tenantId, idempotencyKeyId(sourceId, key));
    if (claim.status === 'unclaimed') throw notFound('idempotency key');
    const { state: accepted } = await reader.read(sale, tenantId, claim.saleId);
    if (accepted.status === 'absent') throw notFound('idempotency key');
    return {
      state: isBound(claim, new Date(clock.nowMs())) ? 'ACCEPTED' : 'EXPIRED',
      saleId: claim.saleId,
      externalId: claim.externalId,
      acceptedAt: accepted.acceptedAt,
      expiresAt: claim.expiresAt,
    };
  }),
];
