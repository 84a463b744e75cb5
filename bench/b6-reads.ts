import type { Tenant } from './b6-history.js';

type Random = () => number;
/** A kind of request. `paths` returns the path of the next request. */
export type Read = { readonly name: string; readonly paths: (random: Random) => string };

const PAGE_SIZE = 100;
const int = (random: Random, below: number): number => Math.floor(random() * below);
const pick = <T>(random: Random, from: readonly T[]): T => from[int(random, from.length)] as T;

const NAMES = [
  'Ada',
  'Ayşe',
  'Çağla',
  'Mehmet',
  'mustafa',
  'IŞIL',
  'ıstanbul',
  'Yılmaz',
  'öztürk',
  'Müller',
  'schmidt',
];
const TEXTS = [
  'kira',
  'Kira İstanbul',
  'fatura',
  'office',
  'bank fee',
  'maaş',
  'consulting Köln',
  'web-0004711',
  'INV-2024',
];
/** Prefixes that match a large share of the records. */
const BROAD = ['a', 'm', 's', 'y', 'i', 'sale', 'pay', 'web', 'of', 'inv', 'mu', 'is', 'sa web', 'w 0', 'k i'];

const day = (random: Random, year = 2023 + int(random, 3)): string =>
  `${year}-${String(1 + int(random, 12)).padStart(2, '0')}-${String(1 + int(random, 28)).padStart(2, '0')}`;

type Query = Readonly<Record<string, string | number>>;

const list = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams({ pageNumber: '1', pageSize: String(PAGE_SIZE), ...(query as Record<string, string>) }).toString()}`;
const transactions = (query: Query): string => list('/api/transactions', query);
const beginning = (random: Random): string => pick(random, NAMES).slice(0, 2 + int(random, 6));
const narrow = (random: Random): string => (random() < 0.5 ? beginning(random) : pick(random, TEXTS));
const statement = (account: string, from: string, to: string): string =>
  `/api/accounts/${account}/statement?beginDate=${from}&endDate=${to}`;

type Filter = (random: Random) => Record<string, string>;

/** A narrow range, a range of any width, or a range without an upper bound. Amounts are less than 5,000. */
const amounts: Filter = (random) => {
  const least = int(random, 5_000);
  const most = least + (random() < 0.5 ? 1 : 1 + int(random, 5_000 - least));
  return { amountMin: `${least}.00`, ...(random() < 0.7 && { amountMax: `${most}.00` }) };
};

/** Filters whose values are ordered from common to rare. All values are chosen with equal probability. */
const filtersOf = (tenant: Tenant, customers: readonly string[]): readonly Filter[] => [
  (random) => ({ customerId: random() < 0.3 ? (customers[0] ?? '') : pick(random, customers) }),
  (random) => ({ accountId: pick(random, tenant.money) }),
  (random) => ({ categoryId: pick(random, tenant.categories) }),
  (random) => ({ branchId: pick(random, tenant.branches) }),
  (random) => ({
    type: pick(random, [
      'COLLECTION',
      'PAYMENT',
      'TRANSFER',
      'ADJUSTMENT',
      'OPENING_BALANCE',
      'INVOICE',
      'RETURN',
      'CANCELLATION',
    ]),
  }),
  (random) => ({ direction: pick(random, ['IN', 'OUT']) }),
  (random) => ({ expenseItemId: pick(random, tenant.expenses) }),
  () => ({ showSystemGenerated: 'false' }),
  (random) => ({ beginDate: day(random, 2023), endDate: day(random, 2025) }),
  amounts,
];

/** Requests of every kind in B6, with parameters that match many, some or very few records. */
export function readsOf(tenant: Tenant, customers: readonly string[], size: number): Read[] {
  const lastPage = Math.floor(size / PAGE_SIZE);
  const farPage = (random: Random, last = lastPage) => Math.min(last, 1_000) - int(random, 10);
  const filters = filtersOf(tenant, customers);
  const several = (random: Random): Record<string, string> => {
    const query: Record<string, string> = {};
    const wanted = 2 + int(random, 4);
    while (Object.keys(query).length < wanted) Object.assign(query, pick(random, filters)(random));
    return query;
  };
  return [
    { name: 'transactions, page 1', paths: () => transactions({}) },
    { name: 'transactions, page 1,000', paths: (random) => transactions({ pageNumber: farPage(random) }) },
    { name: 'one filter', paths: (random) => transactions(pick(random, filters)(random)) },
    {
      name: 'one filter, a later page',
      paths: (random) => transactions({ direction: 'IN', pageNumber: 1 + int(random, lastPage / 5) }),
    },
    { name: 'a range of amounts', paths: (random) => transactions(amounts(random)) },
    {
      name: 'a range of amounts, a later page',
      paths: (random) => transactions({ amountMin: '1000.00', pageNumber: 1 + int(random, lastPage / 5) }),
    },
    { name: 'two to five filters', paths: (random) => transactions(several(random)) },
    { name: 'search', paths: (random) => transactions({ search: narrow(random) }) },
    { name: 'search, broad', paths: (random) => transactions({ search: pick(random, BROAD) }) },
    {
      name: 'search with filters',
      paths: (random) => transactions({ search: narrow(random), ...pick(random, filters)(random) }),
    },
    {
      name: "a customer's transactions",
      paths: (random) => list(`/api/customers/${pick(random, customers)}/transactions`, {}),
    },
    { name: 'customers, page 1', paths: () => list('/api/customers', {}) },
    {
      name: 'customers, page 1,000',
      paths: (random) =>
        list('/api/customers', { pageNumber: Math.max(1, farPage(random, Math.floor((lastPage / 10) * 0.94))) }),
    },
    { name: 'customers, search', paths: (random) => list('/api/customers', { search: beginning(random) }) },
    {
      name: 'customers, look-up',
      paths: (random) =>
        `/api/customers/lookup?search=${encodeURIComponent(random() < 0.3 ? pick(random, BROAD) : beginning(random))}`,
    },
    { name: 'accounts, search', paths: (random) => list('/api/accounts', { search: beginning(random) }) },
    {
      name: 'statement of a customer, a year',
      paths: (random) => statement(pick(random, customers.slice(1)), `${2023 + int(random, 3)}-01-01`, '2025-12-31'),
    },
    {
      name: 'statement of a bank account, a day',
      paths: (random) => {
        const of = day(random);
        return statement(pick(random, tenant.money), of, of);
      },
    },
  ];
}
