import type { CategorizedBys } from './categorized-by.js';
import type { TenantRules } from './categorizer.js';
import type { LedgerTransaction } from './ledger.js';

export type Categorized = {
  readonly transactions: LedgerTransaction[];
  /** Without those that no rule matched. */
  readonly categorizedBy: CategorizedBys;
};

/** Transactions with the categories that rules give to those that have none. `merchant`: the customer's name. */
export function categorized(
  transactions: readonly LedgerTransaction[],
  merchant: string | null,
  rules: TenantRules,
): Categorized {
  const categorizedBy: CategorizedBys = {};
  const given = transactions.map((transaction) => {
    const { id, categoryId, description, amount, direction, accountId, counterAccountId } = transaction;
    const accountIds = [accountId, counterAccountId].filter((account) => account !== null);
    const found =
      categoryId === null ? rules.resolve({ merchant, description, amount, direction, accountIds }) : undefined;
    if (!found) return transaction;
    categorizedBy[id] = found.categorizedBy;
    return { ...transaction, categoryId: found.categoryId };
  });
  return { transactions: given, categorizedBy };
}
