import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { askAgain } from './ask-again';
import type { Source } from '../parts/remote-choice';
import { api, data, whole, type Shapes } from './client';
import { NAMES_MS, queryClient } from './queries';
import type { paths } from '../../../clients/typescript/src/schema';

export type Customer = Shapes['CustomerDto'];
export type Transaction = Shapes['TransactionDto'];
export type Category = Shapes['TransactionCategoryDto'];
export type Account = Shapes['AccountDto'];
export type Branch = Shapes['BranchDto'];
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
      // The OpenAPI document also permits CSV for clients that request it.
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

const categories = async (includeArchived: boolean, signal: AbortSignal) =>
  data(api.GET('/api/transaction-categories', { params: { query: { includeArchived } }, signal }));

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) => categories(false, signal),
  staleTime: 30_000,
});

/** All categories, including archived ones. */
export const allCategoriesQuery = queryOptions({
  queryKey: ['categories', 'all'],
  queryFn: ({ signal }) => categories(true, signal),
});

type AccountFilters = paths['/api/accounts']['get']['parameters']['query'];
type BranchFilters = paths['/api/branches']['get']['parameters']['query'];

export const accountsQuery = (query: AccountFilters) =>
  queryOptions({
    queryKey: ['accounts', query],
    queryFn: ({ signal }) => whole(api.GET('/api/accounts', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', 'one', id],
    queryFn: ({ signal }) => data(api.GET('/api/accounts/{id}', { params: { path: { id } }, signal })),
  });

export const branchesQuery = (query: BranchFilters) =>
  queryOptions({
    queryKey: ['branches', query],
    queryFn: ({ signal }) => whole(api.GET('/api/branches', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const branchQuery = (id: string) =>
  queryOptions({
    queryKey: ['branches', 'one', id],
    queryFn: ({ signal }) => data(api.GET('/api/branches/{id}', { params: { path: { id } }, signal })),
  });

const queryOf = (search: string) => (search === '' ? {} : { search });

const CHOICES = { pageNumber: 1, pageSize: 20 };

/** Active customers, with their codes and balances. */
export const customerSource: Source = {
  key: ['customer-choice'],
  find: async (search, signal) =>
    (await whole(api.GET('/api/customers', { params: { query: { ...CHOICES, ...queryOf(search) } }, signal }))).items,
  nameOf: async (id, signal) => (await data(api.GET('/api/customers/{id}', { params: { path: { id } }, signal }))).name,
};

export type AccountType = Account['type'];

const OWN_TYPES: readonly AccountType[] = [
  ...(['CASH', 'BANK', 'POS', 'CREDIT_CARD', 'OTHER', 'SUPPLIER', 'EMPLOYEE'] as const),
  ...(['EXPENSE', 'INCOME', 'TAX', 'EQUITY'] as const),
];
/** Selects all accounts except customer accounts. */
export const ownAccounts = { type: [...OWN_TYPES] };
/** Accounts whose names are loaded together, so that the names in a journal entry require only one request. */
const OWN_ACCOUNTS = { pageNumber: 1, pageSize: 100, ...ownAccounts };

/** Active accounts of all types or of the given types, with their codes and balances. */
export const accountsOf = (...type: AccountType[]): Source => ({
  key: ['account-choice', ...type],
  find: async (search, signal) => {
    const query = {
      ...CHOICES,
      ...queryOf(search),
      isActive: true,
      sort: 'name' as const,
      ...(type.length > 0 && { type }),
    };
    return (await whole(api.GET('/api/accounts', { params: { query }, signal }))).items;
  },
  nameOf: async (id) => {
    const { items } = await queryClient.query({ ...accountsQuery(OWN_ACCOUNTS), staleTime: NAMES_MS });
    return (items.find((each) => each.id === id) ?? (await queryClient.query(accountQuery(id)))).name;
  },
});

export const accountSource = accountsOf();
export const moneySource = accountsOf('CASH', 'BANK', 'POS', 'CREDIT_CARD', 'OTHER');
export const payeeSource = accountsOf('SUPPLIER', 'EMPLOYEE');
export const expenseSource = accountsOf('EXPENSE');
/** The tenant's own accounts: all accounts except customer accounts. */
export const ownSource = accountsOf(...OWN_TYPES);

export const branchSource: Source = {
  key: ['branch-choice'],
  find: (search, signal) => data(api.GET('/api/branches/lookup', { params: { query: queryOf(search) }, signal })),
  nameOf: async (id, signal) => (await data(api.GET('/api/branches/{id}', { params: { path: { id } }, signal }))).name,
};

/** Categories, excluding archived ones. */
export const categorySource: Source = {
  key: ['categories', 'choice'],
  find: async (search, signal) =>
    (await categories(false, signal)).filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
  nameOf: async (id) =>
    (await queryClient.query({ ...allCategoriesQuery, staleTime: NAMES_MS })).find((each) => each.id === id)?.name ??
    id,
};

const OF_BOOKS = ['transaction', 'transactions', 'statement', 'customer', 'customers', 'accounts', 'sales', 'sale'];

/** Reloads all data that a change to the books may affect, including record timelines. */
export function changedBooks(cache: QueryClient): void {
  for (const key of [...OF_BOOKS, 'report', 'periods', 'account-choice', 'customer-choice', 'tenant-audit'])
    askAgain(cache, [key]);
}

/** Active branches, identified by the codes that sales contain. */
export const branchCodeSource: Source = {
  key: ['branch-choice', 'code'],
  find: async (search, signal) => {
    const { items } = await whole(
      api.GET('/api/branches', { params: { query: { ...CHOICES, ...queryOf(search) } }, signal }),
    );
    return items.filter(({ isActive }) => isActive).map(({ code, name }) => ({ id: code, name, code }));
  },
  nameOf: (code) => Promise.resolve(code),
};
