import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CategoryDirection } from '../aggregates/category.aggregate.js';
import {
  ArchiveTransactionCategory,
  CreateTransactionCategory,
  RestoreTransactionCategory,
  UpdateTransactionCategory,
} from '../commands/category.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { ListCategories } from '../queries/category.queries.js';
import type { Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { queryBooleanOr } from './input.js';
import { named, recordFields } from './shapes.js';

export const TransactionCategoryDto = named(
  'TransactionCategoryDto',
  z.object({
    ...recordFields,
    name: z.string(),
    direction: CategoryDirection,
    color: z.string().nullable(),
    icon: z.string().nullable(),
    parentId: z.string().nullable(),
    isArchived: z.boolean(),
    isSystem: z.boolean(),
    ruleCount: z.int().min(0),
  }),
);

const listQuery = z.strictObject({ includeArchived: queryBooleanOr(false) });

const path = '/api/transaction-categories';
const read = { method: 'GET', who: 'tenant', permission: 'categories.read', tag: 'Transaction Categories' } as const;
const write = { ...read, permission: 'categories.write' } as const;
const changed = { status: 200, shape: 'command' } as const;

@Controller()
export class CategoryController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path,
    summary: 'Categories by name',
    query: listQuery,
    answers: { status: 200, shape: 'envelope', schema: z.array(TransactionCategoryDto) },
  })
  list(
    @Caller() { tenantId }: UserPrincipal,
    @Query() { includeArchived }: z.output<typeof listQuery>,
  ): Promise<unknown> {
    return this.queries.execute(new ListCategories(tenantScope(tenantId), includeArchived));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path,
    summary: 'Create a category',
    body: CreateTransactionCategory.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof CreateTransactionCategory.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new CreateTransactionCategory({ tenantId, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Change a category',
    body: UpdateTransactionCategory.schema,
    answers: changed,
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateTransactionCategory.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateTransactionCategory({ tenantId, id }, body));
  }

  @Endpoint({
    ...write,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Archive a category: transactions keep it, and no others get it',
    answers: changed,
  })
  archive(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new ArchiveTransactionCategory({ tenantId, id }, {}));
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id/restore`,
    summary: 'Take a category out of the archive',
    answers: changed,
  })
  restore(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new RestoreTransactionCategory({ tenantId, id }, {}));
  }
}
