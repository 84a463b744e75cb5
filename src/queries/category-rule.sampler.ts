import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CategoryRuleBook, ruleSubjectOf, type MatchableRule } from '../aggregates/category-rule-matching.js';
import { ReadModels } from '../platform/query.js';
import type { Scope } from '../ports/read-store.js';
import { customers } from '../projections/customer.projection.js';
import { transactions, type TransactionView } from '../projections/transaction.projection.js';
import { named, type TransactionRecord } from './transaction.queries.js';

/** How many transactions are looked at, the newest ones. */
export const SAMPLED_TRANSACTIONS = 10_000;
const SAMPLE_SHOWN = 20;
/** Looked at in one go; others in the thread have their turn after each. */
const AT_ONCE = 250;

/** Recorded transactions that a rule would catch. */
export type RuleSample = {
  /** The newest of them. */
  readonly sample: readonly TransactionRecord[];
  readonly sampleCount: number;
  /** Among how many these are. */
  readonly sampledTransactions: number;
};

/** Tries a rule on what is recorded, without regard to other rules and to the categories that are given already. */
@Injectable()
export class CategoryRuleSampler {
  constructor(@Inject(ReadModels) private readonly models: ReadModels) {}

  async sample(scope: Scope, rule: MatchableRule): Promise<RuleSample> {
    const book = new CategoryRuleBook([rule]);
    const merchants = new Merchants(this.models, scope);
    const caught: TransactionView[] = [];
    let [sampleCount, sampledTransactions] = [0, 0];
    for await (const views of this.newest(scope)) {
      const nameOf = await merchants.namesOf(views);
      const found = views.filter((view) => catches(book, view, nameOf(view)));
      caught.push(...found.slice(0, SAMPLE_SHOWN - caught.length));
      sampleCount += found.length;
      sampledTransactions += views.length;
      await nextTurn();
    }
    return { sample: await named(this.models, scope, caught), sampleCount, sampledTransactions };
  }

  private async *newest(scope: Scope): AsyncIterable<TransactionView[]> {
    let views: TransactionView[] = [];
    let count = 0;
    for await (const view of this.models.each(transactions, scope)) {
      views.push(view);
      count += 1;
      if (views.length < AT_ONCE && count < SAMPLED_TRANSACTIONS) continue;
      yield views;
      views = [];
      if (count === SAMPLED_TRANSACTIONS) return;
    }
    if (views.length > 0) yield views;
  }
}

/** Names of customers, each of which is read once. */
class Merchants {
  private readonly names = new Map<string, string | null>();

  constructor(
    private readonly models: ReadModels,
    private readonly scope: Scope,
  ) {}

  async namesOf(views: readonly TransactionView[]): Promise<(view: TransactionView) => string | null> {
    const ids = [...new Set(views.flatMap(({ customerId }) => customerId ?? []))];
    const unknown = ids.filter((id) => !this.names.has(id));
    const found = await this.models.getMany(customers, this.scope, unknown);
    for (const id of unknown) this.names.set(id, found.get(id)?.name ?? null);
    return ({ customerId }) => this.names.get(customerId ?? '') ?? null;
  }
}

/** A reversal has what it reverses to thank for its category: no rule is ever asked for it. */
function catches(book: CategoryRuleBook, view: TransactionView, merchant: string | null): boolean {
  if (view.reversalOf !== null) return false;
  return book.resolve(ruleSubjectOf(view, merchant)) !== undefined;
}
