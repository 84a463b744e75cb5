import type { CategorizedBys } from './categorized-by.js';
import type { TenantRules } from './categorizer.js';
import { ruleSubjectOf } from './category-rule-matching.js';
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
    const found = transaction.categoryId === null ? rules.resolve(ruleSubjectOf(transaction, merchant)) : undefined;
    if (!found) return transaction;
    categorizedBy[transaction.id] = found.categorizedBy;
    return { ...transaction, categoryId: found.categoryId };
  });
  return { transactions: given, categorizedBy };
}
