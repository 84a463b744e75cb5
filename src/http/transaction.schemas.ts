import { z } from 'zod';
import { Direction } from '../aggregates/fields.js';
import { DocumentEffect, transactionRecord, TransactionType } from '../aggregates/ledger.js';
import { dateInput, idInput, queryBooleanOr, requiredPaging, searchInput } from './input.js';
import { recordDto } from './record-shapes.js';

const text = z.string().nullable();
export const TransactionDto = recordDto('TransactionDto', transactionRecord, {
  customerName: text,
  accountName: text,
  categoryName: text,
  categorizedBy: z.object({ ruleId: z.string(), source: z.enum(['SEED', 'LEARNED', 'MANUAL']) }).nullable(),
  isCancelled: z.boolean(),
  createdBy: text,
});

/** Query parameters of both transaction lists. */
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

/** Query parameters of the list over all customers. */
export const allTransactionFilters = {
  ...transactionFilters,
  customerId: idInput.optional(),
  categoryId: idInput.optional(),
  branchId: idInput.optional(),
} as const;
