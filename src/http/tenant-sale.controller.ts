import { z } from 'zod';
import { SaleLine, SalePayment } from '../aggregates/sale-events.js';
import { SaleType } from '../aggregates/sale-payload.js';
import { CreateSale, RetrySale } from '../integration/manual-sales.js';
import { EachSale, GetSale, ListSales } from '../queries/sale.queries.js';
import { fromInput, idInput, optionalPaging, searchInput, toInput } from './input.js';
import { controllerOf, tenantRoutes } from './routes.js';
import { dateOut, instantOut, named, recordFields, recordId } from './shapes.js';

const SaleStatus = z.enum(['ACCEPTED', 'BOOKED', 'REJECTED']);

const listed = {
  ...recordFields,
  externalId: z.string(),
  sourceId: z.string().meta({ description: '`_manual` for sales recorded by users.' }),
  type: SaleType,
  status: SaleStatus,
  occurredAt: instantOut,
  date: dateOut.meta({ description: "Date of `occurredAt` in the tenant's time zone." }),
  currency: z.string(),
  customerId: recordId.nullable().meta({ description: 'Null until the customer has been determined.' }),
  customerName: z.string().nullable(),
  branchCode: z.string().nullable(),
  total: z.string(),
  totalNet: z.string(),
  totalTax: z.string(),
  transactionIds: z.array(recordId).meta({ description: 'Empty until the sale is booked.' }),
  relatedSaleId: recordId.nullable().meta({ description: 'Sale to which a RETURN or CANCELLATION refers.' }),
  relatedSales: z
    .array(z.object({ id: recordId, externalId: z.string(), type: z.enum(['RETURN', 'CANCELLATION']) }))
    .meta({ description: 'Returns and cancellations booked against the sale.' }),
  rejection: z.object({ code: z.string(), message: z.string(), attempts: z.int().min(1) }).nullable(),
};
const SaleSummaryDto = named('SaleSummaryDto', z.object(listed));
const SaleDto = named(
  'SaleDto',
  z.object({
    ...listed,
    relatedExternalId: z
      .string()
      .nullable()
      .meta({ description: 'External id of the sale to which a RETURN or CANCELLATION refers, as received.' }),
    lines: z.array(SaleLine),
    payments: z.array(SalePayment),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  }),
);

const listQuery = z
  .strictObject({
    ...optionalPaging,
    search: searchInput.optional(),
    status: SaleStatus.optional(),
    type: SaleType.optional(),
    sourceId: z.string().min(1).max(64).optional(),
    customerId: idInput.optional(),
    dateFrom: fromInput.optional(),
    dateTo: toInput.optional(),
  })
  .refine(({ dateFrom = '', dateTo = dateFrom }) => dateFrom <= dateTo, {
    path: ['dateTo'],
    message: 'Must not be before dateFrom.',
  });

const { read, write } = tenantRoutes('/api/sales', 'Sales', 'transactions');

export const TenantSaleController = controllerOf(
  read.listWithCsv('List sales, returns and cancellations, newest first', listQuery, SaleSummaryDto, [
    ListSales,
    EachSale,
  ]),
  read.get('Get a sale with its lines and payments', SaleDto, GetSale),
  write.change('Record and book a sale, return or cancellation', { creates: {}, maxValues: 16_384 }, CreateSale),
  write.change('Retry booking a rejected sale', { path: '/:id/retry' }, RetrySale),
);
