import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';

/** A category as the API shows it. */
export type CategoryRecord = CategoryView & { readonly ruleCount: number };

export class ListCategories extends Query<readonly CategoryRecord[]> {
  constructor(
    readonly scope: Scope,
    readonly includeArchived: boolean,
  ) {
    super();
  }
}

@QueryHandler(ListCategories)
export class ListCategoriesHandler implements IQueryHandler<ListCategories> {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  /** By name: it is what people look for, and there are not many. */
  async execute({ scope, includeArchived }: ListCategories): Promise<CategoryRecord[]> {
    const counts = new Map<string, number>();
    for await (const { categoryId } of this.models.each(categoryRules, scope))
      counts.set(categoryId, (counts.get(categoryId) ?? 0) + 1);
    const found: CategoryRecord[] = [];
    const where = includeArchived ? {} : { isArchived: false };
    for await (const view of this.models.each(categories, scope, { where }))
      found.push({ ...view, ruleCount: counts.get(view.id) ?? 0 });
    const byName = new Intl.Collator('en');
    return found.sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
  }
}

export const categoryQueryHandlers = [ListCategoriesHandler];
