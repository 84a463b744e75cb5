import type { Load } from './processes.js';

/** A partner's sale with one line, one payment, and a known customer. `{n}` is replaced by the external id. */
export const SALE = JSON.stringify({
  externalId: '{n}',
  occurredAt: '2026-03-01T10:15:00.000Z',
  currency: 'EUR',
  customer: { externalId: 'shopper-7', name: 'Ada Yilmaz' },
  lines: [{ sku: 'A-1', description: 'Espresso machine', quantity: 1, unitPrice: '200.00', taxRate: 19 }],
  total: '238.00',
  payments: [{ method: 'CARD', amount: '238.00' }],
});
export const SALES_PATH = '/api/integrations/v1/sales';

const JSON_BODY = { 'Content-Type': 'application/json' };
type Plan = Pick<Load, 'path' | 'headers' | 'body'>;

export const toBare: Plan = { path: '/echo', headers: JSON_BODY, body: SALE };
export const toPeer: Plan = { path: '/sales', headers: JSON_BODY, body: SALE };
export const toService = (key: string): Plan => ({
  path: SALES_PATH,
  headers: { ...JSON_BODY, 'X-Integration-Key': key },
  body: SALE,
});
