import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CategoryRuleBook, type RuleSubject } from '../aggregates/category-rule-matching.js';
import type { Categorization, Categorizer } from '../aggregates/categorizer.js';
import { Progress } from '../platform/progress.js';
import { tenantScope } from '../ports/read-store.js';
import { categoryRules } from '../projections/category-rule.projection.js';
import { categories } from '../projections/category.projection.js';
import { CategoryRuleReader, matchable } from './category-rule.queries.js';

type Prepared = { readonly book: CategoryRuleBook; readonly fingerprint: string };
const MAX_TENANTS = 1_000;

/** Resolves with the rules as the read models have them; a tenant's are prepared once for each change of them. */
@Injectable()
export class ProjectedCategorizer implements Categorizer {
  private readonly prepared = new LRUCache<string, Prepared>({ max: MAX_TENANTS });

  constructor(
    @Inject(CategoryRuleReader) private readonly reader: CategoryRuleReader,
    @Inject(Progress) private readonly progress: Progress,
  ) {}

  async categorize(tenantId: string, subject: RuleSubject): Promise<Categorization | undefined> {
    const rule = (await this.bookOf(tenantId)).resolve(subject);
    return rule && { categoryId: rule.categoryId, categorizedBy: { ruleId: rule.id, source: rule.source } };
  }

  private async bookOf(tenantId: string): Promise<CategoryRuleBook> {
    const at = [categoryRules, categories].map(({ name }) => this.progress.position(name)).join();
    const known = this.prepared.get(tenantId);
    if (known?.fingerprint === at) return known.book;
    const { rules, categories: byId } = await this.reader.all(tenantScope(tenantId));
    const book = new CategoryRuleBook(rules.map((rule) => matchable(rule, byId.get(rule.categoryId))));
    this.prepared.set(tenantId, { book, fingerprint: at });
    return book;
  }
}
