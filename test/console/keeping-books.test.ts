import type { Page } from 'playwright-core';
import { today } from '../../console/src/parts/zone-days.js';
import { type ConsoleService, eventually, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row } = handlesOf(() => page);
const choose = async (label: string, option: string): Promise<void> => {
  await dialog().getByRole('combobox', { name: label }).or(dialog().getByLabel(label)).first().click();
  // The option for an account also shows the account's code and balance.
  await page
    .getByRole('option')
    .filter({ has: page.getByText(option, { exact: true }) })
    .click();
};
const mine = (path: string, body?: unknown, method?: string): Promise<unknown> =>
  service.call(path, {
    token: shop.ownerToken,
    ...(body !== undefined && { body }),
    ...(method !== undefined && { method }),
  });

test("A partner's key is shown once and works, and the partner is refused after its revocation", async () => {
  await visitor.signIn(shop.owner, '/partner-keys');
  await button('Create a key').click();
  await dialog().getByLabel('Name').fill('Till 2');
  await dialog()
    .getByLabel(/^Partner's system/)
    .fill('tills');
  await dialog().getByRole('button', { name: 'Create a key' }).click();
  await dialog().getByText('Shown only once').waitFor();
  const key = await dialog().getByTestId('secret').innerText();
  expect(await dialog().getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().getByLabel('I have stored the key in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);

  await service.sell({ ...shop, key }, 'till-1');
  await button('Revoke: Till 2').click();
  await dialog().getByRole('button', { name: 'Revoke' }).click();
  await row('Till 2').getByText('Revoked').waitFor();
  const push = (externalId: string) =>
    service.sell({ ...shop, key }, externalId).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
  await eventually(async () => (await push('till-2')).includes('401'));
  expect(await push('till-3')).toContain('INVALID_KEY');
});

test('A key is replaced without an interruption, and shows when it expires', async () => {
  await visitor.signIn(shop.owner, '/partner-keys');
  await button('Create a key').click();
  await dialog().getByLabel('Name').fill('Till 3');
  await dialog()
    .getByLabel(/^Partner's system/)
    .fill('tills');
  await dialog().getByLabel('Expires').fill('2999-12-31T12:00');
  await dialog().getByRole('button', { name: 'Create a key' }).click();
  const key = await dialog().getByTestId('secret').innerText();
  await dialog().getByLabel('I have stored the key in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await row('Till 3').getByText('31 Dec 2999').waitFor();
  await button('Rotate: Till 3').click();
  expect(await dialog().getByLabel('Overlap in hours').inputValue()).toBe('24');
  await dialog().getByRole('button', { name: 'Rotate' }).click();
  const next = await dialog().getByTestId('secret').innerText();
  await dialog().getByLabel('I have stored the key in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await row('Till 3').getByText('Two secrets; the old secret expires').waitFor();
  await service.sell({ ...shop, key }, 'till-old');
  await service.sell({ ...shop, key: next }, 'till-new');
});

test('A key that expires within two weeks is marked', async () => {
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const [name, days] of [
    ['Till in time', 15],
    ['Till in haste', 13],
  ] as const)
    await mine('/api/integration-keys', { name, sourceId: 'tills', expiresAt: inDays(days) });
  await visitor.signIn(shop.owner, '/partner-keys');
  await row('Till in haste').getByText('Expires soon').waitFor();
  await row('Till in time').getByText('Active').waitFor();
  expect(await page.getByText('Expires soon').count()).toBe(1);
});

test('Conflicting changes are explained: no change is undone silently, and no input is lost', async () => {
  visitor.expects(/409/);
  const { data: customer } = (await mine('/api/customers', { name: 'Northwind Foods', city: 'Oslo' })) as {
    data: { id: string };
  };
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await button('Edit').click();
  await dialog().getByLabel('Phone').fill('+47 22 00 00 00');
  await mine(`/api/customers/${customer.id}`, { city: 'Bergen' }, 'PATCH');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Changed by another user').waitFor();
  const changes = dialog().getByRole('group', { name: 'Changes by the other user' });
  await changes.getByText('Oslo').waitFor();
  await changes.getByText('Bergen').waitFor();
  await page.keyboard.press('Enter');
  await changes.waitFor({ state: 'detached' });
  expect(await dialog().getByLabel('City').inputValue()).toBe('Bergen');
  expect(await dialog().getByLabel('Phone').inputValue()).toBe('+47 22 00 00 00');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByText('+47 22 00 00 00').waitFor();
  const { data: stored } = (await mine(`/api/customers/${customer.id}`)) as { data: { city: string; phone: string } };
  expect([stored.city, stored.phone]).toEqual(['Bergen', '+47 22 00 00 00']);
  // The timeline contains the creation and two changes, including the latest one.
  const entries = page.getByRole('region', { name: 'Timeline' }).last().locator('tbody tr');
  await eventually(async () => (await entries.count()) === 3);
});

test('Input restored after a sign-in does not undo a change that another user made meanwhile', async () => {
  visitor.expects(/401|409/);
  const user = { fullName: 'Anna Clerk', email: 'anna@acme.example', password: 'another secret', role: 'ADMIN' };
  await mine('/api/users', user);
  const { data: customer } = (await mine('/api/customers', { name: 'Fjord Foods', city: 'Oslo' })) as {
    data: { id: string };
  };
  const token = await service.signIn(user.email, user.password);
  await visitor.signIn(user, `/customers/${customer.id}`);
  await button('Edit').click();
  await dialog().getByLabel('Phone').fill('+47 23 00 00 00');
  const change = { currentPassword: user.password, newPassword: 'quite another secret' };
  await service.call('/api/auth/change-password', { token, body: change });
  await visitor.submitInVain();
  await mine(`/api/customers/${customer.id}`, { city: 'Bergen' }, 'PATCH');
  await visitor.fillIn(user.email, change.newPassword);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Changed by another user').waitFor();
  await page.keyboard.press('Enter');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  const { data: stored } = (await mine(`/api/customers/${customer.id}`)) as { data: { city: string; phone: string } };
  expect([stored.city, stored.phone]).toEqual(['Bergen', '+47 23 00 00 00']);
});

test('A customer whose creation is repeated after a lost response is created once', async () => {
  visitor.expects(/ERR_FAILED/);
  await visitor.signIn(shop.owner, '/customers');
  await button('Create a customer').click();
  await dialog().getByLabel('Name').fill('Meyer GmbH');
  await page.route(
    '**/api/customers',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await dialog().getByRole('button', { name: 'Create a customer' }).click();
  await dialog().getByRole('alert').getByText('The service is not responding.').waitFor();
  await dialog().getByRole('button', { name: 'Create a customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Meyer GmbH' }).waitFor();
  expect(await mine('/api/customers?search=Meyer&pageNumber=1&pageSize=10')).toMatchObject({ totalCount: 1 });
});

test('On a page that stays open overnight, a new transaction has the date of the new day', async () => {
  await visitor.signIn(shop.owner, '/transactions');
  await button('Record a transaction').waitFor();
  await page.evaluate('{ const now = Date.now; Date.now = () => now() + 24 * 3_600_000; }');
  await button('Record a transaction').click();
  const tomorrow = new Date(Date.now() + 24 * 3_600_000);
  expect(await dialog().getByLabel('Date').inputValue()).toBe(
    tomorrow.toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' }),
  );
});

test('Validation errors of a customer appear at the field, and can be corrected there', async () => {
  visitor.expects(/400/);
  await visitor.signIn(shop.owner, '/customers');
  await button('Create a customer').click();
  await dialog().getByLabel('Name').fill('Ada Bakery');
  await dialog().getByLabel('E-mail').fill('no address');
  await dialog().getByRole('button', { name: 'Create a customer' }).click();
  await dialog().getByText('Correct the marked field.').waitFor();
  expect(await dialog().getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
  await dialog().getByLabel('E-mail').fill('ada@bakery.example');
  await dialog().getByRole('button', { name: 'Create a customer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ada Bakery' }).waitFor();
  await page.getByText('ada@bakery.example').waitFor();
});

test('A payment is recorded, appears in the statement, gets a category and is cancelled by its reversal', async () => {
  const { data: customer } = (await mine('/api/customers', {
    name: 'Brew & Co',
    openingBalance: { amount: '500.00', direction: 'OUT', date: '2026-01-01' },
  })) as { data: { id: string } };
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await page.getByText('owes us').first().waitFor();
  await button('Record a transaction').click();
  await dialog().getByLabel('Date').fill('2026-03-04');
  await dialog().getByLabel('Amount').fill('120.50');
  await choose('Into account', 'Bank');
  await dialog().getByLabel('Description').fill('Paid by transfer');
  await dialog().getByRole('button', { name: 'Record' }).click();
  await page.getByRole('heading', { level: 1, name: 'Collection' }).waitFor();
  await page.getByRole('region', { name: 'Postings' }).last().getByText('Brew & Co').waitFor();

  await button('Choose category').click();
  const { data: categories } = (await mine('/api/transaction-categories')) as {
    data: { name: string; direction: string }[];
  };
  const category = categories.find(({ direction }) => direction !== 'OUT')?.name ?? '';
  await choose('Category', category);
  await dialog().getByRole('button', { name: 'Choose', exact: true }).click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Details' }).getByText(category).waitFor();

  await button('Cancel').click();
  await dialog().getByLabel('Reason').fill('Booked twice.');
  await dialog().getByRole('button', { name: 'Book reversal' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await button('Cancel').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Timeline' }).last().getByText('cancelled').waitFor();

  await visitor.goTo(`/customers/${customer.id}?beginDate=2026-01-01`);
  const statement = page.getByRole('region', { name: 'Statement' }).last();
  await statement.getByText('Paid by transfer').first().waitFor();
  await page.getByText('Closing balance: owes us 500.00 EUR').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('region', { name: 'Statement' }).first().getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const day = today('Europe/Berlin');
  expect(download.suggestedFilename()).toMatch(new RegExp(`^shop-\\w+-statement-brew-co-2026-01-01-${day}\\.csv$`));
  const [items] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('region', { name: 'Open items' }).first().getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(items.suggestedFilename()).toMatch(new RegExp(`^shop-\\w+-open-items-brew-co-${day}\\.csv$`));

  await visitor.goTo(`/transactions?customerId=${customer.id}&type=COLLECTION`);
  await row('Collection').first().waitFor();
  expect(await row('Opening balance').count()).toBe(0);
  await page.getByRole('searchbox').fill('nothing of the kind');
  await page.getByText('No transactions match these filters.').waitFor();
});

test('The bench shows which rule would match, why the others would not, and what a draft would have matched', async () => {
  visitor.expects(/400/);
  const { data: categories } = (await mine('/api/transaction-categories')) as {
    data: { id: string; name: string; direction: string }[];
  };
  const incoming = categories.find(({ direction }) => direction === 'IN');
  await visitor.signIn(shop.owner, '/rules');
  await button('Create a rule').click();
  await choose('Category', incoming?.name ?? '');
  await dialog().getByLabel('Keyword').fill('stocktaking bonus');
  await dialog().getByLabel('Priority').fill('700');
  await dialog().getByRole('button', { name: 'Create a rule' }).click();
  await row('description contains “stocktaking bonus”').waitFor();

  await page.getByRole('link', { name: 'Test rules' }).click();
  await page.getByRole('heading', { level: 1, name: 'Test rules' }).waitFor();
  await page.getByLabel('Description').fill('STOCKTAKING Bonus 2026');
  await button('Test').click();
  // The matching rule assigns a category for incoming money, but no direction has been selected yet.
  await page.getByText('No category').waitFor();
  await row('stocktaking bonus').getByText('applies to the other direction').waitFor();
  await page.getByLabel('Direction').first().click();
  await page.getByRole('option', { name: 'Money in' }).click();
  await button('Test').click();
  await page.getByText(`Category: “${incoming?.name ?? ''}”`).waitFor();
  await row('stocktaking bonus').getByText('Chosen').waitFor();

  await service.sell(shop, 'bench-1', { customer: { externalId: 'c1', name: 'Harbour Café' } });
  await service.saleIs(shop, 'bench-1', 'BOOKED');
  await page.getByRole('switch').click();
  const draft = page.getByRole('group', { name: 'New rule' });
  await draft.getByLabel('Merchant').fill('harbour');
  await button('Test').click();
  // A category is required. The service reports the missing value as an error on the field.
  await page.getByRole('alert').first().waitFor();
  expect(await draft.getByLabel('Category').first().getAttribute('aria-invalid')).toBe('true');
  await draft.getByLabel('Category').first().click();
  await page
    .getByRole('option', {
      name: categories.find(({ direction }) => direction === 'BOTH')?.name ?? incoming?.name ?? '',
    })
    .click();
  await button('Test').click();
  await page.getByRole('region', { name: 'Transactions that the new rule matches' }).waitFor();
  await row('harbour').first().waitFor();
});

test('A chooser offers no results of an earlier search, so that Enter chooses the option that is marked', async () => {
  for (const name of ['Quarry fund', 'Quay fund', 'Toll fund']) await mine('/api/accounts', { name, type: 'BANK' });
  const { data: customer } = (await mine('/api/customers', { name: 'Chooser Ltd' })) as { data: { id: string } };
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await button('Record a transaction').click();
  const chooser = dialog().getByRole('combobox', { name: 'Into account' });
  await chooser.click();
  const option = (name: string) => page.getByRole('option').filter({ hasText: name });
  await option('Toll fund').waitFor();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/search=Quarry/, async (route) => {
    await released;
    await route.continue();
  });
  await page.keyboard.insertText('Quarry');
  await page.getByText('Searching…').waitFor();
  expect(await option('').count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  release();
  await option('Quarry fund').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await option('Quarry fund').waitFor({ state: 'detached' });
  expect(await chooser.inputValue()).toBe('Quarry fund');
});

test('In a chooser, Enter never submits the form with the previous selection', async () => {
  for (const name of ['Wharf fund', 'Crane fund']) await mine('/api/accounts', { name, type: 'BANK' });
  const { data: customer } = (await mine('/api/customers', { name: 'Enter Ltd' })) as { data: { id: string } };
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  const posted: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && posted.push(request.url()));
  await button('Record a transaction').click();
  await dialog().getByLabel('Amount').fill('7.77');
  const chooser = dialog().getByRole('combobox', { name: 'Into account' });
  await choose('Into account', 'Crane fund');
  await eventually(async () => (await chooser.inputValue()) === 'Crane fund');
  // Mantine treats input from `fill` like input from a password manager.
  await chooser.press('Control+a');
  await page.keyboard.type('Wharf');
  await page.keyboard.press('Enter');
  await page.getByRole('option').filter({ hasText: 'Wharf fund' }).waitFor();
  await page.keyboard.press('Enter');
  expect(await chooser.inputValue()).toBe('Wharf');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(async () => (await chooser.inputValue()) === 'Wharf fund');
  expect(posted.filter((url) => url.includes('/api/transactions'))).toEqual([]);
  await page.keyboard.press('Enter');
  await dialog().waitFor({ state: 'detached' });
});

test('The bell counts unread notifications, follows a link within the console, and offers no unsafe link', async () => {
  const send = (title: string, link?: string) =>
    mine('/api/notifications/admin/send', { title, body: 'Please look.', broadcast: true, ...(link && { link }) });
  await visitor.signIn(shop.owner, '/customers');
  await send('Stocktaking on Friday', '/console/transactions');
  await send('Elsewhere', 'https://status.example/today');
  await page.reload();
  await button('Notifications: 2 unread').click();
  const elsewhere = page.getByRole('link', { name: 'Open status.example' });
  expect(await elsewhere.getAttribute('rel')).toBe('noopener noreferrer');
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Transactions' }).waitFor();
  await button('Notifications: 1 unread').click();
  await button('Mark all as read').click();
  await button('Notifications').waitFor();
  await page.getByRole('link', { name: 'All notifications' }).click();
  await page.getByText('Stocktaking on Friday').waitFor();
});

test('Errors of a transaction refer to the fields of its form, and dates have the format of the viewer', async () => {
  visitor.expects(/40[09]/);
  await mine('/api/customers', { name: 'Errors Ltd' });
  await mine('/api/periods/close', { through: '2025-12-31' });
  await visitor.signIn(shop.owner, '/transactions');
  await button('Record a transaction').click();
  const record = dialog().getByRole('button', { name: 'Record', exact: true });
  const amount = async (typed: string): Promise<void> => {
    await dialog().getByLabel('Amount').press('Control+a');
    await page.keyboard.type(typed);
  };
  await choose('Type', 'Opening balance');
  await record.click();
  await dialog().getByText('Correct the 3 marked fields.').waitFor();
  expect(await dialog().getByText('Choose either a customer or an account.').count()).toBe(2);
  await choose('Type', 'Payment');
  await record.click();
  await dialog().getByText('Correct the 5 marked fields.').waitFor();
  expect(await dialog().getByText('Must be specified.').count()).toBe(2);
  const choice = 'Choose either a customer, a supplier or employee, or an expense.';
  expect(await dialog().getByText(choice).count()).toBe(3);
  await amount('abc');
  await record.click();
  await dialog().getByText('Must be a number without a minus sign, such as 1,250.00.').waitFor();
  await choose('To customer', 'Errors Ltd');
  await choose('From account', 'Bank');
  await amount('5');
  await dialog().getByLabel('Date').fill('2025-06-01');
  await record.click();
  await dialog()
    .getByText(/^1 Jun 2025 is in a closed period\. The books are closed through 31 Dec 2025\./)
    .waitFor();
});

test('A transfer offers only accounts that contain money', async () => {
  for (const [name, type] of [
    ['Transit fund', 'CASH'],
    ['Transit costs', 'EXPENSE'],
  ])
    await mine('/api/accounts', { name, type });
  await visitor.signIn(shop.owner, '/transactions');
  await button('Record a transaction').click();
  await choose('Type', 'Transfer');
  for (const label of ['From account', 'To account']) {
    await dialog().getByRole('combobox', { name: label }).click();
    await page.keyboard.insertText('Transit');
    const options = page.getByRole('option').filter({ visible: true });
    await options.filter({ hasText: 'Transit fund' }).waitFor();
    expect(await options.count()).toBe(1);
    await options.click();
  }
});
