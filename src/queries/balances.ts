import { currencyDigits, fromMinor } from '../aggregates/money.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { shown, type ReadModels } from './query.js';
import type { ReadModel, Scope } from '../ports/read-store.js';
import { balanceOf, balances } from '../projections/balance.projection.js';

export type Money = { readonly amount: string; readonly currency: string };

type Account = { readonly id: string; readonly currency: string; readonly isDeleted: boolean };
type WithBalance<View> = Omit<View, 'isDeleted'> & { readonly balance: Money };

/** Joins the balances of accounts or customers in one read. Without postings, the balance is zero. */
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

/** @throws DomainError not_found, also for a deleted record */
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
