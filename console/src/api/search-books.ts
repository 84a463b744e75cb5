import { allCategoriesQuery, ownAccounts } from './books';
import { api, whole } from './client';
import { ownKeysQuery } from './keys';
import { NAMES_MS, queryClient } from './queries';
import { ALL, cached, isId, loaded, searched, type Kind } from './search-kind';
import { webhooksQuery } from './webhooks';
import { amountOf, amountWords } from '../parts/amount';
import { dayWords } from '../parts/day';
import { REPORTS } from '../parts/report-words';
import { t } from '../messages/catalogue';

/** Matches an amount that the service can search for. */
const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,4})?$/;
const ONE = { pageNumber: 1, pageSize: 1 } as const;

const texts = (...parts: readonly (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');
const money = (amount: string, currency: string): string => `${amountWords(amount)} ${currency}`;

/** What a tenant's users can find, in the order in which it is shown. */
export const BOOKS: readonly Kind[] = [
  loaded({
    page: '/reports',
    load: () => Promise.resolve(REPORTS),
    textOf: ([, title]) => title,
    foundOf: ([name, title]) => ({ name: title, link: { to: '/reports/$name', params: { name } } }),
  }),
  searched({
    page: '/customers',
    ask: (query, signal) => whole(api.GET('/api/customers', { params: { query }, signal })),
    one: (id, signal) => api.GET('/api/customers/{id}', { params: { path: { id } }, signal }),
    foundOf: ({ id, name, code }) => ({ name: `${name}, ${code}`, link: { to: '/customers/$id', params: { id } } }),
  }),
  searched({
    page: '/sales',
    ask: (query, signal) => whole(api.GET('/api/sales', { params: { query }, signal })),
    one: (id, signal) => api.GET('/api/sales/{id}', { params: { path: { id } }, signal }),
    foundOf: ({ id, date, total, currency, externalId, customerName }) => ({
      name: texts(externalId, dayWords(date), money(total, currency), customerName),
      link: { to: '/sales/$id', params: { id } },
    }),
  }),
  searched({
    page: '/transactions',
    ask: (query, signal) => whole(api.GET('/api/transactions', { params: { query }, signal })),
    one: (id, signal) => api.GET('/api/transactions/{id}', { params: { path: { id } }, signal }),
    foundOf: ({ id, date, amount, currency, description, reference }) => ({
      name: texts(dayWords(date), money(amount, currency), reference, description),
      link: { to: '/transactions/$id', params: { id } },
    }),
  }),
  {
    page: '/transactions',
    find: async (search, signal) => {
      const amount = amountOf(search);
      if (!AMOUNT.test(amount)) return [];
      const exactly = { amountMin: amount, amountMax: amount };
      const { totalCount } = await whole(
        api.GET('/api/transactions', { params: { query: { ...ONE, ...exactly } }, signal }),
      );
      const name = t('{n, plural, one {# transaction} other {# transactions}} with the amount {amount}', {
        n: totalCount,
        amount: amountWords(amount),
      });
      return totalCount === 0 ? [] : [{ name, link: { to: '/transactions', search: exactly } }];
    },
  },
  cached({
    page: '/accounts',
    key: 'accounts',
    filters: ownAccounts,
    ask: (page, signal) => whole(api.GET('/api/accounts', { params: { query: { ...page, ...ownAccounts } }, signal })),
    textOf: ({ code, name }) => `${code ?? ''} ${name}`,
    foundOf: ({ id, code, name }) => ({ name: texts(code, name), link: { to: '/accounts/$id', params: { id } } }),
  }),
  cached({
    page: '/branches',
    key: 'branches',
    ask: (query, signal) => whole(api.GET('/api/branches', { params: { query }, signal })),
    textOf: ({ code, name }) => `${code} ${name}`,
    foundOf: ({ code, name }) => ({ name: texts(code, name), link: { to: '/branches', search: { search: code } } }),
  }),
  loaded({
    page: '/categories',
    load: () => queryClient.query({ ...allCategoriesQuery, staleTime: NAMES_MS }),
    textOf: ({ name }) => name,
    foundOf: ({ name }) => ({ name, link: { to: '/categories', search: { search: name } } }),
  }),
  loaded({
    page: '/partner-keys',
    load: () => queryClient.query({ ...ownKeysQuery, staleTime: NAMES_MS }),
    textOf: ({ name, sourceId }) => `${name} ${sourceId}`,
    foundOf: ({ name, sourceId }) => ({
      name: texts(name, sourceId),
      link: { to: '/partner-keys', search: { search: name } },
    }),
  }),
  loaded({
    page: '/webhooks',
    load: async () => (await queryClient.query({ ...webhooksQuery(ALL), staleTime: NAMES_MS })).items,
    textOf: ({ url, description }) => `${url} ${description ?? ''}`,
    foundOf: ({ id, url, description }) => ({
      name: texts(description, url),
      link: { to: '/webhooks/$id', params: { id } },
    }),
  }),
  cached({
    page: '/users',
    key: 'users',
    ask: (query, signal) => whole(api.GET('/api/users', { params: { query }, signal })),
    textOf: ({ fullName, email }) => `${fullName} ${email}`,
    foundOf: ({ fullName, email }) => ({
      name: texts(fullName, email),
      link: { to: '/users', search: { search: email } },
    }),
  }),
  {
    page: '/audit-log',
    find: async (search, signal) => {
      if (!isId(search)) return [];
      const { totalCount } = await whole(api.GET('/api/audit-logs', { params: { query: { ...ONE, search } }, signal }));
      const name = t('Entries that contain {search}', { search });
      return totalCount === 0 ? [] : [{ name, link: { to: '/audit-log', search: { search } } }];
    },
  },
];
