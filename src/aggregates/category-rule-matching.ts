import { fold } from '../ports/search.js';
import type { CategoryDirection } from './category.aggregate.js';
import { fitsDirection } from './category.aggregate.js';
import { AMOUNT_DIGITS, type MatchType, type RuleDetails, type RuleSource } from './category-rule.aggregate.js';
import type { Direction } from './fields.js';
import { type AccountsChosen, chosenAccounts, type LedgerTransaction } from './ledger.js';
import { toMinor } from './money.js';
import { TextPatterns } from './text-patterns.js';

/** A rule with the category properties needed for matching. */
export type MatchableRule = RuleDetails & {
  readonly id: string;
  readonly source: RuleSource;
  readonly createdAt: string;
  readonly category: { readonly direction: CategoryDirection; readonly isArchived: boolean };
};

/** The transaction properties that rules match. `merchant` is the customer's name. Amounts are unsigned decimals. */
export type RuleSubject = {
  readonly merchant: string | null;
  readonly description: string | null;
  readonly amount: string | null;
  readonly direction: Direction | null;
  /** All accounts involved in the transaction, including the customer and the expense item. */
  readonly accountIds: readonly string[];
};

/** `merchant` is the customer's name. */
export function ruleSubjectOf(transaction: Subjected, merchant: string | null): RuleSubject {
  const { description, amount, direction, expenseItemId, customerId } = transaction;
  const accountIds = [...chosenAccounts(transaction), expenseItemId, customerId].filter((id) => id !== null);
  return { merchant, description, amount, direction, accountIds };
}
type Subjected = AccountsChosen &
  Pick<LedgerTransaction, 'description' | 'amount' | 'direction' | 'expenseItemId' | 'customerId'>;

/** Normalizes text for comparison: folds it, trims it and collapses its white space. */
export const normalizedText = (text: string): string => fold(text).replace(/\s+/gu, ' ').trim();

const SOURCE_RANK: Readonly<Record<RuleSource, number>> = { MANUAL: 0, LEARNED: 1, SEED: 2 };
const MATCH_RANK: Readonly<Record<MatchType, number>> = { EXACT: 0, STARTS_WITH: 1, CONTAINS: 2 };

type Prepared = {
  readonly rule: MatchableRule;
  readonly merchant: string | null;
  readonly keyword: string | null;
  readonly min: bigint | null;
  readonly max: bigint | null;
};

const bound = (amount: string | null): bigint | null => (amount === null ? null : toMinor(amount, AMOUNT_DIGITS));

const prepare = (rule: MatchableRule): Prepared => ({
  rule,
  merchant: rule.merchant === null ? null : normalizedText(rule.merchant),
  keyword: rule.keyword === null ? null : normalizedText(rule.keyword),
  min: bound(rule.amountMin),
  max: bound(rule.amountMax),
});

const lengthOf = ({ merchant, keyword }: Prepared): number => (merchant?.length ?? 0) + (keyword?.length ?? 0);

