import type { AccountType } from '../aggregates/account.aggregate.js';
import { currencyDigits, fromMinor } from '../aggregates/money.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import type { ReadModel, Scope } from '../ports/read-store.js';
import { accounts, type AccountView, customers, type CustomerView } from '../projections/account.projection.js';
import { balances } from '../projections/balance.projection.js';
import { balanceOf } from '../projections/ledger-movements.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';
import { type ListRequest, type Page, type Paging, ReadModels, type Rows, shown } from './query.js';

export type Money = { readonly amount: string; readonly currency: string };

type Account = { readonly id: string; readonly currency: string; readonly isDeleted: boolean };
type WithBalance<View> = Omit<View, 'isDeleted'> & { readonly balance: Money };

/** Adds the balances to accounts or customers with one read operation. A record without postings has a zero balance. */
export async function withBalances<View extends Account>(
  models: ReadModels,
  scope: Scope,
  views: readonly View[],
): Promise<WithBalance<View>[]> {
  const ids = views.map(({ id }) => id);
  const found = await models.getMany(balances, scope, ids);
  return views.map((view) => {
    const { currency } = view;
    const sums = found.get(view.id);
    const amount = sums ? balanceOf(sums) : fromMinor(0n, currencyDigits(currency));
    return shown(view, { isDeleted: undefined, balance: { amount, currency: sums?.currency ?? currency } });
  });
}

/** @throws DomainError not_found if the record is absent or deleted */
export async function getWithBalance<View extends Account>(
  models: ReadModels,
  model: ReadModel<View>,
  scope: Scope,
  id: string,
  entity: string,
): Promise<WithBalance<View>> {
  const view = await models.get(model, scope, id);
  const [record] = view && !view.isDeleted ? await withBalances(models, scope, [view]) : [];
  if (!record) throw notFound(entity);
  return record;
}

/** An account as returned by the API. */
export type AccountRecord = Omit<AccountView, 'isDeleted'> & { readonly balance: Money };

export class GetAccount extends query<AccountRecord, [scope: Scope, id: string]>() {}
export type AccountFilters = Paging & {
  readonly search?: string | undefined;
  /** Selects accounts of any of these types. */
  readonly type?: readonly AccountType[] | undefined;
  readonly isActive?: boolean | undefined;
  readonly sort: 'name' | 'code' | 'newest';
};
export class ListAccounts extends query<Page<AccountRecord>, [scope: Scope, filters: AccountFilters]>() {}
/** All pages of the account list. */
export class EachAccount extends query<Rows<AccountRecord>, [scope: Scope, filters: AccountFilters]>() {}
export class LookUpAccounts extends lookUpFrom({
  model: accounts,
  where: { isDeleted: false, isActive: true },
  briefOf: inBrief,
  isAmong: ({ isDeleted, isActive }) => isActive && !isDeleted,
}) {}

/** A customer as returned by the API. */
export type CustomerRecord = Omit<CustomerView, 'isDeleted'> & { readonly balance: Money };

export type CustomerFilters = Paging & {
  readonly search?: string | undefined;
  readonly status: 'ACTIVE' | 'PASSIVE' | 'ALL';
  readonly isDefault?: boolean | undefined;
  readonly sort: 'name' | 'code' | 'newest';
};

export class GetCustomer extends query<CustomerRecord, [scope: Scope, id: string]>() {}
export class ListCustomers extends query<Page<CustomerRecord>, [scope: Scope, filters: CustomerFilters]>() {}
/** All pages of the customer list. */
export class EachCustomer extends query<Rows<CustomerRecord>, [scope: Scope, filters: CustomerFilters]>() {}
export class LookUpCustomers extends lookUpFrom({
  model: customers,
  where: { shown: 'ACTIVE' },
  briefOf: inBrief,
  isAmong: ({ type, isDeleted, isActive }) => type === 'CUSTOMER' && isActive && !isDeleted,
}) {}

const presentAccounts = ({ type, isActive, ...rest }: AccountFilters): ListRequest => {
  return { ...rest, where: { isDeleted: false, isActive }, anyOf: { type } };
};
const presentCustomers = ({ status, isDefault, ...rest }: CustomerFilters): ListRequest => {
  return { ...rest, where: { ...(status === 'ALL' ? { isDeleted: false } : { shown: status }), isDefault } };
};

export const accountQueryHandlers = [
  answers(GetAccount, [ReadModels], (models, scope, id) => getWithBalance(models, accounts, scope, id, 'account')),
  answers(ListAccounts, [ReadModels], (models, scope, filters) =>
    models.page(accounts, scope, presentAccounts(filters), (views) => withBalances(models, scope, views)),
  ),
  answers(EachAccount, [ReadModels], (models, scope, filters) =>
    Promise.resolve(
      models.joined(accounts, scope, presentAccounts(filters), (views) => withBalances(models, scope, views)),
    ),
  ),
  looksUpFrom(LookUpAccounts),
  answers(GetCustomer, [ReadModels], (models, scope, id) => getWithBalance(models, customers, scope, id, 'customer')),
  answers(ListCustomers, [ReadModels], (models, scope, filters) =>
    models.page(customers, scope, presentCustomers(filters), (views) => withBalances(models, scope, views)),
  ),
  answers(EachCustomer, [ReadModels], (models, scope, filters) =>
    Promise.resolve(
      models.joined(customers, scope, presentCustomers(filters), (views) => withBalances(models, scope, views)),
    ),
  ),
  looksUpFrom(LookUpCustomers),
];
