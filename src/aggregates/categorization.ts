import { z } from 'zod';
import type { TenantRules } from './categorizer.js';
import { RuleSource } from './category-rule.aggregate.js';
import type { LedgerTransaction } from './ledger.js';

/** The rule that gave a transaction its category. */
export const CategorizedBy = z.object({ ruleId: z.string(), source: RuleSource });
export type CategorizedBy = z.output<typeof CategorizedBy>;

/** The rules that gave categories to the transactions of an event, by the transactions' ids. */
export const CategorizedBys = z.record(z.string(), CategorizedBy);
export type CategorizedBys = z.output<typeof CategorizedBys>;

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
