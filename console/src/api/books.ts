import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Source } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';
import type { paths } from '../../../clients/typescript/src/schema';

export type Customer = Shapes['CustomerDto'];
export type Transaction = Shapes['TransactionDto'];
export type Category = Shapes['TransactionCategoryDto'];
export type Statement = Shapes['StatementDto'];
type CustomerFilters = paths['/api/customers']['get']['parameters']['query'];
type TransactionFilters = paths['/api/transactions']['get']['parameters']['query'];

export const customersQuery = (query: CustomerFilters) =>
  queryOptions({
    queryKey: ['customers', query],
    queryFn: ({ signal }) => whole(api.GET('/api/customers', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customer', id],
    queryFn: ({ signal }) => data(api.GET('/api/customers/{id}', { params: { path: { id } }, signal })),
  });

export type Period = { readonly beginDate?: string | undefined; readonly endDate?: string | undefined };

export const statementQuery = (id: string, query: Period) =>
  queryOptions({
    queryKey: ['statement', id, query],
    queryFn: async ({ signal }): Promise<Statement> => {
      const answer = await whole(api.GET('/api/accounts/{id}/statement', { params: { path: { id }, query }, signal }));
      // The OpenAPI document also allows CSV, for clients that request it.
      if (typeof answer === 'string') throw new TypeError('The statement has an unexpected format.');
      return answer.data;
    },
    placeholderData: keepPreviousData,
  });

export const transactionsQuery = (query: TransactionFilters) =>
  queryOptions({
    queryKey: ['transactions', query],
    queryFn: ({ signal }) => whole(api.GET('/api/transactions', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const transactionQuery = (id: string) =>
  queryOptions({
    queryKey: ['transaction', id],
    queryFn: ({ signal }) => data(api.GET('/api/transactions/{id}', { params: { path: { id } }, signal })),
  });

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) => data(api.GET('/api/transaction-categories', { signal })),
  staleTime: 30_000,
});

const queryOf = (search: string) => (search === '' ? {} : { search });

export const customerSource: Source = {
  key: ['customer-choice'],
  find: (search, signal) => data(api.GET('/api/customers/lookup', { params: { query: queryOf(search) }, signal })),
  nameOf: async (id, signal) => (await data(api.GET('/api/customers/{id}', { params: { path: { id } }, signal }))).name,
};

export const accountSource: Source = {
  key: ['account-choice'],
  find: (search, signal) => data(api.GET('/api/accounts/lookup', { params: { query: queryOf(search) }, signal })),
  nameOf: async (id, signal) => (await data(api.GET('/api/accounts/{id}', { params: { path: { id } }, signal }))).name,
};

export const branchSource: Source = {
  key: ['branch-choice'],
  find: (search, signal) => data(api.GET('/api/branches/lookup', { params: { query: queryOf(search) }, signal })),
  nameOf: async (id, signal) => (await data(api.GET('/api/branches/{id}', { params: { path: { id } }, signal }))).name,
};
