import type { ReactNode } from 'react';
import type { Rule } from '../api/rules';
import { amountWords } from './money';
import { StatusBadge } from './status-badge';

export const SOURCES = [
  ['MANUAL', 'Manual'],
  ['LEARNED', 'Learned'],
  ['SEED', 'Built in'],
] as const;

export const MATCH_TYPES = [
  ['CONTAINS', 'contains'],
  ['STARTS_WITH', 'begins with'],
  ['EXACT', 'is exactly'],
] as const;

const wordsOf = <V extends string>(pairs: readonly (readonly [V, string])[], value: V): string =>
  pairs.find(([each]) => each === value)?.[1] ?? value;

export const sourceWords = (source: Rule['source']): string => wordsOf(SOURCES, source);

/** A rule's conditions as a sentence. */
export function conditionsOf(rule: Rule): string {
  const how = wordsOf(MATCH_TYPES, rule.matchType);
  const conditions = [
    rule.merchant !== null && `customer ${how} “${rule.merchant}”`,
    rule.keyword !== null && `description ${how} “${rule.keyword}”`,
    rule.direction !== null && `money ${rule.direction === 'IN' ? 'comes in' : 'goes out'}`,
    rule.amountMin !== null && `amount from ${amountWords(rule.amountMin)}`,
    rule.amountMax !== null && `amount to ${amountWords(rule.amountMax)}`,
    rule.accountId !== null && 'a specific account',
  ];
  return conditions.filter((condition) => condition !== false).join(' and ');
}

export const RuleStatus = ({ isEnabled }: Pick<Rule, 'isEnabled'>): ReactNode =>
  isEnabled ? <StatusBadge tone="good">Enabled</StatusBadge> : <StatusBadge tone="idle">Disabled</StatusBadge>;

const REASONS: Readonly<Record<string, string>> = {
  enabled: 'the rule is disabled',
  'category archived': 'its category is archived',
  'category direction': 'its category is for the other direction, or no direction was given',
  direction: 'the direction',
  amountMin: 'the amount is too small',
  amountMax: 'the amount is too large',
  accountId: 'the account',
  merchant: "the customer's name",
  keyword: 'the description',
};

/** Converts the service's names of unmet conditions to words. */
export const reasonWords = (reasons: readonly string[]): string =>
  reasons.map((reason) => REASONS[reason] ?? reason).join('; ');
