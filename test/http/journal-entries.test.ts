import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { csvTable } from '../support/csv-table.js';
import type { Reply } from '../support/reply.js';
import { TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
let token: string;
/** Ids of accounts and customers by name. */
const ids: Record<string, string> = {};
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  token = books.tenant.token;
  const { body } = await service.get('/api/accounts?pageNumber=1&pageSize=100', token);
  for (const { name, id } of (body as { items: { name: string; id: string }[] }).items) ids[name] = id;
  for (const [type, name] of [
    ['SUPPLIER', 'Mill'],
    ['EXPENSE', 'Flour'],
  ])
    ids[name ?? ''] = (await service.post('/api/accounts', { type, name }, token)).id;
  for (const name of ['Ada', 'Bob']) ids[name] = (await service.post('/api/customers', { name }, token)).id;
});
afterAll(() => service.close());

type Side = { readonly debit?: unknown; readonly credit?: unknown; readonly description?: string };
const line = (name: string, side: Side): object => ({ accountId: ids[name] ?? name, ...side });
const bill = (): object[] => [
  line('Flour', { debit: '100.00', description: 'Flour, 100 kg' }),
  line('Tax payable', { debit: 19 }),
  line('Mill', { credit: '119.00' }),
];
const post = (lines: readonly unknown[], facts: object = {}, headers = {}): Promise<Reply> =>
  service.post('/api/transactions', { type: 'JOURNAL', date: '2026-03-04', lines, ...facts }, token, headers);
const read = async (id: string): Promise<TransactionRecord> =>
  (await service.get(`/api/transactions/${id}`, token)).data as TransactionRecord;
const balanceOf = async (name: string): Promise<string> =>
  ((await service.get(`/api/accounts/${ids[name] ?? ''}`, token)).data as { balance: { amount: string } }).balance
    .amount;
const found = async (query: string): Promise<readonly string[]> =>
  (await service.transactions(token, query)).items.map(({ id }) => id);

