import fc from 'fast-check';
import { sumOf } from '../../src/aggregates/money.js';
import { bookCancellation, bookReturn, bookSale, type SaleBookingData } from '../../src/aggregates/sale-booking.js';
import { priceSale, SalePayload } from '../../src/aggregates/sale-payload.js';
import {
  acceptSale,
  awaitSale,
  chooseCustomer,
  rejectionOn,
  rejectRelated,
  rejectSale,
  sale,
  type Sale,
  type SaleEvent,
} from '../../src/aggregates/sale.aggregate.js';
import { fold } from '../../src/eventsourcing/aggregate.js';
import { given, NOW, refusal } from './given.js';

const SALE_ID = '5aae0000-0000-5000-8000-000000000001';
const RETURN_ID = '5aae0000-0000-5000-8000-000000000002';
const OTHER_ID = '5aae0000-0000-5000-8000-000000000004';
const CANCELLATION_ID = '5aae0000-0000-5000-8000-000000000003';

const occurrence = { externalId: 'S-1', occurredAt: '2026-03-04T10:00:00Z', currency: 'EUR' };
const line = { description: 'Coffee', quantity: 10, unitPrice: 10, taxRate: 20 };
const payments = [
  { method: 'CASH', amount: '20' },
  { method: 'CARD', amount: '100' },
];

function accepted(body: object): SaleEvent {
  const priced = priceSale(SalePayload.parse({ ...occurrence, ...body }));
  const [event] = acceptSale(sale.initial, { sourceId: 'pos', sale: priced }, NOW);
  if (!event) throw new Error('not accepted');
  return event;
}

const sold = accepted({ lines: [line], payments });
const free = accepted({ lines: [{ ...line, discount: 100 }] });
const accounts = { sales: 'Sales', tax: 'Tax', byPayment: ['Cash', 'Card'] };
/** Rules that do not assign a category. */
const uncategorized = { merchant: 'Jane Doe', rules: { resolve: () => undefined } };
const booking: SaleBookingData = {
  ...uncategorized,
  saleId: SALE_ID,
  customerId: 'jane',
  branchId: 'main',
  date: '2026-03-04',
  accounts,
};
const stateOf = (...events: SaleEvent[]): Sale => fold(sale, events);
const booked = (acceptedEvent = sold): SaleEvent[] => [acceptedEvent, ...bookSale(stateOf(acceptedEvent), booking)];

function transactionsOf(event: SaleEvent | undefined) {
  if (!event || !('transactions' in event.data)) throw new Error('nothing is booked');
  return event.data.transactions;
}
const postings = (event: SaleEvent | undefined) =>
  transactionsOf(event).map((one) => one.postings.map(({ accountId, amount }) => `${accountId} ${amount}`));

const returned = (quantity: number, id = RETURN_ID, more: object = {}) => {
  const lines = [{ ...line, quantity }];
  const event = accepted({ externalId: 'R-1', type: 'RETURN', relatedExternalId: 'S-1', lines, ...more });
  const state = stateOf(event);
  if (state.status === 'absent') throw new Error('not accepted');
  return {
    ...uncategorized,
    saleId: id,
    branchId: null,
    date: '2026-03-05',
    timeZone: 'UTC',
    accounts,
    document: state,
  };
};
const cancellation = { saleId: CANCELLATION_ID, externalId: 'C-1', branchId: null, date: '2026-03-06' };

