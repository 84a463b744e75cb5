import { mulberry32 } from '../test/support/manual-clock.js';
import { CategoryRuleBook, type MatchableRule, type RuleSubject } from '../src/aggregates/category-rule-matching.js';
import { RULE_DEFAULTS, type MatchType } from '../src/aggregates/category-rule.aggregate.js';
import { options, pick } from './options.js';
import { pin } from './processes.js';
import { say, tell } from './report.js';
import { round } from './statistics.js';

/**
 * B9: category assignment by a tenant's 1,000 rules. The rules match substrings, prefixes and entire values of
 * merchants and descriptions. Some rules also restrict the amount or the direction. Two in five transactions match a
 * rule.
 */
const RULES = 1_000;
const SUBJECTS = 10_000;
const SECONDS = pick(5, 1);
const MATCH: readonly MatchType[] = ['CONTAINS', 'CONTAINS', 'STARTS_WITH', 'EXACT'];
const random = mulberry32(options.seed);
const int = (below: number): number => Math.floor(random() * below);
const pickOne = <T>(from: readonly T[]): T => from[int(from.length)] as T;

const SYLLABLES = 'mi gros ba kım ka ra şa hin öz türk loj is tik mar ket te le kom e nerj i gı da fa tu ra'.split(' ');
const word = (): string => Array.from({ length: 2 + int(3) }, () => pickOne(SYLLABLES)).join('');
const phrase = (): string => `${word()} ${word()}`;
const merchants = Array.from({ length: RULES }, phrase);
const keywords = Array.from({ length: RULES }, phrase);

const rule = (n: number): MatchableRule => {
  const byMerchant = random() < 0.6;
  const hasBounds = random() < 0.2;
  return {
    ...RULE_DEFAULTS,
    ...{ id: `rule-${n}`, categoryId: `category-${n % 40}`, source: n % 3 === 0 ? 'LEARNED' : 'MANUAL' },
    ...{ createdAt: new Date(Date.UTC(2026, 0, 1) + n).toISOString(), matchType: pickOne(MATCH) },
    category: { direction: 'BOTH', isArchived: false },
    ...(byMerchant ? { merchant: merchants[n] ?? null } : { keyword: keywords[n] ?? null }),
    ...(hasBounds && { amountMin: '10.00', amountMax: '4000.00' }),
    ...(random() < 0.2 && { direction: 'OUT' as const }),
  };
};
const subject = (): RuleSubject => ({
  merchant: random() < 0.66 ? pickOne(merchants) : `${phrase()} A.Ş.`,
  description: random() < 0.5 ? `Fatura ${int(100_000)} ${pickOne(keywords)}` : `Ödeme ${int(100_000)} ${phrase()}`,
  amount: (1 + int(500_000) / 100).toFixed(2),
  direction: random() < 0.5 ? 'IN' : 'OUT',
  accountIds: [`account-${int(5)}`],
});

function resolveFor(seconds: number): { perSecond: number; resolved: number; matched: number } {
  const startedMs = performance.now();
  let [resolved, matched] = [0, 0];
  while (performance.now() - startedMs < seconds * 1_000)
    for (const one of subjects) {
      resolved += 1;
      if (book.resolve(one) !== undefined) matched += 1;
    }
  return { perSecond: resolved / ((performance.now() - startedMs) / 1_000), resolved, matched };
}

pin('measured', process.pid);
const book = new CategoryRuleBook(Array.from({ length: RULES }, (_, n) => rule(n)));
const subjects = Array.from({ length: SUBJECTS }, subject);
resolveFor(1);
const runs = Array.from({ length: options.runs }, () => resolveFor(SECONDS));
const operations = runs.reduce((sum, { resolved }) => sum + resolved, 0);
const matchedShare = round(runs.reduce((sum, { matched }) => sum + matched, 0) / operations);
say(`${runs.map(({ perSecond }) => round(perSecond)).join(' ')} resolutions/s, ${matchedShare} of them by a rule`);
tell([
  {
    ...{ figure: 'B9', name: 'rule resolutions, 1,000 rules', unit: '/s', operations, errors: 0, concurrency: 1 },
    runs: runs.map(({ perSecond }) => perSecond),
    goal: { of: 'value', atLeast: 100_000 },
    details: { subjects: SUBJECTS, matchedShare },
  },
]);
