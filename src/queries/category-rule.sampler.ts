import { setImmediate as nextTurn } from 'node:timers/promises';
import { CategoryRuleBook, ruleSubjectOf, type MatchableRule } from '../aggregates/category-rule-matching.js';
import type { ReadModels } from './query.js';
import type { Scope } from '../ports/read-store.js';
import { customers } from '../projections/account.projection.js';
import { transactions, type TransactionView } from '../projections/ledger.projection.js';
import { named, type TransactionRecord } from './transaction.queries.js';

/** Number of transactions to examine, starting with the newest. */
export const SAMPLED_TRANSACTIONS = 10_000;
const SAMPLE_SHOWN = 20;
/** Number of transactions examined per batch. The thread does other work between batches. */
const AT_ONCE = 250;

/** Recorded transactions that a rule would match. */
export type RuleSample = {
  /** The newest matches. */
  readonly sample: readonly TransactionRecord[];
  readonly sampleCount: number;
  /** Number of transactions examined. */
  readonly sampledTransactions: number;
};

async function* newest(models: ReadModels, scope: Scope): AsyncIterable<TransactionView[]> {
  let views: TransactionView[] = [];
  let count = 0;
  for await (const view of models.each(transactions, scope)) {
    views.push(view);
    count += 1;
    if (views.length < AT_ONCE && count < SAMPLED_TRANSACTIONS) continue;
    yield views;
    views = [];
    if (count === SAMPLED_TRANSACTIONS) return;
  }
  if (views.length > 0) yield views;
}

/** Tests a rule against recorded transactions, ignoring other rules and existing categories. */
export async function sampleOf(models: ReadModels, scope: Scope, rule: MatchableRule): Promise<RuleSample> {
  const book = new CategoryRuleBook([rule]);
  const caught: TransactionView[] = [];
  let [sampleCount, sampledTransactions] = [0, 0];
  for await (const views of newest(models, scope)) {
    const ids = [...new Set(views.flatMap(({ customerId }) => customerId ?? []))];
    const merchants = await models.getMany(customers, scope, ids);
    const found = views.filter((view) => catches(book, view, merchants.get(view.customerId ?? '')?.name ?? null));
    caught.push(...found.slice(0, SAMPLE_SHOWN - caught.length));
    sampleCount += found.length;
    sampledTransactions += views.length;
    await nextTurn();
  }
  return { sample: await named(models, scope, caught), sampleCount, sampledTransactions };
}

/** Rules never apply to a reversal, which inherits its category from the reversed transaction. */
function catches(book: CategoryRuleBook, view: TransactionView, merchant: string | null): boolean {
  if (view.reversalOf !== null) return false;
  return book.resolve(ruleSubjectOf(view, merchant)) !== undefined;
}
