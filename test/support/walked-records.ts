// Records for a walk through the console. They provide every page with data. No name equals one of the console's own
// strings.
import { type ConsoleService, eventually, type Shop } from './console-service.js';
import type { Ids } from './console-walk.js';

type Kept = { readonly id: string };
type One = { readonly data: Kept };
type Many<Row = Kept> = { readonly items: readonly Row[] };
type Account = Kept & { readonly code: string };
type Category = Kept & { readonly direction: string };

/** @throws Error if the list is empty */
const firstOf = <Row>(rows: readonly Row[]): Row => {
  const [row] = rows;
  if (row === undefined) throw new Error('The list is empty.');
  return row;
};

/** Creates a tenant with account names that differ from all console labels. */
async function openShop(service: ConsoleService): Promise<Shop> {
  const shop = await service.openShop();
  const mine = { token: shop.ownerToken };
  const list = '/api/accounts?pageNumber=1&pageSize=20';
  const { items: accounts } = await service.call<Many<Account>>(list, mine);
  const names = { '100': 'Till of the harbour', '102': 'Sparkasse', '108': 'Terminal 7', '600': 'Revenue at 19 %' };
  for (const { id, code } of accounts) {
    const name = (names as Readonly<Record<string, string>>)[code];
    if (name !== undefined) await service.call(`/api/accounts/${id}`, { ...mine, method: 'PATCH', body: { name } });
  }
  return shop;
}

async function addCustomer(service: ConsoleService, { ownerToken: token }: Shop): Promise<string> {
  const openingBalance = { amount: '1234.56', direction: 'OUT', date: '2025-12-31' };
  const body = { name: 'Northwind Foods', openingBalance };
  const { data } = await service.call<One>('/api/customers', { token, body });
  await service.call(`/api/customers/${data.id}`, { token, method: 'PATCH', body: { city: 'Bergen' } });
  return data.id;
}

async function rejectSale(service: ConsoleService, shop: Shop, branchCode = 'NOWHERE'): Promise<void> {
  const lines = [{ description: 'Coffee grinder', quantity: 1, unitPrice: '100.00', taxRate: 19 }];
  await service.sell(shop, 'web-1', { branchCode, lines });
  await service.saleIs(shop, 'web-1', 'REJECTED');
}

/** Waits until a list has a row, and returns the id of its first row. */
async function firstComing(service: ConsoleService, path: string, token: string): Promise<string> {
  let rows: readonly Kept[] = [];
  await eventually(async () => {
    ({ items: rows } = await service.call<Many>(path, { token }));
    return rows.length > 0;
  });
  return firstOf(rows).id;
}

/** Gives the tenant a long name, and creates a role, an operator and a key that take much space. */
async function addLongNames(service: ConsoleService, shop: Shop, token: string): Promise<void> {
  const name = 'Acme Trading, Kaffeerösterei Sonnenschein & Söhne GmbH & Co. KG, Mönchengladbach';
  await service.call(`/api/platform/tenants/${shop.tenantId}`, { token, method: 'PATCH', body: { name } });
  const [email, password] = ['maximiliane@oberbuchhalterin-schoenefeld.example', 'an operator of the walk'];
  const operator = { fullName: 'Maximiliane Oberbuchhalterin-Schönefeld', email, password };
  await service.call('/api/platform/operators', { token, body: operator });
  const mine = { token: shop.ownerToken };
  const key = { name: 'Kassensystem der Hauptniederlassung', sourceId: 'headquarters', expiresAt: soon() };
  await service.call('/api/integration-keys', { ...mine, body: key });
  const permissions = ['customers.read', 'customers.write', 'transactions.read', 'reports.read'];
  await service.call('/api/roles', { ...mine, body: { name: 'Cashier', permissions } });
}

const DAY_MS = 86_400_000;
const soon = (): string => new Date(Date.now() + 5 * DAY_MS).toISOString();

/** Creates the records for the operators' pages. */
export async function keepOperations(service: ConsoleService): Promise<Ids> {
  const shop = await openShop(service);
  const customer = await addCustomer(service, shop);
  await rejectSale(service, shop);
  await service.knockInVain(shop);
  const token = await service.operator();
  await addLongNames(service, shop, token);
  const trigger = { token, body: { jobName: 'database-backup' } };
  const { data: run } = await service.call<{ data: { executionLogId: string } }>('/api/platform/jobs/trigger', trigger);
  await service.call('/api/platform/jobs/trigger', { token, body: { jobName: 'integrity-verify' } });
  const isSigned = (): Promise<boolean> =>
    service.call('/api/platform/integrity/checkpoint', { token }).then(
      () => true,
      () => false,
    );
  await eventually(isSigned);
  const letter = await firstComing(service, '/api/platform/dead-letters', token);
  const error = await firstComing(service, '/api/platform/error-logs', token);
  const about = `/api/platform/audit-logs?entity=customer&entityId=${customer}`;
  const entry = await firstComing(service, about, token);
  const role = await firstComing(service, '/api/platform/audit-logs?entity=role', token);
  return { customer, entry, error, letter, role, run: run.executionLogId, tenant: shop.tenantId };
}

async function accountOf(service: ConsoleService, token: string, code: string): Promise<string> {
  const list = `/api/accounts?pageNumber=1&pageSize=20`;
  const { items } = await service.call<Many<Account>>(list, { token });
  return firstOf(items.filter((account) => account.code === code)).id;
}

