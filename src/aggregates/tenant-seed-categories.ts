import { nameUuid } from '../eventsourcing/name-uuid.js';
import type { NewCategoryRule } from './category-rule.aggregate.js';
import type { CategoryDirection, NewCategory } from './category.aggregate.js';

/** A category of a new tenant, with its rules. Its ids are derived from the tenant's id. */
export type SeedCategory = {
  readonly id: string;
  readonly category: NewCategory;
  readonly rules: readonly { readonly id: string; readonly rule: NewCategoryRule }[];
};

/**
 * Ids are derived from `key`, which must never change. `icon` is the name of a Lucide icon (lucide.dev). `keywords`
 * match as substrings of descriptions, so they must not occur within common words.
 */
type Seed = readonly [
  key: string,
  name: string,
  direction: CategoryDirection,
  color: string,
  icon: string,
  ...keywords: string[],
];

// Seeded categories have multi-word names, so that the plain names (Rent, Travel, …) remain free for the tenant.
const SEEDS: readonly Seed[] = [
  ['sales', 'Sales and services', 'BOTH', '#2E7D32', 'shopping-cart'],
  ['interest', 'Interest and dividends', 'IN', '#558B2F', 'trending-up', 'credit interest', 'dividend'],
  ['other-income', 'Other income', 'IN', '#00897B', 'circle-plus'],
  ['rent', 'Rent and leases', 'OUT', '#6D4C41', 'building', 'office rent', 'lease payment'],
  ['energy', 'Energy and water', 'OUT', '#F9A825', 'zap', 'electricity', 'natural gas', 'water bill'],
  ['telecommunication', 'Telephone and internet', 'OUT', '#0277BD', 'phone', 'phone bill', 'broadband'],
  ['insurance', 'Insurance premiums', 'OUT', '#283593', 'shield', 'insurance'],
  ['bank', 'Bank fees and charges', 'OUT', '#455A64', 'landmark', 'bank fee', 'bank charge'],
  ['wages', 'Wages and salaries', 'OUT', '#AD1457', 'users', 'payroll', 'salary payment'],
  ['taxes', 'Taxes and duties', 'BOTH', '#C62828', 'scale', 'income tax', 'customs duty'],
  [
    'software',
    'Software and hosting',
    'OUT',
    '#6A1B9A',
    'cloud',
    'web hosting',
    'software licence',
    'software license',
  ],
  ['office', 'Office supplies and postage', 'OUT', '#5D4037', 'paperclip', 'office supplies', 'stationery'],
  ['travel', 'Travel and lodging', 'OUT', '#00838F', 'plane', 'flight ticket', 'train ticket'],
  ['marketing', 'Advertising and marketing', 'OUT', '#EF6C00', 'megaphone', 'advertising'],
];

/** Lower than the default priority of users' rules, which therefore take precedence over seeded rules. */
const PRIORITY = 10;

export const seedCategories = (tenantId: string): SeedCategory[] =>
  SEEDS.map(([key, name, direction, color, icon, ...keywords]) => {
    const id = nameUuid(`seed-category/${key}`, tenantId);
    const category = { name, direction, color, icon, isSystem: true };
    return { id, category, rules: keywords.map((keyword) => rule(id, keyword)) };
  });

const rule = (categoryId: string, keyword: string) => ({
  id: nameUuid(`seed-rule/${keyword}`, categoryId),
  rule: { categoryId, keyword, priority: PRIORITY, source: 'SEED' } satisfies NewCategoryRule,
});
