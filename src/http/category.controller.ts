import { z } from 'zod';
import { categoryRecord } from '../aggregates/category.aggregate.js';
import {
  ArchiveTransactionCategory,
  CreateTransactionCategory,
  RestoreTransactionCategory,
  UpdateTransactionCategory,
} from '../commands/category.commands.js';
import { ListCategories } from '../queries/category.queries.js';
import { csvAnswer, csvColumns, orTable } from './csv.js';
import { queryBooleanOr } from './input.js';
import { recordDto } from './record-shapes.js';
import { controllerOf, tenantRoutes, valueOf } from './routes.js';

export const TransactionCategoryDto = recordDto('TransactionCategoryDto', categoryRecord, {
  ruleCount: z.int().min(0),
});

const listQuery = z.strictObject({ includeArchived: queryBooleanOr(false) });

const { read, write } = tenantRoutes('/api/transaction-categories', 'Transaction Categories', 'categories');

export const CategoryController = controllerOf(
  read.query(
    'List categories by name',
    {
      description: 'The list is sorted alphabetically, ignoring case and accents.',
      query: listQuery,
      answers: { ...valueOf(z.array(TransactionCategoryDto)), media: ['text/csv'] },
    },
    ({ scope, query }) => new ListCategories(scope, query.includeArchived),
    orTable((categories) => csvAnswer(categories, csvColumns(TransactionCategoryDto), 'transaction-categories.csv')),
  ),
  write.change('Create a category', { creates: {} }, CreateTransactionCategory),
  write.change('Update a category', { method: 'PATCH', path: '/:id' }, UpdateTransactionCategory),
  write.change(
    'Archive a category',
    {
      method: 'DELETE',
      path: '/:id',
      description: 'Existing transactions keep the category, but new transactions cannot use it.',
    },
    ArchiveTransactionCategory,
  ),
  write.change('Restore an archived category', { method: 'PATCH', path: '/:id/restore' }, RestoreTransactionCategory),
);
