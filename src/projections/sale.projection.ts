import { holderIdOf } from '../aggregates/sale.aggregate.js';
import type { SaleAccepted, SaleEvent } from '../aggregates/sale-events.js';
import type { Recorded } from '../eventsourcing/event-catalogue.js';
import type { ReadModel } from '../ports/read-store.js';
import type { Projection } from '../projecting/projection.js';
import { searchIn, texts } from './record-projection.js';

/** A return or cancellation booked on a sale. */
export type RelatedSale = {
  readonly id: string;
  readonly externalId: string;
  readonly type: 'RETURN' | 'CANCELLATION';
};

/**
 * The sale fields included in lists. There may be millions of sales, so lines, payments and metadata remain in the
 * streams. Absent fields take no space.
 */
export type SaleView = Pick<
  SaleAccepted,
  'externalId' | 'sourceId' | 'type' | 'occurredAt' | 'currency' | 'branchCode' | 'total' | 'totalNet' | 'totalTax'
> & {
  readonly id: string;
  readonly status: 'ACCEPTED' | 'BOOKED' | 'REJECTED';
  readonly customerId: string | null;
  /** The name that the partner sent. Absent once the customer is known. */
  readonly customerName?: string | undefined;
  readonly transactionIds?: readonly string[];
  readonly relatedSaleId?: string;
  readonly relatedSales?: readonly RelatedSale[];
  readonly rejection?: { readonly code: string; readonly message: string; readonly attempts: number } | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Number of changes since acceptance. */
  readonly revision: number;
};

export const sales: ReadModel<SaleView> = {
  name: 'sales',
  version: 3,
  fields: texts<SaleView>('occurredAt', 'createdAt', 'status', 'type', 'sourceId', 'customerId'),
  filters: ['status', 'type', 'sourceId', 'customerId'],
  // Sales with the same `occurredAt` are sorted by acceptance, newest first.
  order: { fields: ['occurredAt', 'createdAt'], direction: 'descending' },
  orders: { accepted: { fields: ['createdAt'], direction: 'descending' } },
  // Only a partner lists sales in this order, and only its own.
  orderedWithin: { accepted: 'sourceId' },
  search: searchIn<SaleView>('externalId', 'customerName'),
  searchJoins: [{ field: 'customerId', model: 'customers', texts: ['name'] }],
};

export const saleProjection: Projection<SaleView, SaleEvent> = {
  model: sales,
  sources: ['sale'],
  recordsOf: [],
  // An accepted sale changes again when it is booked.
  rarelyChanges: ({ status }) => status !== 'ACCEPTED',
  documents: (event) => {
    switch (event.type) {
      case 'SaleAccepted':
      case 'SaleBooked':
      case 'SaleRejected':
      case 'SaleCustomerChosen':
        return [event.recordId];
      case 'ReturnBooked':
      case 'SaleCancelled':
        return [event.recordId, event.data.saleId];
      default:
        return [];
    }
  },
  evolve: (view, event, id) => {
    if (event.type === 'SaleAccepted') return accepted(event);
    if (!view) return undefined;
    if (event.type === 'SaleCustomerChosen') return { ...view, customerId: event.data.customerId };
    const updatedAt = event.metadata.timestamp;
    return { ...view, ...changes(view, event, id), updatedAt, revision: view.revision + 1 };
  },
};

type Accepted = Recorded<Extract<SaleEvent, { type: 'SaleAccepted' }>>;

function accepted({ recordId: id, tenantId, data }: Accepted): SaleView {
  const {
    externalId,
    sourceId,
    type,
    occurredAt,
    currency,
    branchCode,
    total,
    totalNet,
    totalTax,
    customer,
    acceptedAt,
  } = data;
  return {
    id,
    externalId,
    sourceId,
    type,
    status: 'ACCEPTED',
    occurredAt,
    currency,
    customerId: null,
    ...(customer && { customerName: customer.name }),
    branchCode,
    total,
    totalNet,
    totalTax,
    ...(type !== 'SALE' && { relatedSaleId: holderIdOf(tenantId, id, data) }),
    createdAt: acceptedAt,
    updatedAt: acceptedAt,
    revision: 0,
  };
}

function changes(view: SaleView, { type, data }: SaleEvent, id: string): Partial<SaleView> {
  switch (type) {
    case 'SaleBooked':
      return booked(data);
    case 'SaleRejected': {
      const { awaits: _, ...rejection } = data;
      return { status: 'REJECTED', rejection };
    }
    case 'ReturnBooked':
    case 'SaleCancelled': {
      const { saleId, externalId } = data;
      if (saleId === id) return booked(data);
      const related = { id: saleId, externalId, type: type === 'ReturnBooked' ? 'RETURN' : 'CANCELLATION' } as const;
      return { relatedSales: [...(view.relatedSales ?? []), related] };
    }
    default:
      return {};
  }
}

type Booked = Extract<SaleEvent, { type: 'SaleBooked' | 'ReturnBooked' | 'SaleCancelled' }>['data'];

const booked = ({ customerId, transactions }: Booked): Partial<SaleView> => ({
  status: 'BOOKED',
  customerId,
  customerName: undefined,
  transactionIds: transactions.map(({ id }) => id),
  rejection: undefined,
});
