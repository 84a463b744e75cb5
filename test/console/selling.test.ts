// A tenant finds sales, removes the cause of a rejection, and records a sale manually.
import type { Locator, Page } from 'playwright-core';
import type { ConsoleService, Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row, title } = handlesOf(() => page);
const entry = (words: string | RegExp): Locator =>
  page.getByRole('region', { name: 'Timeline' }).last().getByRole('link', { name: words });
const mine = <T>(path: string, body?: unknown, method?: string): Promise<T> =>
  service.call(path, {
    token: shop.ownerToken,
    ...(body !== undefined && { body }),
    ...(method !== undefined && { method }),
  });

test('A notification leads to the rejected sale, which is booked once the branch is created next to the error', async () => {
  await service.sell(shop, 'web-1', { branchCode: 'NORTH' });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  await visitor.signIn(shop.owner, '/sales');
  await button('Notifications: 1 unread').click();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await title('Sale web-1').waitFor();
  await page
    .getByRole('alert')
    .getByText('The branch NORTH does not exist. Create it, or correct the branch code.')
    .waitFor();
  await page.getByRole('alert').getByText('Rejected after 1 attempt.').waitFor();
  await page.getByText('Sale rejected: the branch is missing or inactive').first().waitFor();
  await page.getByText('The service (booking)').first().waitFor();
  await page.getByText('Espresso machine').waitFor();
  await button('Create the branch NORTH').click();
  expect(await dialog().getByLabel('Code').inputValue()).toBe('NORTH');
  await dialog().getByLabel('Name').fill('North quay');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('region', { name: 'Details' }).getByText('Booked').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('link', { name: /^Invoice 119.00 EUR$/ }).click();
  await title('Invoice').waitFor();
  await page.getByRole('link', { name: 'the sale web-1' }).click();
  await title('Sale web-1').waitFor();
});

test('A missing account and a passive customer can also be fixed next to the error', async () => {
  const payments = [{ method: 'BANK', amount: '119.00', accountCode: 'GIRO' }];
  await service.sell(shop, 'web-2', { payments });
  await service.saleIs(shop, 'web-2', 'REJECTED');
  await visitor.signIn(shop.owner, '/sales?status=REJECTED');
  await row('web-2')
    .getByText(/^The account GIRO does not exist/)
    .waitFor();
  // A click next to the link also opens the row.
  await row('web-2').getByText('119.00 EUR').click();
  await button('Create the account GIRO').click();
  await dialog().getByLabel('Name').fill('Giro');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('region', { name: 'Details' }).getByText('Booked').waitFor();

  await service.sell(shop, 'web-3', { customer: { externalId: 'c9', name: 'Harbour Café' } });
  await service.saleIs(shop, 'web-3', 'BOOKED');
  const { items } = await mine<{ items: { id: string }[] }>('/api/customers?pageNumber=1&pageSize=5&search=Harbour');
  await mine(`/api/customers/${items[0]?.id ?? ''}`, { status: 'PASSIVE' }, 'PATCH');
  await service.sell(shop, 'web-4', { customer: { externalId: 'c9', name: 'Harbour Café' } });
  await service.saleIs(shop, 'web-4', 'REJECTED');
  await visitor.goTo('/sales?status=REJECTED');
  await row('web-4').getByRole('link', { name: 'web-4' }).click();
  await button('Activate Harbour Café').click();
  await dialog().getByRole('button', { name: 'Activate Harbour Café' }).click();
  await page.getByRole('region', { name: 'Details' }).getByText('Booked').waitFor();
});

test('A failed retry names the remaining cause', async () => {
  visitor.expects(/409/);
  await service.sell(shop, 'web-5', { type: 'RETURN', relatedExternalId: 'nowhere', total: '119.00' });
  await service.saleIs(shop, 'web-5', 'REJECTED');
  await visitor.signIn(shop.owner, '/sales?search=web-5');
  await row('web-5').getByRole('link', { name: 'web-5' }).click();
  await button('Try again').click();
  await page.getByText('Not possible in the current state').waitFor();
  await page.getByText('after 2 attempts').waitFor();
});

test('Sales are filtered by day in the time zone of the tenant', async () => {
  // 00:30 on 2 May in Berlin is still 1 May in UTC.
  await service.sell(shop, 'night-1', { occurredAt: '2026-05-01T22:30:00Z' });
  await service.saleIs(shop, 'night-1', 'BOOKED');
  await visitor.signIn(shop.owner, '/sales?dateFrom=2026-05-02&dateTo=2026-05-02');
  await row('night-1').getByText('2 May 2026').waitFor();
  await visitor.goTo('/sales?dateFrom=2026-05-01&dateTo=2026-05-01');
  await page.getByText('No sales match these filters.').waitFor();
});

