import { z } from 'zod';
import { domain, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { invalid, notFound } from '../platform/domain-error.js';
import { changesTo, Direction, line, paragraph, RecordId, someOf } from './fields.js';
import { decimalInput, toMinor } from './money.js';

export const MatchType = z.enum(['EXACT', 'STARTS_WITH', 'CONTAINS']);
export type MatchType = z.output<typeof MatchType>;
/** Where a rule comes from: made with the tenant, learned from people's choices, or made by a person. */
export const RuleSource = z.enum(['SEED', 'LEARNED', 'MANUAL']);
export type RuleSource = z.output<typeof RuleSource>;

const Priority = z.int().min(0).max(1000);
/** Of a rule's bounds: as many as any currency has, and more. */
export const AMOUNT_DIGITS = 6;
const Bound = decimalInput({ decimals: AMOUNT_DIGITS });
const conditions = {
  merchant: line(200).nullable(),
  keyword: line(200).nullable(),
  direction: Direction.nullable(),
  amountMin: Bound.nullable(),
  amountMax: Bound.nullable(),
  accountId: RecordId.nullable(),
  notes: paragraph(1000).nullable(),
};
const given = { ...conditions, matchType: MatchType, priority: Priority, isEnabled: z.boolean() };

export const CreateCategoryRule = z
  .strictObject({ categoryId: RecordId, ...someOf(given).shape })
  .meta({ id: 'CreateCategoryRuleDto' });
export type CreateCategoryRule = z.output<typeof CreateCategoryRule>;

export const UpdateCategoryRule = z
  .strictObject(someOf({ categoryId: RecordId, ...given }).shape)
  .meta({ id: 'UpdateCategoryRuleDto' });
export type UpdateCategoryRule = z.output<typeof UpdateCategoryRule>;

export const ToggleRuleEnabled = z.strictObject({ isEnabled: z.boolean() }).meta({ id: 'ToggleRuleEnabledDto' });
export const UpdateRulePriority = z.strictObject({ priority: Priority }).meta({ id: 'UpdateRulePriorityDto' });

const Details = z.object({
  categoryId: z.string(),
  merchant: z.string().nullable(),
  keyword: z.string().nullable(),
  matchType: MatchType,
  direction: Direction.nullable(),
  amountMin: z.string().nullable(),
  amountMax: z.string().nullable(),
  accountId: z.string().nullable(),
  notes: z.string().nullable(),
  priority: z.number().int(),
  isEnabled: z.boolean(),
});
export type RuleDetails = z.output<typeof Details>;

const RuleCreated = Details.extend({ source: RuleSource });
export type NewCategoryRule = CreateCategoryRule & { readonly source: RuleSource };

export const categoryRuleEvents = {
  CategoryRuleCreated: domain('CREATE', 'category-rule', RuleCreated),
  CategoryRuleUpdated: domain('UPDATE', 'category-rule', z.object({ changes: someOf(Details.shape) })),
  /** People's choices spoke against a learned rule, so it is disabled. */
  CategoryRuleDisputed: domain('UPDATE', 'category-rule', z.object({ choiceId: z.string() })),
  /** It is learned again, and so enabled. */
  CategoryRuleConfirmed: domain('UPDATE', 'category-rule', z.object({})),
  CategoryRuleDeleted: domain('DELETE', 'category-rule', z.object({})),
};
export type CategoryRuleEvent = EventOf<typeof categoryRuleEvents>;

/** The choice by which it was last disabled, and whether nobody has changed it since. */
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
};

const settled = ({ dispute }: PresentCategoryRule): Dispute | null => dispute && { ...dispute, stands: false };

/** The rule, unless there is none (any more). @throws DomainError not_found */
export function presentRule(state: CategoryRule): PresentCategoryRule {
  if (state.status !== 'present') throw notFound('category rule');
  return state;
}

export const RULE_DEFAULTS: Omit<RuleDetails, 'categoryId'> = {
  merchant: null,
  keyword: null,
  matchType: 'CONTAINS',
  direction: null,
  amountMin: null,
  amountMax: null,
  accountId: null,
  notes: null,
  priority: 100,
  isEnabled: true,
};

/** What no rule may be without; `under` is where in the request it stands. @throws DomainError invalid */
export function ensureSound(
  { merchant, keyword, amountMin, amountMax }: Omit<RuleDetails, 'categoryId'>,
  under = '',
): void {
  if (merchant === null && keyword === null) {
    const message = 'Give a merchant, a keyword or both.';
    throw invalid(['merchant', 'keyword'].map((field) => ({ path: `${under}${field}`, message })));
  }
  if (amountMin === null || amountMax === null) return;
  if (toMinor(amountMin, AMOUNT_DIGITS) > toMinor(amountMax, AMOUNT_DIGITS))
    throw invalid([{ path: `${under}amountMin`, message: 'Must not be more than amountMax.' }]);
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
