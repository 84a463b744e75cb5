import type { Page } from '../../src/queries/query.js';
import { words } from '../../src/ports/search.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { DAYS, writeHistory } from '../support/history.js';
import { TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let all: readonly TransactionRecord[];
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  await writeHistory(service, books, { seed: 1, sales: 40 });
  all = await everyPage('/api/transactions?');
});
afterAll(() => service.close());

async function everyPage(path: string, pageSize = 100): Promise<TransactionRecord[]> {
  const items: TransactionRecord[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const reply = await service.get(`${path}&pageNumber=${pageNumber}&pageSize=${pageSize}`, books.tenant.token);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.told}`);
    const page = reply.body as Page<TransactionRecord>;
    items.push(...page.items);
    if (!page.hasNextPage) {
      expect(page.totalCount).toBe(items.length);
      return items;
    }
  }
}
const ids = (transactions: readonly TransactionRecord[]): string[] => transactions.map(({ id }) => id);

type Check = (transaction: TransactionRecord) => boolean;
/** Expects that a list contains the result of a plain filter over all transactions, in list order. */
const expectList = async (query: string, check: Check, { mayBeEmpty = false } = {}): Promise<void> => {
  const expected = all.filter(check);
  expect([query, ids(await everyPage(`/api/transactions?${query}`))]).toEqual([query, ids(expected)]);
  if (!mayBeEmpty) expect([query, expected.length]).not.toEqual([query, 0]);
};

const first = (check: Check): TransactionRecord => {
  const found = all.find(check);
  if (!found) throw new Error('The history has no such transaction.');
  return found;
};

describe('The list of transactions', () => {
  test('is ordered by date, newest first, consistently in pages of every size', async () => {
    expect(all.length).toBeGreaterThan(60);
    const dates = all.map(({ date }) => date);
    expect(dates).toEqual([...dates].sort().reverse());
    expect(new Set(dates)).toEqual(new Set(DAYS));
    for (const pageSize of [1, 7, 99]) expect(ids(await everyPage('/api/transactions?', pageSize))).toEqual(ids(all));
  });

  test('keeps the transactions of each event together, with an invoice earlier than its collections', () => {
    const events = new Map<string, number[]>();
    for (const [place, { id, saleId, createdAt }] of all.entries()) {
      const event = `${saleId ?? id} ${createdAt}`;
      events.set(event, [...(events.get(event) ?? []), place]);
    }
    expect([...events.values()].filter((places) => places.length > 1).length).toBeGreaterThan(10);
    for (const places of events.values()) {
      expect(places).toEqual(places.map((_, index) => (places[0] ?? 0) + index));
      const effects = places.map((place) => all[place]?.documentEffect);
      if (effects.includes('INVOICE')) expect(effects.lastIndexOf('INVOICE')).toBe(effects.length - 1);
    }
  });

  test('can be filtered by type, and by document', async () => {
    for (const effect of ['INVOICE', 'RETURN', 'CANCELLATION'])
      await expectList(`type=${effect}`, ({ documentEffect }) => documentEffect === effect);
    for (const wanted of ['COLLECTION', 'PAYMENT', 'OPENING_BALANCE'])
      await expectList(`type=${wanted}`, ({ type }) => type === wanted);
    for (const wanted of ['TRANSFER', 'ADJUSTMENT'])
      await expectList(`type=${wanted}`, ({ type }) => type === wanted, { mayBeEmpty: true });
  });

  test('can be filtered by dates, both inclusive', async () => {
    for (const from of DAYS)
      for (const to of DAYS) {
        const check: Check = ({ date }) => date >= from && date <= to;
        await expectList(`beginDate=${from}&endDate=${to}`, check, { mayBeEmpty: from > to });
      }
    await expectList('beginDate=2026-02-01', ({ date }) => date >= '2026-02-01');
    await expectList('endDate=2026-02-01', ({ date }) => date <= '2026-02-01');
    await expectList('beginDate=2027-01-01', () => false, { mayBeEmpty: true });
  });

  test('can be filtered by each other field', async () => {
    const { customerId } = first(({ customerName }) => customerName === 'Ada Yılmaz');
    const { accountId } = first(({ accountName }) => accountName === 'Bank');
    const { branchId } = first((transaction) => transaction.branchId !== null);
    await expectList(`customerId=${customerId ?? ''}`, (transaction) => transaction.customerId === customerId);
    await expectList(
      `customerId=${(customerId ?? '').toUpperCase()}`,
      (transaction) => transaction.customerId === customerId,
    );
    await expectList(`accountId=${accountId ?? ''}`, (transaction) => transaction.accountId === accountId);
    await expectList(`branchId=${branchId ?? ''}`, (transaction) => transaction.branchId === branchId);
    await expectList('direction=IN', ({ direction }) => direction === 'IN');
    await expectList('direction=OUT', ({ direction }) => direction === 'OUT');
    await expectList('showSystemGenerated=true', () => true);
    await expectList('showSystemGenerated=false', ({ systemGenerated }) => !systemGenerated, { mayBeEmpty: true });
    for (const field of ['customerId', 'accountId', 'branchId', 'categoryId', 'expenseItemId'])
      await expectList(`${field}=nobody`, () => false, { mayBeEmpty: true });
  });

  test('can be filtered by several fields at once', async () => {
    const { customerId } = first(
      ({ type, customerName }) => type === 'COLLECTION' && customerName !== 'Walk-in customer',
    );
    const query = `customerId=${customerId ?? ''}&type=COLLECTION&direction=IN&beginDate=2026-01-31&endDate=2026-03-01`;
    await expectList(query, (transaction) => {
      const { type, direction, date } = transaction;
      const isMeant = transaction.customerId === customerId && type === 'COLLECTION' && direction === 'IN';
      return isMeant && date >= '2026-01-31' && date <= '2026-03-01';
    });
  });

  test('can be searched by descriptions, references, external ids and customer names', async () => {
    const matches = (search: string): Check => {
      const wanted = words(search);
      return ({ description, reference, externalId, customerName }) => {
        const known = [description, reference, externalId, customerName].flatMap((text) => words(text ?? ''));
        return wanted.every((word) => known.some((other) => other.startsWith(word)));
      };
    };
    for (const search of ['payment', 'celik', 'ADA yil', 'muller', 'h-1-7', 'sale new', 'walk-in'])
      await expectList(`search=${encodeURIComponent(search)}`, matches(search));
    for (const search of ['nothing at all', '...'])
      await expectList(`search=${encodeURIComponent(search)}`, () => false, { mayBeEmpty: true });
    await expectList('search=celik&type=INVOICE', (transaction) => {
      return matches('celik')(transaction) && transaction.documentEffect === 'INVOICE';
    });
  });

  test.each([
    ['type=SALE', 'type'],
    ['type=invoice', 'type'],
    ['direction=BOTH', 'direction'],
    ['beginDate=2026-02-30', 'beginDate'],
    ['endDate=2026-1-1', 'endDate'],
    ['beginDate=2026-02-01T00:00:00Z', 'beginDate'],
    ['showSystemGenerated=yes', 'showSystemGenerated'],
    ['sort=amount', 'sort'],
    ['pageSize=5', 'pageSize'],
  ])('rejects the query %s', async (query, path) => {
    const reply = await service.get(`/api/transactions?pageNumber=1&pageSize=1&${query}`, books.tenant.token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });
});

describe("A customer's transactions", () => {
  test('equal the list filtered by that customer, under every filter', async () => {
    for (const { id } of (await service.customers(books.tenant.token)).items)
      for (const query of ['', 'type=INVOICE&', 'direction=IN&', 'search=sale&', 'beginDate=2026-02-01&']) {
        const own = await everyPage(`/api/customers/${id}/transactions?${query}`);
        expect(own).toEqual(await everyPage(`/api/transactions?customerId=${id}&${query}`));
      }
  });

  test('reject filters by customer, category or branch', async () => {
    const [customer] = (await service.customers(books.tenant.token)).items;
    const path = `/api/customers/${customer?.id ?? ''}/transactions?pageNumber=1&pageSize=1`;
    for (const name of ['customerId', 'categoryId', 'branchId'])
      expect((await service.get(`${path}&${name}=x`, books.tenant.token)).told).toBe(`400 VALIDATION_FAILED ${name}`);
  });
});

describe('A transaction', () => {
  test('has balanced postings, and its amount on its main account', () => {
    for (const { postings, amount, currency } of all) {
      expect(currency).toBe('EUR');
      const cents = postings.map((posting) => BigInt(posting.amount.replace('.', '')));
      expect(cents.reduce((sum, value) => sum + value, 0n)).toBe(0n);
      expect(cents[0]?.toString().replace('-', '')).toBe(BigInt(amount.replace('.', '')).toString());
    }
  });

  test('is attributed to the system for sales and opening balances', () => {
    for (const { systemGenerated, saleId, createdBy, type } of all) {
      expect(systemGenerated).toBe(true);
      if (type === 'OPENING_BALANCE') expect(createdBy).not.toBeNull();
      else expect([createdBy, saleId === null]).toEqual([null, false]);
    }
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
