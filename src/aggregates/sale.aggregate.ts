import type { Aggregate } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { choiceOn, extended, withChoice, type CategoryRequest, type LedgerTrail } from './ledger-trail.js';
import { saleEvents, type Booking, type SaleAccepted, type SaleEvent } from './sale-events.js';
import { saleId, type PricedSale } from './sale-payload.js';

export { saleEvents, type SaleEvent } from './sale-events.js';

export type Rejection = { readonly code: string; readonly message: string; readonly attempts: number };

export type BookedReturn = { readonly saleId: string; readonly gross: string };

/** Omits lines and metadata: no decision needs them, and they would fill the state cache. */
export type AcceptedSale = Omit<SaleAccepted, 'lines' | 'metadata'> & {
  status: 'accepted';
  customerId: string | null;
  /** Null until the sale is booked. Always null for a RETURN or CANCELLATION, which are booked on the related sale. */
  booking: Booking | null;
  rejection: Rejection | null;
  /** Amounts are not summed here, because folding must not fail on any stored amount. */
  returns: readonly BookedReturn[];
  /** The CANCELLATION booked on this sale. */
  cancelledBy: { readonly saleId: string } | null;
  /** Trail of all transactions booked on this sale. */
  trail: LedgerTrail;
};
export type Sale = { status: 'absent' } | AcceptedSale;

const accepted = ({ lines: _lines, metadata: _metadata, ...facts }: SaleAccepted): AcceptedSale => ({
  status: 'accepted',
  ...facts,
  customerId: null,
  booking: null,
  rejection: null,
  returns: [],
  cancelledBy: null,
  trail: {},
});

export const sale: Aggregate<Sale, SaleEvent> = {
  name: 'sale',
  events: saleEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'SaleAccepted') return accepted(event.data);
    if (state.status === 'absent') return state;
    switch (event.type) {
      case 'SaleCustomerChosen':
        return { ...state, customerId: event.data.customerId };
      case 'SaleBooked':
        return {
          ...state,
          customerId: event.data.customerId,
          booking: event.data,
          rejection: null,
          trail: extended(state.trail, event.data.transactions),
        };
      case 'SaleRejected':
        return { ...state, rejection: event.data };
      case 'ReturnBooked': {
        const { saleId, gross, transactions } = event.data;
        const trail = extended(state.trail, transactions);
        return { ...state, returns: [...state.returns, { saleId, gross }], trail };
      }
      case 'SaleCancelled':
        return {
          ...state,
          cancelledBy: { saleId: event.data.saleId },
          trail: extended(state.trail, event.data.transactions),
        };
      case 'SaleTransactionCategorized':
        return { ...state, trail: withChoice(state.trail, event.data) };
    }
  },
};

/** Returns the sale. @throws DomainError not_found */
export function acceptedSale(state: Sale): AcceptedSale {
  if (state.status === 'absent') throw notFound('sale');
  return state;
}

/** `id` is that of a RETURN or CANCELLATION. */
export const hasBooked = (state: AcceptedSale, id: string): boolean =>
  state.cancelledBy?.saleId === id || state.returns.some((booked) => booked.saleId === id);

/** Id of the record that holds a document's booking: the SALE itself, otherwise the related sale. */
export const holderIdOf = (
  tenantId: string,
  id: string,
  { type, sourceId, relatedExternalId }: Pick<AcceptedSale, 'type' | 'sourceId' | 'relatedExternalId'>,
): string => (type === 'SALE' ? id : saleId(tenantId, sourceId, relatedExternalId ?? ''));

/** Whether `holder` contains the document's booking. */
export const isBookedOn = (holder: Sale, id: string, { type }: Pick<AcceptedSale, 'type'>): holder is AcceptedSale =>
  holder.status !== 'absent' && (type === 'SALE' ? holder.booking !== null : hasBooked(holder, id));

export type Acceptance = { readonly sourceId: string; readonly sale: PricedSale };

export function acceptSale(state: Sale, { sourceId, sale: priced }: Acceptance, now: Date): SaleEvent[] {
  if (state.status !== 'absent') return [];
  const { lines, taxes } = priced;
  const data = { ...priced, lines: [...lines], taxes: [...taxes], sourceId, acceptedAt: now.toISOString() };
  return [{ type: 'SaleAccepted', data }];
}

/** Replaces the customer if the chosen one could not be created, but only before anything is booked. */
export function chooseCustomer(state: Sale, { customerId }: { readonly customerId: string }): SaleEvent[] {
  const found = acceptedSale(state);
  if (found.customerId === customerId || found.booking) return [];
  return [{ type: 'SaleCustomerChosen', data: { customerId } }];
}

/**
 * Records that the sale cannot be booked now. `attempts` is 1 for the first attempt and increases by one per replay.
 * Returns `[]` for a redelivery of the same attempt, and once the sale is booked.
 */
export function rejectSale(state: Sale, { code, message, attempts }: Rejection): SaleEvent[] {
  const { booking, rejection } = acceptedSale(state);
  if (booking || (rejection && rejection.attempts >= attempts)) return [];
  return [{ type: 'SaleRejected', data: { code, message, attempts } }];
}

export function categorizeSaleTransaction(state: Sale, request: CategoryRequest): SaleEvent[] {
  const data = choiceOn(acceptedSale(state).trail, request);
  return data ? [{ type: 'SaleTransactionCategorized', data }] : [];
}
