import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { conflict, invalid, notFound, notFoundAt } from '../eventsourcing/domain-error.js';
import { changesTo, Direction, line, paragraph, RecordId, someOf } from './fields.js';
import { amountIn, fromMinor, MoneyInput, toMinor } from './money.js';
import { input, optional, optionalText, record, system, text, type ChangesTo } from './record.js';
import { fitsDirection, type PresentCategory } from './category.aggregate.js';
import { streamName } from '../eventsourcing/stream-name.js';

export const MatchType = z.enum(['EXACT', 'STARTS_WITH', 'CONTAINS']);
export type MatchType = z.output<typeof MatchType>;
/** Origin of a rule: seeded with the tenant, learned from users' choices, or created by a user. */
export const RuleSource = z.enum(['SEED', 'LEARNED', 'MANUAL']);
export type RuleSource = z.output<typeof RuleSource>;

const Priority = z.int().min(0).max(1000);
/** Number of decimals in stored bounds. The bounds of older rules may have more decimals than their currency allows. */
export const AMOUNT_DIGITS = 6;
const nullableText = z.string().nullable();
export const categoryRuleRecord = record({
  categoryId: text(RecordId, { filter: 'list' }),
  merchant: optionalText(line(200), { searched: true }),
  keyword: optionalText(line(200), { searched: true }),
  matchType: optional(MatchType, MatchType, 'CONTAINS'),
  direction: optional(Direction.nullable(), Direction.nullable(), null),
  amountMin: optional(MoneyInput.nullable(), nullableText, null),
  amountMax: optional(MoneyInput.nullable(), nullableText, null),
  accountId: optionalText(RecordId),
  notes: optionalText(paragraph(1000), { searched: true }),
  source: system(RuleSource, { filter: 'list' }),
  priority: optional(Priority, z.int(), 100, { shown: Priority }),
  isEnabled: optional(z.boolean(), z.boolean(), true, { filter: 'list' }),
});
export const CreateCategoryRule = input('CreateCategoryRuleDto', categoryRuleRecord.create);
export type CreateCategoryRule = z.output<typeof CreateCategoryRule>;

export const UpdateCategoryRule = input('UpdateCategoryRuleDto', categoryRuleRecord.update);
export type UpdateCategoryRule = z.output<typeof UpdateCategoryRule>;

export const ToggleRuleEnabled = input('ToggleRuleEnabledDto', { isEnabled: z.boolean() });
export const UpdateRulePriority = input('UpdateRulePriorityDto', { priority: Priority });

export type RuleDetails = ChangesTo<typeof categoryRuleRecord>;

export type NewCategoryRule = CreateCategoryRule & { readonly source: RuleSource };

export const categoryRuleEvents = {
  CategoryRuleCreated: domain('CREATE', 'category-rule', z.object(categoryRuleRecord.stored)),
  CategoryRuleUpdated: domain('UPDATE', 'category-rule', z.object({ changes: someOf(categoryRuleRecord.changes) })),
  /** Users' choices contradicted the learned rule, so it was disabled. */
  CategoryRuleDisputed: domain('UPDATE', 'category-rule', z.object({ choiceId: z.string() })),
  /** The rule was learned again and therefore re-enabled. */
  CategoryRuleConfirmed: domain('UPDATE', 'category-rule', z.object({})),
  CategoryRuleDeleted: domain('DELETE', 'category-rule', z.object({})),
};
export type CategoryRuleEvent = EventOf<typeof categoryRuleEvents>;

/** The choice that last disabled the rule. `stands` remains true until the rule changes again. */
type Dispute = { readonly choiceId: string; readonly stands: boolean };

export type PresentCategoryRule = {
  status: 'present' | 'deleted';
  source: RuleSource;
  dispute: Dispute | null;
} & RuleDetails;
export type CategoryRule = { status: 'absent' } | PresentCategoryRule;

export const categoryRule: Aggregate<CategoryRule, CategoryRuleEvent> = {
  name: 'category-rule',
  events: categoryRuleEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'CategoryRuleCreated') return { status: 'present', dispute: null, ...event.data };
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'CategoryRuleUpdated':
        return { ...state, ...event.data.changes, dispute: settled(state) };
      case 'CategoryRuleDisputed':
        return { ...state, isEnabled: false, dispute: { choiceId: event.data.choiceId, stands: true } };
      case 'CategoryRuleConfirmed':
        return { ...state, isEnabled: true, dispute: settled(state) };
      case 'CategoryRuleDeleted':
        return { ...state, status: 'deleted' };
    }
  },
  memberships: [
    {
      of: (state, tenantId) => ({ keeps: false, uses: accountStreamsOf(state, tenantId) }),
      staysWhile: 'used',
      refusal: { code: 'RULE_IN_USE', message: 'The rule is in use.' },
      gone: () => notFoundAt('accountId', 'account'),
    },
  ],
};