describe('a sale', () => {
  test('is accepted once, with every amount computed', () => {
    const again = { sourceId: 'pos', sale: priceSale(SalePayload.parse({ ...occurrence, lines: [line] })) };
    given(sale, [sold]).when(acceptSale, again).changesNothing();
    expect(sold.data).toMatchObject({
      sourceId: 'pos',
      type: 'SALE',
      total: '120.00',
      totalNet: '100.00',
      totalTax: '20.00',
      acceptedAt: '2026-03-04T10:00:00.000Z',
    });
    given(sale, [])
      .when(acceptSale, again)
      .then(accepted({ lines: [line] }));
  });
  test('is booked as an INVOICE and a COLLECTION for each payment', () => {
    const [event] = given(sale, [sold]).when(bookSale, booking).events();
    expect(event).toMatchObject({
      type: 'SaleBooked',
      data: { customerId: 'jane', branchId: 'main', date: '2026-03-04' },
    });
    expect(postings(event)).toEqual([
      ['jane 120.00', 'Sales -100.00', 'Tax -20.00'],
      ['Cash 20.00', 'jane -20.00'],
      ['Card 100.00', 'jane -100.00'],
    ]);
    expect(transactionsOf(event).map((one) => [one.documentEffect, one.type, one.description])).toEqual([
      ['INVOICE', null, 'Sale S-1'],
      [null, 'COLLECTION', 'Payment of S-1'],
      [null, 'COLLECTION', 'Payment of S-1'],
    ]);
    for (const one of transactionsOf(event)) {
      expect(one).toMatchObject({ saleId: SALE_ID, sourceId: 'pos', externalId: 'S-1', systemGenerated: true });
      expect(one).toMatchObject({ customerId: 'jane', branchId: 'main', date: '2026-03-04', categoryId: null });
    }
    given(sale, [sold])
      .when(bookSale, booking)
      .then(...booked().slice(1));
  });
  test('is booked once, and a second attempt creates the same transactions', () => {
    given(sale, booked()).when(bookSale, booking).changesNothing();
    const ids = () => transactionsOf(bookSale(stateOf(sold), booking)[0]).map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(3);
  });
  test('remembers its chosen customer, who can be replaced until it is booked', () => {
    const chosen: SaleEvent = { type: 'SaleCustomerChosen', data: { customerId: 'joe' } };
    given(sale, [sold]).when(chooseCustomer, { customerId: 'joe' }).then(chosen);
    given(sale, [sold, chosen]).when(chooseCustomer, { customerId: 'joe' }).changesNothing();
    given(sale, [sold, chosen])
      .when(chooseCustomer, { customerId: 'jane' })
      .then({ type: 'SaleCustomerChosen', data: { customerId: 'jane' } });
    given(sale, booked()).when(chooseCustomer, { customerId: 'joe' }).changesNothing();
    expect(stateOf(sold, chosen)).toMatchObject({ customerId: 'joe' });
  });
  test('that costs nothing has an INVOICE of zero, so it can be found and cancelled', () => {
    const [event] = given(sale, [free])
      .when(bookSale, { ...booking, accounts: { ...accounts, byPayment: [] } })
      .events();
    expect(postings(event)).toEqual([['jane 0.00', 'Sales 0.00']]);
    const [undone] = given(sale, booked(free)).when(bookCancellation, cancellation).events();
    expect(postings(undone)).toEqual([['jane 0.00', 'Sales 0.00']]);
  });
  test('is not booked without its accounts, before it is accepted, or if it is not a sale', () => {
    const short = { ...booking, accounts: { ...accounts, byPayment: ['Cash'] } };
    expect(() => bookSale(stateOf(sold), short)).toThrow('Payment 1 has no account');
    given(sale, []).when(bookSale, booking).isRefused('not_found NOT_FOUND');
    const back = accepted({ type: 'RETURN', relatedExternalId: 'S-0', lines: [line] });
    expect(() => bookSale(stateOf(back), booking)).toThrow('A RETURN is booked on its related sale');
  });
  test('that cannot be booked is rejected once for each attempt, until it is booked', () => {
    const first = { code: 'BRANCH_UNKNOWN', message: 'No branch has this code.', attempts: 1 };
    const rejected: SaleEvent = { type: 'SaleRejected', data: first };
    given(sale, [sold]).when(rejectSale, first).then(rejected);
    given(sale, [sold, rejected]).when(rejectSale, first).changesNothing();
    const second = { ...first, attempts: 2 };
    given(sale, [sold, rejected]).when(rejectSale, second).then({ type: 'SaleRejected', data: second });
    given(sale, [sold, rejected])
      .when(bookSale, booking)
      .then(...booked().slice(1));
    given(sale, booked()).when(rejectSale, second).changesNothing();
    expect(stateOf(sold, rejected)).toMatchObject({ rejection: first });
    expect(stateOf(sold, rejected, ...booked().slice(1))).toMatchObject({ rejection: null });
  });
  test('is noted as awaited once, even before its acceptance, until it is booked', () => {
    const awaited: SaleEvent = { type: 'SaleAwaited', data: {} };
    for (const history of [[], [sold]]) given(sale, history).when(awaitSale, undefined).then(awaited);
    const back = accepted({ type: 'RETURN', relatedExternalId: 'S-0', lines: [line] });
    for (const history of [[awaited], [awaited, sold], [sold, awaited], booked(), [back]])
      given(sale, history).when(awaitSale, undefined).changesNothing();
  });
});

