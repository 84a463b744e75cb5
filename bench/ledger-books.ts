import type { ApiClient } from './api-client.js';
import type { Tenant } from './b6-history.js';

/** Uses the API to create the accounts, branches and categories to which the generated events refer. */
export async function createLedger(owner: ApiClient, tenantId: string): Promise<Tenant> {
  const made = async (path: string, body: object) =>
    (await owner.json<{ data: { id: string } }>('POST', path, body)).data.id;
  const each = (count: number, make: (n: number) => Promise<string>) =>
    Promise.all(Array.from({ length: count }, (_, n) => make(n + 1)));
  const expenses = await each(6, (n) => made('/api/accounts', { type: 'EXPENSE', name: `Expense ${n}` }));
  const banks = await each(4, (n) => made('/api/accounts', { type: 'BANK', name: `Bank ${n}` }));
  const branches = await each(10, (n) => made('/api/branches', { name: `Branch ${n}`, code: `B${n}` }));
  const categories = await each(20, (n) =>
    made('/api/transaction-categories', { name: `Category ${n}`, direction: 'BOTH' }),
  );
  const path = '/api/accounts?pageNumber=1&pageSize=100';
  const { items } = await owner.json<{ items: readonly { id: string; name: string }[] }>('GET', path);
  const named = (pattern: RegExp) => {
    const found = items.find(({ name }) => pattern.test(name));
    if (!found) throw new Error(`No account ${pattern.source}`);
    return found.id;
  };
  const accounts = {
    ...{ sales: named(/sales/i), tax: named(/tax|vat/i) },
    ...{ adjustments: named(/adjust/i), openingBalances: named(/opening/i) },
  };
  return { id: tenantId, accounts, money: [named(/cash/i), ...banks], expenses, branches, categories };
}
