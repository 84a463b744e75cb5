import { z } from 'zod';
import { domain, technical, type EventOf } from '../eventsourcing/aggregate.js';
import { CategorizedBys } from './categorized-by.js';
import { CalendarDate, Instant } from './fields.js';
import { CategoryChoice, chosenFor, Recategorization } from './ledger-trail.js';
import { LedgerTransaction } from './ledger.js';
import { personal } from './personal.js';
import { PaymentMethod, SaleType, TaxedAmount } from './sale-payload.js';

export const SaleCustomer = z.object({
  externalId: z.string().nullable(),
  code: z.string().nullable(),
  name: personal(z.string()),
  email: personal(z.string().nullable()),
  phone: personal(z.string().nullable()),
  taxNumber: personal(z.string().nullable()),
});
export type SaleCustomer = z.output<typeof SaleCustomer>;

export const SaleLine = z.object({
  sku: z.string().nullable(),
  description: z.string(),
  quantity: z.string(),
  unitPrice: z.string(),
  discount: z.string(),
  taxRate: z.string(),
  net: z.string(),
  tax: z.string(),
  gross: z.string(),
});

export const SalePayment = z.object({ method: PaymentMethod, amount: z.string(), accountCode: z.string().nullable() });
export type SalePayment = z.output<typeof SalePayment>;

export const SaleAccepted = z.object({
  externalId: z.string(),
  sourceId: z.string(),
  type: SaleType,
  occurredAt: Instant,
  currency: z.string(),
  branchCode: z.string().nullable(),
  customer: SaleCustomer.nullable(),
  lines: z.array(SaleLine),
  /** Gross amount that the customer owes. */
  total: z.string(),
  totalNet: z.string(),
  totalTax: z.string(),
  /** Net and tax amounts by tax rate. Absent in events from earlier releases. */
  taxes: z.exactOptional(z.array(TaxedAmount)),
  payments: z.array(SalePayment),
  relatedExternalId: z.string().nullable(),
  metadata: personal(z.record(z.string(), z.unknown()).nullable()),
  acceptedAt: Instant,
  /** Set if the same append also books the sale. */
  isBooked: z.exactOptional(z.literal(true)),
});
export type SaleAccepted = z.output<typeof SaleAccepted>;

const Booking = z.object({
  customerId: z.string(),
  branchId: z.string().nullable(),
  date: CalendarDate,
  transactions: z.array(LedgerTransaction),
  /** Present only if rules assigned categories. */
  categorizedBy: z.exactOptional(CategorizedBys),
  /**
   * The document's net and tax amounts by tax rate. For a CANCELLATION, these are the sale's amounts. Absent in events
   * from earlier releases.
   */
  taxes: z.exactOptional(z.array(TaxedAmount)),
});
export type Booking = z.output<typeof Booking>;

/** The booking of a RETURN or CANCELLATION, in the related sale's stream. */
const RelatedBooking = Booking.extend({
  /** Id of the RETURN or CANCELLATION itself. */
  saleId: z.string(),
  externalId: z.string(),
});

const Rejection = z.object({
  code: z.string(),
  message: z.string(),
  attempts: z.int().min(1),
  /**
   * The unmet condition; see rejection-causes.ts. Absent if no change to other records could make the booking succeed.
   */
  awaits: z.exactOptional(z.string()),
});
export type Rejection = z.output<typeof Rejection>;

export const saleEvents = {
  SaleAccepted: domain('CREATE', 'sale', SaleAccepted),
  /** Appended before any change that the sale causes in other records, so that a redelivery uses the same customer. */
  SaleCustomerChosen: technical(z.object({ customerId: z.string() })),
  SaleBooked: domain('UPDATE', 'sale', Booking),
  SaleRejected: domain('UPDATE', 'sale', Rejection),
  /** A return or cancellation is waiting for the sale, which may not be in the stream yet. */
  SaleAwaited: technical(z.object({})),
  /**
   * Appended with the booking of a sale if returns or cancellations are waiting for it, so that these are booked next.
   */
  AwaitedSaleBooked: technical(z.object({})),
  /**
   * A return or cancellation of the sale cannot currently be booked, and is about to be rejected in its own stream. The
   * sale may not be in the stream yet. The document's booking is appended to this stream, so this event never follows
   * that booking.
   */
  RelatedDocumentRejected: technical(Rejection.extend({ saleId: z.string() })),
  ReturnBooked: domain('UPDATE', 'sale', RelatedBooking.extend({ gross: z.string() })),
  SaleCancelled: domain('UPDATE', 'sale', RelatedBooking),
  /**
   * A user changed the category of a transaction belonging to the sale, or to a RETURN or CANCELLATION booked on it.
   */
  SaleTransactionCategorized: domain('UPDATE', 'transaction', CategoryChoice, { subject: chosenFor }),
  /** Applying a rule to past transactions, or undoing the application, changed the category. */
  SaleTransactionRecategorized: domain('UPDATE', 'transaction', Recategorization, { subject: chosenFor }),
};
export type SaleEvent = EventOf<typeof saleEvents>;
