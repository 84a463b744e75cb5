import { SAMPLE_IDS as ids } from './sample-ids.js';

/** Values of required query parameters and headers. */
export const PARAMETER_VALUES: Readonly<Record<string, unknown>> = {
  Authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln',
  pageNumber: 1,
  pageSize: 20,
  search: 'ol',
  tenantId: ids.tenant,
  entity: 'customer',
  id: ids.customer,
};

/** Responses that the table of field values cannot describe. For responses with an envelope, only `data`. */
export const SAMPLE_RESPONSES: Readonly<Record<string, unknown>> = {
  'GET /api/accounts/lookup': [
    { id: ids.bank, name: 'Bank', code: 'BANK' },
    { id: ids.rent, name: 'Rent', code: 'RENT' },
  ],
  'GET /api/branches/lookup': [{ id: ids.branch, name: 'Harbour branch', code: 'HARBOUR' }],
  'GET /api/customers/lookup': [{ id: ids.customer, name: 'Northwind Foods', code: 'C-1001' }],
  'GET /api/users/lookup': [{ id: ids.user, name: 'Olga Owner', code: null }],
  'GET /openapi.json': { openapi: '3.1.0', info: { title: 'Kontor', version: '0.1.0' } },
  'POST /api/integrations/v1/sales/batch': {
    items: [
      {
        externalId: 'order-4712',
        status: 202,
        body: {
          saleId: ids.sale,
          externalId: 'order-4712',
          sourceId: 'web-shop',
          acceptedAt: '2026-03-04T10:15:00.000Z',
          status: 'ACCEPTED',
        },
      },
      {
        externalId: 'order-4711-return',
        status: 400,
        body: {
          error: {
            code: 'TOTAL_MISMATCH',
            message: 'The total of the lines is 119.00.',
            requestId: ids.request,
            errors: [{ path: 'total', message: 'The total of the lines is 119.00.' }],
          },
        },
      },
    ],
  },
};
