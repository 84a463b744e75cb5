import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { AccountType } from '../aggregates/account.aggregate.js';
import { CreateAccount, DeleteAccount, UpdateAccount } from '../commands/account.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetAccount, ListAccounts, LookUpAccounts } from '../queries/account.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { requiredPaging, searchInput } from './input.js';
import { MoneyDto, named, recordFields } from './shapes.js';

const AccountDto = named(
  'AccountDto',
  z.object({
    ...recordFields,
    code: z.string().nullable(),
    name: z.string(),
    type: AccountType,
    currency: z.string(),
    isActive: z.boolean(),
    isDefault: z.boolean(),
    isSystem: z.boolean(),
    customerId: z.string().nullable(),
    balance: MoneyDto.meta({ description: 'Debits minus credits.' }),
  }),
);

const listQuery = z.strictObject({ ...requiredPaging, search: searchInput.optional() });
const lookupQuery = z.strictObject({ search: searchInput.optional() });

const path = '/api/accounts';
const read = { method: 'GET', who: 'tenant', permission: 'accounts.read', tag: 'Accounts' } as const;
const write = { ...read, permission: 'accounts.write' } as const;
const done = { status: 201, shape: 'command' } as const;

@Controller()
export class AccountController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path: `${path}/lookup`,
    summary: 'Active accounts, briefly, for a chooser',
    query: lookupQuery,
    answers: { status: 200, shape: 'lookup' },
  })
  lookUp(@Caller() { tenantId }: UserPrincipal, @Query() { search }: z.output<typeof lookupQuery>): Promise<unknown> {
    return this.queries.execute(new LookUpAccounts(tenantScope(tenantId), search));
  }

  @Endpoint({
    ...write,
    method: 'POST',
    path,
    summary: 'Create an account; one of type CUSTOMER is a customer',
    body: CreateAccount.schema,
    answers: done,
  })
  create(@Caller() { tenantId }: UserPrincipal, @Body() body: z.output<typeof CreateAccount.schema>): Promise<Answer> {
    return this.gateway.send(new CreateAccount({ tenantId, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...read,
    path,
    summary: 'Accounts, newest first, customers among them',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: AccountDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListAccounts(tenantScope(tenantId), query));
  }

  @Endpoint({
    ...read,
    path: `${path}/:id`,
    summary: 'An account with its balance',
    answers: { status: 200, shape: 'envelope', schema: AccountDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const account = await this.queries.execute(new GetAccount(tenantScope(tenantId), id));
    return answer(account, { revision: account.revision });
  }

  @Endpoint({
    ...write,
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Change an account',
    body: UpdateAccount.schema,
    answers: done,
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateAccount.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateAccount({ tenantId, id }, body));
  }

  @Endpoint({
    ...write,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete an account that nothing was posted to',
    answers: done,
  })
  delete(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteAccount({ tenantId, id }, {}));
  }
}
