import fc from 'fast-check';
import {
  learnedRuleId,
  merchantChoices,
  merchantChoicesId,
  noteChoice,
  type MerchantChoices,
  type MerchantChoicesEvent,
  type NotedChoice,
} from '../../src/aggregates/merchant-choices.aggregate.js';
import { fold } from '../../src/eventsourcing/aggregate.js';

const START_MS = Date.UTC(2026, 0, 1);

/**
 * Parses choices: "t1 food" chooses the `food` category for transaction t1, and "t1 -" chooses no category. Choices are
 * one second apart.
 */
const choicesOf = (texts: readonly string[]): NotedChoice[] =>
  texts.map((text, index) => {
    const [transactionId = '', categoryId = '-'] = text.split(' ');
    const chosenAt = new Date(START_MS + index * 1_000).toISOString();
    return { transactionId, categoryId: categoryId === '-' ? null : categoryId, choiceId: `choice-${index}`, chosenAt };
  });

const stateAfter = (history: readonly MerchantChoicesEvent[]): MerchantChoices => fold(merchantChoices, history);

function noted(choices: readonly NotedChoice[]): MerchantChoicesEvent[] {
  const history: MerchantChoicesEvent[] = [];
  let state = merchantChoices.initial;
  for (const choice of choices) {
    const events = noteChoice(state, choice);
    state = fold(merchantChoices, events, state);
    history.push(...events);
  }
  return history;
}

/**
 * Effects of choices: "3 food" if the third choice taught the `food` category, "5 not food" if the fifth choice revoked
 * it.
 */
const concluded = (events: readonly MerchantChoicesEvent[]): string[] =>
  events.flatMap(({ type, data }) => {
    if (type === 'MerchantChoiceNoted') return [];
    const ordinal = Number(data.choiceId.replace('choice-', '')) + 1;
    return [`${ordinal} ${type === 'MerchantCategoryLearned' ? '' : 'not '}${data.categoryId}`];
  });

