import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Categorization, TenantRules } from '../aggregates/categorization.js';
import { CategoryRuleBook, type RuleSubject } from '../aggregates/category-rule-matching.js';
import { KeyedQueue } from '../eventsourcing/keyed-queue.js';
import { Progress } from '../projecting/progress.js';
import { ReadModels } from './query.js';
import { tenantScope } from '../ports/read-store.js';
import { categoryRuleSets } from '../projections/category-rule-set.projection.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { categories } from '../projections/category.projection.js';
import { allRules, matchable } from './category-rule.reader.js';

/** Positions of the models of rules, of categories, and of both together, in this order. */
type Positions = readonly [number, number, number];
type Known = {
  readonly rules: TenantRules;
  /** The rules include every relevant event up to here, and possibly later ones. */
  readonly position: number;
  /** Minimum positions of the models when the rules were last known to be current. */
  readonly checkedAt: Positions;
};

const MAX_TENANTS = 1_000;

/**
 * Caches the category rules of tenants from the read models. A tenant's rules are reloaded after a change of a rule or
 * category. While the models do not advance, nothing is read.
 */
@Injectable()
export class Categorizer {
  private readonly known = new LRUCache<string, Known>({ max: MAX_TENANTS });
  /** Concurrent callers share one lookup, unless the models have advanced since. */
  private readonly looks = new KeyedQueue();

  constructor(
    @Inject(ReadModels) private readonly models: ReadModels,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  /**
   * The current rules of a tenant. A new rule applies on this replica once its creation was acknowledged without
   * `X-Read-Model: behind`, and on other replicas within 250 ms. Cheap enough to call per transaction; do not store the
   * result.
   * @throws ReadStoreUnavailable
   */
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
    // The models advance independently: an event that either may lack must not count as read.
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
    const known = await allRules(this.models, tenantScope(tenantId));
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
