import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { TenantRules } from '../aggregates/categorization.js';
import { CategoryRuleBook, type MatchableRule } from '../aggregates/category-rule-matching.js';
import { boundIn, categoryRule, type RuleSource } from '../aggregates/category-rule.aggregate.js';
import { category } from '../aggregates/category.aggregate.js';
import { currencyDigits } from '../aggregates/money.js';
import { notFound, readModelBehind } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { rangeOf } from '../eventsourcing/ranges.js';
import { PLATFORM, type Scope, tenantScope } from '../ports/read-store.js';
import { Progress } from '../projecting/progress.js';
import { categoryRuleHits } from '../projections/category-rule-hits.projection.js';
import { categoryRuleSets } from '../projections/category-rule-set.projection.js';
import { categoryRules, type CategoryRuleView } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';
import { tenants } from '../projections/tenant.projection.js';
import { ReadModels, type Rows } from './query.js';

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

/** Adds the category and the number of hits to each rule. */
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
  // The caller belongs to the tenant, so the tenant exists.
  if (!tenant) throw readModelBehind();
  return tenant.currency;
}

const byId = <View extends { readonly id: string }>(views: readonly View[]) =>
  new Map(views.map((view) => [view.id, view]));

/**
 * Keys the rules by id, because a rule may be read twice. If a rule is created during the read, a rule that has already
 * been read may move to the next page.
 */
export async function allRules(models: ReadModels, scope: Scope): Promise<KnownRules> {
  const categoriesById = byId(await models.all(categories, scope));
  return { rules: byId(await models.all(categoryRules, scope)), categories: categoriesById };
}

/** A rule whose category is not known yet matches nothing. */
export const matchable = (rule: CategoryRuleView, category: CategoryView | undefined): MatchableRule => ({
  ...rule,
  category: { direction: category?.direction ?? 'BOTH', isArchived: category?.isArchived ?? true },
});

/** A category as returned by the API. */
export type CategoryRecord = CategoryView & { readonly ruleCount: number };

export class ListCategories extends query<readonly CategoryRecord[], [scope: Scope, includeArchived: boolean]>() {}

