import type { Aggregate } from '../eventsourcing/aggregate.js';
import { notFound } from '../eventsourcing/domain-error.js';
import {
  choiceOn,
  extended,
  withChoice,
  type CategoryRequest,
  type LedgerTrail,
  type AppliedTo,
  recategorizationOn,
  type RecategorizationRequest,
  restorationOn,
  withRecategorization,
} from './ledger-trail.js';
import { saleEvents, type Booking, type Rejection, type SaleAccepted, type SaleEvent } from './sale-events.js';
import { saleId, type PricedSale } from './sale-payload.js';

export { saleEvents, type SaleEvent } from './sale-events.js';

type ReturnBooked = Extract<SaleEvent, { type: 'ReturnBooked' }>['data'];
export type BookedReturn = {
  readonly saleId: string;
  readonly externalId: string;
  readonly net: string;
  readonly tax: string;
};

/**
 * State of an accepted sale. It omits lines and metadata, because no decision needs them and they would fill up the
 * state cache.
 */
export type AcceptedSale = Omit<SaleAccepted, 'lines' | 'metadata' | 'isBooked'> & {
  status: 'accepted';
  customerId: string | null;
  /** Null until the sale is booked. Always null for a RETURN or CANCELLATION, which is booked on the related sale. */
  booking: Booking | null;
  rejection: Rejection | null;
  /** Folding does not sum amounts, because it must not fail on any stored amount. */
  returns: readonly BookedReturn[];
  /** The CANCELLATION booked on this sale. */
  cancelledBy: { readonly saleId: string; readonly externalId: string } | null;
  /** Trail of all transactions booked on this sale. */
  trail: LedgerTrail;
  /**
   * Number of bookings and rejections since the sale was accepted, including the bookings of its returns and
   * cancellation.
   */
  changes: number;
};
/** The latest rejection of a RETURN or CANCELLATION. `saleId` is the id of that document. */
type RelatedRejection = Rejection & { readonly saleId: string };
/**
 * `isAwaited`: a return or cancellation is waiting for the sale to be booked. `rejected`: rejections of returns and
 * cancellations of the sale, oldest first.
 */
export type Sale = ({ status: 'absent' } | AcceptedSale) & {
  readonly isAwaited?: true;
  readonly rejected?: readonly RelatedRejection[];
};

/**
 * Maximum number of rejections in a sale's state. The state needs a rejection only until the document's own stream
 * contains it. Each process handles far fewer documents at a time.
 */
const MAX_REJECTED = 1_000;

/**
 * Lists the fields explicitly, because copying most fields of such a large object takes several microseconds on Node
 * 20.
 */
const accepted = (data: SaleAccepted): AcceptedSale => ({
  status: 'accepted',
  externalId: data.externalId,
  sourceId: data.sourceId,
  type: data.type,
  occurredAt: data.occurredAt,
  currency: data.currency,
  branchCode: data.branchCode,
  customer: data.customer,
  total: data.total,
  totalNet: data.totalNet,
  totalTax: data.totalTax,
  ...(data.taxes && { taxes: data.taxes }),
  payments: data.payments,
  relatedExternalId: data.relatedExternalId,
  acceptedAt: data.acceptedAt,
  customerId: null,
  booking: null,
  rejection: null,
  returns: [],
  cancelledBy: null,
  trail: {},
  changes: 0,
});

/** Returns the amounts of a document's postings to Sales and to Tax payable. An untaxed document has no tax posting. */
function returnOf({ saleId, externalId, transactions }: ReturnBooked): BookedReturn {
  const [, net, tax] = transactions[0]?.postings ?? [];
  return { saleId, externalId, net: net?.amount ?? '0', tax: tax?.amount ?? '0' };
}

type Accepted = Extract<Sale, AcceptedSale>;
type LaterEvent = Exclude<SaleEvent, { type: 'SaleAwaited' | 'SaleAccepted' | 'RelatedDocumentRejected' }>;

function evolveAccepted(before: Accepted, event: LaterEvent): Accepted {
  const state = { ...before, changes: before.changes + 1 };
  switch (event.type) {
    case 'SaleCustomerChosen':
      return { ...before, customerId: event.data.customerId };
    case 'SaleBooked':
      return {
        ...state,
        customerId: event.data.customerId,
        booking: event.data,
        rejection: null,
        trail: extended(state.trail, event.data.transactions, false, event.data.categorizedBy),
      };
    case 'SaleRejected':
      return { ...state, rejection: event.data };
    case 'ReturnBooked': {
      const { transactions, categorizedBy } = event.data;
      const trail = extended(state.trail, transactions, false, categorizedBy);
      return { ...state, returns: [...state.returns, returnOf(event.data)], trail };
    }
    case 'SaleCancelled': {
      const { saleId, externalId, transactions } = event.data;
      return { ...state, cancelledBy: { saleId, externalId }, trail: extended(state.trail, transactions) };
    }
    case 'AwaitedSaleBooked':
      return before;
    case 'SaleTransactionCategorized':
      return { ...before, trail: withChoice(state.trail, event.data) };
    case 'SaleTransactionRecategorized':
      return { ...before, trail: withRecategorization(state.trail, event.data) };
  }
}

const withRejection = ({ rejected = [] }: Sale, rejection: RelatedRejection): readonly RelatedRejection[] =>
  [...rejected.filter(({ saleId }) => saleId !== rejection.saleId), rejection].slice(-MAX_REJECTED);

