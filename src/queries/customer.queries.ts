import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { ReadModels, shown, type ListRequest, type Page } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { customers, type CustomerView } from '../projections/customer.projection.js';
import { balancesOf, type Money } from './balances.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

/** A customer as the API shows it. */
export type CustomerRecord = Omit<CustomerView, 'isDeleted'> & { readonly balance: Money };

export class GetCustomer extends Query<CustomerRecord> {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {
    super();
  }
}

export type CustomerStatusFilter = 'ACTIVE' | 'PASSIVE' | 'ALL';
export type CustomerListRequest = Pick<ListRequest, 'pageNumber' | 'pageSize'> & {
  readonly search?: string | undefined;
  readonly status: CustomerStatusFilter;
  readonly isDefault?: boolean | undefined;
};

export class ListCustomers extends Query<Page<CustomerRecord>> {
  constructor(
    readonly scope: Scope,
    readonly request: CustomerListRequest,
  ) {
    super();
  }
}

export class LookUpCustomers extends lookUpFrom({ model: customers, where: { shown: 'ACTIVE' }, briefOf: inBrief }) {}

const recordOf = (view: CustomerView, balance: Money): CustomerRecord => shown(view, { isDeleted: undefined, balance });

@QueryHandler(GetCustomer)
export class GetCustomerHandler implements IQueryHandler<GetCustomer> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, id }: GetCustomer): Promise<CustomerRecord> {
    const view = await this.models.get(customers, scope, id);
    if (!view || view.isDeleted) throw notFound('customer');
    const balanceFor = await balancesOf(this.models, scope, [id]);
    return recordOf(view, balanceFor(id, view.currency));
  }
}

@QueryHandler(ListCustomers)
export class ListCustomersHandler implements IQueryHandler<ListCustomers> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, request }: ListCustomers): Promise<Page<CustomerRecord>> {
    const { status, isDefault, search, ...rest } = request;
    const where = {
      ...(status === 'ALL' ? { isDeleted: false } : { shown: status }),
      ...(isDefault !== undefined && { isDefault }),
    };
    const page = await this.models.list(customers, scope, {
      ...rest,
      where,
      ...(search !== undefined && { search }),
    });
    const balanceFor = await balancesOf(
      this.models,
      scope,
      page.items.map(({ id }) => id),
    );
    return { ...page, items: page.items.map((view) => recordOf(view, balanceFor(view.id, view.currency))) };
  }
}

export const customerQueryHandlers = [GetCustomerHandler, ListCustomersHandler, looksUpFrom(LookUpCustomers)];
