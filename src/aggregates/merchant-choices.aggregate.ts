import { z } from 'zod';
import { fold, technical, type Aggregate, type EventOf } from '../platform/aggregate.js';
import { nameUuid } from '../platform/name-uuid.js';
import { Instant } from './fields.js';

/**
 * What people chose for the transactions of one merchant, and what is learned from it:
 *
 * - Of the choices on one transaction the last one counts. In the order of these last choices, when those on the newest
 *   three transactions are the same category, that category is learned.
 * - While a category is learned, a transaction whose last choice since then is another one, or none, speaks against it.
 *   When two do, it is learned no more. From then on, or for another category, three are needed again.
 */
const Noted = z.object({
  transactionId: z.string(),
  categoryId: z.string().nullable(),
  /** Of the event that tells of the choice. */
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
/** A category, and the choice that made the difference. */
export type Conclusion = z.output<typeof Concluded>;
type Mark = Pick<NotedChoice, 'choiceId' | 'chosenAt'>;

export type MerchantChoices = {
  /** The newest choices by time, oldest first: what is delivered again changes nothing. */
  readonly noted: readonly Mark[];
  /** The newest transactions by their last choices, oldest first. */
  readonly recent: readonly Pick<NotedChoice, 'transactionId' | 'categoryId'>[];
  readonly learned: Conclusion | null;
  /** Transactions that speak against what is learned. */
  readonly contrary: readonly string[];
  /** The last one that is learned no more. */
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

/** The same for all spellings of a name that rules do not tell apart. `merchant`: normalizedText of it. */
export const merchantChoicesId = (tenantId: string, merchant: string): string =>
  nameUuid(`merchant/${merchant}`, tenantId);

/** There is one for each category: what is learned again is the same rule, unless people have had their say on it. */
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

/** One that is older than all that are remembered was noted, too: choices are delivered in order. */
function isNoted({ noted }: MerchantChoices, choice: NotedChoice): boolean {
  if (noted.some(({ choiceId }) => choiceId === choice.choiceId)) return true;
  const [oldest] = noted;
  return oldest !== undefined && noted.length === MAX_NOTED && byTime(choice, oldest) < 0;
}

/** The category on which the newest transactions agree. */
function streakOf({ recent }: MerchantChoices): string | null {
  const [first] = recent;
  const isStreak = recent.length === STREAK && recent.every(({ categoryId }) => categoryId === first?.categoryId);
  return isStreak ? (first?.categoryId ?? null) : null;
}

/** At most one: where two have just spoken against it, the newest three are not of one mind. */
function conclusionOf(state: MerchantChoices, choiceId: string): MerchantChoicesEvent[] {
  const { learned, contrary } = state;
  if (learned && contrary.length >= CONTRARY)
    return [{ type: 'MerchantCategoryUnlearned', data: { categoryId: learned.categoryId, choiceId } }];
  const categoryId = learned ? null : streakOf(state);
  return categoryId === null ? [] : [{ type: 'MerchantCategoryLearned', data: { categoryId, choiceId } }];
}

/** `[]` where the choice is noted already. */
export function noteChoice(state: MerchantChoices, data: NotedChoice): MerchantChoicesEvent[] {
  if (isNoted(state, data)) return [];
  const noted: MerchantChoicesEvent = { type: 'MerchantChoiceNoted', data };
  return [noted, ...conclusionOf(fold(merchantChoices, [noted], state), data.choiceId)];
}
