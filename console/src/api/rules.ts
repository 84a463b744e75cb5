import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, type Shapes } from './client';
import type { paths } from '../../../clients/typescript/src/schema';

export type Rule = Shapes['CategoryRuleDto'];
export type RuleTest = Shapes['CategoryRuleTestResultDto'];
type RuleFilters = NonNullable<paths['/api/transaction-categories/rules']['get']['parameters']['query']>;

export const rulesQuery = (query: RuleFilters) =>
  queryOptions({
    queryKey: ['rules', query],
    queryFn: ({ signal }) => data(api.GET('/api/transaction-categories/rules', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: ['rule', id],
    queryFn: ({ signal }) =>
      data(api.GET('/api/transaction-categories/rules/{id}', { params: { path: { id } }, signal })),
  });