/** A rule stores only an account id, which may belong to an account or a customer. */
const accountStreamsOf = (state: CategoryRule, tenantId: string): string[] => {
  if (state.status !== 'present' || state.accountId === null) return [];
  const { accountId } = state;
  return ['account', 'customer'].map((entity) => streamName(entity, tenantId, accountId));
};

const settled = ({ dispute }: PresentCategoryRule): Dispute | null => dispute && { ...dispute, stands: false };

/** Returns the rule. @throws DomainError not_found if it is absent or deleted */
export function presentRule(state: CategoryRule): PresentCategoryRule {
  if (state.status !== 'present') throw notFound('category rule');
  return state;
}

export const RULE_DEFAULTS: Omit<RuleDetails, 'categoryId'> = categoryRuleRecord.otherwise;

type Bounds = { readonly amountMin?: string | null; readonly amountMax?: string | null };

/** Formats bounds with the currency's number of decimals. @throws DomainError invalid if a bound has more decimals */
export function amountsIn(currency: string, { amountMin, amountMax }: Bounds, under = '') {
  const bound = (name: string, text: string | null) => (text === null ? null : amountIn(currency, text, under + name));
  return {
    ...(amountMin !== undefined && { amountMin: bound('amountMin', amountMin) }),
    ...(amountMax !== undefined && { amountMax: bound('amountMax', amountMax) }),
  };
}

/** @throws DomainError conflict CATEGORY_DIRECTION if the category does not accept transactions in this direction */
export function ensureCanMatch(direction: Direction | null, category: PresentCategory): void {
  if (direction !== null && !fitsDirection(category.direction, direction))
    throw conflict(
      'CATEGORY_DIRECTION',
      `The category applies only to transactions with direction ${category.direction}.`,
    );
}

/**
 * Formats a bound with a currency's number of decimals. If a bound of an older rule has more decimals, rounds it
 * inwards to the nearest matching amount. The rule then matches the same amounts as before.
 */
export function boundIn(digits: number, amount: string | null, towards: 'min' | 'max'): string | null {
  if (amount === null) return null;
  const unit = 10n ** BigInt(AMOUNT_DIGITS - digits);
  const exact = toMinor(amount, AMOUNT_DIGITS);
  return fromMinor((towards === 'min' ? exact + unit - 1n : exact) / unit, digits);
}

/** Validates a rule. `under` is prepended to the paths of reported faults. @throws DomainError invalid */
export function ensureSound(
  { merchant, keyword, amountMin, amountMax }: Omit<RuleDetails, 'categoryId'>,
  under = '',
): void {
  if (merchant === null && keyword === null) {
    const message = 'Specify a merchant, a keyword or both.';
    throw invalid(['merchant', 'keyword'].map((field) => ({ path: `${under}${field}`, message })));
  }
  if (amountMin === null || amountMax === null) return;
  if (toMinor(amountMin, AMOUNT_DIGITS) > toMinor(amountMax, AMOUNT_DIGITS))
    throw invalid([{ path: `${under}amountMin`, message: 'Must not exceed amountMax.' }]);
}

export function createCategoryRule(state: CategoryRule, { source, ...input }: NewCategoryRule): CategoryRuleEvent[] {
  if (state.status !== 'absent') return [];
  const details = { ...RULE_DEFAULTS, ...input };
  ensureSound(details);
  return [{ type: 'CategoryRuleCreated', data: { ...details, source } }];
}

export function updateCategoryRule(state: CategoryRule, patch: UpdateCategoryRule): CategoryRuleEvent[] {
  const { status: _, source: __, dispute: ___, ...details } = presentRule(state);
  ensureSound({ ...details, ...patch });
  const changes = changesTo<RuleDetails>(details, patch);
  return changes ? [{ type: 'CategoryRuleUpdated', data: { changes } }] : [];
}

export function deleteCategoryRule(state: CategoryRule): CategoryRuleEvent[] {
  presentRule(state);
  return [{ type: 'CategoryRuleDeleted', data: {} }];
}
