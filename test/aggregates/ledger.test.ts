import fc from 'fast-check';
import {
  balanced,
  collection,
  correction,
  LedgerTransaction,
  payment,
  reversal,
  saleInvoice,
  saleReturn,
  transfer,
  type LedgerTransaction as Transaction,
} from '../../src/aggregates/ledger.js';
import { fromMinor, sumOf } from '../../src/aggregates/money.js';

const facts = { id: 't1', date: '2026-03-04', currency: 'EUR' };
const document = {
  customerId: 'customer',
  salesAccountId: 'Sales',
  taxAccountId: 'Tax payable',
  net: '100.00',
  tax: '20.00',
  gross: '120.00',
};
const postings = ({ postings: all }: Transaction) => all.map(({ accountId, amount }) => `${accountId} ${amount}`);
const kind = ({ type, documentEffect, direction, amount }: Transaction) => [type, documentEffect, direction, amount];

describe('the ledger posts', () => {
  test('a sale: the customer owes the gross, Sales earns the net, the tax is payable', () => {
    const invoice = saleInvoice(facts, document);
    expect(kind(invoice)).toEqual([null, 'INVOICE', 'OUT', '120.00']);
    expect(postings(invoice)).toEqual(['customer 120.00', 'Sales -100.00', 'Tax payable -20.00']);
    expect(invoice.customerId).toBe('customer');
  });
  test('a sale without tax on two accounts, and a free one with amounts of zero', () => {
    expect(postings(saleInvoice(facts, { ...document, tax: '0.00', gross: '100.00' }))).toEqual([
      'customer 100.00',
      'Sales -100.00',
    ]);
    const free = saleInvoice(facts, { ...document, net: '0.00', tax: '0.00', gross: '0.00' });
    expect(postings(free)).toEqual(['customer 0.00', 'Sales 0.00']);
  });
  test('a return as the opposite of a sale', () => {
    const returned = saleReturn(facts, document);
    expect(kind(returned)).toEqual([null, 'RETURN', 'IN', '120.00']);
    expect(postings(returned)).toEqual(['customer -120.00', 'Sales 100.00', 'Tax payable 20.00']);
  });
  test('a collection: the account receives, the customer owes less', () => {
    const collected = collection(facts, { customerId: 'customer', accountId: 'Cash', amount: '50.00' });
    expect(kind(collected)).toEqual(['COLLECTION', null, 'IN', '50.00']);
    expect(postings(collected)).toEqual(['Cash 50.00', 'customer -50.00']);
  });
  test.each([
    [{ customerId: 'customer' }, 'customer'],
    [{ counterAccountId: 'Supplier' }, 'Supplier'],
    [{ expenseItemId: 'Rent' }, 'Rent'],
  ])('a payment to %j', (payee, account) => {
    const paid = payment(facts, { payee, accountId: 'Bank', amount: '50.00' });
    expect(kind(paid)).toEqual(['PAYMENT', null, 'OUT', '50.00']);
    expect(postings(paid)).toEqual([`${account} 50.00`, 'Bank -50.00']);
    expect(paid).toMatchObject(payee);
  });
  test('a transfer from one account to another', () => {
    const moved = transfer(facts, { accountId: 'Cash', counterAccountId: 'Bank', amount: '50.00' });
    expect(kind(moved)).toEqual(['TRANSFER', null, null, '50.00']);
    expect(postings(moved)).toEqual(['Bank 50.00', 'Cash -50.00']);
  });
  test.each([
    ['an account', 'IN', { accountId: 'Cash' }, ['Cash 5.00', 'Equity -5.00']],
    ['an account', 'OUT', { accountId: 'Cash' }, ['Equity 5.00', 'Cash -5.00']],
    ['a customer', 'IN', { customerId: 'customer' }, ['Equity 5.00', 'customer -5.00']],
    ['a customer', 'OUT', { customerId: 'customer' }, ['customer 5.00', 'Equity -5.00']],
  ] as const)('an adjustment or opening balance of %s, %s', (_, direction, subject, expected) => {
    for (const type of ['ADJUSTMENT', 'OPENING_BALANCE'] as const) {
      const corrected = correction(facts, { type, subject, direction, amount: '5.00', balancingAccountId: 'Equity' });
      expect(kind(corrected)).toEqual([type, null, direction, '5.00']);
      expect(postings(corrected)).toEqual(expected);
      expect(corrected).toMatchObject(subject);
    }
  });
  test('a reversal: the mirror image, in the opposite direction, with a reference to the original', () => {
    const original = saleInvoice({ ...facts, categoryId: 'c', saleId: 's', systemGenerated: true }, document);
    const undone = reversal(original, { id: 't2', date: '2026-04-01', description: 'Typed twice' });
    expect(undone).toMatchObject({ id: 't2', date: '2026-04-01', reversalOf: 't1', systemGenerated: false });
    expect(undone).toMatchObject({ categoryId: 'c', customerId: 'customer', description: 'Typed twice' });
    expect(kind(undone)).toEqual([null, 'INVOICE', 'IN', '120.00']);
    expect(postings(undone)).toEqual(['customer -120.00', 'Sales 100.00', 'Tax payable 20.00']);
    expect(reversal(original, { id: 't2', date: '2026-04-01' }, 'CANCELLATION').documentEffect).toBe('CANCELLATION');
    const moved = transfer(facts, { accountId: 'Cash', counterAccountId: 'Bank', amount: '50.00' });
    expect(kind(reversal(moved, { id: 't2', date: '2026-04-01' }))).toEqual(['TRANSFER', null, null, '50.00']);
  });
  test('nothing that is out of balance', () => {
    expect(() => saleInvoice(facts, { ...document, tax: '20.01' })).toThrow('out of balance by -0.01');
    const invoice = saleInvoice(facts, document);
    expect(() => balanced({ ...invoice, postings: invoice.postings.slice(1) })).toThrow('out of balance');
  });
});

