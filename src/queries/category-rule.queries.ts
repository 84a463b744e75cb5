import { Inject, Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  CategoryRuleBook,
  normalizedText,
  type MatchableRule,
  type RuleSubject,
} from '../aggregates/category-rule-matching.js';
import type { RuleDetails, RuleSource } from '../aggregates/category-rule.aggregate.js';
import { notFound, notFoundAt } from '../platform/domain-error.js';
import { ReadModels, type ListRequest } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRules, type CategoryRuleView } from '../projections/category-rule.projection.js';
import { categories, type CategoryView } from '../projections/category.projection.js';

/** A rule as the API shows it. */
export type CategoryRuleRecord = CategoryRuleView & { readonly categoryName: string | null };

export class GetCategoryRule extends Query<CategoryRuleRecord> {
  constructor(
    readonly scope: Scope,
    readonly id: string,
  ) {
    super();
  }
}

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
};

export class ListCategoryRules extends Query<RuleList> {
  constructor(
    readonly scope: Scope,
    readonly request: RuleListRequest,
  ) {
    super();
  }
}

/** A transaction that is made up to try rules on it; `rule` is a draft that is tried with the others. */
export type RuleTest = {
  readonly [K in Exclude<keyof RuleSubject, 'accountIds'>]?: RuleSubject[K] | undefined;
} & {
  readonly accountId?: string | undefined;
  readonly rule?: (RuleDetails & { readonly id: string }) | undefined;
};
export type RuleTestResult = {
  readonly matched: boolean;
  readonly rule: CategoryRuleRecord | null;
  readonly category: CategoryView | null;
  readonly candidates: readonly { rule: CategoryRuleRecord; matched: boolean; reasons: readonly string[] }[];
  readonly normalizedText: string;
};

export class TestCategoryRules extends Query<RuleTestResult> {
  constructor(
    readonly scope: Scope,
    readonly test: RuleTest,
  ) {
    super();
  }
}

/** Rules with what is known of their categories. */
@Injectable()
export class CategoryRuleReader {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async records(scope: Scope, views: readonly CategoryRuleView[]): Promise<CategoryRuleRecord[]> {
    const ids = [...new Set(views.map(({ categoryId }) => categoryId))];
    const found = await this.models.getMany(categories, scope, ids);
    return views.map((view) => ({ ...view, categoryName: found.get(view.categoryId)?.name ?? null }));
  }

  async all(scope: Scope): Promise<{ rules: CategoryRuleView[]; categories: Map<string, CategoryView> }> {
    const byId = new Map<string, CategoryView>();
    for await (const view of this.models.each(categories, scope)) byId.set(view.id, view);
    const rules: CategoryRuleView[] = [];
    for await (const view of this.models.each(categoryRules, scope)) rules.push(view);
    return { rules, categories: byId };
  }
}

/** A rule of a category that nobody knows (yet) matches nothing. */
export const matchable = (rule: CategoryRuleView, category: CategoryView | undefined): MatchableRule => ({
  ...rule,
  category: { direction: category?.direction ?? 'BOTH', isArchived: category?.isArchived ?? true },
});

@QueryHandler(GetCategoryRule)
export class GetCategoryRuleHandler implements IQueryHandler<GetCategoryRule> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader,
  ) {}

  async execute({ scope, id }: GetCategoryRule): Promise<CategoryRuleRecord> {
    const view = await this.models.get(categoryRules, scope, id);
    const [record] = view ? await this.reader.records(scope, [view]) : [];
    if (!record) throw notFound('category rule');
    return record;
  }
}

@QueryHandler(ListCategoryRules)
export class ListCategoryRulesHandler implements IQueryHandler<ListCategoryRules> {
  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader,
  ) {}

  async execute({ scope, request }: ListCategoryRules): Promise<RuleList> {
    const { page, limit, search, ...filters } = request;
    const where = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const query: ListRequest = {
      pageNumber: page,
      pageSize: limit,
      where: where as NonNullable<ListRequest['where']>,
      ...(search !== undefined && { search }),
    };
    const { items, totalCount: total, totalPages } = await this.models.list(categoryRules, scope, query);
    return { items: await this.reader.records(scope, items), page, limit, total, totalPages };
  }
}

const CANDIDATES_SHOWN = 50;

@QueryHandler(TestCategoryRules)
export class TestCategoryRulesHandler implements IQueryHandler<TestCategoryRules> {
  constructor(@Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader) {}

  async execute({ scope, test }: TestCategoryRules): Promise<RuleTestResult> {
    const known = await this.reader.all(scope);
    const rules = [...(test.rule ? [draftOf(test.rule)] : []), ...known.rules];
    if (test.rule && !known.categories.has(test.rule.categoryId)) throw notFoundAt('rule.categoryId', 'category');
    const views = new Map(rules.map((rule) => [rule.id, rule]));
    const book = new CategoryRuleBook(rules.map((rule) => matchable(rule, known.categories.get(rule.categoryId))));
    const explained = book.explain(subjectOf(test));
    const recordOf = (id: string): CategoryRuleRecord => {
      const view = views.get(id) as CategoryRuleView;
      return { ...view, categoryName: known.categories.get(view.categoryId)?.name ?? null };
    };
    // What matched comes first, then what came near; of hundreds of others nobody wants to know why they did not match.
    const candidates = explained
      .map(({ rule, matched, reasons }) => ({ rule: recordOf(rule.id), matched, reasons }))
      .filter(({ matched, reasons, rule }) => matched || rule.id === test.rule?.id || reasons.length === 1)
      .sort((a, b) => Number(b.matched) - Number(a.matched))
      .slice(0, CANDIDATES_SHOWN);
    const winner = candidates.find(({ matched }) => matched)?.rule ?? null;
    return {
      matched: winner !== null,
      rule: winner,
      category: (winner && known.categories.get(winner.categoryId)) ?? null,
      candidates,
      normalizedText: normalizedText([test.merchant ?? '', test.description ?? ''].join(' ')),
    };
  }
}

const subjectOf = ({ merchant = null, description = null, amount = null, direction = null, accountId }: RuleTest) => ({
  merchant,
  description,
  amount,
  direction,
  accountIds: accountId === undefined ? [] : [accountId],
});

/** A draft competes as a person's newest rule. */
const draftOf = (rule: RuleDetails & { readonly id: string }): CategoryRuleView => ({
  ...rule,
  source: 'MANUAL' satisfies RuleSource,
  createdAt: '9999-12-31T23:59:59.999Z',
  updatedAt: '9999-12-31T23:59:59.999Z',
  revision: 0,
});

export const categoryRuleQueryHandlers = [
  CategoryRuleReader,
  GetCategoryRuleHandler,
  ListCategoryRulesHandler,
  TestCategoryRulesHandler,
];
