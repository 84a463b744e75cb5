import { disputeCategoryRule, learnCategoryRule } from '../../src/aggregates/category-rule-learning.js';
import {
  categoryRule,
  deleteCategoryRule,
  RULE_DEFAULTS,
  updateCategoryRule,
  type CategoryRuleEvent,
} from '../../src/aggregates/category-rule.aggregate.js';
import { given } from './given.js';

const learned = { categoryId: 'food', merchant: 'Migros A.Ş.' };
const dispute = { ...learned, choiceId: 'choice-9' };
const details = { ...RULE_DEFAULTS, ...learned, matchType: 'EXACT' } as const;
const created: CategoryRuleEvent = { type: 'CategoryRuleCreated', data: { ...details, source: 'LEARNED' } };
const disputed: CategoryRuleEvent = { type: 'CategoryRuleDisputed', data: { choiceId: 'choice-9' } };
const confirmed: CategoryRuleEvent = { type: 'CategoryRuleConfirmed', data: {} };
const updated = (changes: object): CategoryRuleEvent => ({ type: 'CategoryRuleUpdated', data: { changes } });
const deleted: CategoryRuleEvent = { type: 'CategoryRuleDeleted', data: {} };

describe('A learned rule', () => {
  test('applies to exactly that merchant, and yields to rules that users created', () => {
    given(categoryRule, []).when(learnCategoryRule, learned).then(created);
    expect(details).toMatchObject({ matchType: 'EXACT', priority: 100, keyword: null, isEnabled: true });
  });
  test('is created once', () => {
    given(categoryRule, [created]).when(learnCategoryRule, learned).changesNothing();
  });
  test('is disabled when it is disputed, and enabled when it is learned again', () => {
    given(categoryRule, [created]).when(disputeCategoryRule, dispute).then(disputed);
    expect(given(categoryRule, [created, disputed]).state).toMatchObject({ isEnabled: false });
    given(categoryRule, [created, disputed]).when(learnCategoryRule, learned).then(confirmed);
    expect(given(categoryRule, [created, disputed, confirmed]).state).toMatchObject({ isEnabled: true });
    given(categoryRule, [created, disputed, confirmed]).when(learnCategoryRule, learned).changesNothing();
  });
  test('is disputed again by another choice, but not by the same one', () => {
    const again = given(categoryRule, [created, disputed, confirmed]);
    again.when(disputeCategoryRule, dispute).changesNothing();
    const other = { type: 'CategoryRuleDisputed', data: { choiceId: 'choice-12' } } as const;
    again.when(disputeCategoryRule, { ...dispute, choiceId: 'choice-12' }).then(other);
  });
  test('is the same for any current spelling of the merchant', () => {
    given(categoryRule, [created])
      .when(disputeCategoryRule, { ...dispute, merchant: 'MIGROS  a.ş.' })
      .then(disputed);
  });

  test.each<[string, CategoryRuleEvent[]]>([
    ['was given another category', [updated({ categoryId: 'rent' })]],
    ['was given another priority', [updated({ priority: 7 })]],
    ['was given notes', [updated({ notes: 'Ours' })]],
    ['was disabled', [updated({ isEnabled: false })]],
    ['was deleted', [deleted]],
    ['was enabled after the same dispute', [disputed, updated({ isEnabled: true })]],
  ])('is not changed by a dispute after it %s by a person', (_, history) => {
    given(categoryRule, [created, ...history])
      .when(disputeCategoryRule, dispute)
      .changesNothing();
  });
  test('that is not learned, or does not exist, is not changed by a dispute', () => {
    const manual: CategoryRuleEvent = { type: 'CategoryRuleCreated', data: { ...details, source: 'MANUAL' } };
    given(categoryRule, [manual]).when(disputeCategoryRule, dispute).changesNothing();
    given(categoryRule, []).when(disputeCategoryRule, dispute).changesNothing();
  });

  test.each<[string, CategoryRuleEvent[]]>([
    ['disabled it', [updated({ isEnabled: false })]],
    ['deleted it', [deleted]],
    ['changed it after it was disputed', [disputed, updated({ notes: 'Keep it off' })]],
    ['deleted it after it was disputed', [disputed, deleted]],
    [
      'enabled and disabled it after it was disputed',
      [disputed, ...[true, false].map((isEnabled) => updated({ isEnabled }))],
    ],
  ])('is not enabled again if a person %s', (_, history) => {
    given(categoryRule, [created, ...history])
      .when(learnCategoryRule, learned)
      .changesNothing();
  });

  test('can be changed and deleted by users like any other', () => {
    given(categoryRule, [created, disputed])
      .when(updateCategoryRule, { isEnabled: true })
      .then(updated({ isEnabled: true }));
    given(categoryRule, [created, disputed]).when(deleteCategoryRule, {}).then(deleted);
  });
});
