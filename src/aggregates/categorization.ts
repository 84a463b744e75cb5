import type { CategorizedBy, CategorizedBys } from './categorized-by.js';
import { ruleSubjectOf, type RuleSubject } from './category-rule-matching.js';
import type { LedgerTransaction } from './ledger.js';

/** The category assigned by a tenant's rules, and the rule that matched. */
export type Categorization = { readonly categoryId: string; readonly categorizedBy: CategorizedBy };

/** A snapshot of one tenant's category rules. */
export interface TenantRules {
  /** Returns undefined if no rule matches. */
  resolve(subject: RuleSubject): Categorization | undefined;
}

export type Categorized = {
  readonly transactions: LedgerTransaction[];
  /** Contains only transactions to which a rule assigned a category. */
  readonly categorizedBy: CategorizedBys;
};

/** Assigns categories to transactions that have none. `merchant` is the customer's name. */
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
