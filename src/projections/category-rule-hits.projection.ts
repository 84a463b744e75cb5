import type { Projection } from '../projecting/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { type LedgerEvent, ledgerSources, ruleHitsOf } from './ledger-events.js';

/** A rule's hits; absent if the rule has never matched. The document remains after the rule is deleted. */
export type CategoryRuleHitsView = {
  readonly id: string;
  /** Number of transactions that the rule categorized, regardless of later changes to them. */
  readonly hitCount: number;
  readonly lastMatchedAt: string;
};

// Hits have a separate model, because sales update them thousands of times a second without changing a rule's revision.
export const categoryRuleHits: ReadModel<CategoryRuleHitsView> = {
  name: 'category_rule_hits',
  version: 1,
  fields: { lastMatchedAt: { type: 'text', of: ({ lastMatchedAt }) => lastMatchedAt } },
  filters: [],
  order: { fields: ['lastMatchedAt'], direction: 'descending' },
};

const NO_RULES: readonly string[] = [];

export const categoryRuleHitsProjection: Projection<CategoryRuleHitsView, LedgerEvent> = {
  model: categoryRuleHits,
  sources: ledgerSources,
  documents: (event) => {
    const hits = ruleHitsOf(event);
    return hits.length === 0 ? NO_RULES : [...new Set(hits.map(({ ruleId }) => ruleId))];
  },
  evolve: (view, event, id) => {
    const hits = ruleHitsOf(event).filter(({ ruleId }) => ruleId === id).length;
    return { id, hitCount: (view?.hitCount ?? 0) + hits, lastMatchedAt: event.metadata.timestamp };
  },
};
