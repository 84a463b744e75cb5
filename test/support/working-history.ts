// Sales and expectations for suites in which the service continues with another history.
import { saleOf, type Books, type TestService } from './service.js';

export async function sellTo(service: TestService, { partner }: Books, prefix: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await service.sell(partner, saleOf(`${prefix}-${n}`));
}

/**
 * Verifies that the service works with its current history: it accepts and books new sales, and returns a new customer.
 */
export async function expectHistoryToWork(service: TestService, books: Books, sales: number): Promise<void> {
  const statuses: number[] = [];
  for (let n = 0; n < sales; n += 1) statuses.push((await service.postSale(books.partner, saleOf(`new-${n}`))).status);
  expect(statuses).toEqual(Array.from({ length: sales }, () => 202));
  const settled: string[] = [];
  for (let n = 0; n < sales; n += 1) settled.push((await service.settled(books.partner, `new-${n}`)).status);
  expect(settled).toEqual(Array.from({ length: sales }, () => 'BOOKED'));
  const token = await service.signIn(books.tenant.email);
  const { id } = await service.post('/api/customers', { name: 'A new customer' }, token);
  await service.quiet();
  expect((await service.customer(token, id)).name).toBe('A new customer');
}

export const countInvoices = async (service: TestService, { tenant }: Books): Promise<number> =>
  (await service.transactions(await service.signIn(tenant.email), 'type=INVOICE')).totalCount;
