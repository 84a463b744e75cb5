import { answers, query } from '../eventsourcing/handler.js';
import { ReadModels } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';

/** A category as returned by the API. */
export type CategoryRecord = CategoryView & { readonly ruleCount: number };

export class ListCategories extends query<readonly CategoryRecord[], [scope: Scope, includeArchived: boolean]>() {}

/** Sorted by name, which people search by. There are few categories. */
const listCategories = answers(ListCategories, [ReadModels], async (models, scope, includeArchived) => {
  const counts = new Map<string, number>();
  for await (const { categoryId } of models.each(categoryRules, scope))
    counts.set(categoryId, (counts.get(categoryId) ?? 0) + 1);
  const found: CategoryRecord[] = [];
  const where = includeArchived ? {} : { isArchived: false };
  for await (const view of models.each(categories, scope, { where }))
    found.push({ ...view, ruleCount: counts.get(view.id) ?? 0 });
  const byName = new Intl.Collator('en');
  return found.sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
});

export const categoryQueryHandlers = [listCategories];
