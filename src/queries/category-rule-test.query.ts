import { answers, query } from '../eventsourcing/handler.js';
import { CategoryRuleBook, normalizedText, type RuleSubject } from '../aggregates/category-rule-matching.js';
import { amountsIn, ensureSound, type RuleDetails, type RuleSource } from '../aggregates/category-rule.aggregate.js';
import { amountIn } from '../aggregates/money.js';
import { notFoundAt } from '../eventsourcing/domain-error.js';
import { ReadModels } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { accounts } from '../projections/account.projection.js';
import type { CategoryRuleView } from '../projections/category-rule.projection.js';
import type { CategoryView } from '../projections/category.projection.js';
import {
  allRules,
  type CategoryRuleRecord,
  currencyOf,
  type KnownRules,
  matchable,
  ruleRecords,
} from './category.queries.js';
import { sampleOf, type RuleSample } from './category-rule.sampler.js';

/** A hypothetical transaction against which rules are tested. `rule` is a draft that competes with the stored rules. */
export type RuleTest = {
  readonly [K in Exclude<keyof RuleSubject, 'accountIds'>]?: RuleSubject[K] | undefined;
} & {
  readonly accountId?: string | undefined;
  /**
   * All accounts of the transaction, including the accounts of the expense item and the customer. `accountId` is added
   * to the list.
   */
  readonly accountIds?: readonly string[] | undefined;
  readonly rule?: (RuleDetails & { readonly id: string }) | undefined;
};
export type RuleTestResult = {
  readonly matched: boolean;
  readonly rule: CategoryRuleRecord | null;
  readonly category: CategoryView | null;
  readonly candidates: readonly { rule: CategoryRuleRecord; matched: boolean; reasons: readonly string[] }[];
  readonly normalizedText: string;
} & Partial<RuleSample>;

export class TestCategoryRules extends query<RuleTestResult, [scope: Scope, test: RuleTest]>() {}

const CANDIDATES_SHOWN = 50;

async function ensureAccount(
  models: ReadModels,
  scope: Scope,
  path: string,
  id: string | null | undefined,
): Promise<void> {
  if (id === undefined || id === null) return;
  const account = await models.get(accounts, scope, id);
  if (!account || account.isDeleted) throw notFoundAt(path, 'account');
}

async function resolve(
  models: ReadModels,
  scope: Scope,
  test: RuleTest & { readonly currency: string },
  { rules, categories }: KnownRules,
  draft: CategoryRuleView | undefined,
): Promise<RuleTestResult> {
  const views = new Map([...rules, ...(draft ? [[draft.id, draft] as const] : [])]);
  const book = new CategoryRuleBook(
    [...views.values()].map((rule) => matchable(rule, categories.get(rule.categoryId))),
  );
  const subject = subjectOf(test);
  // Uses the same code that categorizes recorded transactions.
  const winner = book.resolve(subject);
  // Lists matches first, then the draft and near misses (one failed condition). Other rules are omitted.
  const shown = book
    .explain(subject)
    .filter(({ rule, matched, reasons }) => matched || rule.id === draft?.id || reasons.length === 1)
    .sort((a, b) => Number(b.matched) - Number(a.matched))
    .slice(0, CANDIDATES_SHOWN);
  const records = await ruleRecords(
    models,
    scope,
    shown.map(({ rule: { id } }) => views.get(id) as CategoryRuleView),
  );
  const candidates = shown.map(({ matched, reasons }, index) => ({
    rule: records[index] as CategoryRuleRecord,
    matched,
    reasons,
  }));
  return {
    matched: winner !== undefined,
    rule: candidates.find(({ rule }) => rule.id === winner?.id)?.rule ?? null,
    category: (winner && categories.get(winner.categoryId)) ?? null,
    candidates,
    normalizedText: normalizedText([test.merchant ?? '', test.description ?? ''].join(' ')),
  };
}

/** @throws DomainError invalid if the draft is not a valid rule; not_found with the path of an unknown id */
async function testRules(models: ReadModels, scope: Scope, test: RuleTest): Promise<RuleTestResult> {
  const currency = await currencyOf(models, scope);
  const draft = test.rule && draftOf(currency, test.rule);
  if (draft) ensureSound(draft, 'rule.');
  const known = await allRules(models, scope);
  if (draft && !known.categories.has(draft.categoryId)) throw notFoundAt('rule.categoryId', 'category');
  await ensureAccount(models, scope, 'accountId', test.accountId);
  for (const [index, id] of (test.accountIds ?? []).entries())
    await ensureAccount(models, scope, `accountIds[${index}]`, id);
  await ensureAccount(models, scope, 'rule.accountId', draft?.accountId);
  const result = await resolve(models, scope, { currency, ...test }, known, draft);
  if (!draft) return result;
  const rule = matchable(draft, known.categories.get(draft.categoryId));
  return { ...result, ...(await sampleOf(models, scope, rule)) };
}
export const testCategoryRulesHandler = answers(TestCategoryRules, [ReadModels], testRules);

/** @throws DomainError invalid if the currency cannot represent the amount */
function subjectOf({ currency, amount, accountId, ...test }: RuleTest & { readonly currency: string }): RuleSubject {
  const { merchant = null, description = null, direction = null, accountIds = [] } = test;
  return {
    merchant,
    description,
    direction,
    amount: typeof amount === 'string' ? amountIn(currency, amount) : null,
    accountIds: accountId === undefined ? accountIds : [...accountIds, accountId],
  };
}

/**
 * A draft is treated as the newest of the rules that users created.
 * @throws DomainError invalid if the currency cannot represent an amount
 */
const draftOf = (currency: string, rule: RuleDetails & { readonly id: string }): CategoryRuleView => ({
  ...rule,
  ...amountsIn(currency, rule, 'rule.'),
  source: 'MANUAL' satisfies RuleSource,
  createdAt: '9999-12-31T23:59:59.999Z',
  updatedAt: '9999-12-31T23:59:59.999Z',
  revision: 0,
});
