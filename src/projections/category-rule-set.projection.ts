import type { CategoryRuleEvent } from '../aggregates/category-rule.aggregate.js';
import type { CategoryEvent } from '../aggregates/category.aggregate.js';
import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** Indicates to caches that a tenant's rules have changed. There is one document per tenant, with the tenant's id. */
export type CategoryRuleSetView = {
  /** Position of the tenant's last category or rule event. */
  readonly position: number;
};

export const categoryRuleSets: ReadModel<CategoryRuleSetView> = {
  name: 'category_rule_sets',
  version: 1,
  fields: { position: { type: 'integer', of: ({ position }) => position } },
  filters: [],
  order: { fields: ['position'], direction: 'descending' },
};

export const categoryRuleSetProjection: Projection<CategoryRuleSetView, CategoryEvent | CategoryRuleEvent> = {
  model: categoryRuleSets,
  sources: ['category', 'category-rule'],
  documents: ({ tenantId }) => [tenantId],
  evolve: (_, { position }) => ({ position }),
};