describe('For the choices of one merchant', () => {
  test.each<[string, string[], string[]]>([
    ['the same for three transactions is learned', ['t1 food', 't2 food', 't3 food'], ['3 food']],
    ['the same for two is not', ['t1 food', 't2 food'], []],
    ['the same three times for one is not', ['t1 food', 't1 food', 't1 food', 't2 food'], []],
    ['no category is never learned', ['t1 -', 't2 -', 't3 -'], []],
    ['another in between restarts the count', ['t1 food', 't2 food', 't3 rent', 't4 food', 't5 food'], []],
    ['none in between restarts the count', ['t1 food', 't2 food', 't3 -', 't4 food', 't5 food'], []],
    ['and three after it are learned', ['t1 food', 't2 rent', 't3 food', 't4 food', 't5 food'], ['5 food']],
    ['another for one of the three restarts the count', ['t1 food', 't2 food', 't1 rent', 't3 food'], []],
    ['a corrected mistake does not count', ['t1 food', 't2 food', 't3 rent', 't3 food'], ['4 food']],
    ['it is learned once', ['t1 food', 't2 food', 't3 food', 't4 food', 't5 food'], ['3 food']],
    ['one against it is tolerated', ['t1 food', 't2 food', 't3 food', 't4 rent', 't5 food'], ['3 food']],
    ['two against it end it', ['t1 food', 't2 food', 't3 food', 't4 rent', 't5 -'], ['3 food', '5 not food']],
    [
      'two end it with others in between',
      ['t1 food', 't2 food', 't3 food', 't4 rent', 't5 food', 't6 -'],
      ['3 food', '6 not food'],
    ],
    ['two for one transaction do not', ['t1 food', 't2 food', 't3 food', 't4 rent', 't4 -'], ['3 food']],
    ['nor does a corrected one', ['t1 food', 't2 food', 't3 food', 't4 rent', 't4 food', 't5 rent'], ['3 food']],
    ['the three themselves can change', ['t1 food', 't2 food', 't3 food', 't1 rent', 't2 -'], ['3 food', '5 not food']],
    [
      'another is learned after it',
      ['t1 food', 't2 food', 't3 food', 't4 rent', 't5 rent', 't6 rent'],
      ['3 food', '5 not food', '6 rent'],
    ],
    [
      'it is learned again',
      ['t1 food', 't2 food', 't3 food', 't4 rent', 't5 -', 't6 food', 't7 food', 't8 food'],
      ['3 food', '5 not food', '8 food'],
    ],
  ])('%s', (_, texts, expected) => {
    expect(concluded(noted(choicesOf(texts)))).toEqual(expected);
  });

  /** Implements the specified rule directly, and considers all choices ever made. */
  const byTheBook = (choices: readonly NotedChoice[]): string[] => {
    const told: string[] = [];
    let learned: { categoryId: string; at: number } | undefined;
    for (const index of choices.keys()) {
      const lastSince = (from: number): Map<string, string | null> => {
        const last = new Map<string, string | null>();
        for (const { transactionId, categoryId } of choices.slice(from, index + 1)) {
          last.delete(transactionId);
          last.set(transactionId, categoryId);
        }
        return last;
      };
      const ended = learned && [...lastSince(learned.at + 1).values()].filter((one) => one !== learned?.categoryId);
      if (learned && ended && ended.length >= 2) {
        told.push(`${index + 1} not ${learned.categoryId}`);
        learned = undefined;
      }
      const newest = [...lastSince(0).values()].slice(-3);
      const [first] = newest;
      if (learned || first === undefined || first === null || newest.length < 3) continue;
      if (newest.some((one) => one !== first)) continue;
      learned = { categoryId: first, at: index };
      told.push(`${index + 1} ${first}`);
    }
    return told;
  };
  const anyChoices = fc
    .array(fc.tuple(fc.constantFrom('t1', 't2', 't3', 't4', 't5'), fc.constantFrom('food', 'food', 'rent', '-')), {
      maxLength: 80,
      size: 'max',
    })
    .map((pairs) => choicesOf(pairs.map((pair) => pair.join(' '))));

  test('the stored choices suffice to derive what is learned', () => {
    fc.assert(
      fc.property(anyChoices, (choices) => {
        expect(concluded(noted(choices))).toEqual(byTheBook(choices));
      }),
      { numRuns: 1_000 },
    );
  });

  test('no effect is repeated by a redelivery, however old it is', () => {
    fc.assert(
      fc.property(anyChoices, fc.nat(), fc.nat(), (choices, from, to) => {
        // Delivers one of the choices late, like a replayed dead letter.
        const late = choices[from % (choices.length + 1)];
        const others = choices.filter((one) => one !== late);
        const delivered = late ? others.toSpliced(to % (others.length + 1), 0, late) : others;
        const state = stateAfter(noted(delivered));
        for (const again of [...choices, ...delivered.slice(to % (delivered.length + 1))])
          expect(noteChoice(state, again)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('late choices are also counted', () => {
    const [late, ...others] = choicesOf(['t1 food', 't2 food', 't3 food', 't4 food']);
    const state = stateAfter(noted(others));
    expect(noteChoice(state, late as NotedChoice)).toMatchObject([{ type: 'MerchantChoiceNoted' }]);
  });

  test('no more than necessary is stored', () => {
    const choices = choicesOf(
      Array.from({ length: 500 }, (_, index) => `t${index} ${index % 3 === 0 ? 'food' : 'rent'}`),
    );
    const { noted: marks, recent, contrary } = stateAfter(noted(choices));
    expect([marks.length, recent.length, contrary.length]).toEqual([50, 3, 0]);
  });
});

test('A merchant has a stream in each tenant, and a rule for each category', () => {
  const [one, other] = ['0199d3a0-0000-7000-8000-000000000001', '0199d3a0-0000-7000-8000-000000000002'];
  const streams = [merchantChoicesId(one, 'acme'), merchantChoicesId(other, 'acme'), merchantChoicesId(one, 'bcme')];
  const rules = streams.flatMap((id) => [learnedRuleId(id, 'food'), learnedRuleId(id, 'rent')]);
  expect(new Set([...streams, ...rules]).size).toBe(9);
});
