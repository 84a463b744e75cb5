import type { MatchableRule } from '../aggregates/category-rule-matching.js';
import { boundIn } from '../aggregates/category-rule.aggregate.js';
import { currencyDigits } from '../aggregates/money.js';
import { readModelBehind } from '../eventsourcing/domain-error.js';
import type { ReadModels } from './query.js';
import { PLATFORM, type Scope } from '../ports/read-store.js';
import { categoryRuleHits } from '../projections/category-rule-hits.projection.js';
import { categoryRules, type CategoryRuleView } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';
import { tenants } from '../projections/tenant.projection.js';

/** A rule as returned by the API. */
export type CategoryRuleRecord = CategoryRuleView & {
  readonly categoryName: string | null;
  readonly hitCount: number;
  readonly lastMatchedAt: string | null;
};

/** A tenant's rules and categories, by id. */
export type KnownRules = {
  readonly rules: ReadonlyMap<string, CategoryRuleView>;
  readonly categories: ReadonlyMap<string, CategoryView>;
};

/** Joins rules with their categories and hits. */
export async function ruleRecords(
  models: ReadModels,
  scope: Scope,
  views: readonly CategoryRuleView[],
): Promise<CategoryRuleRecord[]> {
  const [named, hits, digits] = await Promise.all([
    models.getMany(categories, scope, [...new Set(views.map(({ categoryId }) => categoryId))]),
    models.getMany(categoryRuleHits, scope, [...new Set(views.map(({ id }) => id))]),
    currencyOf(models, scope).then(currencyDigits),
  ]);
  return views.map((view) => ({
    ...view,
    amountMin: boundIn(digits, view.amountMin, 'min'),
    amountMax: boundIn(digits, view.amountMax, 'max'),
    categoryName: named.get(view.categoryId)?.name ?? null,
    hitCount: hits.get(view.id)?.hitCount ?? 0,
    lastMatchedAt: hits.get(view.id)?.lastMatchedAt ?? null,
  }));
}

/** Currency of the tenant's books. */
export async function currencyOf(models: ReadModels, scope: Scope): Promise<string> {
  const tenant = await models.get(tenants, PLATFORM, scope);
  // The caller belongs to the tenant, so it exists.
  if (!tenant) throw readModelBehind();
  return tenant.currency;
}

/** Keyed by id, because a rule created meanwhile may move another to the next page. */
export async function allRules(models: ReadModels, scope: Scope): Promise<KnownRules> {
  const known = { rules: new Map<string, CategoryRuleView>(), categories: new Map<string, CategoryView>() };
  for await (const view of models.each(categories, scope)) known.categories.set(view.id, view);
  for await (const view of models.each(categoryRules, scope)) known.rules.set(view.id, view);
  return known;
}

/** A rule whose category is unknown (yet) matches nothing. */
export const matchable = (rule: CategoryRuleView, category: CategoryView | undefined): MatchableRule => ({
  ...rule,
  category: { direction: category?.direction ?? 'BOTH', isArchived: category?.isArchived ?? true },
});
