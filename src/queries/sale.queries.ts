import type { SaleAccepted } from '../aggregates/sale-events.js';
import { sale } from '../aggregates/sale.aggregate.js';
import { presentTenant, tenant } from '../aggregates/tenant.aggregate.js';
import { calendarDate } from '../eventsourcing/calendar.js';
import { notFound } from '../eventsourcing/domain-error.js';
import { EventCatalogue } from '../eventsourcing/event-catalogue.js';
import { answers, query } from '../eventsourcing/handler.js';
import { RecordReader } from '../eventsourcing/record-reader.js';
import { firstOf } from '../eventsourcing/stream-events.js';
import { PLATFORM_TENANT, streamName } from '../eventsourcing/stream-name.js';
import { EVENT_STORE } from '../ports/event-store.js';
import type { Scope } from '../ports/read-store.js';
import { customers } from '../projections/account.projection.js';
import { type RelatedSale, sales, type SaleView } from '../projections/sale.projection.js';
import { type Filters, type ListRequest, type Page, type Paging, ReadModels, type Rows } from './query.js';
import type { SaleStatus } from './transaction.queries.js';

/** A sale as returned in lists. */
export type SaleRecord = Required<Omit<SaleView, 'customerName' | 'relatedSaleId' | 'rejection'>> & {
  /** Date of the sale in the tenant's time zone. */
  readonly date: string;
  readonly customerName: string | null;
  readonly relatedSaleId: string | null;
  readonly relatedSales: readonly RelatedSale[];
  readonly rejection: NonNullable<SaleView['rejection']> | null;
};
export type SaleDetails = SaleRecord & Pick<SaleAccepted, 'relatedExternalId' | 'lines' | 'payments' | 'metadata'>;

/** `dateFrom` and `dateTo` are instants that limit `occurredAt`, both inclusive. */
export type SaleFilters = Filters<'status' | 'type' | 'sourceId' | 'customerId' | 'dateFrom' | 'dateTo'>;

export class ListSales extends query<Page<SaleRecord>, [scope: Scope, filters: SaleFilters]>() {}
/** All pages of the list of sales. */
export class EachSale extends query<Rows<SaleRecord>, [scope: Scope, filters: SaleFilters]>() {}
/** A sale as returned to its partner. */
export type PartnerSale = Pick<SaleView, 'externalId' | 'sourceId' | 'type' | 'occurredAt' | 'currency' | 'total'> &
  SaleStatus;
export type PartnerSaleFilters = Paging & {
  readonly status?: string | undefined;
  /** Earliest time of acceptance, inclusive. */
  readonly since?: string | undefined;
};
/** The sales of a partner, most recently accepted first. */
export class ListPartnerSales extends query<
  Page<PartnerSale>,
  [scope: Scope, sourceId: string, filters: PartnerSaleFilters]
>() {}
export class GetSale extends query<SaleDetails, [scope: Scope, id: string]>() {}

const ofPartner = (view: SaleView): PartnerSale => {
  const { id: saleId, externalId, sourceId, status, createdAt, rejection, type, occurredAt, currency, total } = view;
  return {
    ...{ saleId, externalId, sourceId, status, acceptedAt: createdAt },
    rejection: rejection ? { code: rejection.code, message: rejection.message } : null,
    ...{ type, occurredAt, currency, total },
  };
};

/** A tenant's time zone never changes, so stale cached tenant state suffices. */
const TENANT_MAX_AGE_MS = 60_000;

/** Adds the values that depend on other records. */
async function shown(
  models: ReadModels,
  reader: RecordReader,
  scope: Scope,
  views: readonly SaleView[],
): Promise<SaleRecord[]> {
  const ids = new Set(views.flatMap(({ customerId }) => customerId ?? []));
  const [names, { state }] = await Promise.all([
    models.getMany(customers, scope, [...ids]),
    reader.read(tenant, PLATFORM_TENANT, scope, { maxAgeMs: TENANT_MAX_AGE_MS }),
  ]);
  const { timeZone } = presentTenant(state);
  return views.map((view) => ({
    ...view,
    date: calendarDate(Date.parse(view.occurredAt), timeZone),
    customerName: names.get(view.customerId ?? '')?.name ?? view.customerName ?? null,
    transactionIds: view.transactionIds ?? [],
    relatedSaleId: view.relatedSaleId ?? null,
    relatedSales: view.relatedSales ?? [],
    rejection: view.rejection ?? null,
  }));
}

function requestOf({ pageNumber, pageSize, search, dateFrom: from, dateTo: to, ...where }: SaleFilters): ListRequest {
  return { pageNumber, pageSize, search, where, between: { occurredAt: { from, to } } };
}

export const saleQueryHandlers = [
  answers(ListSales, [ReadModels, RecordReader], (models, reader, scope, filters) =>
    models.page(sales, scope, requestOf(filters), (views) => shown(models, reader, scope, views)),
  ),
  answers(EachSale, [ReadModels, RecordReader], (models, reader, scope, filters) =>
    Promise.resolve(models.joined(sales, scope, requestOf(filters), (views) => shown(models, reader, scope, views))),
  ),
  answers(ListPartnerSales, [ReadModels], (models, scope, sourceId, { status, since: from, ...paging }) => {
    const request = { ...paging, where: { sourceId, status }, between: { createdAt: { from } }, sort: 'accepted' };
    return models.page(sales, scope, request, (views) => views.map(ofPartner));
  }),
  // The details that lists omit are read from the stream.
  answers(
    GetSale,
    [ReadModels, RecordReader, EVENT_STORE, EventCatalogue],
    async (models, reader, events, catalogue, scope, id) => {
      const [record] = await shown(models, reader, scope, [await models.found(sales, scope, id, 'sale')]);
      const accepted = await firstOf(events, streamName(sale.name, scope, id), 'SaleAccepted');
      if (!record || !accepted) throw notFound('sale');
      const { relatedExternalId, lines, payments, metadata } = catalogue.decode(accepted).data as SaleAccepted;
      return { ...record, relatedExternalId, lines, payments, metadata };
    },
  ),
];
