import { z } from 'zod';
import { DocumentEffect, TransactionType } from '../aggregates/ledger.js';
import { dateInput, idInput, queryBooleanOr, requiredPaging, searchInput } from './input.js';
import { dateOut, named, recordFields } from './shapes.js';

const text = z.string().nullable();
const Direction = z.enum(['IN', 'OUT']);

export const TransactionDto = named(
  'TransactionDto',
  z.object({
    ...recordFields,
    date: dateOut,
    type: TransactionType.nullable(),
    documentEffect: DocumentEffect.nullable(),
    direction: Direction.nullable(),
    amount: z.string(),
    currency: z.string(),
    customerId: text,
    customerName: text,
    accountId: text,
    accountName: text,
    counterAccountId: text,
    expenseItemId: text,
    categoryId: text,
    categoryName: text,
    categorizedBy: z.object({ ruleId: z.string(), source: z.enum(['SEED', 'LEARNED', 'MANUAL']) }).nullable(),
    branchId: text,
    description: text,
    reference: text,
    systemGenerated: z.boolean(),
    sourceId: text,
    externalId: text,
    saleId: text,
    isCancelled: z.boolean(),
    reversalOf: text,
    createdBy: text,
    postings: z.array(z.object({ accountId: z.string(), amount: z.string() })),
  }),
);

/** Query parameters of both lists of transactions. */
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

/** Those of the list over all customers. */
export const allTransactionFilters = {
  ...transactionFilters,
  customerId: idInput.optional(),
  categoryId: idInput.optional(),
  branchId: idInput.optional(),
} as const;
