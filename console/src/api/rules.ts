import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Page } from '../parts/list-state';
import { api, data, whole, type Shapes } from './client';
import type { paths } from '../../../clients/typescript/src/schema';

export type Rule = Shapes['CategoryRuleDto'];
export type RuleTest = Shapes['CategoryRuleTestResultDto'];
type RuleFilters = NonNullable<paths['/api/transaction-categories/rules']['get']['parameters']['query']>;

export const rulesQuery = (filters: RuleFilters, { pageNumber: page, pageSize: limit }: Page) =>
  queryOptions({
    queryKey: ['rules', filters, page, limit],
    queryFn: async ({ signal }) => {
      const query = { ...filters, page, limit };
      const found = await data(api.GET('/api/transaction-categories/rules', { params: { query }, signal }));
      return { ...found, totalCount: found.total };
    },
    placeholderData: keepPreviousData,
  });

export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: ['rule', id],
    queryFn: ({ signal }) =>
      data(api.GET('/api/transaction-categories/rules/{id}', { params: { path: { id } }, signal })),
  });

export type RuleApplication = Shapes['RuleApplicationDto'];
export type RulePreview = Shapes['RulePreviewDto'];
type Application = Shapes['ApplyCategoryRuleDto'];

const POLL_MS = 1_000;

/** Applications of rules to past transactions, newest first. Reloads while a rule is being applied. */
export const applicationsQuery = (query: { readonly pageNumber: number; readonly pageSize: number }) =>
  queryOptions({
    queryKey: ['rule-applications', query],
    queryFn: ({ signal }) =>
      whole(api.GET('/api/transaction-categories/rules/applications', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'RUNNING' || status === 'UNDOING') === true ? POLL_MS : false,
  });

/** Applies a rule to past transactions in the background. With `dryRun`, only determines the changes. */
export const applyRule = async (id: string, body: Application) =>
  (await whole(api.POST('/api/transaction-categories/rules/{id}/apply', { params: { path: { id } }, body }))).data;

/** Returns the changes that a rule would make to past transactions. */
export async function previewRule(id: string, body: Application): Promise<RulePreview> {
  const found = await applyRule(id, { ...body, dryRun: true });
  if (!('wouldChange' in found)) throw new TypeError('The preview has an unexpected format.');
  return found;
}
