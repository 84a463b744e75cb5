import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound } from '../platform/domain-error.js';
import { ReadModels, shown, type ListRequest, type Page } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { balancesOf, type Money } from './balances.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

/** An account as the API shows it. */
export type AccountRecord = Omit<AccountView, 'isDeleted'> & { readonly balance: Money };

export class GetAccount extends Query<AccountRecord> {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {
    super();
  }
}

export type AccountListRequest = Pick<ListRequest, 'pageNumber' | 'pageSize'> & {
  readonly search?: string | undefined;
};

export class ListAccounts extends Query<Page<AccountRecord>> {
  constructor(
    readonly scope: Scope,
    readonly request: AccountListRequest,
  ) {
    super();
  }
}

export class LookUpAccounts extends lookUpFrom({
  model: accounts,
  where: { isDeleted: false, isActive: true },
  briefOf: inBrief,
}) {}

async function recordsOf(models: ReadModels, scope: Scope, views: readonly AccountView[]): Promise<AccountRecord[]> {
  const balanceFor = await balancesOf(
    models,
    scope,
    views.map(({ id }) => id),
  );
  return views.map((view) => shown(view, { isDeleted: undefined, balance: balanceFor(view.id, view.currency) }));
}

@QueryHandler(GetAccount)
export class GetAccountHandler implements IQueryHandler<GetAccount> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, id }: GetAccount): Promise<AccountRecord> {
    const view = await this.models.get(accounts, scope, id);
    const [record] = view && !view.isDeleted ? await recordsOf(this.models, scope, [view]) : [];
    if (!record) throw notFound('account');
    return record;
  }
}

@QueryHandler(ListAccounts)
export class ListAccountsHandler implements IQueryHandler<ListAccounts> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async execute({ scope, request }: ListAccounts): Promise<Page<AccountRecord>> {
    const { search, ...paging } = request;
    const where = { isDeleted: false };
    const query = { ...paging, where, ...(search !== undefined && { search }) };
    const page = await this.models.list(accounts, scope, query);
    return { ...page, items: await recordsOf(this.models, scope, page.items) };
  }
}

export const accountQueryHandlers = [GetAccountHandler, ListAccountsHandler, looksUpFrom(LookUpAccounts)];
