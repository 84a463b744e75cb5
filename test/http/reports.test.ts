import { tenantScope, type ReadModel } from '../../src/ports/read-store.js';
import { balances, type BalanceView } from '../../src/projections/balance.projection.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { writeHistory } from '../support/history.js';
import { TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  await writeHistory(service, books, { seed: 2, sales: 30 });
});
afterAll(() => service.close());

const toCents = (amount: string): bigint => BigInt(amount.replace('.', ''));
const fromCents = (cents: bigint): string => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

async function everyTransaction(): Promise<TransactionRecord[]> {
  const items: TransactionRecord[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/transactions?pageNumber=${page}&pageSize=100`;
    const body = (await service.get(path, books.tenant.token)).body as { items: TransactionRecord[] };
    items.push(...body.items);
    if (body.items.length < 100) return items;
  }
}

/** Returns each account's debits, credits and balance, summed over all postings up to and including a date. */
function sumsOf(transactions: readonly TransactionRecord[], asOf = '9999-12-31'): Record<string, string[]> {
  const sums = new Map<string, { debit: bigint; credit: bigint }>();
  for (const { postings } of transactions.filter(({ date }) => date <= asOf))
    for (const { accountId, amount } of postings) {
      const { debit, credit } = sums.get(accountId) ?? { debit: 0n, credit: 0n };
      const cents = toCents(amount);
      sums.set(accountId, cents > 0n ? { debit: debit + cents, credit } : { debit, credit: credit - cents });
    }
  const texts = [...sums].map(
    ([id, { debit, credit }]) => [id, [debit, credit, debit - credit].map(fromCents)] as const,
  );
  return Object.fromEntries(texts);
}

/**
 * Creates books with more accounts than one read operation returns. The accounts have alternating debit and credit
 * balances.
 */
async function largeBooks() {
  const { tenant } = await service.openBooks();
  const { reads } = service.service.engines;
  const scope = tenantScope(tenant.id);
  const idOf = (index: number): string => `account-${index.toString().padStart(5, '0')}`;
  const position = new Map<number, number>();
  const write = async (writes: readonly { index: number; debit: string; credit: string }[]): Promise<void> => {
    const documents = writes.map(({ index, debit, credit }) => {
      const expected = position.get(index) ?? null;
      position.set(index, (expected ?? 0) + 1);
      const quarters = [['2026-01', Number(toCents(debit)), Number(toCents(credit))]] as const;
      const document: BalanceView = { accountId: idOf(index), currency: 'EUR', debit, credit, quarters };
      return { scope, id: idOf(index), document, position: (expected ?? 0) + 1, expected };
    });
    const tables = [{ table: { model: balances as unknown as ReadModel, generation: 1 }, writes: documents }];
    expect(await reads.write({ tables, checkpoints: [] })).toEqual({ conflicts: [] });
  };
  const sides = [
    { debit: '1.00', credit: '0.00' },
    { debit: '0.00', credit: '1.00' },
  ] as const;
  await write(Array.from({ length: 2_500 }, (_, index) => ({ index, ...(sides[index % 2] ?? sides[0]) })));
  /** Posts a transaction to accounts that different read operations return. */
  const post = (): Promise<void> =>
    write([
      { index: 0, debit: '43.00', credit: '0.00' },
      { index: 2_001, debit: '0.00', credit: '43.00' },
    ]);
  return { tenant, write, post };
}

/** While `work` runs, calls `meanwhile` after each of the first `times` batches of balances has been read. */
async function afterParts<T>(times: number, meanwhile: (part: number) => Promise<void>, work: () => Promise<T>) {
  const { reads } = service.service.engines;
  const list = reads.list.bind(reads);
  let parts = 0;
  reads.list = async (table, scope, query) => {
    const part = await list(table, scope, query);
    if (table.model.name === balances.name && (parts += 1) <= times) await meanwhile(parts);
    return part;
  };
  try {
    return { answer: await work(), parts };
  } finally {
    reads.list = list;
  }
}

describe('The trial balance of changing books', () => {
  test('is read again until its sides are equal', async () => {
    const { tenant, post } = await largeBooks();
    const { answer, parts } = await afterParts(1, post, () => service.trialBalance(tenant.token));
    expect([answer.totalDebit, answer.totalCredit]).toEqual(['1292.00', '1292.00']);
    expect(answer.rows).toHaveLength(2_500);
    expect(parts).toBe(6);
  });

  test('is temporarily rejected if the books change with every read', async () => {
    const { tenant, write } = await largeBooks();
    const posted = (part: number): Promise<void> => write([{ index: 2_001, debit: '0.00', credit: `${part + 1}.00` }]);
    const { answer } = await afterParts(Number.POSITIVE_INFINITY, posted, () =>
      service.get('/api/reports/trial-balance', tenant.token),
    );
    expect(answer.told).toBe('503 READ_MODEL_BEHIND');
    expect(answer.headers['retry-after']).toBe('1');
    expect(service.complaints.splice(0)).toEqual([expect.stringContaining('trialBalanceOf')]);
  });
});

test('The balances brought forward in a Beancount file are read again until their sides are equal', async () => {
  const { tenant, post } = await largeBooks();
  const path = '/api/reports/general-ledger?from=2026-07-01&format=beancount';
  const { answer } = await afterParts(1, post, () => service.get(path, tenant.token));
  const amounts = [...answer.text.matchAll(/^ +\S+ +(-?[\d.]+) EUR$/gm)].map(([, amount = '']) => toCents(amount));
  expect(amounts).toHaveLength(2_500);
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
});

describe('The trial balance', () => {
  test.each([undefined, '2026-01-29', '2026-01-30', '2026-01-31', '2026-02-15', '2026-03-01', '2030-01-01'])(
    'as of %s is the sum of all postings until then',
    async (asOf) => {
      const report = await service.trialBalance(books.tenant.token, asOf);
      expect([report.asOf, report.currency]).toEqual([asOf ?? null, 'EUR']);
      const rows = report.rows.map(({ accountId, debit, credit, balance }) => [accountId, [debit, credit, balance]]);
      const expected = sumsOf(await everyTransaction(), asOf);
      expect(Object.fromEntries(rows)).toEqual(expected);
      expect(rows).toHaveLength(Object.keys(expected).length);
      const total = (side: 'debit' | 'credit') =>
        fromCents(report.rows.reduce((sum, row) => sum + toCents(row[side]), 0n));
      expect([report.totalDebit, report.totalCredit]).toEqual([total('debit'), total('credit')]);
      expect(report.totalDebit).toBe(report.totalCredit);
      if (asOf === undefined || asOf > '2026-01-31') expect(rows.length).toBeGreaterThan(5);
    },
  );

  test('lists each account by code', async () => {
    const { rows } = await service.trialBalance(books.tenant.token);
    const codes = rows.map(({ code }) => code ?? '');
    expect(codes).toEqual([...codes].sort());
    const named = Object.fromEntries(rows.map(({ code, name, type }) => [code ?? '', `${name} ${type}`]));
    expect(named).toMatchObject({
      '100': 'Cash CASH',
      '102': 'Bank BANK',
      '108': 'Card terminal POS',
      '360': 'Tax payable TAX',
      '500': 'Opening balances EQUITY',
      '600': 'Sales INCOME',
      'C-000000': 'Walk-in customer CUSTOMER',
      'K-0': 'Ada Yılmaz CUSTOMER',
    });
  });

  test('matches the balance of every customer', async () => {
    const { rows } = await service.trialBalance(books.tenant.token);
    const balances = new Map(rows.map(({ accountId, balance }) => [accountId, balance]));
    const { items } = await service.customers(books.tenant.token);
    expect(items.length).toBeGreaterThan(5);
    for (const { id, balance } of items) {
      expect(balance).toEqual({ amount: balances.get(id) ?? '0.00', currency: 'EUR' });
      expect((await service.customer(books.tenant.token, id)).balance).toEqual(balance);
    }
  });

  test('is available as CSV', async () => {
    await service.post(
      '/api/customers',
      {
        name: '=HYPERLINK("x"), "quoted"; Çay',
        code: 'CSV',
        openingBalance: { amount: '5.00', direction: 'OUT', date: '2026-01-30' },
      },
      books.tenant.token,
    );
    const csv = await service.get('/api/reports/trial-balance', books.tenant.token, { accept: 'text/csv' });
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('accountId,code,name,type,debit,credit,balance');
    const { rows } = await service.trialBalance(books.tenant.token);
    expect(lines).toHaveLength(rows.length + 1);
    const plain = rows.filter(({ code }) => code !== 'CSV' && !code?.startsWith('K'));
    for (const { accountId, code, name, type, debit, credit, balance } of plain) {
      expect(lines).toContain([accountId, code, name, type, debit, credit, balance].join(','));
    }
    const quoted = lines.find((line) => line.includes('HYPERLINK'));
    expect(quoted).toContain(`"'=HYPERLINK(""x""), ""quoted""; Çay",CUSTOMER,5.00,0.00,5.00`);
    const json = await service.get('/api/reports/trial-balance', books.tenant.token, {
      accept: 'application/json, text/csv;q=0.5',
    });
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test.each([
    ['asOf=2026-02-30', 'asOf'],
    ['asOf=yesterday', 'asOf'],
    ['asOf=2026-02-01T00:00:00Z', 'asOf'],
    ['until=2026-02-01', 'until'],
    ['from=2026-02-01&to=2026-01-31', 'to'],
    ['asOf=2026-02-01&from=2026-01-01', 'asOf'],
    ['zero=no', 'zero'],
    ['knownAt=2026-02-01', 'knownAt'],
  ])('rejects the query %s', async (query, path) => {
    const reply = await service.get(`/api/reports/trial-balance?${query}`, books.tenant.token);
    expect(reply.told).toBe(`400 VALIDATION_FAILED ${path}`);
  });

  test('of a new tenant is empty', async () => {
    const { token } = await service.createTenant({ currency: 'JPY' });
    expect(await service.trialBalance(token)).toEqual({
      asOf: null,
      currency: 'JPY',
      rows: [],
      totalDebit: '0',
      totalCredit: '0',
    });
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