describe('a return', () => {
  test('is booked on the sale’s customer, as a RETURN and a PAYMENT for each payment', () => {
    const refund = returned(1, RETURN_ID, { payments: [{ method: 'CASH', amount: '12' }] });
    const [event] = given(sale, booked()).when(bookReturn, refund).events();
    expect(event?.data).toMatchObject({ saleId: RETURN_ID, externalId: 'R-1', customerId: 'jane', gross: '12.00' });
    expect(postings(event)).toEqual([
      ['jane -12.00', 'Sales 10.00', 'Tax 2.00'],
      ['jane 12.00', 'Cash -12.00'],
    ]);
    expect(transactionsOf(event).map((one) => [one.documentEffect, one.type, one.direction, one.saleId])).toEqual([
      ['RETURN', null, 'IN', RETURN_ID],
      [null, 'PAYMENT', 'OUT', RETURN_ID],
    ]);
  });
  test('is booked once, and all returns together cannot exceed the sale’s gross', () => {
    const first = bookReturn(stateOf(...booked()), returned(9));
    const history = [...booked(), ...first];
    given(sale, history).when(bookReturn, returned(9)).changesNothing();
    given(sale, history).when(bookReturn, returned(2, OTHER_ID)).isRefused('conflict RETURN_EXCEEDS_SALE');
    expect(bookReturn(stateOf(...history), returned(1, OTHER_ID))).toHaveLength(1);
  });
  test('waits for its sale to be booked', () => {
    given(sale, []).when(bookReturn, returned(1)).isRefused('conflict RELATED_SALE_UNKNOWN');
    given(sale, [sold]).when(bookReturn, returned(1)).isRefused('conflict RELATED_SALE_UNKNOWN');
    const back = accepted({ type: 'RETURN', relatedExternalId: 'S-0', lines: [line] });
    given(sale, [back]).when(bookReturn, returned(1)).isRefused('conflict RELATED_SALE_UNKNOWN');
  });
  test('is booked no earlier than its sale, and keeps its own date', () => {
    const late = [sold, ...bookSale(stateOf(sold), { ...booking, date: '2026-04-01', documentDate: '2026-03-04' })];
    const [event] = given(sale, late).when(bookReturn, returned(1)).events();
    expect(event?.data).toMatchObject({ date: '2026-04-01' });
    for (const one of transactionsOf(event))
      expect(one).toMatchObject({ date: '2026-04-01', documentDate: '2026-03-05' });
  });
  test('of a cancelled sale is rejected, even if the CANCELLATION came in between', () => {
    const cancelled = [...booked(), ...bookCancellation(stateOf(...booked()), cancellation)];
    given(sale, cancelled).when(bookReturn, returned(1)).isRefused('conflict ALREADY_CANCELLED');
  });
});

describe('the rejection of a return', () => {
  const rejection = { code: 'BRANCH_UNKNOWN', message: 'No branch has this code.', attempts: 1 };
  const first = { ...rejection, saleId: RETURN_ID };
  const rejected: SaleEvent = { type: 'RelatedDocumentRejected', data: first };

  test('is recorded on the sale once for each attempt, even before the sale’s acceptance', () => {
    for (const history of [[], [sold], booked()]) given(sale, history).when(rejectRelated, first).then(rejected);
    for (const history of [[rejected], [rejected, sold], [sold, rejected]]) {
      given(sale, history).when(rejectRelated, first).changesNothing();
      const second = { ...first, attempts: 2 };
      given(sale, history).when(rejectRelated, second).then({ type: 'RelatedDocumentRejected', data: second });
      expect(rejectionOn(stateOf(...history), RETURN_ID)).toEqual(rejection);
      expect(rejectionOn(stateOf(...history), OTHER_ID)).toBeUndefined();
    }
  });
  test('is not recorded once the return is booked, and no longer counts', () => {
    const returns = bookReturn(stateOf(...booked()), returned(1));
    const history = [...booked(), rejected, ...returns];
    given(sale, history)
      .when(rejectRelated, { ...first, attempts: 2 })
      .changesNothing();
    expect(rejectionOn(stateOf(...history), RETURN_ID)).toBeUndefined();
  });
  test('is kept for the latest thousand returns', () => {
    const many = Array.from({ length: 1_001 }, (_, n): SaleEvent => ({
      ...rejected,
      data: { ...first, saleId: `${n}` },
    }));
    const state = stateOf(sold, ...many);
    expect([rejectionOn(state, '0'), rejectionOn(state, '1')]).toEqual([undefined, rejection]);
  });
});

