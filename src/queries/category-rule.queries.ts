import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { RuleSource } from '../aggregates/category-rule.aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { given, ReadModels, type ListRequest } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { TestCategoryRulesHandler } from './category-rule-test.query.js';
import { CategoryRuleSampler } from './category-rule.sampler.js';
import { CategoryRuleReader, type CategoryRuleRecord } from './category-rule.reader.js';

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
    const query: ListRequest = {
      pageNumber: page,
      pageSize: limit,
      where: given(filters),
      ...(search !== undefined && { search }),
    };
    const { items, totalCount: total, totalPages } = await this.models.list(categoryRules, scope, query);
    return { items: await this.reader.records(scope, items), page, limit, total, totalPages };
  }
}

export const categoryRuleQueryHandlers = [
  CategoryRuleReader,
  CategoryRuleSampler,
  GetCategoryRuleHandler,
  ListCategoryRulesHandler,
  TestCategoryRulesHandler,
];
