import { category, categoryRecord } from '../aggregates/category.aggregate.js';
import type { ViewOf } from '../aggregates/record.js';
import { readModelOf, recordProjection } from './record-projection.js';

export type CategoryView = ViewOf<typeof categoryRecord.fields>;
export const categories = readModelOf(categoryRecord, { name: 'categories', version: 1 });

export const categoryProjection = recordProjection(categories, category, 'CategoryCreated', {
  CategoryCreated: ({ data }) => ({ ...data, isArchived: false }),
  CategoryUpdated: ({ data }) => data.changes,
  CategoryArchived: () => ({ isArchived: true }),
  CategoryRestored: () => ({ isArchived: false }),
});