describe('A journal entry', () => {
  test("books a supplier's bill with tax, under a category for outgoing money", async () => {
    const { id: categoryId } = await service.post(
      '/api/transaction-categories',
      { name: 'Goods', direction: 'OUT' },
      token,
    );
    const facts = { description: 'Bill 17', reference: 'M-17', categoryId, currency: 'EUR' };
    const { id } = await post(bill(), facts);
    expect(await read(id)).toMatchObject({
      ...{
        type: 'JOURNAL',
        documentEffect: null,
        direction: null,
        amount: '119.00',
        customerId: null,
        accountId: null,
      },
      ...{ description: 'Bill 17', reference: 'M-17', categoryId, systemGenerated: false, revision: 0 },
      postings: [
        { accountId: ids['Flour'], amount: '100.00', description: 'Flour, 100 kg' },
        { accountId: ids['Tax payable'], amount: '19.00' },
        { accountId: ids['Mill'], amount: '-119.00' },
      ],
    });
    expect([await balanceOf('Flour'), await balanceOf('Mill')]).toEqual(['100.00', '-119.00']);
    for (const query of [
      'type=JOURNAL',
      `accountId=${ids['Mill'] ?? ''}`,
      'search=bill',
      'amountMin=119&amountMax=119.00',
    ])
      expect([query, await found(query)]).toEqual([query, [id]]);
    expect(await found(`customerId=${ids['Mill'] ?? ''}`)).toEqual([]);
    const ledger = await service.get('/api/reports/general-ledger', token, { accept: 'text/csv' });
    const rows = csvTable(ledger.text).filter(({ transactionId }) => transactionId === id);
    expect(rows.map((row) => [row['name'], row['description'], row['lineDescription']])).toEqual([
      ['Flour', 'Bill 17', 'Flour, 100 kg'],
      ['Tax payable', 'Bill 17', ''],
      ['Mill', 'Bill 17', ''],
    ]);
  });

  test("shows its lines' descriptions in statements and in the Beancount file", async () => {
    const [debit, credit] = ['4.00', '9.00'];
    const { id } = await post(
      [
        line('Flour', { debit, description: 'Rye\n"organic"' }),
        line('Flour', { debit: '5.00', description: 'Wheat' }),
        line('Mill', { credit }),
      ],
      { description: 'Two sacks' },
    );
    const statementOf = (name: string, headers = {}): Promise<Reply> =>
      service.get(`/api/accounts/${ids[name] ?? ''}/statement`, token, headers);
    for (const [name, lineDescription] of [
      ['Flour', 'Rye\n"organic"; Wheat'],
      ['Mill', null],
    ] as const) {
      const { lines } = (await statementOf(name)).data as { lines: { transactionId: string }[] };
      expect(lines.find(({ transactionId }) => transactionId === id)).toMatchObject({
        description: 'Two sacks',
        lineDescription,
      });
      const rows = csvTable((await statementOf(name, { accept: 'text/csv' })).text);
      const row = rows.find(({ transactionId }) => transactionId === id);
      expect(row?.['lineDescription']).toBe(lineDescription ?? '');
    }
    const { text } = await service.get('/api/reports/general-ledger?format=beancount', token);
    const entry = text.split('\n\n').find((directive) => directive.includes(`id: "${id}"`));
    expect(entry?.split('\n').slice(-5)).toEqual([
      expect.stringMatching(/^ {2}Expenses:\S+ 4\.00 EUR$/),
      '    description: "Rye \\"organic\\""',
      expect.stringMatching(/^ {2}Expenses:\S+ 5\.00 EUR$/),
      '    description: "Wheat"',
      expect.stringMatching(/^ {2}Liabilities:\S+ -9\.00 EUR$/),
    ]);
  });

  test('posts to customers, and updates their balances and lists of transactions', async () => {
    const one = (await post([line('Ada', { debit: '7.00' }), line('Cash', { credit: '7.00' })])).id;
    const both = (await post([line('Ada', { credit: '3.00' }), line('Bob', { debit: '3.00' })])).id;
    expect([await balanceOf('Ada'), await balanceOf('Bob')]).toEqual(['4.00', '3.00']);
    expect(await read(one)).toMatchObject({ customerId: ids['Ada'], customerName: 'Ada' });
    expect(await read(both)).toMatchObject({ customerId: null });
    expect(await found(`customerId=${ids['Ada'] ?? ''}`)).toEqual([both, one]);
    const path = `/api/customers/${ids['Bob'] ?? ''}/transactions?pageNumber=1&pageSize=9`;
    const { body } = await service.get(path, token);
    expect((body as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual([both]);
    const statement = await service.get(`/api/accounts/${ids['Ada'] ?? ''}/statement`, token);
    expect((statement.data as { lines: { transactionId: string }[] }).lines).toHaveLength(2);
    const deleted = await service.call('DELETE', `/api/customers/${ids['Bob'] ?? ''}`, { token });
    expect(deleted.told).toBe('409 CUSTOMER_HAS_TRANSACTIONS');
  });

  test('must balance: the error names the difference', async () => {
    const reply = await post([line('Cash', { debit: '10.00' }), line('Bank', { credit: '7.50' })]);
    expect([reply.told, reply.problem.message]).toEqual([
      '400 UNBALANCED lines',
      'The debits exceed the credits by 2.50 EUR.',
    ]);
    const other = await post([
      line('Cash', { debit: '10' }),
      line('Bank', { credit: '7.50' }),
      line('Bank', { credit: 3 }),
    ]);
    expect(other.problem.message).toBe('The credits exceed the debits by 0.50 EUR.');
  });

  test.each<[string, () => readonly unknown[], object, string]>([
    ['no line', () => [], {}, '400 VALIDATION_FAILED lines'],
    ['one line', () => [line('Cash', { debit: '1.00' })], {}, '400 VALIDATION_FAILED lines'],
    ['101 lines', () => Array<object>(101).fill(line('Cash', { debit: '1.00' })), {}, '400 VALIDATION_FAILED lines'],
    [
      'a line with both sides',
      () => [line('Cash', { debit: 1, credit: 1 }), line('Bank', { debit: 1 })],
      {},
      '400 VALIDATION_FAILED lines[0].debit lines[0].credit',
    ],
    [
      'a line without a side',
      () => [line('Cash', { debit: 1 }), line('Bank', {})],
      {},
      '400 VALIDATION_FAILED lines[1].debit lines[1].credit',
    ],
    [
      'a line without an account and a side',
      () => [line('Cash', { debit: 1 }), { accountId: '' }],
      {},
      '400 VALIDATION_FAILED lines[1].accountId lines[1].debit lines[1].credit',
    ],
    [
      'a malformed amount and another side',
      () => [line('Cash', { debit: 'one', credit: 1 }), line('Bank', { debit: 1 })],
      {},
      '400 VALIDATION_FAILED lines[0].debit',
    ],
    ['something other than a line', () => [line('Cash', { debit: 1 }), 'Bank'], {}, '400 VALIDATION_FAILED lines[1]'],
    [
      'a zero',
      () => [line('Cash', { debit: 0 }), line('Bank', { credit: 0 })],
      {},
      '400 VALIDATION_FAILED lines[0].debit lines[1].credit',
    ],
    [
      'too many decimals',
      () => [line('Cash', { debit: '1.005' }), line('Bank', { credit: '1.005' })],
      {},
      '400 VALIDATION_FAILED lines[0].debit',
    ],
    [
      'an unknown field',
      () => [line('Cash', { debit: 1, ...{ tax: 1 } }), line('Bank', { credit: 1 })],
      {},
      '400 VALIDATION_FAILED lines[0].tax',
    ],
    [
      'one account on both sides',
      () => [line('Cash', { debit: 1 }), line('Cash', { credit: 1 })],
      {},
      '409 SAME_ACCOUNT',
    ],
    [
      'an unknown account',
      () => [line('Cash', { debit: 1 }), line('nobody', { credit: 1 })],
      {},
      '404 NOT_FOUND lines[1].accountId',
    ],
    ['an amount besides the lines', bill, { amount: '119.00' }, '400 VALIDATION_FAILED amount'],
    ['a customer besides the lines', bill, { customerId: 'x' }, '400 VALIDATION_FAILED customerId'],
    ['another currency', bill, { currency: 'USD' }, '400 CURRENCY_MISMATCH currency'],
    ['no date', bill, { date: undefined }, '400 VALIDATION_FAILED date'],
  ])('is rejected with %s', async (_, lines, facts, told) => {
    expect((await post(lines(), facts)).told).toBe(told);
  });

  test('is rejected for inactive accounts, passive customers and records of other tenants', async () => {
    const closed = await service.post('/api/accounts', { type: 'CASH', name: 'Closed', isActive: false }, token);
    const passive = await service.post('/api/customers', { name: 'Gone', status: 'PASSIVE' }, token);
    const other = await service.openBooks();
    const foreign = (await service.customers(other.tenant.token)).items[0]?.id ?? '';
    const against = async (id: string) => (await post([line(id, { debit: 1 }), line('Cash', { credit: 1 })])).told;
    expect(await against(closed.id)).toBe('409 ACCOUNT_INACTIVE');
    expect(await against(passive.id)).toBe('409 CUSTOMER_PASSIVE');
    expect(await against(foreign)).toBe('404 NOT_FOUND lines[0].accountId');
  });

  test('has lines only if its type is JOURNAL', async () => {
    const entry = { type: 'TRANSFER', amount: '1.00', accountId: ids['Cash'], counterAccountId: ids['Bank'] };
    expect((await post(bill(), entry)).told).toBe('400 VALIDATION_FAILED lines');
  });

  test('is cancelled and corrected like any other transaction, which restores every balance', async () => {
    const before = await service.balancesByCode(token);
    const { id } = await post(bill());
    const replacement = {
      type: 'JOURNAL',
      date: '2026-03-04',
      lines: [line('Ada', { debit: 5 }), line('Cash', { credit: 5 })],
    };
    const path = `/api/transactions/${id}/correct`;
    const corrected = await service.post(path, { reason: 'Wrong supplier', replacement }, token);
    expect(await read(corrected.id)).toMatchObject({ type: 'JOURNAL', correctionOf: id, customerName: 'Ada' });
    const reversal = await read((await read(id)).reversedBy?.transactionId ?? '');
    expect(reversal.postings[0]).toEqual({ accountId: ids['Flour'], amount: '-100.00', description: 'Flour, 100 kg' });
    const unbalanced = { ...replacement, lines: [line('Ada', { debit: 5 }), line('Cash', { credit: 4 })] };
    const again = `/api/transactions/${corrected.id}/correct`;
    const refused = await service.post(again, { reason: 'Typo', replacement: unbalanced }, token);
    expect(refused.told).toBe('400 UNBALANCED replacement.lines');
    expect((await service.post(`/api/transactions/${corrected.id}/cancel`, { reason: 'All wrong' }, token)).told).toBe(
      '201',
    );
    expect(await service.balancesByCode(token)).toEqual(before);
  });

  test('is recorded once for requests with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'journal-1' };
    const replies = [await post(bill(), {}, headers), await post(bill(), {}, headers)];
    expect(replies.map(({ status }) => status)).toEqual([201, 200]);
    expect((await post(bill().reverse(), {}, headers)).told).toBe('409 IDEMPOTENCY_CONFLICT lines');
  });
});

test('The books balance afterwards', async () => {
  const { totalDebit, totalCredit } = await service.trialBalance(token);
  expect(totalDebit).toBe(totalCredit);
  expect(service.complaints).toEqual([]);
});