export const sale: Aggregate<Sale, SaleEvent> = {
  name: 'sale',
  events: saleEvents,
  initial: { status: 'absent' },
  evolve: (state, event) => {
    if (event.type === 'SaleAwaited') return { ...state, isAwaited: true };
    if (event.type === 'SaleAccepted') {
      const { isAwaited, rejected } = state;
      return { ...accepted(event.data), ...(isAwaited && { isAwaited }), ...(rejected && { rejected }) };
    }
    if (event.type === 'RelatedDocumentRejected') return { ...state, rejected: withRejection(state, event.data) };
    return state.status === 'absent' ? state : evolveAccepted(state, event);
  },
};

/** Returns the sale. @throws DomainError not_found */
export function acceptedSale(state: Sale): AcceptedSale {
  if (state.status === 'absent') throw notFound('sale');
  return state;
}

/** `id` is the id of a RETURN or CANCELLATION. */
export const hasBooked = (state: AcceptedSale, id: string): boolean =>
  state.cancelledBy?.saleId === id || state.returns.some((booked) => booked.saleId === id);

/**
 * Returns the id of the record that contains a document's booking: the document itself for a SALE, otherwise the
 * related sale.
 */
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
  // Lists the fields explicitly, because copying most of them is slow on Node 20; see `priceSale`.
  const data = {
    externalId: priced.externalId,
    sourceId,
    type: priced.type,
    occurredAt: priced.occurredAt,
    currency: priced.currency,
    branchCode: priced.branchCode,
    customer: priced.customer,
    lines: [...priced.lines],
    total: priced.total,
    totalNet: priced.totalNet,
    totalTax: priced.totalTax,
    taxes: [...priced.taxes],
    payments: priced.payments,
    relatedExternalId: priced.relatedExternalId,
    metadata: priced.metadata,
    acceptedAt: now.toISOString(),
  };
  return [{ type: 'SaleAccepted', data }];
}

/** Marks an acceptance to show that the same append also books the sale. */
export const withBooking = (accepted: readonly SaleEvent[]): SaleEvent[] =>
  accepted.map((event) =>
    event.type === 'SaleAccepted' ? { ...event, data: { ...event.data, isBooked: true } } : event,
  );

/** Chooses the customer. Can replace a customer that could not be created, but only until the sale is booked. */
export function chooseCustomer(state: Sale, { customerId }: { readonly customerId: string }): SaleEvent[] {
  const found = acceptedSale(state);
  if (found.customerId === customerId || found.booking) return [];
  return [{ type: 'SaleCustomerChosen', data: { customerId } }];
}

/**
 * Records that the sale cannot be booked at present. `attempts` is 1 for the first attempt, and increases by one with
 * each retry. Returns `[]` for a redelivery of the same attempt, or if the sale has been booked.
 */
export function rejectSale(state: Sale, data: Rejection): SaleEvent[] {
  const { booking, rejection } = acceptedSale(state);
  if (booking || (rejection && rejection.attempts >= data.attempts)) return [];
  return [{ type: 'SaleRejected', data }];
}

/** Returns the latest rejection of a RETURN or CANCELLATION of the sale; undefined if the document has been booked. */
export function rejectionOn(state: Sale, id: string): Rejection | undefined {
  if (state.status !== 'absent' && hasBooked(state, id)) return undefined;
  const found = state.rejected?.find(({ saleId }) => saleId === id);
  if (!found) return undefined;
  const { saleId: _, ...rejection } = found;
  return rejection;
}

/**
 * Records on the related sale that a RETURN or CANCELLATION cannot be booked at present. Precedes `rejectSale`, which
 * appends to a different stream than the booking does. If the process is suspended between its decision and its append,
 * the document may be booked in the meantime. Returns `[]` if the document has been booked, or if this attempt is
 * already recorded.
 */
export function rejectRelated(state: Sale, data: RelatedRejection): SaleEvent[] {
  if (state.status !== 'absent' && hasBooked(state, data.saleId)) return [];
  if ((rejectionOn(state, data.saleId)?.attempts ?? 0) >= data.attempts) return [];
  return [{ type: 'RelatedDocumentRejected', data }];
}

/**
 * Records that a return or cancellation is waiting for the sale, so that booking the sale also triggers that document's
 * booking. Returns `[]` if this has already been recorded, if the sale has been booked, or if the record is not a SALE.
 */
export function awaitSale(state: Sale): SaleEvent[] {
  const isWaitedFor =
    state.isAwaited === true || (state.status !== 'absent' && (state.type !== 'SALE' || state.booking));
  return isWaitedFor ? [] : [{ type: 'SaleAwaited', data: {} }];
}

/**
 * Returns the number of changes to a document since it was accepted. The booking of a RETURN or CANCELLATION is in
 * another stream and counts as one change.
 */
export const changesOf = ({ changes, type }: AcceptedSale, isBooked: boolean): number =>
  type === 'SALE' || !isBooked ? changes : changes + 1;

export function categorizeSaleTransaction(state: Sale, request: CategoryRequest): SaleEvent[] {
  const data = choiceOn(acceptedSale(state).trail, request);
  return data ? [{ type: 'SaleTransactionCategorized', data }] : [];
}

export function recategorizeSaleTransaction(state: Sale, request: RecategorizationRequest): SaleEvent[] {
  const data = recategorizationOn(acceptedSale(state).trail, request);
  return data ? [{ type: 'SaleTransactionRecategorized', data }] : [];
}

export function restoreSaleTransactionCategory(state: Sale, request: AppliedTo): SaleEvent[] {
  const data = restorationOn(acceptedSale(state).trail, request);
  return data ? [{ type: 'SaleTransactionRecategorized', data }] : [];
}
