import { toMinor } from '../../src/aggregates/money.js';
import type { TransactionRecord } from '../../src/queries/transaction.queries.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.close());

const sell = (facts: object = {}, externalId = service.fresh('sale')) =>
  service.sell(books.partner, saleOf(externalId, { currency: books.tenant.currency, ...facts }));
const token = (): string => books.tenant.token;

/** Returns a sale's transactions in order of creation. */
async function bookedBy(saleId: string): Promise<TransactionRecord[]> {
  const { items } = await service.transactions(token());
  return items.filter((transaction) => transaction.saleId === saleId).reverse();
}

/** Returns the postings as `account amount`, with the account's code or the customer's name. */
async function postingsOf({ postings }: TransactionRecord): Promise<string[]> {
  const { rows } = await service.trialBalance(token());
  const names = new Map(rows.map(({ accountId, type, name, code }) => [accountId, type === 'CUSTOMER' ? name : code]));
  return postings.map(({ accountId, amount }) => `${names.get(accountId) ?? '?'} ${amount}`);
}

describe('Booking a sale', () => {
  beforeAll(async () => {
    books = await service.openBooks();
  });

  test('creates an invoice and a collection per payment, all balanced', async () => {
    const { saleId } = await sell({
      customer: { name: 'Ada' },
      branchCode: 'main',
      lines: [
        { description: 'Coffee', quantity: 2, unitPrice: '10.00', taxRate: 19 },
        { description: 'Cake', quantity: 1, unitPrice: '5.00', discount: '1.00', taxRate: 7 },
      ],
      payments: [
        { method: 'CASH', amount: '8.08' },
        { method: 'CARD', amount: '10.00' },
        { method: 'BANK', amount: 5 },
        { method: 'CASH', amount: '1.00', accountCode: '102' },
      ],
    });
    const transactions = await bookedBy(saleId);
    const brief = transactions.map(({ type, documentEffect, direction, amount, accountName }) =>
      [type, documentEffect, direction, amount, accountName].join(' '),
    );
    expect(brief).toEqual([
      ' INVOICE OUT 28.08 ',
      'COLLECTION  IN 8.08 Cash',
      'COLLECTION  IN 10.00 Card terminal',
      'COLLECTION  IN 5.00 Bank',
      'COLLECTION  IN 1.00 Bank',
    ]);
    const postings = await Promise.all(transactions.map(postingsOf));
    expect(postings).toEqual([
      ['Ada 28.08', '600 -24.00', '360 -4.08'],
      ['100 8.08', 'Ada -8.08'],
      ['108 10.00', 'Ada -10.00'],
      ['102 5.00', 'Ada -5.00'],
      ['102 1.00', 'Ada -1.00'],
    ]);
    const customers = await service.customers(token(), 'search=ada');
    expect(customers.items[0]?.balance).toEqual({ amount: '4.00', currency: 'EUR' });
    const [invoice] = transactions;
    expect(invoice).toMatchObject({
      date: '2026-03-04',
      currency: 'EUR',
      customerId: customers.items[0]?.id,
      customerName: 'Ada',
      accountId: null,
      counterAccountId: null,
      categoryId: null,
      categoryName: null,
      categorizedBy: null,
      systemGenerated: true,
      sourceId: 'shop',
      saleId,
      isCancelled: false,
      reversalOf: null,
      createdBy: null,
    });
    expect(invoice?.branchId).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(transactions.map(({ branchId }) => branchId)).size).toBe(1);
    expect(new Set(transactions.map(({ id }) => id)).size).toBe(5);
  });

  test('without tax posts no tax, and without payment collects nothing', async () => {
    const { saleId } = await sell();
    const [invoice, ...others] = await bookedBy(saleId);
    expect(others).toEqual([]);
    expect(invoice?.postings.map(({ amount }) => amount)).toEqual(['100.00', '-100.00']);
    expect(invoice?.customerName).toBe('Walk-in customer');
    expect(invoice?.branchId).toBeNull();
  });

  test('of zero creates an invoice of zero', async () => {
    const { saleId } = await sell({ lines: [{ description: 'Gift', quantity: 1, unitPrice: 0 }] });
    expect(await bookedBy(saleId)).toMatchObject([{ documentEffect: 'INVOICE', amount: '0.00' }]);
  });

  test('can collect more than the total: the customer then has credit', async () => {
    const payments = [{ method: 'CASH', amount: '150.00' }];
    await sell({ customer: { name: 'Generous' }, payments });
    const { items } = await service.customers(token(), 'search=generous');
    expect(items[0]?.balance.amount).toBe('-50.00');
  });
});

