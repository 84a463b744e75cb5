import { calendarDate } from '../eventsourcing/calendar.js';
import { conflict } from '../eventsourcing/domain-error.js';
import { categorized, type TenantRules } from './categorization.js';
import { currentOf } from './ledger-trail.js';
import {
  collection,
  payment,
  reversal,
  saleInvoice,
  saleReturn,
  type EntryFacts,
  type LedgerTransaction,
} from './ledger.js';
import { compareAmounts, sumOf } from './money.js';
import { acceptedSale, hasBooked, type AcceptedSale, type Sale } from './sale.aggregate.js';
import type { Booking, SaleEvent, SalePayment } from './sale-events.js';
import { nameUuid, nameUuidAt } from '../eventsourcing/name-uuid.js';

/**
 * The accounts to which a document is posted. `byPayment` contains one account per payment, in the order of the
 * payments.
 */
export type BookingAccounts = {
  readonly sales: string;
  readonly tax: string;
  readonly byPayment: readonly string[];
};

/** Inputs for category assignment. `merchant` is the customer's name. */
export type CategoryFacts = { readonly merchant: string | null; readonly rules: TenantRules };

export type SaleBookingData = CategoryFacts & {
  /**
   * The sale's id. Transaction ids are derived from it and, for a SALE, from the time of acceptance. A retried booking
   * therefore has the same transaction ids.
   */
  readonly saleId: string;
  readonly customerId: string;
  readonly branchId: string | null;
  /** The date of `occurredAt` in the tenant's time zone, or the first open day if that date is in a closed period. */
  readonly date: string;
  /** The document's own date. Present only if it differs from `date`. */
  readonly documentDate?: string;
  readonly accounts: BookingAccounts;
};

/** A RETURN as recorded in its own stream, with the data needed to book it on the related sale. */
export type ReturnBookingData = Omit<SaleBookingData, 'customerId'> & {
  readonly timeZone: string;
  readonly document: Pick<
    AcceptedSale,
    'externalId' | 'sourceId' | 'currency' | 'total' | 'totalNet' | 'totalTax' | 'taxes' | 'payments' | 'occurredAt'
  >;
};

/** The document's identity, and the branch and dates of its booking. */
type Placed = Pick<SaleBookingData, 'saleId' | 'branchId' | 'date' | 'documentDate'>;

export type CancellationBookingData = Placed & { readonly externalId: string };

const transactionId = (saleId: string, purpose: string): string => nameUuid(purpose, saleId);

/**
 * Returns the transaction ids of a booking. `holder` is the document itself if it is a SALE, otherwise the related
 * sale.
 */
export function transactionIdsOf(
  saleId: string,
  { type, payments }: Pick<AcceptedSale, 'type' | 'payments'>,
  holder: Pick<AcceptedSale, 'booking'>,
): string[] {
  const sold = (holder.booking?.transactions ?? []).map(({ id }) => id);
  switch (type) {
    case 'SALE':
      return sold;
    case 'RETURN':
      return ['return', ...payments.map((_, index) => `payment-${index}`)].map((of) => transactionId(saleId, of));
    case 'CANCELLATION':
      return sold.map((id) => transactionId(saleId, `reversal:${id}`));
  }
}

function accountOf({ byPayment }: BookingAccounts, index: number): string {
  const accountId = byPayment[index];
  if (accountId === undefined) throw new Error(`Payment ${index} has no account.`);
  return accountId;
}

/**
 * Moves a return or cancellation dated before its sale's booking to the date of that booking. The sale may have been
 * booked on the first open day, and the period of both documents may have been reopened since.
 */
function placedAfter<D extends Placed>(sold: Pick<Booking, 'date'>, data: D): D {
  return data.date < sold.date ? { ...data, date: sold.date, documentDate: data.documentDate ?? data.date } : data;
}

const facts = (
  { saleId, branchId, date, documentDate }: Placed,
  { sourceId, externalId, currency }: Pick<AcceptedSale, 'sourceId' | 'externalId' | 'currency'>,
): Omit<EntryFacts, 'id'> => ({
  ...{ saleId, branchId, date, sourceId, externalId, currency, systemGenerated: true },
  ...(documentDate !== undefined && { documentDate }),
});

/**
 * Books an INVOICE, and a COLLECTION for each payment. If discounts cover the whole sale, the INVOICE has an amount of
 * zero, so that the document can be found and cancelled.
 */
export function bookSale(state: Sale, data: SaleBookingData): SaleEvent[] {
  const found = acceptedSale(state);
  if (found.type !== 'SALE') throw new Error(`A ${found.type} is booked on its related sale.`);
  if (found.booking) return [];
  const { saleId, customerId, branchId, date, accounts } = data;
  const shared = facts(data, found);
  const acceptedMs = Date.parse(found.acceptedAt);
  const idOf = (purpose: string): string => nameUuidAt(acceptedMs, purpose, saleId);
  const invoice = saleInvoice(
    { ...shared, id: idOf('invoice'), description: `Sale ${found.externalId}` },
    { customerId, ...documentAmounts(accounts, found) },
  );
  const collections = found.payments.map(({ amount }, index) =>
    collection(
      { ...shared, id: idOf(`collection-${index}`), description: `Payment of ${found.externalId}` },
      { customerId, accountId: accountOf(accounts, index), amount },
    ),
  );
  const entries = withCategories([invoice, ...collections], data);
  const booked: SaleEvent = { type: 'SaleBooked', data: { customerId, branchId, date, ...entries, ...taxesOf(found) } };
  return state.isAwaited ? [booked, { type: 'AwaitedSaleBooked', data: {} }] : [booked];
}

