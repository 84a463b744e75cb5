import type { Page } from 'playwright-core';
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

test('Ctrl-K finds a page, a customer and a sale by their names, with the keyboard alone', async () => {
  await visitor.signIn(shop.owner, '/rules');
  await title('Category rules').waitFor();
  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').fill('webh');
  await dialog().getByRole('option', { name: 'Webhooks' }).waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Enter');
  await title('Webhooks').waitFor();

  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').fill('northwind');
  await dialog()
    .getByRole('option', { name: /^Northwind Foods.*Customer$/ })
    .waitFor();
  await page.keyboard.press('Enter');
  await title('Northwind Foods').waitFor();

  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').fill('web-1');
  await dialog()
    .getByRole('option', { name: /^4 Mar 2026 · 119\.00 EUR · .*web-1.*Transaction$/ })
    .first()
    .waitFor();
  await dialog().getByRole('combobox').fill('web-2');
  await dialog()
    .getByRole('option', { name: /^web-2 · 4 Mar 2026 · .*Sale$/ })
    .waitFor();
  await dialog().getByRole('combobox').fill('nothing like this');
  await dialog().getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('Ctrl-K reports a search that failed instead of claiming that nothing was found', async () => {
  visitor.expects(/ERR_FAILED/);
  await visitor.signIn(shop.owner, '/rules');
  await page.route(/search=nothing/, (route) => route.abort());
  await page.keyboard.press('Control+k');
  await dialog().getByRole('combobox').fill('nothing like this');
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

test('An operator finds a tenant and a dead letter, and the keyboard shortcuts are listed', async () => {
  await anotherArrives({ width: 390, scheme: 'dark' });
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Search').click();
  await dialog().getByRole('combobox').fill('acme');
  await dialog()
    .getByRole('option', { name: /Tenant$/ })
    .first()
    .click();
  await title('Acme Trading').waitFor();
  await button('Search').click();
  await dialog().getByRole('combobox').fill('branch_unknown');
  await dialog()
    .getByRole('option', { name: /BRANCH_UNKNOWN.*Dead letter$/ })
    .first()
    .waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Search pages and records').waitFor();
  expect(await visitor.barriers()).toEqual([]);
});
