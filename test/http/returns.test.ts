import { ReadStoreUnavailable } from '../../src/ports/read-store.js';
import { transactions } from '../../src/projections/ledger.projection.js';
import { eventually } from '../support/eventually.js';
import { saleOf, TestService, type Books } from '../support/service.js';

let service: TestService;
let books: Books;
beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  books = await service.openBooks();
});
afterAll(() => service.close());

const paid = { payments: [{ method: 'CASH', amount: '100.00' }] };
const refund = { payments: [{ method: 'BANK', amount: '40.00' }] };
const line = (unitPrice: string) => ({ lines: [{ description: 'Goods', quantity: 1, unitPrice }] });
const returnOf = (relatedExternalId: string, unitPrice: string, facts: object = {}) => ({
  type: 'RETURN',
  relatedExternalId,
  occurredAt: '2026-03-10T10:00:00.000Z',
  ...line(unitPrice),
  ...facts,
});
const cancellationOf = (relatedExternalId: string, facts: object = {}) => ({
  type: 'CANCELLATION',
  relatedExternalId,
  lines: [],
  occurredAt: '2026-03-11T10:00:00.000Z',
  ...facts,
});

/** Pushes a sale or a return. Resolves with the outcome: BOOKED or the rejection code. */
async function push(externalId: string, facts: object = {}): Promise<string> {
  const reply = await service.postSale(books.partner, saleOf(externalId, facts));
  if (reply.status !== 202) throw new Error(`${externalId}: ${reply.told}`);
  const { status, rejection } = await service.settled(books.partner, externalId);
  return rejection?.code ?? status;
}
const balances = () => service.balancesByCode(books.tenant.token);
const found = async (query = '') => (await service.transactions(books.tenant.token, query)).items;

describe('A return', () => {
  test('reverses the sale, and refunds the customer', async () => {
    expect(await push('s', { customer: { name: 'Ada' }, ...paid })).toBe('BOOKED');
    expect(await push('r', returnOf('s', '40.00', refund))).toBe('BOOKED');
    expect(await balances()).toEqual({ '100': '100.00', '102': '-40.00', '600': '-60.00' });
    const [payment, document] = await found('beginDate=2026-03-10');
    expect(document).toMatchObject({
      documentEffect: 'RETURN',
      type: null,
      direction: 'IN',
      amount: '40.00',
      date: '2026-03-10',
      customerName: 'Ada',
      externalId: 'r',
      systemGenerated: true,
      isCancelled: false,
    });
    expect(payment).toMatchObject({ type: 'PAYMENT', direction: 'OUT', accountName: 'Bank', customerName: 'Ada' });
    const own = (await service.saleStatus(books.partner, 'r')).saleId;
    expect([document?.saleId, payment?.saleId]).toEqual([own, own]);
  });

  test('is booked on the customer of the sale, whatever customer it contains', async () => {
    await push('s', { customer: { name: 'Ada' } });
    await push('r', returnOf('s', '10.00', { customer: { name: 'Bob' } }));
    expect((await found()).map(({ customerName }) => customerName)).toEqual(['Ada', 'Ada']);
    expect((await service.customers(books.tenant.token, 'search=bob')).totalCount).toBe(0);
  });

  test('cannot exceed the sale together with others', async () => {
    await push('s');
    expect(await push('r-1', returnOf('s', '60.00'))).toBe('BOOKED');
    expect(await push('r-2', returnOf('s', '40.01'))).toBe('RETURN_EXCEEDS_SALE');
    expect(await push('r-3', returnOf('s', '40.00'))).toBe('BOOKED');
    expect(await push('r-4', returnOf('s', '0.01'))).toBe('RETURN_EXCEEDS_SALE');
    expect((await balances())['600']).toBe('0.00');
  });

  test('respects the limit among concurrent returns', async () => {
    await push('s');
    const names = Array.from({ length: 8 }, (_, index) => `r-${index}`);
    const outcomes = await Promise.all(names.map((name) => push(name, returnOf('s', '30.00'))));
    expect(outcomes.filter((outcome) => outcome === 'BOOKED')).toHaveLength(3);
    expect(new Set(outcomes)).toEqual(new Set(['BOOKED', 'RETURN_EXCEEDS_SALE']));
    expect((await balances())['600']).toBe('-10.00');
  });

  test('can arrive with its sale, or just before it', async () => {
    const [returned, sold] = await Promise.all([push('r', returnOf('s', '25.00')), push('s')]);
    expect([returned, sold]).toEqual(['BOOKED', 'BOOKED']);
  });

  test('of a passive customer is rejected, but its cancellation is not', async () => {
    await push('s', { customer: { name: 'Ada' } });
    const [ada] = (await service.customers(books.tenant.token, 'search=ada')).items;
    const body = { status: 'PASSIVE' };
    await service.call('PATCH', `/api/customers/${ada?.id ?? ''}`, { token: books.tenant.token, body });
    expect(await push('r', returnOf('s', '10.00'))).toBe('CUSTOMER_PASSIVE');
    expect(await push('c', cancellationOf('s'))).toBe('BOOKED');
  });
});

