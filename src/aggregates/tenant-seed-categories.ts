import { nameUuid } from '../eventsourcing/name-uuid.js';
import type { NewCategoryRule } from './category-rule.aggregate.js';
import type { CategoryDirection, NewCategory } from './category.aggregate.js';

/** A category of a new tenant, with its rules. Ids are deterministic per tenant. */
export type SeedCategory = {
  readonly id: string;
  readonly category: NewCategory;
  readonly rules: readonly { readonly id: string; readonly rule: NewCategoryRule }[];
};

type Seed = {
  /** Permanent: ids derive from it. */
  readonly key: string;
  readonly name: string;
  readonly direction: CategoryDirection;
  readonly color: string;
  /** Icon name from Lucide (lucide.dev). */
  readonly icon: string;
  /** Matched as substrings of descriptions, so they must not occur within common words. */
  readonly keywords: readonly string[];
};

// Multi-word names leave the plain ones (Rent, Travel, …) to the tenant.
const SEEDS: readonly Seed[] = [
  {
    key: 'sales',
    name: 'Sales and services',
    direction: 'BOTH',
    color: '#2E7D32',
    icon: 'shopping-cart',
    keywords: [],
  },
  {
    ...{ key: 'interest', name: 'Interest and dividends', direction: 'IN', color: '#558B2F', icon: 'trending-up' },
    keywords: ['credit interest', 'dividend'],
  },
  { key: 'other-income', name: 'Other income', direction: 'IN', color: '#00897B', icon: 'circle-plus', keywords: [] },
  {
    ...{ key: 'rent', name: 'Rent and leases', direction: 'OUT', color: '#6D4C41', icon: 'building' },
    keywords: ['office rent', 'lease payment'],
  },
  {
    ...{ key: 'energy', name: 'Energy and water', direction: 'OUT', color: '#F9A825', icon: 'zap' },
    keywords: ['electricity', 'natural gas', 'water bill'],
  },
  {
    ...{ key: 'telecommunication', name: 'Telephone and internet', direction: 'OUT', color: '#0277BD', icon: 'phone' },
    keywords: ['phone bill', 'broadband'],
  },
  {
    ...{ key: 'insurance', name: 'Insurance premiums', direction: 'OUT', color: '#283593', icon: 'shield' },
    keywords: ['insurance'],
  },
  {
    ...{ key: 'bank', name: 'Bank fees and charges', direction: 'OUT', color: '#455A64', icon: 'landmark' },
    keywords: ['bank fee', 'bank charge'],
  },
  {
    ...{ key: 'wages', name: 'Wages and salaries', direction: 'OUT', color: '#AD1457', icon: 'users' },
    keywords: ['payroll', 'salary payment'],
  },
  {
    ...{ key: 'taxes', name: 'Taxes and duties', direction: 'BOTH', color: '#C62828', icon: 'scale' },
    keywords: ['income tax', 'customs duty'],
  },
  {
    ...{ key: 'software', name: 'Software and hosting', direction: 'OUT', color: '#6A1B9A', icon: 'cloud' },
    keywords: ['web hosting', 'software licence', 'software license'],
  },
  {
    ...{ key: 'office', name: 'Office supplies and postage', direction: 'OUT', color: '#5D4037', icon: 'paperclip' },
    keywords: ['office supplies', 'stationery'],
  },
  {
    ...{ key: 'travel', name: 'Travel and lodging', direction: 'OUT', color: '#00838F', icon: 'plane' },
    keywords: ['flight ticket', 'train ticket'],
  },
  {
    ...{ key: 'marketing', name: 'Advertising and marketing', direction: 'OUT', color: '#EF6C00', icon: 'megaphone' },
    keywords: ['advertising'],
  },
];

/** Below the default priority of users' rules, which therefore take precedence over seeded rules. */
const PRIORITY = 10;

export const seedCategories = (tenantId: string): SeedCategory[] =>
  SEEDS.map(({ key, keywords, ...category }) => {
    const id = nameUuid(`seed-category/${key}`, tenantId);
    return { id, category: { ...category, isSystem: true }, rules: keywords.map((keyword) => rule(id, keyword)) };
  });

const rule = (categoryId: string, keyword: string) => ({
  id: nameUuid(`seed-rule/${keyword}`, categoryId),
  rule: { categoryId, keyword, priority: PRIORITY, source: 'SEED' } satisfies NewCategoryRule,
});
