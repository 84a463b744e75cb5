import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { CategoryRuleBook, normalizedText, type RuleSubject } from '../aggregates/category-rule-matching.js';
import { ensureSound, type RuleDetails, type RuleSource } from '../aggregates/category-rule.aggregate.js';
import { notFoundAt } from '../platform/domain-error.js';
import { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { accounts } from '../projections/account.projection.js';
import type { CategoryRuleView } from '../projections/category-rule.projection.js';
import type { CategoryView } from '../projections/category.projection.js';
import { CategoryRuleReader, matchable, type CategoryRuleRecord, type KnownRules } from './category-rule.reader.js';
import { CategoryRuleSampler, type RuleSample } from './category-rule.sampler.js';

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
} & Partial<RuleSample>;

export class TestCategoryRules extends Query<RuleTestResult> {
  constructor(
    readonly scope: Scope,
    readonly test: RuleTest,
  ) {
    super();
  }
}

const CANDIDATES_SHOWN = 50;

@QueryHandler(TestCategoryRules)
export class TestCategoryRulesHandler implements IQueryHandler<TestCategoryRules> {
  constructor(
    @Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader,
    @Inject(CategoryRuleSampler) private readonly sampler: CategoryRuleSampler,
    @Inject(ReadModels) private readonly models: ReadModels,
  ) {}

  /** @throws DomainError invalid for a draft that could not be a rule; not_found with the path */
  async execute({ scope, test }: TestCategoryRules): Promise<RuleTestResult> {
    const draft = test.rule && draftOf(test.rule);
    if (draft) ensureSound(draft, 'rule.');
    const known = await this.reader.all(scope);
    if (draft && !known.categories.has(draft.categoryId)) throw notFoundAt('rule.categoryId', 'category');
    await this.ensureAccount(scope, 'accountId', test.accountId);
    await this.ensureAccount(scope, 'rule.accountId', draft?.accountId);
    const result = await this.resolve(scope, test, known, draft);
    if (!draft) return result;
    const rule = matchable(draft, known.categories.get(draft.categoryId));
    return { ...result, ...(await this.sampler.sample(scope, rule)) };
  }

  private async ensureAccount(scope: Scope, path: string, id: string | null | undefined): Promise<void> {
    if (id === undefined || id === null) return;
    const account = await this.models.get(accounts, scope, id);
    if (!account || account.isDeleted) throw notFoundAt(path, 'account');
  }

  private async resolve(
    scope: Scope,
    test: RuleTest,
    { rules, categories }: KnownRules,
    draft: CategoryRuleView | undefined,
  ): Promise<RuleTestResult> {
    const views = new Map([...rules, ...(draft ? [[draft.id, draft] as const] : [])]);
    const book = new CategoryRuleBook(
      [...views.values()].map((rule) => matchable(rule, categories.get(rule.categoryId))),
    );
    // What matched comes first, then what came near; of hundreds of others nobody wants to know why they did not match.
    const shown = book
      .explain(subjectOf(test))
      .filter(({ rule, matched, reasons }) => matched || rule.id === draft?.id || reasons.length === 1)
      .sort((a, b) => Number(b.matched) - Number(a.matched))
      .slice(0, CANDIDATES_SHOWN);
    const records = await this.reader.records(
      scope,
      shown.map(({ rule: { id } }) => views.get(id) as CategoryRuleView),
    );
    const candidates = shown.map(({ matched, reasons }, index) => ({
      rule: records[index] as CategoryRuleRecord,
      matched,
      reasons,
    }));
    const winner = candidates.find(({ matched }) => matched)?.rule ?? null;
    return {
      matched: winner !== null,
      rule: winner,
      category: (winner && categories.get(winner.categoryId)) ?? null,
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
