import fc from 'fast-check';
import {
  CategoryRuleBook,
  normalizedText,
  type MatchableRule,
  type RuleSubject,
} from '../../src/aggregates/category-rule-matching.js';
import { boundIn, RULE_DEFAULTS } from '../../src/aggregates/category-rule.aggregate.js';
import { TextPatterns } from '../../src/aggregates/text-patterns.js';

let made = 0;
const rule = (given: Partial<MatchableRule> = {}): MatchableRule => ({
  ...RULE_DEFAULTS,
  id: `rule-${String((made += 1)).padStart(6, '0')}`,
  categoryId: 'category',
  source: 'MANUAL',
  createdAt: '2026-01-01T00:00:00.000Z',
  category: { direction: 'BOTH', isArchived: false },
  ...given,
});
const subject = (given: Partial<RuleSubject> = {}): RuleSubject => ({
  merchant: 'Migros Market A.Ş.',
  description: 'Weekly shopping',
  amount: '100.00',
  direction: 'OUT',
  accountIds: ['cash'],
  ...given,
});
const matches = (one: MatchableRule, given: Partial<RuleSubject> = {}): boolean =>
  new CategoryRuleBook([one]).resolve(subject(given)) === one;

describe('A rule matches', () => {
  test.each<[string, Partial<MatchableRule>, Partial<RuleSubject>, boolean]>([
    ['a part of the merchant', { merchant: 'market' }, {}, true],
    ['with any case, accents and dots', { merchant: 'MİGROS' }, { merchant: 'mıgrös' }, true],
    ['with any white space', { keyword: 'weekly  shopping' }, { description: ' Weekly\tshopping ' }, true],
    ['no missing merchant', { merchant: 'market' }, { merchant: null }, false],
    ['the beginning', { merchant: 'migros', matchType: 'STARTS_WITH' }, {}, true],
    ['not the middle instead of the beginning', { merchant: 'market', matchType: 'STARTS_WITH' }, {}, false],
    ['the whole', { merchant: 'migros market a.s.', matchType: 'EXACT' }, {}, true],
    ['not a part instead of the whole', { merchant: 'migros', matchType: 'EXACT' }, {}, false],
    ['both texts', { merchant: 'migros', keyword: 'weekly' }, {}, true],
    ['not one text of two', { merchant: 'migros', keyword: 'monthly' }, {}, false],
    ['not the other text of two', { merchant: 'aldi', keyword: 'weekly' }, {}, false],
    ['its direction', { keyword: 'weekly', direction: 'OUT' }, {}, true],
    ['no other direction', { keyword: 'weekly', direction: 'IN' }, {}, false],
    ['no transaction without a direction', { keyword: 'weekly', direction: 'IN' }, { direction: null }, false],
    ['the least amount', { keyword: 'weekly', amountMin: '100' }, {}, true],
    ['nothing below it', { keyword: 'weekly', amountMin: '100.01' }, {}, false],
    ['the greatest amount', { keyword: 'weekly', amountMax: '100' }, {}, true],
    ['nothing above it', { keyword: 'weekly', amountMax: '99.999999' }, {}, false],
    [
      'amounts of 15 digits exactly',
      { keyword: 'weekly', amountMin: '999999999999999.99' },
      { amount: '999999999999999.98' },
      false,
    ],
    ['its account', { keyword: 'weekly', accountId: 'cash' }, {}, true],
    ['no other account', { keyword: 'weekly', accountId: 'bank' }, {}, false],
    ['nothing when it is disabled', { keyword: 'weekly', isEnabled: false }, {}, false],
    [
      'nothing for an archived category',
      { keyword: 'weekly', category: { direction: 'BOTH', isArchived: true } },
      {},
      false,
    ],
    [
      'nothing that its category does not accept',
      { keyword: 'weekly', category: { direction: 'IN', isArchived: false } },
      {},
      false,
    ],
    ['nothing with a text without letters', { keyword: ' \t ' }, { description: ' ' }, false],
  ])('%s', (_what, given, about, expected) => {
    expect(matches(rule(given), about)).toBe(expected);
  });
});

test('bounds of an older rule that have more decimals than the currency are rounded inwards', () => {
  const shown = (digits: number, amount: string | null) => [
    boundIn(digits, amount, 'min'),
    boundIn(digits, amount, 'max'),
  ];
  expect(shown(2, '5.001')).toEqual(['5.01', '5.00']);
  expect(shown(0, '9.9999')).toEqual(['10', '9']);
  expect(shown(2, '5')).toEqual(['5.00', '5.00']);
  expect(shown(2, null)).toEqual([null, null]);
});

