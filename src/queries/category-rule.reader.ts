import { Inject, Injectable } from '@nestjs/common';
import type { MatchableRule } from '../aggregates/category-rule-matching.js';
import { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRuleHits } from '../projections/category-rule-hits.projection.js';
import { categoryRules, type CategoryRuleView } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';

/** A rule as the API shows it. */
export type CategoryRuleRecord = CategoryRuleView & {
  readonly categoryName: string | null;
  readonly hitCount: number;
  readonly lastMatchedAt: string | null;
};

/** A tenant's rules and categories, by their ids. */
export type KnownRules = {
  readonly rules: ReadonlyMap<string, CategoryRuleView>;
  readonly categories: ReadonlyMap<string, CategoryView>;
};

/** Rules with what is known of their categories, and of what they did. */
@Injectable()
export class CategoryRuleReader {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async records(scope: Scope, views: readonly CategoryRuleView[]): Promise<CategoryRuleRecord[]> {
    const [named, hits] = await Promise.all([
      this.models.getMany(categories, scope, [...new Set(views.map(({ categoryId }) => categoryId))]),
      this.models.getMany(categoryRuleHits, scope, [...new Set(views.map(({ id }) => id))]),
    ]);
    return views.map((view) => ({
      ...view,
      categoryName: named.get(view.categoryId)?.name ?? null,
      hitCount: hits.get(view.id)?.hitCount ?? 0,
      lastMatchedAt: hits.get(view.id)?.lastMatchedAt ?? null,
    }));
  }

  /** By id, as one that is made meanwhile may move another into the next page. */
  async all(scope: Scope): Promise<KnownRules> {
    const known = { rules: new Map<string, CategoryRuleView>(), categories: new Map<string, CategoryView>() };
    for await (const view of this.models.each(categories, scope)) known.categories.set(view.id, view);
    for await (const view of this.models.each(categoryRules, scope)) known.rules.set(view.id, view);
    return known;
  }
}

/** A rule of a category that nobody knows (yet) matches nothing. */
export const matchable = (rule: CategoryRuleView, category: CategoryView | undefined): MatchableRule => ({
  ...rule,
  category: { direction: category?.direction ?? 'BOTH', isArchived: category?.isArchived ?? true },
});