/** Sorted by name, because users look for categories by name. A tenant has only a few categories. */
const listCategories = answers(ListCategories, [ReadModels], async (models, scope, includeArchived) => {
  const counts = new Map<string, number>();
  for await (const { categoryId } of models.each(categoryRules, scope))
    counts.set(categoryId, (counts.get(categoryId) ?? 0) + 1);
  const where = includeArchived ? {} : { isArchived: false };
  const found = await models.all(categories, scope, { where });
  const byName = new Intl.Collator('en');
  return found
    .map((view) => ({ ...view, ruleCount: counts.get(view.id) ?? 0 }))
    .sort((a, b) => byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
});

export class GetCategoryRule extends query<CategoryRuleRecord, [scope: Scope, id: string]>() {}

export type RuleListRequest = {
  readonly page: number;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly source?: RuleSource | undefined;
  readonly isEnabled?: boolean | undefined;
};
export type RuleList = {
  readonly items: readonly CategoryRuleRecord[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
  readonly totalIsCapped?: true;
};

export class ListCategoryRules extends query<RuleList, [scope: Scope, request: RuleListRequest]>() {}
/** All pages of the list of rules. */
export class EachCategoryRule extends query<Rows<CategoryRuleRecord>, [scope: Scope, request: RuleListRequest]>() {}

/** Positions of the read models of rules, categories and rule sets, in this order. */
type Positions = readonly [number, number, number];
type Known = {
  readonly rules: TenantRules;
  /** The rules include every relevant event up to and including this position, and possibly later ones. */
  readonly position: number;
  /** Minimum positions of the models when the rules were last known to be current. */
  readonly checkedAt: Positions;
};

const MAX_TENANTS = 1_000;
/** Kinds of records that can change the rules. */
const KINDS = [category.name, categoryRule.name];
/** Maximum time for which a broken subscription may hide changes made by other processes. */
const FOLLOWED_WITHIN_MS = 1_000;

const isCheckedSince = ({ checkedAt }: Known, at: Positions): boolean =>
  checkedAt.every((position, index) => position >= (at[index] ?? 0));

/**
 * Caches tenants' category rules, which are read from the read models. Reloads a tenant's rules after a change to a
 * rule or category. Performs no read operations while the models do not advance.
 */
@Injectable()
export class Categorizer {
  private readonly known = new LRUCache<string, Known>({ max: MAX_TENANTS });
  /** Concurrent callers share one lookup, unless the models have advanced since it started. */
  private readonly looks = new KeyedQueue();

  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
    @Inject(RecordReader) private readonly reader: RecordReader,
  ) {}

  /**
   * Returns the current rules of a tenant. A new rule applies on this replica once its creation has been acknowledged
   * without `X-Read-Model: behind`, and on other replicas within 500 ms. A call is cheap enough to be made for every
   * transaction, so callers must not store the result.
   * @throws ReadStoreUnavailable
   */
  async rulesOf(tenantId: string): Promise<TenantRules> {
    const cached = this.cachedRulesOf(tenantId);
    if (cached) return cached;
    const at = this.positions(tenantId);
    return (await this.looks.run(tenantId, () => this.look(tenantId, at))).rules;
  }

  /** Returns the result of `rulesOf` if the models need not be read; otherwise undefined. */
  cachedRulesOf(tenantId: string): TenantRules | undefined {
    const known = this.known.get(tenantId);
    if (!known) return undefined;
    const isCurrent = this.isUnchanged(tenantId, known) || isCheckedSince(known, this.positions(tenantId));
    return isCurrent ? known.rules : undefined;
  }

  /** Whether the cached rules are guaranteed to be current. Always false without a follower of the history. */
  private isUnchanged(tenantId: string, { checkedAt }: Known): boolean {
    if (!this.reader.isFollowing(FOLLOWED_WITHIN_MS)) return false;
    const { changes } = this.reader;
    const checkedTo = Math.min(...checkedAt);
    return KINDS.every((kind) => changes.lastOf(kind, tenantId) <= checkedTo);
  }

  private positions(tenantId: string): Positions {
    const range = rangeOf(tenantId);
    const of = ({ name }: { readonly name: string }): number => this.progress.position(name, range);
    return [of(categoryRules), of(categories), of(categoryRuleSets)];
  }

  private async look(tenantId: string, since: Positions): Promise<Known> {
    const known = this.known.get(tenantId);
    if (known && isCheckedSince(known, since)) return known;
    const checkedAt = this.positions(tenantId);
    const set = await this.models.get(categoryRuleSets, tenantScope(tenantId), tenantId);
    // The models advance independently, so an event counts as read only once both contain it.
    const [rulesAt, categoriesAt] = checkedAt;
    const position = Math.min(set?.position ?? -1, rulesAt, categoriesAt);
    const latest = this.known.get(tenantId);
    const found =
      latest && latest.position >= position
        ? { ...latest, checkedAt }
        : { rules: await this.read(tenantId), position, checkedAt };
    this.known.set(tenantId, found);
    return found;
  }

  private async read(tenantId: string): Promise<TenantRules> {
    const known = await allRules(this.models, tenantScope(tenantId));
    const views = [...known.rules.values()];
    const book = new CategoryRuleBook(views.map((rule) => matchable(rule, known.categories.get(rule.categoryId))));
    return {
      resolve: (subject) => {
        const rule = book.resolve(subject);
        return rule && { categoryId: rule.categoryId, categorizedBy: { ruleId: rule.id, source: rule.source } };
      },
    };
  }
}

export const categoryQueryHandlers = [
  listCategories,
  answers(GetCategoryRule, [ReadModels], async (models, scope, id) => {
    const view = await models.found(categoryRules, scope, id, 'category rule');
    const [record] = await ruleRecords(models, scope, [view]);
    if (!record) throw notFound('category rule');
    return record;
  }),
  answers(ListCategoryRules, [ReadModels], async (models, scope, { page, limit, search, ...where }) => {
    const found = await models.list(categoryRules, scope, { pageNumber: page, pageSize: limit, where, search });
    const { totalCount: total, totalPages, totalIsCapped } = found;
    const items = await ruleRecords(models, scope, found.items);
    return { items, page, limit, total, totalPages, ...(totalIsCapped && { totalIsCapped }) };
  }),
  answers(EachCategoryRule, [ReadModels], (models, scope, { page: _, limit: __, search, ...where }) =>
    Promise.resolve(
      models.joined(categoryRules, scope, { where, search }, (views) => ruleRecords(models, scope, views)),
    ),
  ),
];
