import { Controller, Inject, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { GetTransaction, ListTransactions } from '../queries/transaction.queries.js';
import { answer, type Answer } from './answer.js';
import { Caller, Endpoint } from './endpoint.js';
import { allTransactionFilters, TransactionDto } from './transaction.schemas.js';

const listQuery = z.strictObject(allTransactionFilters);

@Controller()
export class TransactionController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

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
}
