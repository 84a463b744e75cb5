import { categoryRule, categoryRuleRecord } from '../aggregates/category-rule.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { readModelOf, recordProjection } from './record-projection.js';

export type CategoryRuleView = ViewOf<typeof categoryRuleRecord.fields>;
export const categoryRules = readModelOf(categoryRuleRecord, { name: 'category_rules', version: 1 });

export const categoryRuleProjection = recordProjection(categoryRules, categoryRule, 'CategoryRuleCreated', {
  CategoryRuleCreated: ({ data }) => data,
  CategoryRuleUpdated: ({ data }) => data.changes,
  CategoryRuleDisputed: () => ({ isEnabled: false }),
  CategoryRuleConfirmed: () => ({ isEnabled: true }),
  CategoryRuleDeleted: null,
});
