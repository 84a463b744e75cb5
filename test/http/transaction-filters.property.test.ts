import type { AccountRecord, CustomerRecord } from '../../src/queries/account.queries.js';
import type { CategoryRecord } from '../../src/queries/category.queries.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import type { UserRecord } from '../../src/queries/user.queries.js';
import { Bookkeeper } from '../support/bookkeeper.js';
import { stepsOf, TEXTS, type Step } from '../support/bookkeeping-steps.js';
import { everyPage } from '../support/list-pages.js';
import { mulberry32 } from '../support/manual-clock.js';
import { naivelyFinds } from '../support/naive-search.js';
import { ApiDocument } from '../support/route-table.js';
import { TestService } from '../support/service.js';

/*
 * Tests every set of a list's filters, with values that match many, few or no records. The results must equal those of
 * the simplest possible filter over all records. STEPS sets the number of bookkeeping steps, ROUNDS the number of tests
 * of each set. SEED reproduces an earlier run.
 */

const STEPS = Number(process.env['STEPS'] ?? 430);
const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
const seed = Number(process.env['SEED'] ?? Date.now() % 2_147_483_647);
const AT_ONCE = 8;
/** Maximum number of pages, except in paging tests. */
const MOST_PAGES = 3;
const NOBODY = '01900000-0000-7000-8000-000000000000';

const random = mulberry32(seed);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

let service: TestService;
let keeper: Bookkeeper;
let document: ApiDocument;
/** All transactions, newest first. */
let all: readonly TransactionRecord[];
beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  service = await TestService.start();
  document = new ApiDocument(service.service.openApi());
  keeper = await Bookkeeper.open(service, 'EUR');
  const take = async (steps: readonly Step[]): Promise<void> => {
    for (const [index, step] of steps.entries()) {
      await keeper.take(index % 2 === 0 ? step : withEverything(step));
      if (index % 20 === 0) await keeper.compare();
    }
    all = await keeper.compare();
  };
  const kinds = [
    ...(['customer', 'account', 'entry', 'journal', 'sale', 'return', 'cancellation', 'cancel'] as const),
    ...(['correct', 'categorize'] as const),
  ];
  await take([
    ...(['EXPENSE', 'SUPPLIER', 'EMPLOYEE'] as const).map((type): Step => ({
      kind: 'account',
      type,
      isActive: true,
      isDefault: false,
    })),
    ...stepsOf(['customer', 'account'], 30, seed),
    ...stepsOf([...kinds, 'change customer', 'delete customer'], STEPS, seed),
  ]);
  // Takes more steps if necessary, because some seeds cause many rejections, or produce no transactions of some kinds.
  for (let more = 1; more <= 5 && lacks(all).length > 0; more += 1)
    await take(stepsOf(kinds, STEPS / 4, seed + more).map(withoutRejections));
});
afterAll(() => service.close());

/** Lists the kinds of record that the filters require but that do not exist yet. */
function lacks(records: readonly TransactionRecord[]): string[] {
  const has = (check: (record: TransactionRecord) => boolean): boolean => records.some(check);
  return [
    ...(records.length < Math.min(300, STEPS / 2) ? [`${records.length} transactions`] : []),
    ...(['COLLECTION', 'PAYMENT', 'TRANSFER', 'ADJUSTMENT', 'OPENING_BALANCE', 'JOURNAL'] as const).filter(
      (wanted) => !has(({ type }) => type === wanted),
    ),
    ...(['INVOICE', 'RETURN', 'CANCELLATION'] as const).filter(
      (wanted) => !has(({ documentEffect }) => documentEffect === wanted),
    ),
    ...(['expenseItemId', 'counterAccountId', 'categoryId', 'branchId', 'reversalOf'] as const).filter(
      (field) => !has((record) => record[field] !== null),
    ),
  ];
}

/** Changes a step so that its transaction matches as many filters as possible. */
function withEverything(step: Step): Step {
  if (step.kind !== 'entry') return step;
  const entry = { ...step.entry, branch: pick([0, 1]), category: 0, description: pick(TEXTS) };
  return { ...step, entry };
}

