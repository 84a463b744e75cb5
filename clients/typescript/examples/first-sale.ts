/*
 * A partner pushes a sale, and a user of the tenant reads the result. Run in the repository's root:
 *
 *   KONTOR_URL=http://localhost:3000 KONTOR_KEY=kontor_… KONTOR_EMAIL=owner@… KONTOR_PASSWORD=… \
 *     node --import ./test/support/typescript.mjs clients/typescript/examples/first-sale.ts
 */
import { data, KontorClient, KontorError, type Shapes, whole } from '../src/kontor-client.js';

type Setting = 'KONTOR_URL' | 'KONTOR_KEY' | 'KONTOR_EMAIL' | 'KONTOR_PASSWORD';

export async function firstSale(settings: Readonly<Record<Setting, string>>): Promise<string> {
  const { KONTOR_URL: url, KONTOR_KEY: integrationKey, KONTOR_EMAIL: email, KONTOR_PASSWORD: password } = settings;
  const shop = new KontorClient({ url, credentials: { integrationKey } });
  const office = new KontorClient({ url, credentials: { email, password } });

  const sale = {
    externalId: 'order-2001',
    occurredAt: '2026-03-01T10:15:00Z',
    currency: 'EUR',
    customer: { externalId: 'shopper-7', name: 'Ada Yilmaz' },
    lines: [{ description: 'Espresso machine', quantity: '1', unitPrice: '200.00', taxRate: '19' }],
    payments: [{ method: 'CARD' as const, amount: '100.00' }],
  };
  // The client retries after lost connections and 429 responses. Pushing the sale again does not duplicate it.
  const { receipt } = await shop.pushSale(sale, 'order-2001');

  const { status, rejection } = await outcomeOf(shop, receipt.externalId);
  if (status === 'REJECTED') throw new Error(`The sale was rejected: ${rejection?.code}. ${rejection?.message}`);

  const query = { pageNumber: 1, pageSize: 1, search: 'Ada Yilmaz' };
  const [customer] = (await whole(office.api.GET('/api/customers', { params: { query } }))).items;
  if (!customer) throw new Error('The sale made no customer.');

  try {
    await data(office.api.DELETE('/api/customers/{id}', { params: { path: { id: customer.id } } }));
  } catch (error) {
    // Errors contain the service's error code.
    if (!(error instanceof KontorError) || error.code !== 'CUSTOMER_HAS_TRANSACTIONS') throw error;
  }
  return `${customer.name} owes ${customer.balance.amount} ${customer.balance.currency}`;
}

/** Waits until the sale is booked or rejected, which happens asynchronously. */
async function outcomeOf(shop: KontorClient, externalId: string): Promise<Shapes['SaleStatusDto']> {
  for (;;) {
    const params = { path: { externalId } };
    const sale = await whole(shop.api.GET('/api/integrations/v1/sales/{externalId}', { params }));
    if (sale.status !== 'ACCEPTED') return sale;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

if (process.argv[1]?.includes('first-sale') === true)
  process.stdout.write(`${await firstSale(process.env as Record<Setting, string>)}\n`);
