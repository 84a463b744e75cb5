import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { CustomerStatus, CustomerType } from '../aggregates/customer-fields.js';
import { CreateCustomer, DeleteCustomer, UpdateCustomer } from '../commands/customer.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetCustomer, ListCustomers, LookUpCustomers } from '../queries/customer.queries.js';
import { ListCustomerTransactions } from '../queries/transaction.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint } from './endpoint.js';
import { queryBoolean, requiredPaging, searchInput } from './input.js';
import { MoneyDto, named, recordFields, recordId } from './shapes.js';
import { TransactionDto, transactionFilters } from './transaction.schemas.js';

const text = z.string().nullable();
const CustomerDto = named(
  'CustomerDto',
  z.object({
    ...recordFields,
    code: text,
    name: z.string(),
    type: CustomerType,
    taxNumber: text,
    taxOffice: text,
    nationalId: text,
    email: text,
    phone: text,
    address: text,
    city: text,
    country: text,
    currency: z.string(),
    status: CustomerStatus,
    isDefault: z.boolean(),
    branchId: text,
    notes: text,
    balance: MoneyDto.meta({ description: 'Positive when the customer owes.' }),
    accountId: recordId,
  }),
);

const listQuery = z.strictObject({
  ...requiredPaging,
  search: searchInput.optional(),
  status: z.enum(['ACTIVE', 'PASSIVE', 'ALL']).default('ACTIVE'),
  isDefault: queryBoolean.optional(),
});
const lookupQuery = z.strictObject({ search: searchInput.optional() });
const transactionsQuery = z.strictObject(transactionFilters);

const read = { method: 'GET', who: 'tenant', permission: 'customers.read', tag: 'Customers' } as const;

@Controller()
export class CustomerController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    ...read,
    path: '/api/customers/lookup',
    summary: 'Active customers, briefly, for a chooser',
    query: lookupQuery,
    answers: { status: 200, shape: 'lookup' },
  })
  lookUp(@Caller() { tenantId }: UserPrincipal, @Query() { search }: z.output<typeof lookupQuery>): Promise<unknown> {
    return this.queries.execute(new LookUpCustomers(tenantScope(tenantId), search));
  }

  @Endpoint({
    ...read,
    method: 'POST',
    permission: 'customers.write',
    path: '/api/customers',
    summary: 'Create a customer',
    body: CreateCustomer.schema,
    answers: { status: 201, shape: 'command' },
  })
  create(@Caller() { tenantId }: UserPrincipal, @Body() body: z.output<typeof CreateCustomer.schema>): Promise<Answer> {
    return this.gateway.send(new CreateCustomer({ tenantId, id: this.ids.next() }, body));
  }

  @Endpoint({
    ...read,
    path: '/api/customers',
    summary: 'Customers, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: CustomerDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListCustomers(tenantScope(tenantId), query));
  }

  @Endpoint({
    ...read,
    path: '/api/customers/:id',
    summary: 'A customer with its balance',
    answers: { status: 200, shape: 'envelope', schema: CustomerDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const customer = await this.queries.execute(new GetCustomer(tenantScope(tenantId), id));
    return answer(customer, { revision: customer.revision });
  }

  @Endpoint({
    ...read,
    method: 'PATCH',
    permission: 'customers.write',
    path: '/api/customers/:id',
    summary: 'Change a customer',
    body: UpdateCustomer.schema,
    answers: { status: 201, shape: 'command' },
  })
  update(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof UpdateCustomer.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new UpdateCustomer({ tenantId, id }, body));
  }

  @Endpoint({
    ...read,
    method: 'DELETE',
    permission: 'customers.write',
    path: '/api/customers/:id',
    summary: 'Delete a customer that has no transactions',
    answers: { status: 201, shape: 'command' },
  })
  delete(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    return this.gateway.send(new DeleteCustomer({ tenantId, id }, {}));
  }

  @Endpoint({
    ...read,
    permission: 'transactions.read',
    path: '/api/customers/:id/transactions',
    summary: 'Transactions of a customer, newest first',
    query: transactionsQuery,
    answers: { status: 200, shape: 'page', schema: TransactionDto },
  })
  transactions(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Query() query: z.output<typeof transactionsQuery>,
  ): Promise<unknown> {
    return this.queries.execute(new ListCustomerTransactions(tenantScope(tenantId), id, query));
  }
}
