import type { Locator, Page } from 'playwright-core';
import { type ConsoleService, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;
const anotherArrives = onStage(
  (stage) => {
    ({ service, shop, visitor, page } = stage);
  },
  async ({ service, shop }) => {
    await service.sell(shop, 'web-1', { customer: { externalId: 'c-1', name: 'Northwind Foods' } });
    await service.saleIs(shop, 'web-1', 'BOOKED');
    await service.sell(shop, 'web-2', { branchCode: 'NOWHERE' });
    await service.saleIs(shop, 'web-2', 'REJECTED');
  },
);

const { button, dialog, title } = handlesOf(() => page);

/** Opens the search with the keyboard if it is not open, and types a text in place of the previous one. */
async function lookFor(text: string): Promise<void> {
  if (!(await dialog().isVisible())) await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
const found = (group: string, name: string | RegExp): Locator =>
  dialog().getByRole('group', { name: group, exact: true }).getByRole('option', { name });

test('Ctrl-K finds a page, a customer and a sale by their names, with the keyboard alone', async () => {
  await visitor.signIn(shop.owner, '/rules');
  await title('Category rules').waitFor();
  await lookFor('webh');
  await found('Pages', 'Webhooks').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Enter');
  await title('Webhooks').waitFor();

  await lookFor('northwind');
  await found('Customers', /^Northwind Foods/).waitFor();
  await page.keyboard.press('Enter');
  await title('Northwind Foods').waitFor();

  await lookFor('web-1');
  await found('Transactions', /^4 Mar 2026 · 119\.00 EUR · .*web-1/).waitFor();
  await lookFor('web-2');
  await found('Sales', /^web-2 · 4 Mar 2026 · /).waitFor();
  await lookFor('nothing like this');
  await dialog().getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('Ctrl-K finds reports, accounts, branches, users, categories, keys and amounts, and opens filtered lists', async () => {
  const body = { code: 'HBR', name: 'Harbour' };
  await service.call('/api/branches', { token: shop.ownerToken, body });
  await visitor.signIn(shop.owner, '/rules');
  await title('Category rules').waitFor();
  await lookFor('balance sh');
  await found('Reports', 'Balance sheet').waitFor();
  await page.keyboard.press('Enter');
  await title('Balance sheet').waitFor();

  await lookFor('102');
  await found('Accounts', /^102 · /).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/accounts\/[\w-]{36}$/);

  await lookFor('harbour');
  await found('Branches', 'HBR · Harbour').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/branches\?search=HBR$/);

  await lookFor('olga');
  await found('Users', /^Olga Owner · olga@/).click();
  await page.waitForURL(/\/users\?search=olga/);

  const { data: categories } = await service.call<{ data: readonly { name: string }[] }>(
    '/api/transaction-categories',
    { token: shop.ownerToken },
  );
  const category = categories[0]?.name ?? '';
  await lookFor(category);
  await found('Categories', category).click();
  await page.getByRole('row').filter({ hasText: category }).waitFor();
  expect(await page.getByRole('table').getByRole('row').count()).toBeLessThan(categories.length);

  await lookFor('web shop');
  await found('Partner keys', 'Web shop · shop').click();
  await page.waitForURL(/\/partner-keys\?search=Web\+shop$/);
  await lookFor('119.00');
  await found('Transactions', /^\d+ transactions? with the amount 119\.00$/).click();
  await page.waitForURL(/\/transactions\?amountMin=119\.00&amountMax=119\.00$/);
  await page.getByRole('row').filter({ hasText: 'web-1' }).first().waitFor();
});

test('Ctrl-K sends no request for kinds of records that a user may not read, and opens the record with a pasted ID', async () => {
  const user = { fullName: 'Ben Bookkeeper', email: `ben@${shop.tenantId}.example`, password: 'correct horse battery' };
  await service.call('/api/users', { token: shop.ownerToken, body: { ...user, role: 'USER' } });
  const { items } = await service.call<{ items: readonly { id: string }[] }>(
    '/api/transactions?pageNumber=1&pageSize=1',
    { token: shop.ownerToken },
  );
  const id = items[0]?.id ?? '';
  const { items: entries } = await service.call<{ items: readonly { requestId: string }[] }>(
    '/api/audit-logs?pageNumber=1&pageSize=1',
    { token: shop.ownerToken },
  );
  const requestId = entries[0]?.requestId ?? '';
  // The service responds with 404 if the id belongs to a record of another kind. A 403 would fail the test.
  visitor.expects(/404/);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visitor.signIn(user, '/customers');
  await title('Customers').waitFor();
  for (const text of ['olga owner', 'web shop', 'audit', 'webhooks']) {
    await lookFor(text);
    await dialog().getByText('Nothing found').waitFor();
  }
  await lookFor(id);
  await found('Transactions', /119\.00 EUR/).waitFor();
  expect(await dialog().getByRole('option').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/transactions/${id}`);
  expect(asked.filter((path) => /^\/api\/.*(?:users|keys|webhooks|audit)/.test(path))).toEqual([]);

  await anotherArrives();
  visitor.expects(/404/);
  await visitor.signIn(shop.owner, '/rules');
  await title('Category rules').waitFor();
  await lookFor(requestId);
  await found('Audit log', `Entries that contain ${requestId}`).click();
  await page.waitForURL(`**/audit-log?search=${requestId}`);
});

test('A German viewer finds reports by their German names', async () => {
  await anotherArrives({ language: 'de' });
  await visitor.signIn(shop.owner, '/rules');
  await title(visitor.words('Category rules')).waitFor();
  await lookFor('bilanz');
  await found('Berichte', 'Bilanz').waitFor();
  await page.keyboard.press('Enter');
  await title('Bilanz').waitFor();
});

test('Ctrl-K reports a search that failed instead of claiming that nothing was found', async () => {
  visitor.expects(/ERR_FAILED/);
  await visitor.signIn(shop.owner, '/rules');
  await page.route(/search=nothing/, (route) => route.abort());
  await lookFor('nothing like this');
  await dialog().getByRole('alert').getByText('Not all records could be searched').waitFor();
  expect(await dialog().getByText('Nothing found').count()).toBe(0);
  await page.unroute(/search=nothing/);
  await dialog().getByRole('button', { name: 'Try again' }).click();
  await dialog().getByText('Nothing found').waitFor();
});

test('On a phone, a posting shows only the amount that it has, with the name of its column', async () => {
  await anotherArrives({ width: 390, height: 844 });
  await visitor.signIn(shop.owner, '/transactions');
  await page.getByRole('row').filter({ hasText: 'web-1' }).getByRole('link').first().click();
  const postings = page.getByRole('region', { name: 'Postings' }).first().getByRole('row').filter({ hasText: /\d/ });
  await postings.first().waitFor();
  // Each posting has two cells: its account, and either the debit or the credit. The total row has both a debit and a
  // credit.
  const cells = (await postings.all()).map((posting) => posting.getByRole('cell').count());
  expect(await Promise.all(cells)).toEqual([2, 2, 2, 3]);
  const labels = await page.evaluate(
    `[...document.querySelectorAll('.k-numeric > .k-cell:not(:empty)')].map(
      (cell) => getComputedStyle(cell, '::before').content)`,
  );
  expect(labels).toEqual(['"Debit "', '"Credit "', '"Credit "', '"Debit "', '"Credit "']);
});

test('An event about another record leads to the history of the record whose stream contains it', async () => {
  const body = { name: 'Till', type: 'CASH', isDefault: true };
  await service.call('/api/accounts', { token: shop.ownerToken, body });
  await visitor.signIn(OPERATOR, '/events?type=DefaultAccountSet');
  await page.getByRole('link', { name: 'Account', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: /^History of / }).waitFor();
  await page.getByRole('button', { pressed: true }).getByText('DefaultAccountSet', { exact: true }).waitFor();
});

test('An event names its actor, and a click on its row shows its content', async () => {
  const body = { name: 'Second till', type: 'CASH', isDefault: true };
  await service.call('/api/accounts', { token: shop.ownerToken, body });
  await visitor.signIn(OPERATOR, '/events?type=DefaultAccountSet');
  const event = page.locator('tbody tr').first();
  await event.getByRole('link', { name: 'Olga Owner', exact: true }).waitFor();
  await event.getByRole('cell').first().click();
  const content = page.getByRole('region', { name: 'Metadata as JSON' });
  // The content uses the full width of the table.
  const [wide, full] = [await content.boundingBox(), await page.getByRole('table').boundingBox()];
  expect(wide?.width).toBe(full?.width);
  await event.getByRole('cell').first().click();
  await content.waitFor({ state: 'detached' });
  await event.getByRole('link', { name: 'Related' }).click();
  await page.waitForURL(/correlationId=/);
  const related = page.locator('tbody tr').filter({ hasText: 'AccountCreated' });
  await related.getByRole('cell').first().click();
  await content.waitFor();
});

test('On a phone, a report by quarter shows the figures of a row in two columns below its name', async () => {
  await anotherArrives({ width: 390, height: 844 });
  await visitor.signIn(shop.owner, '/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&by=quarter');
  await page.getByRole('cell', { name: 'Total income' }).waitFor();
  const tops = await page.evaluate(
    `[...document.querySelector('.k-sections tfoot tr').children].filter((cell) => cell.checkVisibility())
       .map((cell) => cell.getBoundingClientRect().top)`,
  );
  const [name = 0, first = 0, second = 0] = tops as number[];
  expect([second, first > name]).toEqual([first, true]);
});

test('An operator finds a tenant and a dead letter, and the keyboard shortcuts are listed', async () => {
  await anotherArrives({ width: 390, scheme: 'dark' });
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Search').click();
  await lookFor('acme');
  await found('Tenants', 'Acme Trading').first().click();
  await title('Acme Trading').waitFor();
  await button('Search').click();
  await lookFor('branch_unknown');
  await found('Dead letters', /BRANCH_UNKNOWN/)
    .first()
    .waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Search pages and records').waitFor();
  expect(await visitor.barriers()).toEqual([]);
});

test('An operator finds jobs, projections, queues, users, and the events of a request, without failed requests', async () => {
  const token = await service.operator();
  const { items } = await service.call<{ items: readonly { requestId: string; entityId: string }[] }>(
    `/api/platform/audit-logs?pageNumber=1&pageSize=1&entity=customer&tenantId=${shop.tenantId}`,
    { token },
  );
  const [entry] = items;
  await visitor.signIn(OPERATOR, '/tenants');
  await title('Tenants').waitFor();
  await lookFor('backup');
  await found('Jobs', 'database-backup').waitFor();
  await page.keyboard.press('Enter');
  await title('database-backup').waitFor();

  await lookFor('customers');
  await found('Cache and queues', 'customers').first().click();
  await page.waitForURL(/\/queues\?search=customers$/);
  const names = page.getByRole('table').locator('strong');
  await names.first().waitFor();
  expect(await names.allInnerTexts()).toEqual(['customers']);
  await lookFor('customers');
  await found('Projections', 'customers').click();
  await page.waitForURL(/\/projections\?search=customers$/);
  await button('Rebuild: customers').waitFor();
  expect(await names.allInnerTexts()).toEqual(['customers']);
  await lookFor(OPERATOR.email);
  await found('Operators', OPERATOR.email).waitFor();
  await lookFor('olga owner');
  await found('Audit log', 'Entries of Olga Owner').click();
  await page.waitForURL(/\/audit\?userId=[\w-]{36}$/);

  await lookFor(shop.tenantId);
  await found('Tenants', 'Acme Trading').waitFor();
  await lookFor(entry?.entityId ?? '');
  await found('Audit log', /^Customer /).click();
  await page.getByRole('heading', { level: 1, name: 'Northwind Foods' }).waitFor();
  await lookFor(entry?.requestId ?? '');
  await found('Events', /^Events caused by request /).click();
  await page.waitForURL(`**/events?correlationId=${entry?.requestId ?? ''}`);
  await page.getByText('CustomerCreated', { exact: true }).first().waitFor();
});
