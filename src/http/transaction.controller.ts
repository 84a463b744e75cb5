import { Controller, Inject, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { z } from 'zod';
import type { UserPrincipal } from '../platform/principal.js';
import { tenantScope } from '../ports/read-store.js';
import { ListTransactions } from '../queries/transaction.queries.js';
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
}