/** Records a payment of a large amount and corrects it. Returns the id of the wrong transaction. */
async function correctTransaction(service: ConsoleService, token: string, customerId: string): Promise<string> {
  const accountId = await accountOf(service, token, '102');
  const paid = { type: 'COLLECTION', date: '2026-03-06', amount: '1234567.89', customerId, accountId };
  const { data: wrong } = await service.call<One>('/api/transactions', { token, body: paid });
  const body = { reason: 'Entered too low.', replacement: { ...paid, amount: '2234567.89' } };
  await service.call(`/api/transactions/${wrong.id}/correct`, { token, body });
  return wrong.id;
}

/** Creates a rule and applies it to past transactions. */
async function applyRule(service: ConsoleService, token: string): Promise<void> {
  const { data: categories } = await service.call<{ data: readonly Category[] }>('/api/transaction-categories', {
    token,
  });
  const { id: categoryId } = firstOf(categories.filter(({ direction }) => direction === 'IN'));
  const body = { categoryId, keyword: 'transfer', direction: 'IN', notes: 'Monthly' };
  const { data: rule } = await service.call<One>('/api/transaction-categories/rules', { token, body });
  const applied = { replace: 'NONE', dryRun: false };
  await service.call(`/api/transaction-categories/rules/${rule.id}/apply`, { token, body: applied });
}

/** Creates a tenant with sales, customers and rules. */
export async function keepBooks(service: ConsoleService): Promise<{ readonly shop: Shop; readonly ids: Ids }> {
  const shop = await openShop(service);
  const token = shop.ownerToken;
  const customer = await addCustomer(service, shop);
  await rejectSale(service, shop, 'NEUMUENSTER-WITTORF');
  const name = 'Kaffeerösterei Sonnenschein & Söhne GmbH & Co. KG, Mönchengladbach';
  const openingBalance = { amount: '12345678.90', direction: 'OUT', date: '2026-01-31' };
  const { data: roaster } = await service.call<One>('/api/customers', { token, body: { name, openingBalance } });
  await service.sell(shop, 'web-2', { customer: { externalId: 'c1', name: 'Fjord Cafés' } });
  await service.saleIs(shop, 'web-2', 'BOOKED');
  await service.call('/api/periods/close', { token, body: { through: '2025-12-31', note: 'Filed.' } });
  await service.call('/api/periods/close', { token, body: { through: '2026-01-31', note: 'Filed by M. Lund.' } });
  const reopening = { through: '2025-12-31', reason: 'A bill of the first branch is missing.' };
  await service.call('/api/periods/reopen', { token, body: reopening });
  const paid = { type: 'COLLECTION', date: '2026-03-05', amount: '34.56', customerId: customer };
  const body = { ...paid, accountId: await accountOf(service, token, '102'), description: 'Transfer 77' };
  const { data: transaction } = await service.call<One>('/api/transactions', { token, body });
  const corrected = await correctTransaction(service, token, roaster.id);
  await applyRule(service, token);
  const { items: sales } = await service.call<Many<Kept & { externalId: string }>>('/api/sales', { token });
  const rejected = sales.find(({ externalId }) => externalId === 'web-1')?.id ?? '';
  return { shop, ids: { customer, transaction: transaction.id, corrected, rejected } };
}

/** Creates a tenant with branches, users, webhooks and notifications. */
export async function keepSettings(service: ConsoleService): Promise<{ readonly shop: Shop; readonly ids: Ids }> {
  const shop = await openShop(service);
  const token = shop.ownerToken;
  const create = (path: string, body: object): Promise<One> => service.call<One>(path, { token, body });
  const hook = { url: 'https://hooks.example/kontor', types: ['kontor.customer.*'], description: 'hooks.example' };
  const { data: webhook } = await create('/api/webhooks', hook);
  await create('/api/branches', { code: 'HARBOUR', name: 'Harbour shop' });
  const description = 'Records the payments of the customers in the shop at the harbour, and nothing else.';
  await create('/api/roles', { name: 'Cashier', description, permissions: ['customers.read'] });
  const key = { name: 'Second till in the warehouse at the harbour', sourceId: 'warehouse-till-2' };
  const { data: revoked } = await create('/api/integration-keys', key);
  await service.call(`/api/integration-keys/${revoked.id}`, { token, method: 'DELETE' });
  await create('/api/integration-keys', { ...key, expiresAt: '2099-06-30T00:00:00Z' });
  const password = 'a user of the walk';
  await create('/api/users', { fullName: 'Lena Lund', email: 'lena@lund.example', password, role: 'USER' });
  await addCustomer(service, shop);
  const settings = { oidcDomains: [{ issuer: 'https://login.example', domain: 'acme.example' }] };
  await service.call('/api/settings', { token, method: 'PATCH', body: settings });
  await service.call('/api/notifications/admin/send', {
    token,
    body: { title: 'Stocktaking', body: 'Please book everything.', broadcast: true, link: '/console/rules' },
  });
  await service.call('/api/notifications/admin/send', {
    token,
    body: { title: 'Two tills need attention: HARBOUR_TILL_NOT_COUNTED', body: 'Count them.', broadcast: true },
  });
  const entry = await firstComing(service, '/api/audit-logs?entity=role', token);
  const account = await accountOf(service, token, '100');
  return { shop, ids: { account, webhook: webhook.id, entry } };
}
