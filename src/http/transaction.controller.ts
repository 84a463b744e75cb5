import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import { fieldHashes } from '../aggregates/request-digest.js';
import { keyedTransactionId } from '../aggregates/transaction.aggregate.js';
import { CancelTransaction, CategorizeTransaction } from '../commands/transaction-change.commands.js';
import { CreateTransaction } from '../commands/transaction.commands.js';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { IDS, type Ids } from '../ports/time.js';
import { GetTransaction, ListTransactions } from '../queries/transaction.queries.js';
import { answer, type Answer } from './answer.js';
import { CommandGateway } from './command-gateway.js';
import { Caller, Endpoint, IdempotencyKey, Received } from './endpoint.js';
import { allTransactionFilters, TransactionDto } from './transaction.schemas.js';

const listQuery = z.strictObject(allTransactionFilters);

const write = { method: 'POST', who: 'tenant', permission: 'transactions.write', tag: 'Transactions' } as const;

@Controller()
export class TransactionController {
  constructor(
    @Inject(CommandGateway) private readonly gateway: CommandGateway,
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/transactions',
    who: 'tenant',
    permission: 'transactions.read',
    tag: 'Transactions',
    summary: 'Transactions, newest first',
    query: listQuery,
    answers: { status: 200, shape: 'page', schema: TransactionDto },
  })
  list(@Caller() { tenantId }: UserPrincipal, @Query() query: z.output<typeof listQuery>): Promise<unknown> {
    return this.queries.execute(new ListTransactions(tenantScope(tenantId), query));
  }

  @Endpoint({
    method: 'GET',
    path: '/api/transactions/:id',
    who: 'tenant',
    permission: 'transactions.read',
    tag: 'Transactions',
    summary: 'A transaction with its postings',
    answers: { status: 200, shape: 'envelope', schema: TransactionDto, etag: true },
  })
  async get(@Caller() { tenantId }: UserPrincipal, @Param('id') id: string): Promise<Answer> {
    const transaction = await this.queries.execute(new GetTransaction(tenantScope(tenantId), id));
    return answer(transaction, { revision: transaction.revision });
  }

  @Endpoint({
    ...write,
    path: '/api/transactions',
    summary: 'Record a transaction; safe to retry with an Idempotency-Key',
    body: CreateTransaction.schema,
    idempotencyKey: true,
    answers: {
      status: 201,
      shape: 'command',
      also: { 200: 'Replayed: the answer that the same request with this Idempotency-Key got before.' },
    },
  })
  async create(
    @Caller() { tenantId }: UserPrincipal,
    @Body() body: z.output<typeof CreateTransaction.schema>,
    @Received() received: object,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Answer> {
    const id = key === undefined ? this.ids.next() : keyedTransactionId(tenantId, key);
    const create = new CreateTransaction({ tenantId, id }, body);
    if (key !== undefined) create.fieldHashes = fieldHashes(received);
    const { revision, position, isReplay } = await this.commands.execute(create);
    const settled = await this.gateway.settled(position);
    return answer({ success: true, id, revision }, { ...settled, ...(isReplay && { status: 200, replayed: true }) });
  }

  @Endpoint({
    ...write,
    path: '/api/transactions/:id/cancel',
    summary: 'Undo a transaction by its reversal, dated today',
    ifMatch: true,
    body: CancelTransaction.schema,
    answers: { status: 201, shape: 'command' },
  })
  cancel(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof CancelTransaction.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new CancelTransaction({ tenantId, id }, body));
  }
  @Endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/transactions/:id/category',
    summary: 'Choose the category of a transaction, or that it has none; no rule overrides it',
    body: CategorizeTransaction.schema,
    answers: { status: 200, shape: 'command' },
  })
  categorize(
    @Caller() { tenantId }: UserPrincipal,
    @Param('id') id: string,
    @Body() body: z.output<typeof CategorizeTransaction.schema>,
  ): Promise<Answer> {
    return this.gateway.send(new CategorizeTransaction({ tenantId, id }, body));
  }
}
