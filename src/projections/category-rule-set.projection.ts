import type { CategoryRuleEvent } from '../aggregates/category-rule.aggregate.js';
import type { CategoryEvent } from '../aggregates/category.aggregate.js';
import type { Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

/** Tells whether a tenant's rules are still those that somebody has read: one document, with the tenant's id. */
export type CategoryRuleSetView = {
  /** Of the last event of a category or of a rule of the tenant. */
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
