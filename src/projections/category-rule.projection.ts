import type { CategoryRuleEvent, RuleDetails, RuleSource } from '../aggregates/category-rule.aggregate.js';
import { ofRecord, type Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';

export type CategoryRuleView = RuleDetails & {
  readonly id: string;
  readonly source: RuleSource;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
};

export const categoryRules: ReadModel<CategoryRuleView> = {
  name: 'category_rules',
  version: 1,
  fields: {
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    categoryId: { type: 'text', of: ({ categoryId }) => categoryId },
    source: { type: 'text', of: ({ source }) => source },
    isEnabled: { type: 'boolean', of: ({ isEnabled }) => isEnabled },
  },
  filters: ['categoryId', 'source', 'isEnabled'],
  order: { fields: ['createdAt'], direction: 'descending' },
  search: {
    merchant: ({ merchant }) => merchant,
    keyword: ({ keyword }) => keyword,
    notes: ({ notes }) => notes,
  },
};

export const categoryRuleProjection: Projection<CategoryRuleView, CategoryRuleEvent> = {
  model: categoryRules,
  sources: ['category-rule'],
  documents: ofRecord,
  evolve: (view, event) => {
    const { timestamp: updatedAt } = event.metadata;
    const { revision } = event;
    switch (event.type) {
      case 'CategoryRuleCreated':
        return { id: event.recordId, ...event.data, createdAt: updatedAt, updatedAt, revision };
      case 'CategoryRuleUpdated':
        return view && { ...view, ...event.data.changes, updatedAt, revision };
      case 'CategoryRuleDisputed':
        return view && { ...view, isEnabled: false, updatedAt, revision };
      case 'CategoryRuleConfirmed':
        return view && { ...view, isEnabled: true, updatedAt, revision };
      case 'CategoryRuleDeleted':
        return undefined;
    }
  },
};
