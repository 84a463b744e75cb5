import { answers, query } from '../eventsourcing/handler.js';
import { ReadModels, type Page, type Paging } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { customers, type CustomerView } from '../projections/customer.projection.js';
import { getWithBalance, withBalances, type Money } from './balances.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

/** A customer as returned by the API. */
export type CustomerRecord = Omit<CustomerView, 'isDeleted'> & { readonly balance: Money };

export type CustomerFilters = Paging & {
  readonly search?: string | undefined;
  readonly status: 'ACTIVE' | 'PASSIVE' | 'ALL';
  readonly isDefault?: boolean | undefined;
};

export class GetCustomer extends query<CustomerRecord, [scope: Scope, id: string]>() {}
export class ListCustomers extends query<Page<CustomerRecord>, [scope: Scope, filters: CustomerFilters]>() {}
export class LookUpCustomers extends lookUpFrom({ model: customers, where: { shown: 'ACTIVE' }, briefOf: inBrief }) {}

export const customerQueryHandlers = [
  answers(GetCustomer, [ReadModels], (models, scope, id) => getWithBalance(models, customers, scope, id, 'customer')),
  answers(ListCustomers, [ReadModels], (models, scope, { status, isDefault, ...rest }) => {
    const where = { ...(status === 'ALL' ? { isDeleted: false } : { shown: status }), isDefault };
    return models.page(customers, scope, { ...rest, where }, (views) => withBalances(models, scope, views));
  }),
  looksUpFrom(LookUpCustomers),
];