describe('A cancellation', () => {
  test('mirrors the sale and its collections, once', async () => {
    await push('s', paid);
    expect(await push('c', cancellationOf('s'))).toBe('BOOKED');
    expect(await balances()).toEqual({ '100': '0.00', '600': '0.00' });
    const [reversedCollection, reversedInvoice, collection, invoice] = await found();
    expect(reversedInvoice).toMatchObject({ documentEffect: 'CANCELLATION', direction: 'IN', reversalOf: invoice?.id });
    expect(reversedCollection).toMatchObject({ type: 'COLLECTION', direction: 'OUT', reversalOf: collection?.id });
    expect(await push('c-2', cancellationOf('s'))).toBe('ALREADY_CANCELLED');
    expect(await found()).toHaveLength(4);
  });

  test('is shown on the transactions that it cancels', async () => {
    await push('s', paid);
    const before = await found();
    expect(before.map(({ isCancelled, revision }) => [isCancelled, revision])).toEqual([
      [false, before[0]?.revision],
      [false, before[0]?.revision],
    ]);
    await push('c', cancellationOf('s'));
    const after = await found();
    expect(after.map(({ isCancelled }) => isCancelled)).toEqual([false, false, true, true]);
    expect(after[2]?.revision).toBeGreaterThan(before[0]?.revision ?? 0);
    expect(await found('type=CANCELLATION')).toHaveLength(1);
    expect(await found('type=INVOICE')).toHaveLength(1);
    expect(await found('type=COLLECTION')).toHaveLength(2);
  });

  test('and a return exclude each other, also concurrently', async () => {
    await push('s-1');
    await push('r-1', returnOf('s-1', '1.00'));
    expect(await push('c-1', cancellationOf('s-1'))).toBe('RETURN_EXCEEDS_SALE');
    await push('s-2');
    await push('c-2', cancellationOf('s-2'));
    expect(await push('r-2', returnOf('s-2', '1.00'))).toBe('ALREADY_CANCELLED');
    await push('s-3');
    const outcomes = await Promise.all([push('r-3', returnOf('s-3', '1.00')), push('c-3', cancellationOf('s-3'))]);
    expect(outcomes.filter((outcome) => outcome === 'BOOKED')).toHaveLength(1);
  });
});

test('Returns and cancellations of non-sales or sales of other sources are rejected', async () => {
  await push('s');
  await push('r', returnOf('s', '1.00'));
  const other = { tenant: books.tenant, partner: await service.createKey(books.tenant, { sourceId: 'other' }) };
  await service.sell(other.partner, saleOf('theirs'));
  const outcomes = await Promise.all([
    push('r-of-r', returnOf('r', '1.00')),
    push('c-of-r', cancellationOf('r')),
    push('r-of-other', returnOf('theirs', '1.00')),
    push('c-of-none', cancellationOf('none')),
    push('c-of-itself', cancellationOf('c-of-itself')),
  ]);
  expect(outcomes).toEqual(Array.from({ length: 5 }, () => 'RELATED_SALE_UNKNOWN'));
});

test('The tests above log no warnings', () => {
  expect(service.complaints).toEqual([]);
});

describe('The status of a sale', () => {
  const release: (() => void)[] = [];
  afterEach(() => {
    for (const undo of release.splice(0)) undo();
  });
  /** Suppresses all progress reports for the `transactions` read model. */
  function holdProgress(): void {
    const { progress } = service.service.engines;
    const advance = progress.advance.bind(progress);
    progress.advance = (name, position) => {
      if (name !== transactions.name) advance(name, position);
    };
    release.push(() => (progress.advance = advance));
  }
  const statusOf = async (externalId: string) => (await service.saleStatus(books.partner, externalId)).status;
  const isBookedOn = (type: string, count: number) =>
    eventually(async () => {
      const filter = { on: 'type', prefixes: [type] } as const;
      const events = await service.service.engines.events.readAll({ filter, direction: 'backwards', maxCount: 100 });
      return events.filter(({ metadata }) => JSON.stringify(metadata).includes(books.tenant.id)).length >= count;
    }, 10_000);

  test('stays BOOKED while read models lag behind later bookings', async () => {
    await push('s', paid);
    holdProgress();
    await service.postSale(books.partner, saleOf('r', returnOf('s', '40.00', refund)));
    await isBookedOn('ReturnBooked', 1);
    expect(await statusOf('s')).toBe('BOOKED');
  });

  test('is BOOKED once all transactions of a sale, a return or a cancellation are readable', async () => {
    holdProgress();
    for (const [externalId, facts] of [
      ['s', paid],
      ['r', returnOf('s', '40.00', refund)],
      ['t', paid],
      ['c', cancellationOf('t')],
    ] as const) {
      await service.postSale(books.partner, saleOf(externalId, facts));
      expect(await eventually(async () => (await statusOf(externalId)) === 'BOOKED', 10_000)).toBe(true);
    }
  });

  test('is ACCEPTED until then, even while the read models are unavailable', async () => {
    const { reads } = service.service.engines;
    const getMany = reads.getMany.bind(reads);
    holdProgress();
    let some = (id: string): boolean => id !== '';
    reads.getMany = async (table, scope, ids) =>
      new Map(
        [...(await getMany(table, scope, ids))].filter(([id]) => table.model.name !== transactions.name || some(id)),
      );
    release.push(() => (reads.getMany = getMany));
    await push('s', paid);
    const [first] = await found();
    some = (id) => id === first?.id;
    expect(await statusOf('s')).toBe('ACCEPTED');
    reads.getMany = () => Promise.reject(new ReadStoreUnavailable('The read store is away.'));
    expect(await statusOf('s')).toBe('ACCEPTED');
  });
});
