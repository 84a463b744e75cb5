import { isDeepStrictEqual } from 'node:util';
import { normalizedText } from './category-rule-matching.js';
import {
  createCategoryRule,
  RULE_DEFAULTS,
  type CategoryRule,
  type CategoryRuleEvent,
  type PresentCategoryRule,
  type RuleDetails,
} from './category-rule.aggregate.js';

/** `merchant` is the customer's name. */
export type LearnedRule = { readonly categoryId: string; readonly merchant: string };

const detailsOf = (learned: LearnedRule): RuleDetails => ({ ...RULE_DEFAULTS, ...learned, matchType: 'EXACT' });

/** Compares names in normalized form, because their spelling may have changed and rules ignore such differences. */
function isAsLearned({ status, source, dispute: _, ...details }: PresentCategoryRule, learned: LearnedRule): boolean {
  const merchant = normalizedText(details.merchant ?? '');
  const expected = { ...detailsOf(learned), merchant: normalizedText(learned.merchant) };
  return status === 'present' && source === 'LEARNED' && isDeepStrictEqual({ ...details, merchant }, expected);
}

/**
 * Creates the rule, or re-enables it if a dispute disabled it and it has not changed since. Never overrides a change or
 * deletion by a user.
 */
export function learnCategoryRule(state: CategoryRule, learned: LearnedRule): CategoryRuleEvent[] {
  if (state.status === 'absent') return createCategoryRule(state, { ...detailsOf(learned), source: 'LEARNED' });
  const isDisputed = state.dispute?.stands === true && state.status === 'present';
  return isDisputed ? [{ type: 'CategoryRuleConfirmed', data: {} }] : [];
}

/** Disables the rule if it has not changed since it was learned. The same choice disables the rule at most once. */
export function disputeCategoryRule(
  state: CategoryRule,
  { choiceId, ...learned }: LearnedRule & { readonly choiceId: string },
): CategoryRuleEvent[] {
  if (state.status === 'absent' || state.dispute?.choiceId === choiceId || !isAsLearned(state, learned)) return [];
  return [{ type: 'CategoryRuleDisputed', data: { choiceId } }];
}
