import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CategoryRuleBook, type RuleSubject } from '../aggregates/category-rule-matching.js';
import type { Categorization, Categorizer, TenantRules } from '../aggregates/categorizer.js';
import { KeyedQueue } from '../platform/keyed-queue.js';
import { Progress } from '../platform/progress.js';
import { ReadModels } from '../platform/query.js';
import { tenantScope } from '../ports/read-store.js';
import { categoryRuleSets } from '../projections/category-rule-set.projection.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { categories } from '../projections/category.projection.js';
import { CategoryRuleReader, matchable } from './category-rule.reader.js';

/** How far the models of rules, of categories and of both together have come, in this order. */
type Positions = readonly [number, number, number];
type Known = {
  readonly rules: TenantRules;
  /** The rules have every event up to here that concerns them; maybe some later ones. */
  readonly position: number;
  /** Where the models were, at least, when the rules were last found to be the newest. */
  readonly checkedAt: Positions;
};

const MAX_TENANTS = 1_000;

/**
 * Resolves with the rules as the read models have them. A tenant's are prepared again when one of them, or a category,
 * has changed; until the models have moved on nothing is read at all.
 */
@Injectable()
export class ProjectedCategorizer implements Categorizer {
  private readonly known = new LRUCache<string, Known>({ max: MAX_TENANTS });
  /** Those who ask while somebody looks share what is found, unless the models have moved on since. */
  private readonly looks = new KeyedQueue();

  constructor(
    @Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader,
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  async rulesOf(tenantId: string): Promise<TenantRules> {
    const at = this.positions();
    return (this.checkedSince(tenantId, at) ?? (await this.looks.run(tenantId, () => this.look(tenantId, at)))).rules;
  }

  private positions(): Positions {
    const [rules, all, sets] = [categoryRules, categories, categoryRuleSets].map(({ name }) =>
      this.progress.position(name),
    ) as [number, number, number];
    return [rules, all, sets];
  }

  private checkedSince(tenantId: string, at: Positions): Known | undefined {
    const known = this.known.get(tenantId);
    return known?.checkedAt.every((position, index) => position >= (at[index] ?? 0)) ? known : undefined;
  }

  private async look(tenantId: string, since: Positions): Promise<Known> {
    const checked = this.checkedSince(tenantId, since);
    if (checked) return checked;
    const checkedAt = this.positions();
    const set = await this.models.get(categoryRuleSets, tenantScope(tenantId), tenantId);
    // The models are fed one by one: what either of the two may lack must not count as read.
    const [rulesAt, categoriesAt] = checkedAt;
    const position = Math.min(set?.position ?? -1, rulesAt, categoriesAt);
    const known = this.known.get(tenantId);
    const found =
      known && known.position >= position
        ? { ...known, checkedAt }
        : { rules: await this.read(tenantId), position, checkedAt };
    this.known.set(tenantId, found);
    return found;
  }

  private async read(tenantId: string): Promise<TenantRules> {
    const known = await this.reader.all(tenantScope(tenantId));
    return new PreparedRules(
      new CategoryRuleBook(
        [...known.rules.values()].map((rule) => matchable(rule, known.categories.get(rule.categoryId))),
      ),
    );
  }
}

class PreparedRules implements TenantRules {
  constructor(private readonly book: CategoryRuleBook) {}

  resolve(subject: RuleSubject): Categorization | undefined {
    const rule = this.book.resolve(subject);
    return rule && { categoryId: rule.categoryId, categorizedBy: { ruleId: rule.id, source: rule.source } };
  }
}
