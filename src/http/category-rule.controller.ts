import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import {
  CreateCategoryRule as RuleInput,
  MatchType,
  RULE_DEFAULTS,
  RuleSource,
} from '../aggregates/category-rule.aggregate.js';
import { Direction, paragraph, RecordId } from '../aggregates/fields.js';
import { MoneyInput } from '../aggregates/money.js';
import {
  CreateCategoryRule,
  DeleteCategoryRule,
  SetCategoryRuleEnabled,
  SetCategoryRulePriority,
  UpdateCategoryRule,
} from '../commands/category-rule.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { SAMPLED_TRANSACTIONS } from '../queries/category-rule.sampler.js';
import { TestCategoryRules } from '../queries/category-rule-test.query.js';
import { GetCategoryRule, ListCategoryRules } from '../queries/category-rule.queries.js';
import { answer, type Answer } from './answer.js';
import { TransactionCategoryDto } from './category.controller.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { idInput, MAX_PAGE_SIZE, optionalInteger, queryBoolean, searchInput } from './input.js';
import { TransactionDto } from './transaction.schemas.js';
import { instantOut, named, recordFields } from './shapes.js';

const text = z.string().nullable();
const CategoryRuleDto = named(
  'CategoryRuleDto',
  z.object({
    ...recordFields,
    categoryId: z.string(),
    categoryName: text,
    merchant: text,
    keyword: text,
    matchType: MatchType,
    direction: Direction.nullable(),
    amountMin: text,
    amountMax: text,
    accountId: text,
    notes: text,
    source: RuleSource,
    priority: z.int().min(0).max(1000),
    isEnabled: z.boolean(),
    hitCount: z.int().min(0).meta({ description: 'Transactions that got their category from it.' }),
    lastMatchedAt: instantOut.nullable(),
  }),
);
const CategoryRuleListResponseDto = named(
  'CategoryRuleListResponseDto',
  z.object({
    items: z.array(CategoryRuleDto),
    page: z.int().min(1),
    limit: z.int().min(1),
    total: z.int().min(0),
    totalPages: z.int().min(0),
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
        reasons: z.array(z.string()).meta({ description: 'Conditions of the rule that do not hold.' }),
      }),
    ),
    normalizedText: z.string(),
    sample: z.array(TransactionDto).max(20).optional().meta({
      description: 'With a draft: the newest recorded transactions that it would catch.',
    }),
    sampleCount: z.int().min(0).optional().meta({ description: 'With a draft: how many it would catch.' }),
    sampledTransactions: z
      .int()
      .min(0)
      .max(SAMPLED_TRANSACTIONS)
      .optional()
      .meta({
        description: `With a draft: among how many these are, the newest ${SAMPLED_TRANSACTIONS} at most.`,
      }),
  }),
);

const MAX_PAGE = 1_000_000_000;
const listQuery = z.strictObject({
  page: optionalInteger(MAX_PAGE, 1),
  limit: optionalInteger(MAX_PAGE_SIZE, 20),
  search: searchInput.optional(),
  categoryId: idInput.optional(),
  source: RuleSource.optional(),
  isEnabled: queryBoolean.optional(),
});

const TestCategoryRuleDto = named(
  'TestCategoryRuleDto',
  z.strictObject({
    description: paragraph(1000).optional(),
    merchant: paragraph(200).optional(),
    amount: MoneyInput.optional(),
    direction: Direction.optional(),
    accountId: RecordId.optional(),
    rule: z.strictObject(RuleInput.shape).optional().meta({ description: 'A draft, tried with the other rules.' }),
  }),
);

const path = '/api/transaction-categories/rules';
const read = { method: 'GET', who: 'tenant', permission: 'categories.read', tag: 'Transaction Categories' } as const;
const write = { ...read, permission: 'categories.write' } as const;
const changed = { status: 200, shape: 'command' } as const;

@Controller()
export class CategoryRuleController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path,
    summary: 'Rules, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'envelope', schema: CategoryRuleListResponseDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListCategoryRules(tenantScope(tenantId), query));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path,
    summary: 'Create a rule',
    body: CreateCategoryRule.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof CreateCategoryRule.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new CreateCategoryRule({ tenantId, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...read,
    method: 'POST',
    path: `${path}/test`,
    summary: 'Try the rules, and a draft, on a transaction that is made up',
    body: TestCategoryRuleDto,
    answers: { status: 200, shape: 'envelope', schema: CategoryRuleTestResultDto },
  })
  test(@Caller() { tenantId }: UserPrincipal, @Body() body: z.output<typeof TestCategoryRuleDto>): Promise<unknown> {
    const { rule, ...subject } = body;
    const draft = rule && { rule: { ...RULE_DEFAULTS, ...rule, id: this.ids.next() } };
    return this.queries.execute(new TestCategoryRules(tenantScope(tenantId), { ...subject, ...draft }));
  }

  @Endpoint({
    ...read,
    path: `${path}/:id`,
    summary: 'A rule',
    answers: { status: 200, shape: 'envelope', schema: CategoryRuleDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const rule = await this.queries.execute(new GetCategoryRule(tenantScope(tenantId), id));
    return answer(rule, { revision: rule.revision });
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Change a rule',
    body: UpdateCategoryRule.schema,
    answers: changed,
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateCategoryRule.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateCategoryRule({ tenantId, id }, body));
  }

  @Endpoint({ ...write, method: 'DELETE', path: `${path}/:id`, summary: 'Delete a rule', answers: changed })
  delete(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteCategoryRule({ tenantId, id }, {}));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id/disable`,
    summary: 'Enable or disable a rule',
    body: SetCategoryRuleEnabled.schema,
    answers: changed,
  })
  setEnabled(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof SetCategoryRuleEnabled.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new SetCategoryRuleEnabled({ tenantId, id }, body));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id/priority`,
    summary: 'Set how a rule ranks among others',
    body: SetCategoryRulePriority.schema,
    answers: changed,
  })
  setPriority(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof SetCategoryRulePriority.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new SetCategoryRulePriority({ tenantId, id }, body));
  }
}
