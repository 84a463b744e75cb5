import { answers, query } from '../eventsourcing/handler.js';
import { ReadModels, type ListRequest, type Page } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { accounts, type AccountView } from '../projections/account.projection.js';
import { getWithBalance, withBalances, type Money } from './balances.js';
import { inBrief, looksUpFrom, lookUpFrom } from './look-up.js';

/** An account as returned by the API. */
export type AccountRecord = Omit<AccountView, 'isDeleted'> & { readonly balance: Money };

export class GetAccount extends query<AccountRecord, [scope: Scope, id: string]>() {}
export class ListAccounts extends query<Page<AccountRecord>, [scope: Scope, request: ListRequest]>() {}
export class LookUpAccounts extends lookUpFrom({
  model: accounts,
  where: { isDeleted: false, isActive: true },
  briefOf: inBrief,
}) {}

export const accountQueryHandlers = [
  answers(GetAccount, [ReadModels], (models, scope, id) => getWithBalance(models, accounts, scope, id, 'account')),
  answers(ListAccounts, [ReadModels], (models, scope, request) =>
    models.page(accounts, scope, { ...request, where: { isDeleted: false } }, (views) =>
      withBalances(models, scope, views),
    ),
  ),
  looksUpFrom(LookUpAccounts),
];