/** Changes a return so that only the state of its sale can cause a rejection. */
function withoutRejections(step: Step): Step {
  if (step.kind !== 'return') return step;
  return { ...step, date: '9999-12-31', share: 50n, taxRate: '0', payments: [], branch: null };
}

type CategoryRuleRecord = {
  readonly id: string;
  readonly createdAt: string;
  readonly merchant: string | null;
  readonly keyword: string | null;
  readonly notes: string | null;
  readonly categoryId: string;
  readonly source: string;
  readonly isEnabled: boolean;
};
type RuleList = {
  readonly items: readonly CategoryRuleRecord[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly totalPages: number;
};

/** Filter values, by filter name. The value of an omitted filter is undefined. */
type Values<Name extends string> = Partial<Record<Name, string>>;
type Check<Doc> = (record: Doc, value: string) => boolean;
/** For each filter, the condition under which a record matches a value. */
type Filters<Doc, Name extends string = string> = Readonly<Record<Name, Check<Doc>>>;

const finding =
  <Doc>(texts: (record: Doc) => readonly (string | null)[]): Check<Doc> =>
  (record, search) =>
    naivelyFinds(search, texts(record));

const postsTo = ({ postings }: TransactionRecord, id: string): boolean =>
  postings.some(({ accountId }) => accountId === id);
const cents = (amount: string): bigint => BigInt(amount.replace('.', ''));

const OWN_FILTERS = {
  search: finding(({ description, reference, externalId, customerName, reason }) => [
    ...[description, reference, externalId, customerName, reason],
  ]),
  accountId: (record, id) =>
    record.type === 'JOURNAL' ? postsTo(record, id) : [record.accountId, record.counterAccountId].includes(id),
  expenseItemId: ({ expenseItemId }, id) => expenseItemId === id,
  beginDate: ({ date }, begin) => date >= begin,
  endDate: ({ date }, end) => date <= end,
  type: ({ type, documentEffect }, wanted) =>
    ['INVOICE', 'RETURN', 'CANCELLATION'].includes(wanted) ? documentEffect === wanted : type === wanted,
  direction: ({ direction }, wanted) => direction === wanted,
  showSystemGenerated: ({ systemGenerated }, shown) => shown === 'true' || !systemGenerated,
} satisfies Filters<TransactionRecord>;

const ALL_FILTERS = {
  ...OWN_FILTERS,
  customerId: (record, id) => keeper.model.customers.some((customer) => customer.id === id) && postsTo(record, id),
  categoryId: ({ categoryId }, id) => categoryId === id,
  branchId: ({ branchId }, id) => branchId === id,
  amountMin: ({ amount }, least) => cents(amount) >= cents(least),
  amountMax: ({ amount }, most) => cents(amount) <= cents(most),
  isCancelled: ({ isCancelled }, wanted) => String(isCancelled) === wanted,
} satisfies Filters<TransactionRecord>;

type TransactionFilter = keyof typeof ALL_FILTERS;

/** Returns a filter value that matches a transaction. */
function valueFrom(name: TransactionFilter, record: TransactionRecord): string | null {
  switch (name) {
    case 'search': {
      const { description, reference, externalId, customerName, reason } = record;
      const text = pick([description, reference, externalId, customerName, reason]);
      const word = pick((text ?? '').split(/[^\p{L}\p{N}]+/u));
      const cut = word.slice(0, 1 + Math.floor(random() * word.length));
      return cut === '' ? null : pick([cut, cut.toLowerCase(), `${text ?? ''} ${cut}`]);
    }
    case 'beginDate':
    case 'endDate':
      return record.date;
    case 'type':
      return record.documentEffect ?? record.type;
    case 'accountId':
      if (record.type === 'JOURNAL') return pick(record.postings).accountId;
      return pick([record.accountId, record.counterAccountId]) ?? record.accountId;
    case 'customerId':
      return record.postings.find(({ accountId }) => keeper.model.customer(accountId))?.accountId ?? null;
    case 'amountMin':
    case 'amountMax':
      return record.amount;
    case 'isCancelled':
      return String(record.isCancelled);
    case 'showSystemGenerated':
      return pick(['true', String(record.systemGenerated)]);
    default:
      return record[name];
  }
}

const SEARCHES = ['istanbul', 'KIRASI', 'fee 2026', 'sale', 'customer', 'söhne o', 'nobody at all', '...', 'cay seker'];
/** Returns a random value for a filter. The value may match nothing. */
function anyValue(name: TransactionFilter): string {
  if (name === 'search') return pick(SEARCHES);
  if (name.endsWith('Date')) return pick(['1900-01-01', '2025-12-31', '2026-01-02', '2031-05-05', '9999-12-31']);
  if (name === 'type')
    return pick(['COLLECTION', 'PAYMENT', 'TRANSFER', 'ADJUSTMENT', 'JOURNAL', 'INVOICE', 'RETURN', 'CANCELLATION']);
  if (name === 'direction') return pick(['IN', 'OUT']);
  if (name.startsWith('amount')) return pick(['0.00', '0.01', '999.99', '1000000000.00', '999999999999999.99']);
  if (name === 'showSystemGenerated' || name === 'isCancelled') return pick(['true', 'false']);
  return pick([NOBODY, 'nobody', valueFrom(name, pick(all)) ?? NOBODY]);
}

const subsets = <T>(of: readonly T[]): T[][] =>
  of.reduce<T[][]>((some, one) => [...some, ...some.map((subset) => [...subset, one])], [[]]);

/**
 * Usually returns the values of a single transaction, so that even a combination of many filters matches a transaction.
 */
function valuesFor(names: readonly TransactionFilter[], from: readonly TransactionRecord[]): Values<TransactionFilter> {
  const isAny = random() < 0.1;
  const some = Array.from({ length: 50 }, () => {
    const record = pick(from);
    return names.map((name) => [name, isAny ? null : valueFrom(name, record)] as const);
  });
  const gaps = (values: (typeof some)[number]): number => values.filter(([, value]) => value === null).length;
  const best = some.reduce((one, other) => (gaps(other) < gaps(one) ? other : one));
  return Object.fromEntries(best.map(([name, value]) => [name, value ?? anyValue(name)] as const));
}

const queryOf = (values: Values<string>): string => new URLSearchParams(values as Record<string, string>).toString();

const naively = <Doc, Name extends string>(
  filters: Filters<Doc, Name>,
  records: readonly Doc[],
  values: Values<Name>,
): Doc[] =>
  records.filter((record) =>
    (Object.entries(values) as [Name, string][]).every(([name, value]) => filters[name](record, value)),
  );

/** Returns a random page size that yields at most MOST_PAGES pages. */
const sizeFor = (count: number): number =>
  pick([1, 2, 3, 7, 20, 99, 100].filter((size) => size === 100 || count <= size * MOST_PAGES));

async function each<T>(from: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < from.length; begin += AT_ONCE)
    await Promise.all(from.slice(begin, begin + AT_ONCE).map(work));
}