describe('Every currency', () => {
  test.each([
    ['EUR', '12.34', 19, '14.68', '2.34'],
    ['JPY', '1234', 10, '1357', '123'],
    ['KWD', '1.234', 5, '1.296', '0.062'],
  ])('is booked with its own decimals: %s', async (currency, unitPrice, taxRate, gross, tax) => {
    books = await service.openBooks({ currency });
    const zero = gross.replace(/\d/g, '0').replace(/^0+(?=0)/, '');
    const { saleId } = await sell({
      lines: [{ description: 'One', quantity: 1, unitPrice, taxRate }],
      total: gross,
      payments: [{ method: 'CASH', amount: gross }],
    });
    expect((await bookedBy(saleId)).map(({ amount }) => amount)).toEqual([gross, gross]);
    expect(await service.balancesByCode(token())).toEqual({ '100': gross, '360': `-${tax}`, '600': `-${unitPrice}` });
    const [walkIn] = (await service.customers(token())).items;
    expect(walkIn?.balance).toEqual({ amount: zero, currency });
    const finer = saleOf('finer', {
      currency,
      payments: [{ method: 'CASH', amount: `${gross.replace('.', '')}.0001` }],
    });
    expect((await service.postSale(books.partner, finer)).told).toBe('400 VALIDATION_FAILED payments[0].amount');
  });

  test('supports amounts of 15 digits and their sums, exactly', async () => {
    books = await service.openBooks();
    const unitPrice = '999999999999999.99';
    const line = { description: 'Dear', quantity: 1, unitPrice };
    await sell({ lines: [line], total: unitPrice, payments: [{ method: 'BANK', amount: unitPrice }] });
    await sell({ lines: [line], payments: [{ method: 'BANK', amount: '0.01' }] });
    const { totalDebit, totalCredit } = await service.trialBalance(token());
    expect(await service.balancesByCode(token())).toEqual({
      '102': '1000000000000000.00',
      '600': '-1999999999999999.98',
    });
    expect([totalDebit, totalCredit]).toEqual(['2999999999999999.98', '2999999999999999.98']);
    const two = saleOf('two', { lines: [line, line] });
    expect((await service.postSale(books.partner, two)).told).toBe('400 VALIDATION_FAILED lines');
  });
});

describe('The date of a sale', () => {
  test.each([
    ['Europe/Istanbul', '2026-03-04T23:30:00.000Z', '2026-03-05'],
    ['Europe/Istanbul', '2026-03-04T20:59:59.999Z', '2026-03-04'],
    ['America/New_York', '2026-03-04T03:00:00.000Z', '2026-03-03'],
    ['UTC', '2026-03-04T23:30:00.000-01:00', '2026-03-05'],
    ['Europe/Berlin', '2026-03-28T23:30:00.000Z', '2026-03-29'],
    ['Europe/Berlin', '2026-06-30T22:30:00.000Z', '2026-07-01'],
    ['Asia/Kathmandu', '2027-12-31T18:15:00.000Z', '2028-01-01'],
    ['Pacific/Kiritimati', '2028-02-28T10:00:00.000Z', '2028-02-29'],
  ])('is the local date in %s at %s: %s', async (timeZone, occurredAt, date) => {
    books = await service.openBooks({ timeZone });
    const { saleId } = await sell({ occurredAt });
    expect(await bookedBy(saleId)).toMatchObject([{ date }]);
  });
});

