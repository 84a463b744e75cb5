import { answers, query } from '../eventsourcing/handler.js';
import type { RuleSource } from '../aggregates/category-rule.aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { ReadModels } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { testCategoryRulesHandler } from './category-rule-test.query.js';
import { ruleRecords, type CategoryRuleRecord } from './category-rule.reader.js';

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

export const categoryRuleQueryHandlers = [
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
  testCategoryRulesHandler,
];