/**
 * Expects that all pages together contain the result of the simple filter in list order, and that a page beyond the
 * last is empty.
 */
async function expectPages(path: string, values: Values<string>, expected: readonly { readonly id: string }[]) {
  const query = queryOf(values);
  const size = sizeFor(expected.length);
  const found = await everyPage<{ id: string }>(service, keeper.token, `${path}?${query}`, size);
  expect([query, size, found.map(({ id }) => id)]).toEqual([query, size, expected.map(({ id }) => id)]);
  if (random() < 0.75) return;
  const last = Math.ceil(expected.length / size);
  const behind = await service.get(`${path}?${query}&pageNumber=${last + 2}&pageSize=${size}`, keeper.token);
  expect([query, behind.status, behind.body]).toMatchObject([
    query,
    200,
    { items: [], pageNumber: last + 2, totalPages: last, totalCount: expected.length, hasNextPage: false },
  ]);
}

/** Maximum number of filter sets to test. If there are more, a random sample is tested. */
const MOST_SETS = 2_100;

/** Tests the filter sets. Returns the share of sets with a non-empty result. */
async function expectEverySet(
  path: string,
  names: readonly TransactionFilter[],
  records: readonly TransactionRecord[],
) {
  let found = 0;
  const every = subsets(names);
  const share = MOST_SETS / every.length;
  const sets = Array.from({ length: ROUNDS }, () => every.filter(() => random() < share)).flat();
  await each(sets, async (set) => {
    const values = valuesFor(set, records);
    const expected = naively(ALL_FILTERS, records, values);
    if (expected.length > 0) found += 1;
    await expectPages(path, values, expected);
  });
  return found / sets.length;
}

