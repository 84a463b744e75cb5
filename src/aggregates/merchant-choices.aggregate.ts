import { z } from 'zod';
import { fold, technical, type Aggregate, type EventOf } from '../eventsourcing/aggregate.js';
import { nameUuid } from '../eventsourcing/name-uuid.js';
import { Instant } from './fields.js';

/**
 * Users' category choices for one merchant's transactions, and the category learned from them:
 *
 * - Only the last choice for each transaction counts. A category is learned when the three transactions with the newest
 *   choices agree on it.
 * - A transaction contradicts the learned category if its last choice was made after the category was learned, and
 *   names another category or none. After two contradicting transactions, the category is unlearned. Three transactions
 *   must then agree, as before, for any category to be learned.
 */
const Noted = z.object({
  transactionId: z.string(),
  categoryId: z.string().nullable(),
  /** Id of the event that recorded the choice. */
  choiceId: z.string(),
  chosenAt: Instant,
});
const Concluded = z.object({ categoryId: z.string(), choiceId: z.string() });

export const merchantChoicesEvents = {
  MerchantChoiceNoted: technical(Noted),
  MerchantCategoryLearned: technical(Concluded),
  MerchantCategoryUnlearned: technical(Concluded),
};
export type MerchantChoicesEvent = EventOf<typeof merchantChoicesEvents>;

export type NotedChoice = z.output<typeof Noted>;
/** A category, with the choice that caused it to be learned or unlearned. */
export type Conclusion = z.output<typeof Concluded>;
type Mark = Pick<NotedChoice, 'choiceId' | 'chosenAt'>;

export type MerchantChoices = {
  /** The newest choices, oldest first, used to detect redelivered choices. */
  readonly noted: readonly Mark[];
  /** The transactions with the newest choices, oldest first. */
  readonly recent: readonly Pick<NotedChoice, 'transactionId' | 'categoryId'>[];
  readonly learned: Conclusion | null;
  /** Transactions that contradict the learned category. */
  readonly contrary: readonly string[];
  /** The most recently unlearned category. */
  readonly unlearned: Conclusion | null;
};

const STREAK = 3;
const CONTRARY = 2;
const MAX_NOTED = 50;

export const merchantChoices: Aggregate<MerchantChoices, MerchantChoicesEvent> = {
  name: 'merchant-choices',
  events: merchantChoicesEvents,
  initial: { noted: [], recent: [], learned: null, contrary: [], unlearned: null },
  evolve: (state, event) => {
    switch (event.type) {
      case 'MerchantChoiceNoted':
        return withChoice(state, event.data);
      case 'MerchantCategoryLearned':
        return { ...state, learned: event.data };
      case 'MerchantCategoryUnlearned':
        return { ...state, learned: null, contrary: [], unlearned: event.data };
    }
  },
};

/**
 * Returns the same id for all spellings that rules treat as equal. `merchant` must be normalized with `normalizedText`.
 */
export const merchantChoicesId = (tenantId: string, merchant: string): string =>
  nameUuid(`merchant/${merchant}`, tenantId);

/** Returns the id of a category's rule. Learning the category again reuses the rule, unless a user has changed it. */
export const learnedRuleId = (choicesId: string, categoryId: string): string =>
  nameUuid(`learned-rule/${categoryId}`, choicesId);

function withChoice(state: MerchantChoices, choice: NotedChoice): MerchantChoices {
  const { transactionId, categoryId, choiceId, chosenAt } = choice;
  const others = state.recent.filter((one) => one.transactionId !== transactionId);
  const contrary = state.contrary.filter((one) => one !== transactionId);
  const isContrary = state.learned !== null && state.learned.categoryId !== categoryId;
  return {
    ...state,
    noted: [...state.noted, { choiceId, chosenAt }].sort(byTime).slice(-MAX_NOTED),
    recent: [...others, { transactionId, categoryId }].slice(-STREAK),
    contrary: isContrary ? [...contrary, transactionId] : contrary,
  };
}

const sortKey = ({ chosenAt, choiceId }: Mark): string => `${chosenAt} ${choiceId}`;
const byTime = (a: Mark, b: Mark): number => (sortKey(a) < sortKey(b) ? -1 : 1);

/** Choices are delivered in order, so a choice older than all remembered ones has already been recorded. */
function isNoted({ noted }: MerchantChoices, choice: NotedChoice): boolean {
  if (noted.some(({ choiceId }) => choiceId === choice.choiceId)) return true;
  const [oldest] = noted;
  return oldest !== undefined && noted.length === MAX_NOTED && byTime(choice, oldest) < 0;
}

/** Returns the category on which the newest transactions agree; null if they do not. */
function streakOf({ recent }: MerchantChoices): string | null {
  const [first] = recent;
  const isStreak = recent.length === STREAK && recent.every(({ categoryId }) => categoryId === first?.categoryId);
  return isStreak ? (first?.categoryId ?? null) : null;
}

/** Returns at most one event, because after two contradictions the newest three transactions cannot agree. */
function conclusionOf(state: MerchantChoices, choiceId: string): MerchantChoicesEvent[] {
  const { learned, contrary } = state;
  if (learned && contrary.length >= CONTRARY)
    return [{ type: 'MerchantCategoryUnlearned', data: { categoryId: learned.categoryId, choiceId } }];
  const categoryId = learned ? null : streakOf(state);
  return categoryId === null ? [] : [{ type: 'MerchantCategoryLearned', data: { categoryId, choiceId } }];
}

/** Returns `[]` if the choice has already been recorded. */
export function noteChoice(state: MerchantChoices, data: NotedChoice): MerchantChoicesEvent[] {
  if (isNoted(state, data)) return [];
  const noted: MerchantChoicesEvent = { type: 'MerchantChoiceNoted', data };
  return [noted, ...conclusionOf(fold(merchantChoices, [noted], state), data.choiceId)];
}
