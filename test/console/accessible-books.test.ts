import type { Browser } from 'playwright-core';
import { ConsoleService, type Shop } from '../support/console-service.js';
import { launch, LOOKS, Visitor } from '../support/visitor.js';

let service: ConsoleService;
let browser: Browser;
let shop: Shop;
/** An address, what it shows, and a button that opens a dialog. */
let places: readonly (readonly [path: string, shows: string, opens?: string])[];

beforeAll(async () => {
  service = await ConsoleService.start();
  shop = await service.openShop();
  const mine = { token: shop.ownerToken };
  await service.sell(shop, 'web-1', { branchCode: 'NOWHERE' });
  await service.sell(shop, 'web-2', { customer: { externalId: 'c1', name: 'Northwind Foods' } });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  await service.saleIs(shop, 'web-2', 'BOOKED');
  await service.call('/api/periods/close', { ...mine, body: { through: '2025-12-31', note: 'Filed.' } });
  await service.call('/api/roles', { ...mine, body: { name: 'Cashier', permissions: ['customers.read'] } });
  const { items: sales } = await service.call<{ items: { id: string; externalId: string }[] }>('/api/sales', mine);
  const rejected = sales.find(({ externalId }) => externalId === 'web-1')?.id ?? '';
  const { items: entries } = await service.call<{ items: { id: string }[] }>('/api/audit-logs?entity=role', mine);
  const period = 'from=2026-01-01&to=2026-12-31';
  places = [
    ['/', '1 sale rejected'],
    ['/sales', 'web-1', 'Record a sale'],
    [`/sales/${rejected}`, 'The branch NOWHERE does not exist', 'Create the branch NOWHERE'],
    ['/transactions', 'Northwind Foods', 'Journal entry'],
    ['/accounts', 'Card terminal', 'Create an account'],
    ['/branches', 'All branches', 'Create a branch'],
    ['/periods', 'Filed.', 'Close a period'],
    [`/reports/profit-and-loss?${period}&by=quarter`, 'Total income'],
    ['/reports/balance-sheet?asOf=2026-12-31', 'Liabilities and equity'],
    [`/reports/trial-balance?${period}`, 'Northwind Foods'],
    [`/reports/general-ledger?${period}`, 'web-2'],
    ['/reports/ageing?asOf=2026-12-31', 'Northwind Foods'],
    [`/reports/tax?${period}`, 'Tax account'],
    ['/rules', 'description contains', 'Create a rule'],
    ['/rules/applications', 'No rule has been applied'],
    ['/users', 'Olga Owner', 'Create a user'],
    ['/roles', 'Cashier', 'Create a role'],
    ['/audit-log', 'Olga Owner'],
    [`/audit-log/${entries[0]?.id ?? ''}`, 'Actor, time and record'],
  ];
  browser = await launch();
}, 90_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

test.each(LOOKS)(
  'The pages of the books have no serious accessibility violation and fit the screen: $scheme, $width px',
  async (look) => {
    const visitor = await Visitor.arrives(browser, service.url, look);
    await visitor.signIn(shop.owner, '/notifications');
    const found: unknown[] = [];
    for (const [path, shows, opens] of places) {
      await visitor.goTo(path);
      await visitor.page.locator('#main').getByText(shows).first().waitFor();
      found.push(...(await visitor.barriers()).map((barrier) => [path, barrier]));
      const overhang = await visitor.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      if (overhang > 0) found.push([path, 'is wider than the screen', overhang]);
      if (opens === undefined) continue;
      await visitor.page.getByRole('button', { name: opens, exact: true }).click();
      await visitor.page.getByRole('dialog').waitFor();
      found.push(...(await visitor.barriers()).map((barrier) => [path, opens, barrier]));
    }
    await visitor.leave();
    expect([...found, ...visitor.complaints]).toEqual([]);
  },
  240_000,
);
