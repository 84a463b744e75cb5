import { mulberry32 } from './manual-clock.js';
import { saleOf, type Books, type TestService } from './service.js';

const METHODS = ['CASH', 'CARD', 'BANK'] as const;
const NAMES = ['Ada Yılmaz', 'Bob & Sons', 'Çelik A.Ş.', 'Dora Müller'];

/** Dates of the sales in a history. */
export const DAYS = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'];

/**
 * Writes a plausible history, determined by a seed. Customers have opening balances in either direction. Sales refer to
 * a known customer, to a new customer, or to no customer. The history also contains payments, returns, cancellations
 * and rejected sales.
 */
export async function writeHistory(
  service: TestService,
  books: Books,
  { seed, sales }: { seed: number; sales: number },
) {
  const random = mulberry32(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const amount = (): string => (1 + Math.floor(random() * 100_000) / 100).toFixed(2);
  for (const [index, name] of NAMES.entries()) {
    const openingBalance = { amount: amount(), direction: index % 2 === 0 ? 'IN' : 'OUT', date: pick(DAYS) };
    const body = { name, code: `K-${index}`, ...(index < 3 && { openingBalance }) };
    await service.post('/api/customers', body, books.tenant.token);
  }
  for (const name of ['Coffee', 'Rent']) {
    const { id: categoryId } = await service.post('/api/transaction-categories', { name }, books.tenant.token);
    await service.post('/api/transaction-categories/rules', { categoryId, keyword: name }, books.tenant.token);
  }
  const customers = [
    undefined,
    ...NAMES.map((name, index) => ({ name, code: `k-${index}` })),
    ...[1, 2].map((index) => ({ name: `New ${index}`, externalId: `new-${index}`, email: `new${index}@new.test` })),
  ];
  const made = Array.from({ length: sales }, (_, index) => {
    const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
      description: pick(['Coffee', 'Cake', 'Çay']),
      quantity: pick([1, 2, 2.5, '0.333']),
      unitPrice: amount(),
      taxRate: pick([0, 7, 19]),
    }));
    const payments = Array.from({ length: Math.floor(random() * 3) }, () => ({
      method: pick(METHODS),
      amount: amount(),
      ...(random() < 0.2 && { accountCode: pick(['100', '102', '108']) }),
    }));
    const customer = pick(customers);
    const branchCode = pick([undefined, 'MAIN', 'main', random() < 0.3 ? 'NOWHERE' : 'MAIN']);
    const occurredAt = `${pick(DAYS)}T${pick(['00:00', '12:34', '23:59'])}:00.000Z`;
    return saleOf(`h-${seed}-${index}`, { occurredAt, lines, payments, customer, branchCode });
  });
  const related = made.flatMap(({ externalId }) => {
    const facts = { relatedExternalId: externalId, occurredAt: `${pick(DAYS)}T08:00:00.000Z` };
    const lines = [{ description: 'Back', quantity: 1, unitPrice: '1.00', taxRate: 19 }];
    if (random() < 0.15) return [saleOf(`${externalId}-c`, { ...facts, type: 'CANCELLATION', lines: [] })];
    const payments = [{ method: pick(METHODS), amount: '1.19' }];
    return random() < 0.25 ? [saleOf(`${externalId}-r`, { ...facts, type: 'RETURN', lines, payments })] : [];
  });
  for (const batch of [made, related]) {
    const replies = await Promise.all(batch.map((sale) => service.postSale(books.partner, sale)));
    const refused = replies.find(({ status }) => status !== 202);
    if (refused) throw new Error(`A sale of the history: ${refused.told}`);
    await Promise.all(batch.map(({ externalId }) => service.settled(books.partner, externalId)));
  }
  await choose(service, books, pick);
}

/** Chooses categories for transactions of every kind, as users would. */
async function choose(service: TestService, { tenant: { token } }: Books, pick: <T>(from: readonly T[]) => T) {
  const { data } = await service.get('/api/transaction-categories', token);
  const categoryIds = [
    null,
    ...(data as { id: string; direction: string }[])
      .filter(({ direction }) => direction === 'BOTH')
      .map(({ id }) => id),
  ];
  const { items } = (await service.get('/api/transactions?pageNumber=1&pageSize=100', token)).body as {
    items: { id: string }[];
  };
  for (const { id } of items.slice(0, 12)) {
    const body = { categoryId: pick(categoryIds) };
    const reply = await service.call('PATCH', `/api/transactions/${id}/category`, { token, body });
    if (reply.status !== 200) throw new Error(`A category of the history: ${reply.told}`);
  }
}