test('entries that sum to zero, alone and with their reversals', () => {
  const minor = fc.bigInt({ min: 1n, max: 10n ** 17n });
  const currency = fc.constantFrom('EUR', 'JPY', 'KWD');
  const direction = fc.constantFrom('IN' as const, 'OUT' as const);
  fc.assert(
    fc.property(minor, minor, currency, direction, (net, tax, code, way) => {
      const digits = { EUR: 2, JPY: 0, KWD: 3 }[code];
      const shared = { ...facts, currency: code };
      const amount = fromMinor(net, digits);
      const amounts = { net: amount, tax: fromMinor(tax, digits), gross: fromMinor(net + tax, digits) };
      const equity = { direction: way, amount, balancingAccountId: 'Equity' };
      const booked = [
        saleInvoice(shared, { ...document, ...amounts }),
        saleReturn(shared, { ...document, ...amounts }),
        collection(shared, { customerId: 'customer', accountId: 'Cash', amount }),
        payment(shared, { payee: { expenseItemId: 'Rent' }, accountId: 'Cash', amount }),
        transfer(shared, { accountId: 'Cash', counterAccountId: 'Bank', amount }),
        correction(shared, { type: 'ADJUSTMENT', subject: { accountId: 'Cash' }, ...equity }),
        correction(shared, { type: 'OPENING_BALANCE', subject: { customerId: 'customer' }, ...equity }),
      ];
      const all = [...booked, ...booked.map((one) => reversal(one, { id: 'r', date: '2026-03-05' }))];
      const byAccount = new Map<string, string>();
      for (const one of all) {
        expect(
          sumOf(
            one.postings.map((posting) => posting.amount),
            code,
          ),
        ).toBe(fromMinor(0n, digits));
        expect(LedgerTransaction.parse(one)).toEqual(one);
        for (const posting of one.postings) {
          const before = byAccount.get(posting.accountId) ?? fromMinor(0n, digits);
          byAccount.set(posting.accountId, sumOf([before, posting.amount], code));
        }
      }
      expect([...byAccount.values()].filter((balance) => balance !== fromMinor(0n, digits))).toEqual([]);
    }),
  );
});