const listed = (path: string): string[] =>
  document
    .queryOf({ method: 'GET', path })
    .filter((name) => !['pageNumber', 'pageSize', 'page', 'limit'].includes(name));

describe('The list of transactions', () => {
  test('has transactions of every kind', () => {
    expect(lacks(all)).toEqual([]);
  });

  test('is consistent in pages of every size: no gaps, no repetitions, newest first', async () => {
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, { date, createdAt }] of all.entries()) {
      const older = all[index + 1];
      if (!older) break;
      expect([date, createdAt] >= [older.date, older.createdAt]).toBe(true);
      expect(date > older.date || (date === older.date && createdAt >= older.createdAt)).toBe(true);
    }
    for (const size of [1, 2, 7, 33, 99]) {
      const found = await everyPage<TransactionRecord>(service, keeper.token, '/api/transactions', size);
      expect([size, found]).toEqual([size, all]);
    }
  });

  test('equals a simple filter over all transactions for every set of filters', async () => {
    const names = Object.keys(ALL_FILTERS) as TransactionFilter[];
    expect(listed('/api/transactions').toSorted()).toEqual(names.toSorted());
    expect(await expectEverySet('/api/transactions', names, all)).toBeGreaterThan(0.3);
  });

  test('equals a simple filter over all transactions for every value of each filter and pair', async () => {
    const names = Object.keys(ALL_FILTERS) as TransactionFilter[];
    const valuesOf = (name: TransactionFilter): string[] => {
      const counts = new Map<string, number>();
      for (const record of all) {
        const value = name === 'search' ? null : valueFrom(name, record);
        if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([value]) => value);
      const ends = [...byCount.slice(0, 1), ...byCount.slice(-1)];
      return [...new Set(name === 'search' ? SEARCHES.slice(0, 4) : [...ends, anyValue(name)])];
    };
    const single = names.map((name) => valuesOf(name).map((value) => ({ [name]: value })));
    const pairs = single.flatMap((some, index) =>
      single.slice(index + 1).flatMap((others) => some.flatMap((one) => others.map((other) => ({ ...one, ...other })))),
    );
    await each([...single.flat(), ...pairs], async (values: Values<TransactionFilter>) => {
      await expectPages('/api/transactions', values, naively(ALL_FILTERS, all, values));
    });
  });
});

describe("A customer's transactions", () => {
  test('equal a simple filter over all transactions of the customer for every set of filters', async () => {
    const counts = new Map<string, number>();
    for (const { postings } of all)
      for (const { accountId } of postings)
        if (keeper.model.customer(accountId)) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
    const none = keeper.model.customers.find(({ id, isDeleted }) => !isDeleted && !counts.has(id));
    const [most, few] = [byCount[0], byCount.at(-1)];
    const names = Object.keys(OWN_FILTERS) as TransactionFilter[];
    for (const id of [most, few, none?.id].filter((one) => one !== undefined)) {
      const path = `/api/customers/${id}/transactions`;
      expect(listed('/api/customers/{id}/transactions').toSorted()).toEqual(names.toSorted());
      const own = all.filter((record) => postsTo(record, id));
      expect(await everyPage(service, keeper.token, path)).toEqual(own);
      if (id === most) expect(await expectEverySet(path, names, own)).toBeGreaterThan(0.3);
      else
        await each(
          subsets(names).filter((_, index) => index % 8 === 0),
          async (set) => {
            const values = valuesFor(set, own.length === 0 ? all : own);
            await expectPages(path, values, naively(OWN_FILTERS, own, values as Values<keyof typeof OWN_FILTERS>));
          },
        );
    }
  });
});

