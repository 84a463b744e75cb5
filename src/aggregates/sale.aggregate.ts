import type { Aggregate } from '../platform/aggregate.js';
import { notFound } from '../platform/domain-error.js';
import { choiceOn, extended, withChoice, type CategoryRequest, type LedgerTrail } from './ledger-trail.js';
import { saleEvents, type Booking, type SaleAccepted, type SaleEvent } from './sale-events.js';
import { saleId, type PricedSale } from './sale-payload.js';

export { saleEvents, type SaleEvent } from './sale-events.js';

export type Rejection = { readonly code: string; readonly message: string; readonly attempts: number };

/** A RETURN that is booked on this sale. */
export type BookedReturn = { readonly saleId: string; readonly gross: string };

/** Without lines and metadata, which no decision looks at and which would fill the cache of states. */
export type AcceptedSale = Omit<SaleAccepted, 'lines' | 'metadata'> & {
  status: 'accepted';
  customerId: string | null;
  /** Null until it is booked; for a RETURN or CANCELLATION always, for these are booked on the related sale. */
  booking: Booking | null;
  rejection: Rejection | null;
  /** Not summed up here: folding must never fail, whatever amounts are stored. */
  returns: readonly BookedReturn[];
  /** The CANCELLATION that is booked on this sale. */
  cancelledBy: { readonly saleId: string } | null;
  /** Of all that is booked on this sale. */
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
  evolve: (state, event, revision) => {
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
          trail: extended(state.trail, event.data.transactions, revision),
        };
      case 'SaleRejected':
        return { ...state, rejection: event.data };
      case 'ReturnBooked': {
        const { saleId, gross, transactions } = event.data;
        const trail = extended(state.trail, transactions, revision);
        return { ...state, returns: [...state.returns, { saleId, gross }], trail };
      }
      case 'SaleCancelled':
        return {
          ...state,
          cancelledBy: { saleId: event.data.saleId },
          trail: extended(state.trail, event.data.transactions, revision),
        };
      case 'SaleTransactionCategorized':
        return { ...state, trail: withChoice(state.trail, event.data, revision) };
    }
  },
};

/** The sale, unless there is none. @throws DomainError not_found */
export function acceptedSale(state: Sale): AcceptedSale {
  if (state.status === 'absent') throw notFound('sale');
  return state;
}

/** Whether a RETURN or CANCELLATION with this id has been booked on this sale. */
export const hasBooked = (state: AcceptedSale, id: string): boolean =>
  state.cancelledBy?.saleId === id || state.returns.some((booked) => booked.saleId === id);

/** The record on which a document is booked: its own for a SALE, else that of the sale that it is about. */
export const holderIdOf = (
  tenantId: string,
  id: string,
  { type, sourceId, relatedExternalId }: Pick<AcceptedSale, 'type' | 'sourceId' | 'relatedExternalId'>,
): string => (type === 'SALE' ? id : saleId(tenantId, sourceId, relatedExternalId ?? ''));

/** Whether that record has it booked. */
export const isBookedOn = (holder: Sale, id: string, { type }: Pick<AcceptedSale, 'type'>): holder is AcceptedSale =>
  holder.status !== 'absent' && (type === 'SALE' ? holder.booking !== null : hasBooked(holder, id));

export type Acceptance = { readonly sourceId: string; readonly sale: PricedSale };

export function acceptSale(state: Sale, { sourceId, sale: priced }: Acceptance, now: Date): SaleEvent[] {
  if (state.status !== 'absent') return [];
  const data = { ...priced, lines: [...priced.lines], sourceId, acceptedAt: now.toISOString() };
  return [{ type: 'SaleAccepted', data }];
}

/** Chosen anew only while nothing is booked, for a customer that was chosen but could not be made. */
export function chooseCustomer(state: Sale, { customerId }: { readonly customerId: string }): SaleEvent[] {
  const found = acceptedSale(state);
  if (found.customerId === customerId || found.booking) return [];
  return [{ type: 'SaleCustomerChosen', data: { customerId } }];
}

/**
 * Records that it can't be booked now. `attempts` is 1 for the first try and one more for each replay: a redelivery of
 * the same try is not recorded twice, and nothing is once it is booked.
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
