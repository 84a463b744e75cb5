import { SAMPLE_IDS as ids } from './sample-ids.js';
import { PARTS } from './values-of-operation.js';

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

const DOWN = { status: 'down', reason: 'does not respond' };
const READY = { status: 'ready', checks: PARTS.map((name) => ({ name, status: 'up' })) };
const UNREADY = {
  status: 'not-ready',
  checks: READY.checks.map((one) => (one.name === 'read-store' ? { ...one, ...DOWN } : one)),
};
const withLatency = <T extends { readonly checks: readonly object[] }>(report: T) => ({
  ...report,
  checks: report.checks.map((one) => ({ ...one, latencyMs: 0.4 })),
});

/**
 * Responses that the table of field values cannot describe, by operation, or by operation and status. Enveloped
 * responses contain only `data` here.
 */
export const SAMPLE_RESPONSES: Readonly<Record<string, unknown>> = {
  'GET /readyz': READY,
  'GET /readyz 503': UNREADY,
  'GET /api/system/health/ready': withLatency(READY),
  'GET /api/system/health/ready 503': withLatency(UNREADY),
  'GET /api/accounts/lookup': [
    { id: ids.bank, name: 'Bank', code: 'BANK' },
    { id: ids.rent, name: 'Rent', code: 'RENT' },
  ],
  'GET /api/branches/lookup': [{ id: ids.branch, name: 'Harbour branch', code: 'HARBOUR' }],
  'GET /api/customers/lookup': [{ id: ids.customer, name: 'Northwind Foods', code: 'C-1001' }],
  'GET /api/users/lookup': [{ id: ids.user, name: 'Olga Owner', code: null }],
  'GET /openapi.json': { openapi: '3.1.0', info: { title: 'Kontor', version: '1.0.0' } },
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