describe('a cancellation', () => {
  test('mirrors the INVOICE and the COLLECTIONs', () => {
    const [event] = given(sale, booked()).when(bookCancellation, cancellation).events();
    expect(postings(event)).toEqual([
      ['jane -120.00', 'Sales 100.00', 'Tax 20.00'],
      ['Cash -20.00', 'jane 20.00'],
      ['Card -100.00', 'jane 100.00'],
    ]);
    const originals = transactionsOf(booked()[1]).map(({ id }) => id);
    expect(transactionsOf(event).map((one) => [one.documentEffect, one.type, one.direction])).toEqual([
      ['CANCELLATION', null, 'IN'],
      [null, 'COLLECTION', 'OUT'],
      [null, 'COLLECTION', 'OUT'],
    ]);
    expect(transactionsOf(event).map(({ reversalOf }) => reversalOf)).toEqual(originals);
    for (const one of transactionsOf(event)) {
      expect(one).toMatchObject({ saleId: CANCELLATION_ID, externalId: 'C-1', date: '2026-03-06', branchId: 'main' });
      expect(one.systemGenerated).toBe(true);
    }
  });
  test('is booked no earlier than its sale, and keeps its own date', () => {
    const early = { ...cancellation, date: '2026-03-03' };
    const [event] = given(sale, booked()).when(bookCancellation, early).events();
    expect(event?.data).toMatchObject({ date: '2026-03-04' });
    for (const one of transactionsOf(event))
      expect(one).toMatchObject({ date: '2026-03-04', documentDate: '2026-03-03' });
    const closed = { ...early, date: '2026-03-04', documentDate: '2026-02-28' };
    const [sameDay] = given(sale, booked()).when(bookCancellation, closed).events();
    expect(transactionsOf(sameDay)[0]).toMatchObject({ date: '2026-03-04', documentDate: '2026-02-28' });
  });
  test('happens only once', () => {
    const cancelled = [...booked(), ...bookCancellation(stateOf(...booked()), cancellation)];
    given(sale, cancelled).when(bookCancellation, cancellation).changesNothing();
    given(sale, cancelled)
      .when(bookCancellation, { ...cancellation, saleId: OTHER_ID })
      .isRefused('conflict ALREADY_CANCELLED');
  });
  test('is rejected before the sale is booked and after a return', () => {
    given(sale, [sold]).when(bookCancellation, cancellation).isRefused('conflict RELATED_SALE_UNKNOWN');
    const history = [...booked(), ...bookReturn(stateOf(...booked()), returned(1))];
    given(sale, history).when(bookCancellation, cancellation).isRefused('conflict RETURN_EXCEEDS_SALE');
  });
});

test('with returns and cancellations in any order, the books balance and no more is returned than was sold', () => {
  const document = fc.record({ id: fc.integer({ min: 0, max: 5 }), quantity: fc.integer({ min: 0, max: 12 }) });
  fc.assert(
    fc.property(fc.array(document, { maxLength: 12 }), (documents) => {
      const history = booked();
      for (const { id, quantity } of documents) {
        const state = stateOf(...history);
        // In this test, a quantity of zero represents a CANCELLATION.
        const decide = () =>
          quantity === 0
            ? bookCancellation(state, { ...cancellation, saleId: `5aae0000-0000-5000-8000-0000000000c${id}` })
            : bookReturn(state, returned(quantity, `5aae0000-0000-5000-8000-0000000000d${id}`));
        if (refusal(decide) === 'not refused') history.push(...decide());
      }
      const all = history.slice(1).flatMap((event) => transactionsOf(event));
      expect(
        sumOf(
          all.flatMap((one) => one.postings.map(({ amount }) => amount)),
          'EUR',
        ),
      ).toBe('0.00');
      const sales = all.flatMap((one) => one.postings).filter(({ accountId }) => accountId === 'Sales');
      expect(
        sumOf(
          sales.map(({ amount }) => amount),
          'EUR',
        ),
      ).toMatch(/^-|^0.00$/);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    }),
  );
});
