import type { RuleSubject } from './category-rule-matching.js';
import type { CategorizedBy } from './categorized-by.js';

export const CATEGORIZER = Symbol('CATEGORIZER');

/** The category that a tenant's rules give, and the rule that decided. */
export type Categorization = { readonly categoryId: string; readonly categorizedBy: CategorizedBy };

/** The rules of one tenant at one moment. */
export interface TenantRules {
  /** Undefined where no rule matches. */
  resolve(subject: RuleSubject): Categorization | undefined;
}

export interface Categorizer {
  /**
   * The tenant's rules as they are now: one counts from the moment that this replica answered its creation without
   * `X-Read-Model: behind`, in other replicas as soon as they know of that (250 ms). Cheap enough to be asked for every
   * transaction. To be used at once, not kept. @throws ReadStoreUnavailable
   */
  rulesOf(tenantId: string): Promise<TenantRules>;
}