describe('The customer of a sale', () => {
  beforeAll(async () => {
    books = await service.openBooks();
  });

  const create = async (body: object): Promise<string> => (await service.post('/api/customers', body, token())).id;
  const soldTo = async (customer: object | undefined): Promise<string> => {
    const [invoice] = await bookedBy((await sell(customer === undefined ? {} : { customer })).saleId);
    return invoice?.customerId ?? '';
  };

  test('is the default customer if none is given', async () => {
    const { items } = await service.customers(token(), 'isDefault=true');
    expect(await soldTo(undefined)).toBe(items[0]?.id);
  });

  test('is created if nothing matches, with all given fields, and later found by its external id', async () => {
    const told = {
      externalId: 'p-1',
      name: 'Ada',
      code: 'ADA',
      email: 'ada@a.test',
      phone: '+1 555',
      taxNumber: 'T-1',
    };
    const id = await soldTo(told);
    const { externalId: _, ...facts } = told;
    expect(await service.customer(token(), id)).toMatchObject({ ...facts, type: 'COMPANY', status: 'ACTIVE' });
    expect(await soldTo({ externalId: 'p-1', name: 'Renamed', code: 'OTHER', email: 'else@a.test' })).toBe(id);
    expect((await service.customer(token(), id)).name).toBe('Ada');
  });

  test('without any key is created each time', async () => {
    expect(await soldTo({ name: 'Nameless' })).not.toBe(await soldTo({ name: 'Nameless' }));
  });

  test.each([
    ['code', { code: 'Match-1' }, { code: 'mATCH-1' }],
    ['tax number, however it is written', { taxNumber: 'DE 123.456' }, { taxNumber: 'de123456' }],
    ['e-mail address, in any case', { email: 'Match@Mail.test' }, { email: 'match@mail.TEST' }],
  ])('is matched by its %s, and linked', async (name, known, told) => {
    const id = await create({ name: `Known by ${name}`, ...known });
    const externalId = `linked-${name}`;
    expect(await soldTo({ externalId, name: 'Whoever', ...told })).toBe(id);
    // The sale has linked the customer, so the external id is now sufficient to identify the customer.
    expect(await soldTo({ externalId, name: 'Whoever' })).toBe(id);
    expect(await soldTo({ name: 'Whoever', ...told })).toBe(id);
  });

  test('is matched by link, then code, then tax number, then e-mail address', async () => {
    const [byCode, byTax, byMail] = [
      await create({ name: 'C', code: 'ORDER' }),
      await create({ name: 'T', taxNumber: 'ORDER-T' }),
      await create({ name: 'M', email: 'order@order.test' }),
    ];
    const told = { name: 'X', code: 'ORDER', taxNumber: 'ORDER-T', email: 'order@order.test' };
    const byLink = await soldTo({ externalId: 'order', name: 'L' });
    expect(await soldTo({ ...told, externalId: 'order' })).toBe(byLink);
    expect(await soldTo(told)).toBe(byCode);
    expect(await soldTo({ ...told, code: 'ORDER-NEW' })).toBe(byTax);
    expect(await soldTo({ ...told, code: 'ORDER-NEWER', taxNumber: 'NEW' })).toBe(byMail);
  });

  test('is linked per source: the same external id of another source is another customer', async () => {
    const other = await service.createKey(books.tenant, { sourceId: 'other' });
    const mine = await soldTo({ externalId: 'per-source', name: 'Mine' });
    const sale = await service.sell(
      other,
      saleOf('per-source', { customer: { externalId: 'per-source', name: 'Its' } }),
    );
    expect((await bookedBy(sale.saleId))[0]?.customerId).not.toBe(mine);
  });

  test.each([
    ['partner id', (index: number) => ({ externalId: 'new-1', name: `N${index}` })],
    ['code', (index: number) => ({ code: 'NEW-2', name: `N${index}` })],
    ['tax number', (index: number) => ({ taxNumber: 'NEW-3', name: `N${index}` })],
    ['e-mail address', (index: number) => ({ email: 'new4@new.test', name: `N${index}` })],
    [
      'address under two partner ids',
      (index: number) => ({ externalId: `n5-${index % 2}`, email: 'new5@new.test', name: 'N' }),
    ],
  ])('is created once by concurrent sales of a new %s', async (name, customerOf) => {
    const names = Array.from({ length: 8 }, (_, index) => `new ${name} ${index}`);
    await Promise.all(names.map((id, index) => sell({ customer: customerOf(index) }, id)));
    const { items } = await service.transactions(token(), `search=${encodeURIComponent(`new ${name}`)}`);
    const ids = new Set(items.map(({ customerId }) => customerId));
    expect([items.length, ids.size]).toEqual([8, 1]);
    const [id] = ids;
    expect((await service.customer(token(), id ?? '')).balance.amount).toBe('800.00');
  });
});

