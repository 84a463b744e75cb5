import type { LedgerTransaction } from '../aggregates/ledger.js';
import type { LedgerEvent } from './ledger-events.js';

/** The effect of a document on the tax report. */
export type TaxedKind = 'SALE' | 'RETURN' | 'CANCELLATION';
/** Net and tax at one rate; the rate is null for events from earlier releases, which did not record it. */
export type TaxedAmounts = { readonly rate: string | null; readonly net: string; readonly tax: string };
export type DocumentTaxes = {
  readonly kind: TaxedKind;
  readonly date: string;
  readonly amounts: readonly TaxedAmounts[];
  /** The Sales and tax accounts to which the document was posted. */
  readonly accountIds: readonly string[];
};

const KINDS = { SaleBooked: 'SALE', ReturnBooked: 'RETURN', SaleCancelled: 'CANCELLATION' } as const;
type BookingEvent = Extract<LedgerEvent, { type: keyof typeof KINDS }>;

/** Caches the taxes by event, because the daily account totals need them for each account of the document. */
const known = new WeakMap<BookingEvent, DocumentTaxes>();

/** Returns the net and tax of the document that an event books; undefined for other events. */
export function taxesOf(event: LedgerEvent): DocumentTaxes | undefined {
  if (event.type !== 'SaleBooked' && event.type !== 'ReturnBooked' && event.type !== 'SaleCancelled') return undefined;
  const found = known.get(event);
  if (found) return found;
  const made = booked(event);
  known.set(event, made);
  return made;
}

function booked(event: BookingEvent): DocumentTaxes {
  const { date, transactions, taxes } = event.data;
  const documents = transactions.filter(({ documentEffect }) => documentEffect !== null);
  // The postings of a document, in this order: customer, Sales, tax.
  const accountIds = documents.flatMap(({ postings }) => postings.slice(1).map(({ accountId }) => accountId));
  return { kind: KINDS[event.type], date, amounts: taxes ?? documents.flatMap(unrated), accountIds };
}

function unrated({ postings: [, net, tax] }: LedgerTransaction): TaxedAmounts[] {
  return net ? [{ rate: null, net: absolute(net.amount), tax: absolute(tax?.amount ?? '0') }] : [];
}

const absolute = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : amount);
