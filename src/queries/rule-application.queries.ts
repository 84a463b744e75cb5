import { setImmediate as nextTurn } from 'node:timers/promises';
import { CategoryRuleBook, type MatchableRule, ruleSubjectOf } from '../aggregates/category-rule-matching.js';
import { categoryRule, presentRule } from '../aggregates/category-rule.aggregate.js';
import { category, presentCategory } from '../aggregates/category.aggregate.js';
import type { Replace } from '../aggregates/rule-application.aggregate.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { type Scope, tenantScope } from '../ports/read-store.js';
import { customers } from '../projections/account.projection.js';
import { categories } from '../projections/category.projection.js';
import { transactions, type TransactionView } from '../projections/ledger.projection.js';
import { ruleApplications, type RuleApplicationView } from '../projections/rule-application.projection.js';
import { type Page, type Paging, ReadModels, shown } from './query.js';
import { named, type TransactionRecord } from './transaction.queries.js';

export type ApplicationDates = { readonly dateFrom: string | null; readonly dateTo: string | null };

/** Selects the transactions in a period, newest first. */
export const inPeriod = ({ dateFrom, dateTo }: ApplicationDates) => ({
  between: { date: { from: dateFrom ?? undefined, to: dateTo ?? undefined } },
});

/** Returns the rule with its category. @throws DomainError not_found; conflict RULE_DISABLED, CATEGORY_ARCHIVED */
export async function applicableRule(reader: RecordReader, tenantId: string, ruleId: string): Promise<MatchableRule> {
  const { status: _, dispute: __, ...rule } = presentRule((await reader.read(categoryRule, tenantId, ruleId)).state);
  if (!rule.isEnabled) throw conflict('RULE_DISABLED', 'The rule is disabled. Enable it first.');
  const { status, direction } = presentCategory((await reader.read(category, tenantId, rule.categoryId)).state);
  if (status === 'archived') throw conflict('CATEGORY_ARCHIVED', 'The category of the rule is archived.');
  return { ...rule, id: ruleId, createdAt: '', category: { direction, isArchived: false } };
}

/** Finds the transactions that applying a rule would change, ignoring all other rules. */
export class RuleCandidates {
  private readonly book: CategoryRuleBook;

  constructor(
    private readonly models: ReadModels,
    private readonly scope: Scope,
    private readonly rule: MatchableRule,
    private readonly replace: Replace,
  ) {
    this.book = new CategoryRuleBook([rule]);
  }

  async among(views: readonly TransactionView[]): Promise<TransactionView[]> {
    const open = views.filter((view) => this.isOpen(view));
    const ids = [...new Set(open.flatMap(({ customerId }) => customerId ?? []))];
    const merchants = await this.models.getMany(customers, this.scope, ids);
    return open.filter((view) => {
      const merchant = merchants.get(view.customerId ?? '')?.name ?? null;
      return this.book.resolve(ruleSubjectOf(view, merchant)) !== undefined;
    });
  }

  private isOpen({ isChosen, isCancelled, reversalOf, categoryId }: TransactionView): boolean {
    if (isChosen || isCancelled || reversalOf !== null) return false;
    return categoryId === null || (this.replace === 'RULE_SET' && categoryId !== this.rule.categoryId);
  }
}

const SAMPLE_SHOWN = 20;
/** Number of transactions examined per batch. The thread does other work between two batches. */
export const AT_ONCE = 250;

export type RulePreview = { readonly wouldChange: number; readonly sample: readonly TransactionRecord[] };
export type RuleRequest = ApplicationDates & { readonly ruleId: string; readonly replace: Replace };

export class PreviewRuleApplication extends query<RulePreview, [tenantId: string, request: RuleRequest]>() {}

async function preview(
  models: ReadModels,
  reader: RecordReader,
  tenantId: string,
  { ruleId, replace, ...dates }: RuleRequest,
): Promise<RulePreview> {
  const scope = tenantScope(tenantId);
  const candidates = new RuleCandidates(models, scope, await applicableRule(reader, tenantId, ruleId), replace);
  const sample: TransactionView[] = [];
  let wouldChange = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const part: { documents: readonly TransactionView[]; next: string | undefined } = await models.part(
      transactions,
      scope,
      { ...inPeriod(dates), limit: AT_ONCE, after },
    );
    const found = await candidates.among(part.documents);
    sample.push(...found.slice(0, SAMPLE_SHOWN - sample.length));
    wouldChange += found.length;
    after = part.next;
    await nextTurn();
  }
  return { wouldChange, sample: await named(models, scope, sample) };
}

/** A rule application as returned by the API. */
export type RuleApplicationRecord = Omit<RuleApplicationView, 'total'> & {
  readonly categoryName: string | null;
  /** Progress in percent, 0–100. */
  readonly progress: number;
};

export class ListRuleApplications extends query<Page<RuleApplicationRecord>, [scope: Scope, paging: Paging]>() {}

function progressOf({ status, examined, total }: RuleApplicationView): number {
  if (status !== 'RUNNING') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((examined * 100) / total));
}

export const ruleApplicationQueryHandlers = [
  answers(PreviewRuleApplication, [ReadModels, RecordReader], preview),
  answers(ListRuleApplications, [ReadModels], (models, scope, paging) =>
    models.page(ruleApplications, scope, paging, async (views) => {
      const known = await models.getMany(categories, scope, [...new Set(views.map(({ categoryId }) => categoryId))]);
      return views.map((view) => {
        const progress = progressOf(view);
        const categoryName = known.get(view.categoryId)?.name ?? null;
        return shown(view, { total: undefined, progress, categoryName });
      });
    }),
  ),
];