describe('Of several rules that match', () => {
  const word = { keyword: 'weekly' } as const;
  test.each<[string, Partial<MatchableRule>, Partial<MatchableRule>]>([
    ['the highest priority wins', { ...word, priority: 101, source: 'SEED' }, { ...word, priority: 100 }],
    [
      'then a manual rule before a learned one',
      { ...word, source: 'MANUAL' },
      { keyword: 'weekly shopping', source: 'LEARNED' },
    ],
    [
      'then a learned rule before a seeded one',
      { ...word, source: 'LEARNED' },
      { ...word, source: 'SEED', matchType: 'STARTS_WITH' },
    ],
    [
      'then the whole before the beginning',
      { keyword: 'weekly shopping', matchType: 'EXACT' },
      { keyword: 'weekly shopping', matchType: 'STARTS_WITH' },
    ],
    ['then the beginning before a part', { ...word, matchType: 'STARTS_WITH' }, { keyword: 'weekly shopping' }],
    ['then the longer pattern', { keyword: 'weekly s' }, { keyword: 'weekly ' }],
    ['with the length of both texts', { keyword: 'week', merchant: 'migros' }, { keyword: 'weekly sh' }],
    ['then the older rule', { ...word, createdAt: '2025-12-31T23:59:59.999Z' }, word],
    ['then the smaller id', { ...word, id: 'a' }, { ...word, id: 'b' }],
  ])('%s', (_what, first, second) => {
    const [winner, loser] = [rule(first), rule(second)];
    expect(new CategoryRuleBook([winner, loser]).resolve(subject())).toBe(winner);
    expect(new CategoryRuleBook([loser, winner]).resolve(subject())).toBe(winner);
  });
});

test('an explanation names the conditions that do not hold, and agrees with the resolution', () => {
  const book = new CategoryRuleBook([
    rule({ id: 'far', keyword: 'monthly', direction: 'IN', amountMin: '500', priority: 900 }),
    rule({ id: 'near', keyword: 'weekly', priority: 1 }),
  ]);
  expect(book.explain(subject()).map(({ rule: { id }, matched, reasons }) => ({ id, matched, reasons }))).toEqual([
    { id: 'far', matched: false, reasons: ['direction', 'amountMin', 'keyword'] },
    { id: 'near', matched: true, reasons: [] },
  ]);
});

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ı', 'É', ' '), maxLength: 6 });
const anyRule = fc
  .record({
    merchant: fc.option(letters),
    keyword: fc.option(letters),
    matchType: fc.constantFrom('EXACT' as const, 'STARTS_WITH' as const, 'CONTAINS' as const),
    direction: fc.option(fc.constantFrom('IN' as const, 'OUT' as const)),
    amountMin: fc.option(fc.nat(300).map(String)),
    source: fc.constantFrom('MANUAL' as const, 'LEARNED' as const, 'SEED' as const),
    priority: fc.nat(3),
    isEnabled: fc.boolean(),
  })
  .filter(({ merchant, keyword }) => merchant !== null || keyword !== null)
  .map((given) => rule(given));
const anySubject = fc.record({
  merchant: fc.option(letters),
  description: fc.option(letters),
  amount: fc.nat(300).map(String),
  direction: fc.constantFrom('IN' as const, 'OUT' as const, null),
  accountIds: fc.constant([]),
});

test('the deciding rule is the first one whose explanation reports a match', () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 12 }), anySubject, (rules, about) => {
      const book = new CategoryRuleBook(rules);
      expect(book.resolve(about)).toBe(book.explain(about).find(({ matched }) => matched)?.rule);
    }),
    { numRuns: 3_000 },
  );
});

test('all patterns are found in a text as often as they occur', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 8 }), letters, letters, (patterns, head, tail) => {
      const text = normalizedText(`${head}${tail}${head}`);
      const found: number[] = [];
      const automaton = new TextPatterns(patterns.map((pattern, key) => ({ text: pattern, key })));
      automaton.each(text, (key) => found.push(key));
      const expected = patterns.flatMap((pattern, key) =>
        pattern === ''
          ? []
          : Array.from(text, (_, at) => at).flatMap((at) => (text.startsWith(pattern, at) ? [key] : [])),
      );
      expect(found.toSorted((a, b) => a - b)).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});