test('A sale is recorded manually: its total is shown while the user types, and its page links to the transaction', async () => {
  await visitor.signIn(shop.owner, '/sales');
  await button('Record a sale').click();
  const line = dialog().getByRole('group', { name: 'Line 1' });
  await line.getByLabel('Description').fill('Grinder');
  await line.getByLabel('Quantity').fill('3');
  await line.getByLabel('Net price').fill('1,000.00');
  await line.getByLabel('Tax, %').fill('19');
  await dialog().getByText('Total 3,570.00 EUR').waitFor();
  await dialog().getByRole('button', { name: 'Add payment' }).click();
  await dialog().getByRole('group', { name: 'Payment 1' }).getByLabel('Amount').fill('3,570.00');
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await title('Sale S-000001').waitFor();
  await page.getByRole('region', { name: 'Details' }).getByText('Booked').waitFor();
  await page.getByText('Entered by hand').waitFor();
  const links = page.getByRole('link', { name: /^(?:Invoice|Collection) [\d.,]+ EUR$/ });
  await links.nth(1).waitFor();
  expect(await links.count()).toBe(2);
});

test('A manually recorded sale is cancelled once, on its page', async () => {
  const sale = {
    ...{ type: 'SALE', externalId: 'TYPO-1', currency: 'EUR', occurredAt: '2026-05-04T10:00:00Z' },
    lines: [{ description: 'Grinder', quantity: '1', unitPrice: '100.00', taxRate: '19' }],
  };
  const { data } = await mine<{ data: { id: string } }>('/api/sales', sale);
  await visitor.signIn(shop.owner, `/sales/${data.id}`);
  await button('Cancel sale').click();
  expect(await dialog().getByLabel('Original sale number').inputValue()).toBe('TYPO-1');
  await dialog().getByRole('button', { name: 'Cancel sale', exact: true }).click();
  await title('Cancellation S-000001').or(title('Cancellation S-000002')).waitFor();
  await entry(/^Cancellation "S-\d+" booked$/).waitFor();
  await entry(/^Cancellation "S-\d+" accepted$/).waitFor();
  expect(await entry(/^Sale/).count()).toBe(0);
  await page.getByRole('link', { name: 'Original sale' }).click();
  await title('Sale TYPO-1').waitFor();
  await page.getByRole('link', { name: /^Cancellation S-/ }).waitFor();
  for (const done of ['Cancel sale', 'Record a return']) expect(await button(done).count()).toBe(0);
});

test('The timeline of a return calls it a return, from its acceptance to its booking', async () => {
  await service.sell(shop, 'web-8');
  await service.saleIs(shop, 'web-8', 'BOOKED');
  await service.sell(shop, 'web-8-back', { type: 'RETURN', relatedExternalId: 'web-8', total: '119.00' });
  await service.saleIs(shop, 'web-8-back', 'BOOKED');
  await visitor.signIn(shop.owner, '/sales?search=web-8-back');
  await row('web-8-back').getByRole('link', { name: 'web-8-back' }).click();
  await entry('Return "web-8-back" booked').waitFor();
  await entry('Return "web-8-back" accepted').waitFor();
  expect(await entry(/^Sale/).count()).toBe(0);
});

test('A refund is paid from the account that received the payment', async () => {
  await mine('/api/accounts', { name: 'Marketplace', code: 'MARKET', type: 'OTHER' });
  const sale = {
    ...{ type: 'SALE', externalId: 'MARKET-1', currency: 'EUR', occurredAt: '2026-05-04T10:00:00Z' },
    lines: [{ description: 'Grinder', quantity: '1', unitPrice: '100.00', taxRate: '19' }],
    payments: [{ method: 'CARD', amount: '119.00', accountCode: 'MARKET' }],
  };
  const { data } = await mine<{ data: { id: string } }>('/api/sales', sale);
  await visitor.signIn(shop.owner, `/sales/${data.id}`);
  await button('Record a return').click();
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: /^Return / }).waitFor();
  await page
    .getByRole('region', { name: 'Timeline' })
    .last()
    .getByText(/^Return .* booked$/)
    .waitFor();
  await page.getByRole('region', { name: 'Payments' }).last().getByText('MARKET').waitFor();
  const accounts = await mine<{ items: { balance: { amount: string } }[] }>(
    '/api/accounts?search=MARKET&pageNumber=1&pageSize=1',
  );
  expect(accounts.items[0]?.balance.amount).toBe('0.00');
});