/** Assigns categories and returns the fields to store in the event. */
function withCategories(entries: readonly LedgerTransaction[], { merchant, rules }: CategoryFacts) {
  const { transactions, categorizedBy } = categorized(entries, merchant, rules);
  return Object.keys(categorizedBy).length === 0 ? { transactions } : { transactions, categorizedBy };
}

const taxesOf = ({ taxes }: Pick<AcceptedSale, 'taxes'>) => taxes && { taxes };

const documentAmounts = (
  accounts: BookingAccounts,
  { total, totalNet, totalTax }: Pick<AcceptedSale, 'total' | 'totalNet' | 'totalTax'>,
) => ({ salesAccountId: accounts.sales, taxAccountId: accounts.tax, net: totalNet, tax: totalTax, gross: total });

function bookedSale(state: Sale) {
  if (state.status !== 'absent' && state.type === 'SALE' && state.booking) return { ...state, booking: state.booking };
  throw conflict('RELATED_SALE_UNKNOWN', 'The related sale does not exist, or has not been booked yet.');
}

/**
 * Checks a return. Compares calendar dates in the tenant's time zone, because partners' clocks may differ by minutes.
 * @throws DomainError ALREADY_CANCELLED, RETURN_BEFORE_SALE, RETURN_EXCEEDS_SALE
 */
function ensureReturnable(sold: AcceptedSale, { document, timeZone }: ReturnBookingData): void {
  if (sold.cancelledBy) throw conflict('ALREADY_CANCELLED', 'The related sale is cancelled.');
  const dateOf = (occurredAt: string): string => calendarDate(Date.parse(occurredAt), timeZone);
  const [soldOn, returnedOn] = [dateOf(sold.occurredAt), dateOf(document.occurredAt)];
  if (returnedOn < soldOn)
    throw conflict('RETURN_BEFORE_SALE', `The return is dated ${returnedOn}, before the date of its sale, ${soldOn}.`);
  const exceeds = (field: 'net' | 'tax', returned: string, limit: string): boolean =>
    compareAmounts(
      sumOf([...sold.returns.map((booked) => booked[field]), returned], sold.currency),
      limit,
      sold.currency,
    ) > 0;
  if (exceeds('net', document.totalNet, sold.totalNet))
    throw conflict('RETURN_EXCEEDS_SALE', 'The net amount of the returns exceeds that of the sale.');
  if (exceeds('tax', document.totalTax, sold.totalTax))
    throw conflict('RETURN_EXCEEDS_SALE', 'The tax of the returns exceeds that of the sale.');
}

/** Books a RETURN, and a PAYMENT to the customer for each refund, in the related sale's stream. */
export function bookReturn(relatedSale: Sale, data: ReturnBookingData): SaleEvent[] {
  const found = bookedSale(relatedSale);
  const { saleId, branchId, accounts, document } = data;
  if (hasBooked(found, saleId)) return [];
  ensureReturnable(found, data);
  const { customerId } = found.booking;
  const placed = placedAfter(found.booking, data);
  const { date } = placed;
  const shared = facts(placed, document);
  const entries = [
    saleReturn(
      { ...shared, id: transactionId(saleId, 'return'), description: `Return ${document.externalId}` },
      { customerId, ...documentAmounts(accounts, document) },
    ),
    ...document.payments.map(({ amount }: SalePayment, index) =>
      payment(
        { ...shared, id: transactionId(saleId, `payment-${index}`), description: `Refund of ${document.externalId}` },
        { payee: { customerId }, accountId: accountOf(accounts, index), amount },
      ),
    ),
  ];
  const { externalId, total: gross } = document;
  const booked = { customerId, branchId, date, ...withCategories(entries, data), ...taxesOf(document) };
  return [{ type: 'ReturnBooked', data: { saleId, externalId, gross, ...booked } }];
}

/**
 * Reverses every transaction of the related sale's booking exactly once, in that sale's stream. The reversals have the
 * CANCELLATION's branch or, if it specifies none, the branch of the sale's booking.
 */
export function bookCancellation(relatedSale: Sale, data: CancellationBookingData): SaleEvent[] {
  const found = bookedSale(relatedSale);
  const { saleId, externalId } = data;
  const branchId = data.branchId ?? found.booking.branchId;
  if (hasBooked(found, saleId)) return [];
  if (found.cancelledBy) throw conflict('ALREADY_CANCELLED', 'The sale is already cancelled.');
  if (found.returns.length > 0) {
    throw conflict(
      'RETURN_EXCEEDS_SALE',
      'Goods from the sale have been returned, so it cannot be cancelled as a whole.',
    );
  }
  const { customerId, transactions: originals } = found.booking;
  const placed = placedAfter(found.booking, { ...data, branchId });
  const { date } = placed;
  const { currency: _, ...shared } = facts(placed, { sourceId: found.sourceId, externalId, currency: found.currency });
  const transactions = originals.map((original) =>
    reversal(
      currentOf(found.trail, original.id),
      { ...shared, id: transactionId(saleId, `reversal:${original.id}`), description: `Cancellation ${externalId}` },
      original.documentEffect === null ? null : 'CANCELLATION',
    ),
  );
  const booked = { customerId, branchId, date, transactions, ...taxesOf(found.booking) };
  return [{ type: 'SaleCancelled', data: { saleId, externalId, ...booked } }];
}