describe('An unbookable sale', () => {
  beforeAll(async () => {
    books = await service.openBooks();
    const passive = { name: 'Passive', code: 'PASSIVE', status: 'PASSIVE' };
    expect((await service.post('/api/customers', passive, token())).status).toBe(201);
  });

  const cash = { method: 'CASH', amount: '1.00' };
  test.each([
    ['BRANCH_UNKNOWN', { branchCode: 'NOWHERE' }],
    ['ACCOUNT_UNKNOWN', { payments: [cash, { ...cash, accountCode: '999' }] }],
    ['CUSTOMER_PASSIVE', { customer: { name: 'Whoever', code: 'passive' } }],
  ])('is REJECTED with %s, and leaves no trace in the books', async (code, facts) => {
    const sale = saleOf(service.fresh('rejected'), facts);
    const first = await service.postSale(books.partner, sale);
    expect(first.status).toBe(202);
    const settled = await service.settled(books.partner, sale.externalId);
    const { saleId, acceptedAt } = first.body as { saleId: string; acceptedAt: string };
    expect(settled).toEqual({
      saleId,
      externalId: sale.externalId,
      sourceId: 'shop',
      status: 'REJECTED',
      acceptedAt,
      rejection: { code, message: expect.any(String) as string },
    });
    expect(await bookedBy(saleId)).toEqual([]);
    expect((await service.postSale(books.partner, sale)).text).toBe(first.text);
  });

  test('creates no customer', async () => {
    const before = (await service.customers(token(), 'status=ALL')).totalCount;
    const sale = saleOf('no-customer', { branchCode: 'NOWHERE', customer: { name: 'Ghost', externalId: 'ghost' } });
    await service.postSale(books.partner, sale);
    await service.settled(books.partner, 'no-customer');
    expect((await service.customers(token(), 'status=ALL')).totalCount).toBe(before);
  });
});

describe('The status of a sale', () => {
  test('is available for external ids with any characters', async () => {
    books = await service.openBooks();
    for (const externalId of ['a/b?c=d#e', 'ünï 字', '%2e%2e', '../..', 'x'.repeat(200), '" or 1=1']) {
      await sell({}, externalId);
      expect(await service.saleStatus(books.partner, externalId)).toMatchObject({ externalId, status: 'BOOKED' });
    }
  });

  test('is BOOKED only when its transactions are readable', async () => {
    for (let round = 0; round < 8; round += 1) {
      const externalId = service.fresh('prompt');
      const customer = { name: externalId, externalId };
      await service.postSale(books.partner, saleOf(externalId, { customer }));
      const { saleId } = await service.settled(books.partner, externalId);
      const { items } = await service.transactions(token(), `search=${externalId}`);
      expect(items).toMatchObject([{ saleId, customerName: externalId }]);
      const [found] = (await service.customers(token(), `search=${externalId}`)).items;
      expect(found?.balance.amount).toBe('100.00');
    }
  });
});

test('Debits equal credits in every book, and the tests above log no warnings', async () => {
  const events = await service.service.engines.events.readAll({ filter: { on: 'type', prefixes: ['SaleBooked'] } });
  expect(events.length).toBeGreaterThan(50);
  for (const { data } of events)
    for (const { postings } of (data as { transactions: TransactionRecord[] }).transactions)
      expect(postings.reduce((sum, { amount }) => sum + toMinor(amount, 4), 0n)).toBe(0n);
  expect(service.complaints).toEqual([]);
});
