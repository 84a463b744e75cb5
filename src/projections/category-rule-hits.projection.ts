import type { Projection } from '../platform/projection.js';
import type { ReadModel } from '../ports/read-store.js';
import { ledgerSources, ruleHitsOf, type LedgerEvent } from './ledger-entries.js';

/** What a rule has done; none for one that has never matched. It outlives the rule. */
export type CategoryRuleHitsView = {
  readonly id: string;
  /** Transactions that got their category from it, whatever became of them since. */
  readonly hitCount: number;
  readonly lastMatchedAt: string;
};

// Apart from the rules: sales move it thousands of times a second, and a rule's revision says nothing of it.
export const categoryRuleHits: ReadModel<CategoryRuleHitsView> = {
  name: 'category_rule_hits',
  version: 1,
  fields: { lastMatchedAt: { type: 'text', of: ({ lastMatchedAt }) => lastMatchedAt } },
  filters: [],
  order: { fields: ['lastMatchedAt'], direction: 'descending' },
};

export const categoryRuleHitsProjection: Projection<CategoryRuleHitsView, LedgerEvent> = {
  model: categoryRuleHits,
  sources: ledgerSources,
  documents: (event) => [...new Set(ruleHitsOf(event).map(({ ruleId }) => ruleId))],
  evolve: (view, event, id) => {
    const hits = ruleHitsOf(event).filter(({ ruleId }) => ruleId === id).length;
    return { id, hitCount: (view?.hitCount ?? 0) + hits, lastMatchedAt: event.metadata.timestamp };
  },
};
