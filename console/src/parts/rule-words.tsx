import type { ReactNode } from 'react';
import type { Rule } from '../api/rules';
import { amountWords } from './amount';
import { StatusBadge } from './status-badge';
import { t } from '../messages/catalogue';

export const SOURCES = [
  ['MANUAL', t('Manual')],
  ['LEARNED', t('Learned')],
  ['SEED', t('Built in')],
] as const;

export const MATCH_TYPES = [
  ['CONTAINS', t('contains')],
  ['STARTS_WITH', t('begins with')],
  ['EXACT', t('is exactly')],
] as const;

const wordsOf = <V extends string>(pairs: readonly (readonly [V, string])[], value: V): string =>
  pairs.find(([each]) => each === value)?.[1] ?? value;

export const sourceWords = (source: Rule['source']): string => wordsOf(SOURCES, source);

/** Describes a rule's conditions in a sentence. */
export function conditionsOf(rule: Rule): string {
  const how = wordsOf(MATCH_TYPES, rule.matchType);
  const conditions = [
    rule.merchant !== null && t('customer {how} “{merchant}”', { how, merchant: rule.merchant }),
    rule.keyword !== null && t('description {how} “{keyword}”', { how, keyword: rule.keyword }),
    rule.direction !== null &&
      t('money {direction, select, true {comes in} other {goes out}}', { direction: String(rule.direction === 'IN') }),
    rule.amountMin !== null && t('amount from {amountMin}', { amountMin: amountWords(rule.amountMin) }),
    rule.amountMax !== null && t('amount to {amountMax}', { amountMax: amountWords(rule.amountMax) }),
    rule.accountId !== null && t('a specific account'),
  ];
  return conditions.filter((condition) => condition !== false).join(t(' and '));
}

export const RuleStatus = ({ isEnabled }: Pick<Rule, 'isEnabled'>): ReactNode =>
  isEnabled ? (
    <StatusBadge tone="good">{t('Enabled')}</StatusBadge>
  ) : (
    <StatusBadge tone="idle">{t('Disabled')}</StatusBadge>
  );

const REASONS: Readonly<Record<string, string>> = {
  enabled: t('the rule is disabled'),
  'category archived': t('its category is archived'),
  'category direction': t('its category applies to the other direction, or no direction was specified'),
  direction: t('the direction'),
  amountMin: t('the amount is too small'),
  amountMax: t('the amount is too large'),
  accountId: t('the account'),
  merchant: t("the customer's name"),
  keyword: t('the description'),
};

/** Describes the unmet conditions that the service reports. */
export const reasonWords = (reasons: readonly string[]): string =>
  reasons.map((reason) => REASONS[reason] ?? reason).join('; ');
