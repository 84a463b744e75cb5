import type { Browser } from 'playwright-core';
import { ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { launch, LOOKS, Visitor, type Look } from '../support/visitor.js';

let service: ConsoleService;
let browser: Browser;
let shop: Shop;
type Place = readonly [path: string, shows: string, opens?: string];
let ofOperators: readonly Place[];
let ofOwners: readonly Place[];

async function anError(token: string): Promise<string> {
  await service.knockInVain(shop);
  const errors = () => service.call<{ items: { id: string }[] }>('/api/platform/error-logs', { token });
  await eventually(async () => (await errors()).items.length > 0);
  return (await errors()).items[0]?.id ?? '';
}

beforeAll(async () => {
  service = await ConsoleService.start();
  shop = await service.openShop();
  const mine = { token: shop.ownerToken };
  const { data: customer } = await service.call<{ data: { id: string } }>('/api/customers', {
    ...mine,
    body: { name: 'Northwind Foods', openingBalance: { amount: '500.00', direction: 'OUT', date: '2026-01-01' } },
  });
  await service.call(`/api/customers/${customer.id}`, { ...mine, method: 'PATCH', body: { city: 'Bergen' } });
  await service.call('/api/notifications/admin/send', {
    ...mine,
    body: { title: 'Stocktaking on Friday', body: 'Please book everything.', broadcast: true, link: '/console/rules' },
  });
  const list = `/api/transactions?customerId=${customer.id}&pageNumber=1&pageSize=1`;
  const { items: transactions } = await service.call<{ items: { id: string }[] }>(list, mine);
  const token = await service.operator();
  const error = await anError(token);
  const about = `/api/platform/audit-logs?entity=customer&entityId=${customer.id}`;
  const { items: entries } = await service.call<{ items: { id: string }[] }>(about, { token });
  ofOperators = [
    ['/audit', 'Northwind Foods'],
    [`/audit/${entries[0]?.id ?? ''}`, 'Bergen'],
    [`/records/customer/${customer.id}?tenantId=${shop.tenantId}`, 'State at revision 1'],
    ['/errors', 'rejected repeatedly'],
    [`/errors/${error}`, 'requests with this error', 'Resolve'],
    ['/tenants', 'Acme Trading', 'Create a tenant'],
    [`/tenants/${shop.tenantId}`, 'Web shop', 'Rate limit: Web shop'],
    ['/operators', 'Activity'],
  ];
  ofOwners = [
    ['/customers', 'Northwind Foods', 'Create a customer'],
    [`/customers/${customer.id}`, 'Closing balance:', 'Edit'],
    ['/transactions', 'Opening balance', 'Record a transaction'],
    [`/transactions/${transactions[0]?.id ?? ''}`, 'Opening Balances'],
    ['/rules', 'description contains', 'Create a rule'],
    ['/rules/bench', 'Nothing is saved'],
    ['/partner-keys', 'Web shop', 'Revoke: Web shop'],
    ['/notifications', 'Stocktaking on Friday', 'Notifications: 1 unread'],
  ];
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

async function visit(look: Look, person: { email: string; password: string }, places: readonly Place[]) {
  const visitor = await Visitor.arrives(browser, service.url, look);
  await visitor.signIn(person, places[0]?.[0]);
  const found: unknown[] = [];
  for (const [path, shows, opens] of places) {
    await visitor.goTo(path);
    await visitor.page.getByText(shows).first().waitFor();
    found.push(...(await visitor.barriers()).map((barrier) => [path, barrier]));
    const overhang = await visitor.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    if (overhang > 0) found.push([path, 'is wider than the screen', overhang]);
    if (opens === undefined) continue;
    await visitor.page.getByRole('button', { name: opens, exact: true }).click();
    await visitor.page.getByRole('dialog').waitFor();
    found.push(...(await visitor.barriers()).map((barrier) => [path, opens, barrier]));
  }
  await visitor.leave();
  return [...found, ...visitor.complaints];
}

test.each(LOOKS)(
  'Records that operators look up have no serious accessibility violation: $scheme, $width px',
  async (look) => {
    expect(await visit(look, OPERATOR, ofOperators)).toEqual([]);
  },
  120_000,
);

test.each(LOOKS)(
  "A tenant's books have no serious accessibility violation: $scheme, $width px",
  async (look) => {
    expect(await visit(look, shop.owner, ofOwners)).toEqual([]);
  },
  120_000,
);
