import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { saleOf, TestService, type Books } from '../support/service.js';

/*
 * Verifies the rows of the postings table that no other suite verifies completely. These are returns with tax, opening
 * balances in both directions, and the reversal of each kind of transaction.
 */

const DATE = '2026-03-04';

let service: TestService;
let books: Books;
/** Record ids, by the names used in the tests. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  service = await TestService.start();
  books = await service.openBooks();
  const { token } = books.tenant;
  const { items } = (await service.get('/api/accounts?pageNumber=1&pageSize=100', token)).body as {
    items: { id: string; name: string }[];
  };
  const account = async (type: string): Promise<string> =>
    (await service.post('/api/accounts', { type, name: type.toLowerCase() }, token)).id;
  ids = {
    ...Object.fromEntries(items.map(({ id, name }) => [name, id])),
    supplier: await account('SUPPLIER'),
    employee: await account('EMPLOYEE'),
    expense: await account('EXPENSE'),
    customer: (await service.post('/api/customers', { name: 'Ada', code: 'ADA' }, token)).id,
  };
});
afterAll(() => service.close());

const nameOf = (id: string): string => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id;
const named = ({ postings }: TransactionRecord): Record<string, string> =>
  Object.fromEntries(postings.map(({ accountId, amount }) => [nameOf(accountId), amount]));
const mirrored = (postings: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(postings).map(([name, amount]) => [name, (-Number(amount)).toFixed(2)]));
const opposite = { IN: 'OUT', OUT: 'IN' } as const;

const record = async (body: Readonly<Record<string, string>>): Promise<TransactionRecord> => {
  const known = Object.fromEntries(Object.entries(body).map(([field, value]) => [field, ids[value] ?? value]));
  const { token } = books.tenant;
  const { id } = await service.post('/api/transactions', { date: DATE, amount: '100.00', ...known }, token);
  return (await service.get(`/api/transactions/${id}`, token)).data as TransactionRecord;
};
const onCustomer = { customerId: 'customer' };
const reversalOf = async ({ id }: TransactionRecord): Promise<TransactionRecord> => {
  const { items } = await service.transactions(books.tenant.token);
  const found = items.filter((one) => one.reversalOf === id);
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} reversals of ${id}`);
  return found[0];
};

test.each([
  ['of an account, out', { accountId: 'Bank', direction: 'OUT' }, { 'Opening balances': '100.00', Bank: '-100.00' }],
  ['of a customer, in', { ...onCustomer, direction: 'IN' }, { 'Opening balances': '100.00', customer: '-100.00' }],
])('An opening balance %s is booked', async (_what, body, postings) => {
  expect(named(await record({ type: 'OPENING_BALANCE', ...body }))).toEqual(postings);
});

type Row = readonly [body: Readonly<Record<string, string>>, postings: Readonly<Record<string, string>>];
const rows: readonly Row[] = [
  [
    { type: 'COLLECTION', ...onCustomer, accountId: 'Cash' },
    { Cash: '100.00', customer: '-100.00' },
  ],
  [
    { type: 'PAYMENT', ...onCustomer, accountId: 'Bank' },
    { customer: '100.00', Bank: '-100.00' },
  ],
  [
    { type: 'PAYMENT', counterAccountId: 'supplier', accountId: 'Bank' },
    { supplier: '100.00', Bank: '-100.00' },
  ],
  [
    { type: 'PAYMENT', counterAccountId: 'employee', accountId: 'Bank' },
    { employee: '100.00', Bank: '-100.00' },
  ],
  [
    { type: 'PAYMENT', expenseItemId: 'expense', accountId: 'Bank' },
    { expense: '100.00', Bank: '-100.00' },
  ],
  [
    { type: 'TRANSFER', accountId: 'Cash', counterAccountId: 'Bank' },
    { Bank: '100.00', Cash: '-100.00' },
  ],
  ...(['ADJUSTMENT', 'OPENING_BALANCE'] as const).flatMap((type): Row[] => {
    const other = type === 'ADJUSTMENT' ? 'Adjustments' : 'Opening balances';
    return [
      [
        { type, accountId: 'Cash', direction: 'IN' },
        { Cash: '100.00', [other]: '-100.00' },
      ],
      [
        { type, accountId: 'Cash', direction: 'OUT' },
        { [other]: '100.00', Cash: '-100.00' },
      ],
      [
        { type, ...onCustomer, direction: 'IN' },
        { [other]: '100.00', customer: '-100.00' },
      ],
      [
        { type, ...onCustomer, direction: 'OUT' },
        { customer: '100.00', [other]: '-100.00' },
      ],
    ];
  }),
];

test.each(rows)('%j is reversed with the same type and the opposite direction', async (body, postings) => {
  const made = await record(body);
  expect(named(made)).toEqual(postings);
  const path = `/api/transactions/${made.id}/cancel`;
  expect((await service.post(path, { reason: 'A mistake' }, books.tenant.token)).status).toBe(201);
  const reversal = await reversalOf(made);
  expect(named(reversal)).toEqual(mirrored(postings));
  const { type, documentEffect, amount, customerId, accountId, counterAccountId, expenseItemId } = made;
  expect(reversal).toMatchObject({
    ...{ type, documentEffect, amount, customerId, accountId, counterAccountId, expenseItemId },
    direction: made.direction && opposite[made.direction],
    systemGenerated: false,
    isCancelled: false,
  });
});

describe('With tax', () => {
  const lines = [{ description: 'Goods', quantity: 1, unitPrice: '100.00', taxRate: 19 }];
  const customer = { name: 'Ada', code: 'ADA' };
  const payments = [{ method: 'CASH', amount: '50.00' }];
  const push = async (externalId: string, facts: object): Promise<TransactionRecord[]> => {
    await service.sell(books.partner, saleOf(externalId, { lines, customer, ...facts }));
    const { items } = await service.transactions(books.tenant.token, `search=${externalId}`);
    return items.toReversed();
  };
  const brief = (made: TransactionRecord) => [made.type, made.documentEffect, made.direction, made.amount, named(made)];

  test('a return debits sales and tax, and credits the customer; its refund debits the customer', async () => {
    await push('sold1', {});
    expect((await push('returned1', { type: 'RETURN', relatedExternalId: 'sold1', payments })).map(brief)).toEqual([
      [null, 'RETURN', 'IN', '119.00', { customer: '-119.00', Sales: '100.00', 'Tax payable': '19.00' }],
      ['PAYMENT', null, 'OUT', '50.00', { customer: '50.00', Cash: '-50.00' }],
    ]);
  });

  test("a partner's cancellation mirrors the invoice as a CANCELLATION, and the collections as they are", async () => {
    expect((await push('sold2', { payments })).map(brief)).toEqual([
      [null, 'INVOICE', 'OUT', '119.00', { customer: '119.00', Sales: '-100.00', 'Tax payable': '-19.00' }],
      ['COLLECTION', null, 'IN', '50.00', { customer: '-50.00', Cash: '50.00' }],
    ]);
    const facts = { type: 'CANCELLATION', relatedExternalId: 'sold2', lines: [] };
    expect((await push('cancelled2', facts)).map(brief)).toEqual([
      [null, 'CANCELLATION', 'IN', '119.00', { customer: '-119.00', Sales: '100.00', 'Tax payable': '19.00' }],
      ['COLLECTION', null, 'OUT', '50.00', { customer: '50.00', Cash: '-50.00' }],
    ]);
  });
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});