/** Compares two matching rules. Returns a negative number if `a` takes precedence. Two rules never compare as equal. */
function precedence(a: Prepared, b: Prepared): number {
  return (
    b.rule.priority - a.rule.priority ||
    SOURCE_RANK[a.rule.source] - SOURCE_RANK[b.rule.source] ||
    MATCH_RANK[a.rule.matchType] - MATCH_RANK[b.rule.matchType] ||
    lengthOf(b) - lengthOf(a) ||
    compareText(a.rule.createdAt, b.rule.createdAt) ||
    compareText(a.rule.id, b.rule.id)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function textMatches(matchType: MatchType, pattern: string, text: string): boolean {
  if (pattern === '') return false;
  switch (matchType) {
    case 'EXACT':
      return text === pattern;
    case 'STARTS_WITH':
      return text.startsWith(pattern);
    case 'CONTAINS':
      return text.includes(pattern);
  }
}

type Normalized = {
  readonly merchant: string | null;
  readonly description: string | null;
  readonly amount: bigint | null;
  readonly direction: Direction | null;
  readonly accountIds: readonly string[];
};

const normalize = ({ merchant, description, amount, ...rest }: RuleSubject): Normalized => ({
  merchant: merchant === null ? null : normalizedText(merchant),
  description: description === null ? null : normalizedText(description),
  amount: bound(amount),
  ...rest,
});

type Condition = { readonly reason: string; readonly holds: boolean };

function* textConditions({ rule, merchant, keyword }: Prepared, subject: Normalized): Iterable<Condition> {
  const holds = (pattern: string, text: string | null) => text !== null && textMatches(rule.matchType, pattern, text);
  if (merchant !== null) yield { reason: 'merchant', holds: holds(merchant, subject.merchant) };
  if (keyword !== null) yield { reason: 'keyword', holds: holds(keyword, subject.description) };
}

/**
 * Yields the conditions that `resolve` and `explain` check for a rule. Text conditions come last, because checking them
 * takes longest.
 */
function* conditionsOf(prepared: Prepared, subject: Normalized): Iterable<Condition> {
  const { rule, min, max } = prepared;
  const { amount, direction } = subject;
  yield { reason: 'enabled', holds: rule.isEnabled };
  yield { reason: 'category archived', holds: !rule.category.isArchived };
  yield { reason: 'category direction', holds: fitsDirection(rule.category.direction, direction) };
  if (rule.direction !== null) yield { reason: 'direction', holds: rule.direction === direction };
  if (min !== null) yield { reason: 'amountMin', holds: amount !== null && amount >= min };
  if (max !== null) yield { reason: 'amountMax', holds: amount !== null && amount <= max };
  if (rule.accountId !== null) yield { reason: 'accountId', holds: subject.accountIds.includes(rule.accountId) };
  yield* textConditions(prepared, subject);
}

function matches(prepared: Prepared, subject: Normalized): boolean {
  for (const { holds } of conditionsOf(prepared, subject)) if (!holds) return false;
  return true;
}

/** Result of matching one rule against a subject. `reasons` lists the failed conditions. */
export type RuleExplanation = { readonly rule: MatchableRule; readonly matched: boolean; readonly reasons: string[] };

/** The rules of one tenant, prepared once for any number of transactions. */
export class CategoryRuleBook {
  /** Rules sorted by precedence. Keys in the `TextPatterns` are indexes into this array. */
  private readonly prepared: readonly Prepared[];
  private readonly merchants: TextPatterns;
  private readonly keywords: TextPatterns;

  constructor(rules: readonly MatchableRule[]) {
    this.prepared = rules.map(prepare).sort(precedence);
    const live = this.prepared.flatMap((prepared, key) =>
      prepared.rule.isEnabled && !prepared.rule.category.isArchived ? [{ ...prepared, key }] : [],
    );
    // A rule with both a merchant and a keyword is indexed by the merchant. Its keyword is checked with the other
    // conditions.
    this.merchants = new TextPatterns(
      live.flatMap(({ merchant: text, key }) => (text === null ? [] : [{ text, key }])),
    );
    this.keywords = new TextPatterns(
      live.flatMap(({ merchant, keyword: text, key }) => (merchant !== null || text === null ? [] : [{ text, key }])),
    );
  }

  /** Returns the matching rule with the highest precedence; undefined if none matches. */
  resolve(given: RuleSubject): MatchableRule | undefined {
    const subject = normalize(given);
    let best = this.prepared.length;
    const consider = (key: number) => {
      const prepared = this.prepared[key];
      if (key < best && prepared && matches(prepared, subject)) best = key;
    };
    if (subject.merchant !== null) this.merchants.each(subject.merchant, consider);
    if (subject.description !== null) this.keywords.each(subject.description, consider);
    return this.prepared[best]?.rule;
  }

  /** Explains for every rule whether it matches. The rules are in order of precedence. */
  explain(given: RuleSubject): RuleExplanation[] {
    const subject = normalize(given);
    return this.prepared.map((prepared) => {
      const failed = [...conditionsOf(prepared, subject)].filter(({ holds }) => !holds);
      return { rule: prepared.rule, matched: failed.length === 0, reasons: failed.map(({ reason }) => reason) };
    });
  }
}
