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

/** `merchant`: the customer's name. */
export type LearnedRule = { readonly categoryId: string; readonly merchant: string };

const detailsOf = (learned: LearnedRule): RuleDetails => ({ ...RULE_DEFAULTS, ...learned, matchType: 'EXACT' });

/** The name may be spelled in another way by now; rules do not tell these apart. */
function isAsLearned({ status, source, dispute: _, ...details }: PresentCategoryRule, learned: LearnedRule): boolean {
  const merchant = normalizedText(details.merchant ?? '');
  const expected = { ...detailsOf(learned), merchant: normalizedText(learned.merchant) };
  return status === 'present' && source === 'LEARNED' && isDeepStrictEqual({ ...details, merchant }, expected);
}

/**
 * Makes the rule, or enables it again where nothing but a dispute has disabled it. Where people have changed, disabled
 * or deleted it, theirs is the last word.
 */
export function learnCategoryRule(state: CategoryRule, learned: LearnedRule): CategoryRuleEvent[] {
  if (state.status === 'absent') return createCategoryRule(state, { ...detailsOf(learned), source: 'LEARNED' });
  const isDisputed = state.dispute?.stands === true && state.status === 'present';
  return isDisputed ? [{ type: 'CategoryRuleConfirmed', data: {} }] : [];
}

/** Disables the rule, once for each choice, and only while it is as it was learned. */
export function disputeCategoryRule(
  state: CategoryRule,
  { choiceId, ...learned }: LearnedRule & { readonly choiceId: string },
): CategoryRuleEvent[] {
  if (state.status === 'absent' || state.dispute?.choiceId === choiceId || !isAsLearned(state, learned)) return [];
  return [{ type: 'CategoryRuleDisputed', data: { choiceId } }];
}