/** Returns every combination in which each filter has one of its values or none. */
const choices = (values: Readonly<Record<string, readonly string[]>>): Values<string>[] =>
  Object.entries(values).reduce<Values<string>[]>(
    (some, [name, known]) => some.flatMap((one) => [one, ...known.map((value) => ({ ...one, [name]: value }))]),
    [{}],
  );

const isNewestFirst = (records: readonly { readonly createdAt: string }[]): boolean =>
  records.every(({ createdAt }, index) => createdAt >= (records[index + 1]?.createdAt ?? ''));

describe('Every other list has consistent filters', () => {
  test('of customers', async () => {
    const records = await everyPage<CustomerRecord>(service, keeper.token, '/api/customers?status=ALL');
    expect([records.length > 10, isNewestFirst(records)]).toEqual([true, true]);
    expect(new Set(records.map(({ status }) => status)).size).toBe(2);
    const filters = {
      search: finding<CustomerRecord>(({ name, code, taxNumber, nationalId, email, phone }) => [
        ...[name, code, taxNumber],
        ...[nationalId, email, phone],
      ]),
      status: ({ status }, wanted) => wanted === 'ALL' || status === wanted,
      isDefault: ({ isDefault }, wanted) => String(isDefault) === wanted,
      // test/http/customers.test.ts covers the other sort orders.
      sort: (_, wanted) => wanted === 'newest',
    } satisfies Filters<CustomerRecord>;
    expect(listed('/api/customers').toSorted()).toEqual(Object.keys(filters).toSorted());
    const search = ['customer', 'CUST', 'walk in', 'c 000000', 'customer 1', 'nobody', '-'];
    const status = ['ACTIVE', 'PASSIVE', 'ALL'];
    const sets = choices({ search, status, isDefault: ['true', 'false'], sort: ['newest'] });
    await each(sets, (values) =>
      expectPages(
        '/api/customers',
        values,
        naively<CustomerRecord, string>(filters, records, { status: 'ACTIVE', ...values }),
      ),
    );
  });

  test('of accounts', async () => {
    const records = await everyPage<AccountRecord>(service, keeper.token, '/api/accounts');
    expect([records.length > 20, isNewestFirst(records)]).toEqual([true, true]);
    const filters = {
      type: ({ type }, wanted) => type === wanted,
      isActive: ({ isActive }, wanted) => String(isActive) === wanted,
      search: finding<AccountRecord>(({ name, code }) => [name, code]),
      // test/http/accounts.test.ts covers the other sort orders.
      sort: (_, wanted) => wanted === 'newest',
    } satisfies Filters<AccountRecord>;
    expect(listed('/api/accounts').toSorted()).toEqual(Object.keys(filters).toSorted());
    const sets = choices({
      search: ['account', 'ACC', 'cash', 'opening bal', 'customer', '10', 'account 3', 'no', '%'],
      type: ['CASH', 'POS', 'CUSTOMER'],
      isActive: ['true', 'false'],
      sort: ['newest'],
    });
    await each(sets, (values) =>
      expectPages('/api/accounts', values, naively<AccountRecord, string>(filters, records, values)),
    );
  });

  test('of users', async () => {
    for (const [fullName, role] of [
      ['Ayşe Yılmaz', 'ADMIN'],
      ['Ali Yıldız', 'USER'],
      ['Ann', 'USER'],
    ] as const) {
      const email = `${service.fresh('person')}@filters.test`;
      const person = { fullName, email, role, password: 'correct horse battery', phone: '+90 555 12' };
      expect((await service.post('/api/users', person, keeper.token)).status).toBe(201);
    }
    const records = await everyPage<UserRecord>(service, keeper.token, '/api/users');
    expect([records.length, isNewestFirst(records)]).toEqual([4, true]);
    const filters = {
      search: finding<UserRecord>(({ fullName, email, phone }) => [fullName, email, phone]),
      role: ({ role }, wanted) => role === wanted,
      // test/http/users.test.ts covers the other sort order.
      sort: (_, wanted) => wanted === 'newest',
    } satisfies Filters<UserRecord>;
    expect(listed('/api/users').toSorted()).toEqual(Object.keys(filters).toSorted());
    const search = ['yil', 'AYSE', 'a', '555', 'test', 'bob'];
    const sets = choices({ search, role: ['OWNER', 'ADMIN', 'USER'], sort: ['newest'] });
    await each(sets, (values) =>
      expectPages('/api/users', values, naively<UserRecord, string>(filters, records, values)),
    );
  });

  test('of categories and of rules', async () => {
    const { token } = keeper;
    const [first, second] = keeper.model.categories.filter(({ isArchived }) => !isArchived);
    for (let index = 0; index < 25; index += 1) {
      const categoryId = (index % 5 === 0 ? second : first)?.id;
      const texts = { keyword: pick(['Kira', 'İstanbul fee', 'tea']), notes: pick(['by hand', 'şeker', null]) };
      const merchant = pick([{}, { merchant: 'Çelik A.Ş.' }]);
      const made = await service.post(
        '/api/transaction-categories/rules',
        { categoryId, ...texts, ...merchant },
        token,
      );
      const path = `/api/transaction-categories/rules/${made.id}/disable`;
      if (index % 3 === 0) await service.call('PATCH', path, { token, body: { isEnabled: false } });
    }
    const pagesOf = async (query: string, limit: number): Promise<CategoryRuleRecord[]> => {
      const items: CategoryRuleRecord[] = [];
      for (let page = 1; ; page += 1) {
        const address = `/api/transaction-categories/rules?${query}&page=${page}&limit=${limit}`;
        const { items: found, ...told } = (await service.get(address, token)).data as RuleList;
        items.push(...found);
        const totalPages = Math.ceil(told.total / limit);
        expect([address, told]).toEqual([address, { page, limit, total: told.total, totalPages }]);
        if (page >= totalPages) return items;
      }
    };
    const records = await pagesOf('', 100);
    expect([records.length >= 25, isNewestFirst(records)]).toEqual([true, true]);
    const filters = {
      search: finding<CategoryRuleRecord>(({ merchant, keyword, notes }) => [merchant, keyword, notes]),
      categoryId: ({ categoryId }, wanted) => categoryId === wanted,
      source: ({ source }, wanted) => source === wanted,
      isEnabled: ({ isEnabled }, wanted) => String(isEnabled) === wanted,
    } satisfies Filters<CategoryRuleRecord>;
    expect(listed('/api/transaction-categories/rules').toSorted()).toEqual(Object.keys(filters).toSorted());
    const sets = choices({
      search: ['kira', 'CELIK', 'istanbul f', 'seker', 'hand kira', 'none', '!'],
      categoryId: [first?.id ?? '', second?.id ?? '', NOBODY],
      source: ['MANUAL', 'SEED', 'LEARNED'],
      isEnabled: ['true', 'false'],
    });
    await each(sets, async (values) => {
      const expected = naively<CategoryRuleRecord, string>(filters, records, values);
      const found = await pagesOf(queryOf(values), sizeFor(expected.length));
      expect([values, found]).toEqual([values, expected]);
    });

    const path = '/api/transaction-categories';
    expect(listed(path)).toEqual(['includeArchived']);
    const ask = async (query: string) => (await service.get(`${path}${query}`, token)).data as CategoryRecord[];
    const everything = await ask('?includeArchived=true');
    const active = everything.filter(({ isArchived }) => !isArchived);
    expect(active.length).toBeLessThan(everything.length);
    for (const query of ['', '?includeArchived=false']) expect(await ask(query)).toEqual(active);
    const countOf = (id: string): number => records.filter(({ categoryId }) => categoryId === id).length;
    for (const { id, ruleCount } of everything) expect([id, ruleCount]).toEqual([id, countOf(id)]);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
