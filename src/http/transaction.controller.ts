import { z } from 'zod';
import { fieldHashes } from '../aggregates/request-key.aggregate.js';
import { keyedTransactionId } from '../aggregates/transaction.aggregate.js';
import { CancelTransaction, CategorizeTransaction, CreateTransaction } from '../commands/transaction.commands.js';
import { GetTransaction, ListTransactions } from '../queries/transaction.queries.js';
import { controllerOf, receipt, routesAt } from './routes.js';
import { allTransactionFilters, TransactionDto } from './transaction.schemas.js';

const listQuery = z.strictObject(allTransactionFilters);

const read = routesAt('/api/transactions', { who: 'tenant', permission: 'transactions.read', tag: 'Transactions' });
const write = routesAt('/api/transactions', { who: 'tenant', permission: 'transactions.write', tag: 'Transactions' });

export const TransactionController = controllerOf(
  read.list('List transactions, newest first', listQuery, TransactionDto, ListTransactions),
  read.get('Get a transaction with its postings', TransactionDto, GetTransaction),
  write.route(
    'Record a transaction; retries with an Idempotency-Key are safe',
    {
      method: 'POST',
      body: CreateTransaction.schema,
      idempotencyKey: true,
      answers: {
        ...receipt(201),
        also: { 200: 'Replayed: the answer to the first request with this Idempotency-Key, byte for byte.' },
      },
    },
    async ({ tenantId, id: newId, body, received, idempotencyKey: key }, services) => {
      const id = key === undefined ? newId : keyedTransactionId(tenantId, key);
      const create = new CreateTransaction({ tenantId, id }, body);
      if (key !== undefined) create.fieldHashes = fieldHashes(received);
      const result = await services.commands.execute(create);
      const { revision, isReplay } = result;
      return services.settled({ success: true, id, revision }, result, isReplay ? { status: 200, replayed: true } : {});
    },
  ),
  write.change(
    'Cancel a transaction by a reversal dated today',
    { path: '/:id/cancel', ifMatch: true },
    CancelTransaction,
  ),
  write.change(
    'Set or clear the category of a transaction; rules no longer change it',
    { method: 'PATCH', path: '/:id/category' },
    CategorizeTransaction,
  ),
);
