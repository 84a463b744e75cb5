import { z } from 'zod';
import { Direction } from '../aggregates/fields.js';
import { DocumentEffect, transactionRecord, TransactionType } from '../aggregates/ledger.js';
import { MoneyOrZeroInput } from '../aggregates/money.js';
import { fieldHashes } from '../aggregates/request-key.aggregate.js';
import { keyedTransactionId } from '../aggregates/transaction.aggregate.js';
import {
  CancelTransaction,
  CategorizeTransaction,
  CorrectTransaction,
  CreateTransaction,
} from '../commands/transaction.commands.js';
import { EachTransaction, GetTransaction, ListTransactions } from '../queries/transaction.queries.js';
import { dateInput, idInput, queryBoolean, queryBooleanOr, requiredPaging, searchInput } from './input.js';
import { recordDto } from './record-shapes.js';
import { controllerOf, receipt, tenantRoutes } from './routes.js';
import { dateOut, recordId } from './shapes.js';

const text = z.string().nullable();
export const TransactionDto = recordDto('TransactionDto', transactionRecord, {
  customerName: text,
  accountName: text,
  categoryName: text,
  categorizedBy: z.object({ ruleId: z.string(), source: z.enum(['SEED', 'LEARNED', 'MANUAL']) }).nullable(),
  isCancelled: z.boolean(),
  reversedBy: z
    .object({ transactionId: recordId, reason: text, date: dateOut, userId: text, userName: text })
    .nullable()
    .meta({ description: 'The reversal of a cancelled transaction.' }),
  reason: text.meta({ description: 'Reason given by a user for this reversal.' }),
  correctionOf: text.meta({ description: 'The cancelled transaction that this transaction replaces.' }),
  correctedBy: text.meta({ description: 'The transaction that replaces this transaction.' }),
  createdBy: text,
  createdByName: text,
});

/** Query parameters for the list of all transactions and the list of a customer's transactions. */
export const transactionFilters = {
  ...requiredPaging,
  search: searchInput.optional(),
  accountId: idInput.optional(),
  expenseItemId: idInput.optional(),
  beginDate: dateInput.optional(),
  endDate: dateInput.optional(),
  type: z.enum([...TransactionType.options, ...DocumentEffect.options]).optional(),
  direction: Direction.optional(),
  showSystemGenerated: queryBooleanOr(true),
} as const;

const listQuery = z.strictObject({
  ...transactionFilters,
  customerId: idInput.optional(),
  categoryId: idInput.optional(),
  branchId: idInput.optional(),
  amountMin: MoneyOrZeroInput.optional(),
  amountMax: MoneyOrZeroInput.optional(),
  isCancelled: queryBoolean.optional(),
});

const { read, write } = tenantRoutes('/api/transactions', 'Transactions', 'transactions');

export const TransactionController = controllerOf(
  read.listWithCsv('List transactions, newest first', listQuery, TransactionDto, [ListTransactions, EachTransaction]),
  read.get('Get a transaction with its postings', TransactionDto, GetTransaction),
  write.route(
    'Record a transaction',
    {
      method: 'POST',
      description: 'Retries with the same `Idempotency-Key` header are safe.',
      body: CreateTransaction.schema,
      idempotencyKey: true,
      answers: {
        ...receipt(201),
        also: { 200: 'Replay of the response to the first request with this idempotency key, byte for byte.' },
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
  write.command(
    'Cancel a transaction with a reversal, dated today by default',
    { path: '/:id/cancel', ifMatch: true, creates: {}, body: CancelTransaction.schema },
    ({ target, body, newId }) => new CancelTransaction(target, body, newId),
  ),
  write.command(
    'Cancel a transaction and record its replacement',
    {
      path: '/:id/correct',
      description: 'The response contains the id of the replacement.',
      ifMatch: true,
      creates: {},
      body: CorrectTransaction.schema,
    },
    ({ target, body, newId }) => new CorrectTransaction(target, body, newId),
  ),
  write.change(
    "Set or clear a transaction's category",
    { method: 'PATCH', path: '/:id/category', description: 'Rules do not override this choice.' },
    CategorizeTransaction,
  ),
);
