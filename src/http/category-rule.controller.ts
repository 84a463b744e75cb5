import { z } from 'zod';
import { categoryRuleRecord, RULE_DEFAULTS } from '../aggregates/category-rule.aggregate.js';
import { Direction, paragraph, RecordId } from '../aggregates/fields.js';
import { MoneyInput } from '../aggregates/money.js';
import { MAX_LINES } from '../aggregates/transaction-input.js';
import {
  CreateCategoryRule,
  DeleteCategoryRule,
  SetCategoryRuleEnabled,
  SetCategoryRulePriority,
  UpdateCategoryRule,
} from '../commands/category.commands.js';
import { SAMPLED_TRANSACTIONS } from '../queries/category-rule.sampler.js';
import { TestCategoryRules } from '../queries/category-rule-test.query.js';
import { EachCategoryRule, GetCategoryRule, ListCategoryRules } from '../queries/category.queries.js';
import { TransactionCategoryDto } from './category.controller.js';
import { MAX_PAGE_SIZE, optionalInteger, optionalPageNumber } from './input.js';
import { listQueryOf, recordDto } from './record-shapes.js';
import { controllerOf, tenantRoutes, valueOf } from './routes.js';
import { instantOut, named, totalIsCapped } from './shapes.js';
import { TransactionDto } from './transaction.controller.js';

const CategoryRuleDto = recordDto('CategoryRuleDto', categoryRuleRecord, {
  categoryName: z.string().nullable(),
  hitCount: z.int().min(0).meta({ description: 'Number of transactions categorized by the rule.' }),
  lastMatchedAt: instantOut.nullable(),
});
const CategoryRuleListResponseDto = named(
  'CategoryRuleListResponseDto',
  z.object({
    items: z.array(CategoryRuleDto),
    page: z.int().min(1),
    limit: z.int().min(1),
    total: z.int().min(0),
    totalPages: z.int().min(0),
    totalIsCapped,
  }),
);
const CategoryRuleTestResultDto = named(
  'CategoryRuleTestResultDto',
  z.object({
    matched: z.boolean(),
    rule: CategoryRuleDto.nullable(),
    category: TransactionCategoryDto.omit({ ruleCount: true }).nullable(),
    candidates: z.array(
      z.object({
        rule: CategoryRuleDto,
        matched: z.boolean(),
        reasons: z.array(z.string()).meta({ description: 'Conditions of the rule that are not met.' }),
      }),
    ),
    normalizedText: z.string(),
    sample: z.array(TransactionDto).max(20).optional().meta({
      description: 'Newest recorded transactions that the draft matches. Present only if a draft was sent.',
    }),
    sampleCount: z.int().min(0).optional().meta({
      description: 'Number of recorded transactions that the draft matches. Present only if a draft was sent.',
    }),
    sampledTransactions: z
      .int()
      .min(0)
      .max(SAMPLED_TRANSACTIONS)
      .optional()
      .meta({
        description: `Number of recorded transactions tested, starting with the newest; at most ${SAMPLED_TRANSACTIONS}. Present only if a draft was sent.`,
      }),
  }),
);

const listQuery = listQueryOf(categoryRuleRecord, {
  page: optionalPageNumber,
  limit: optionalInteger(MAX_PAGE_SIZE, 20),
});

const TestCategoryRuleDto = named(
  'TestCategoryRuleDto',
  z
    .strictObject({
      description: paragraph(1000).optional(),
      merchant: paragraph(200).optional(),
      amount: MoneyInput.optional(),
      direction: Direction.optional(),
      accountId: RecordId.optional(),
      accountIds: z
        .array(RecordId)
        .max(MAX_LINES)
        .optional()
        .meta({
          description:
            'All accounts of the transaction, including the expense item and the customer. For a journal entry, the ' +
            'accounts of all lines.',
        }),
      rule: z
        .strictObject(categoryRuleRecord.create)
        .optional()
        .meta({ description: 'A draft rule, tested together with the other rules.' }),
    })
    .prefault({}),
);

const { read, write } = tenantRoutes('/api/transaction-categories/rules', 'Transaction Categories', 'categories');

export const CategoryRuleController = controllerOf(
  read.listWithCsv(
    'List category rules, newest first',
    listQuery,
    CategoryRuleDto,
    [ListCategoryRules, EachCategoryRule],
    valueOf(CategoryRuleListResponseDto),
  ),
  write.change('Create a category rule', { creates: {} }, CreateCategoryRule),
  read.query(
    'Test the rules, and optionally a draft, on a sample transaction',
    { method: 'POST', path: '/test', body: TestCategoryRuleDto, answers: valueOf(CategoryRuleTestResultDto) },
    ({ scope, id, body: { rule, ...subject } }) => {
      const draft = rule && { rule: { ...RULE_DEFAULTS, ...rule, id } };
      return new TestCategoryRules(scope, { ...subject, ...draft });
    },
  ),
  read.get('Get a category rule', CategoryRuleDto, GetCategoryRule),
  write.change('Update a category rule', { method: 'PATCH', path: '/:id' }, UpdateCategoryRule),
  write.change('Delete a category rule', { method: 'DELETE', path: '/:id' }, DeleteCategoryRule),
  write.change('Enable or disable a category rule', { method: 'PATCH', path: '/:id/disable' }, SetCategoryRuleEnabled),
  write.change(
    'Set the priority of a category rule',
    { method: 'PATCH', path: '/:id/priority' },
    SetCategoryRulePriority,
  ),
);
