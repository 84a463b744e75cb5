import { currencyDigits, fromMinor } from '../aggregates/money.js';
import type { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { balanceOf, balances } from '../projections/balance.projection.js';

export type Money = { readonly amount: string; readonly currency: string };

/** The balances of several accounts in one look; an account that nothing was posted to has zero of its currency. */
export async function balancesOf(
  models: ReadModels,
  scope: Scope,
  accountIds: readonly string[],
): Promise<(accountId: string, currency: string) => Money> {
  const found = await models.getMany(balances, scope, accountIds);
  return (accountId, currency) => {
    const sums = found.get(accountId);
    return sums
      ? { amount: balanceOf(sums), currency: sums.currency }
      : { amount: fromMinor(0n, currencyDigits(currency)), currency };
  };
}
