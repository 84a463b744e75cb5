import type { RuleSubject } from './category-rule-matching.js';
import type { CategorizedBy } from './transaction.aggregate.js';

export const CATEGORIZER = Symbol('CATEGORIZER');

/** The category that a tenant's rules give, and the rule that decided. */
export type Categorization = { readonly categoryId: string; readonly categorizedBy: CategorizedBy };

export interface Categorizer {
  /** Undefined where no rule matches. A rule counts from the moment that the answer to its creation was sent. */
  categorize(tenantId: string, subject: RuleSubject): Promise<Categorization | undefined>;
}
