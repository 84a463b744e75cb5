// A month in a small company's books, as its bookkeeper enters it, from the opening balances to the closing.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ shop, visitor, page } = stage);
});

const { button, dialog, row, title } = handlesOf(() => page);
type Within = ReturnType<typeof dialog>;

const group = (name: string): Within => dialog().getByRole('group', { name });
const submit = (name: string): Promise<void> => dialog().getByRole('button', { name, exact: true }).click();
const open = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).first().click();
const region = (name: string): Within => page.getByRole('region', { name }).last();

async function choose(within: Within, label: string, option: string): Promise<void> {
  await within.getByRole('combobox', { name: label }).or(within.getByLabel(label)).first().click();
  await page
    .getByRole('option')
    .filter({ has: page.getByText(option, { exact: true }) })
    .click();
}

async function createAccount(type: string, name: string): Promise<void> {
  await button('Create an account').click();
  await dialog().getByLabel('Name').fill(name);
  await choose(dialog(), 'Type', type);
  await submit('Create');
  await dialog().waitFor({ state: 'detached' });
}

type Line = readonly [account: string, side: 'Debit' | 'Credit', amount: string];

async function enterJournal(date: string, description: string, lines: readonly Line[]): Promise<void> {
  await button('Journal entry').click();
  await dialog().getByLabel('Date').fill(date);
  for (const [index, [account, side, amount]] of lines.entries()) {
    if (index > 1) await dialog().getByRole('button', { name: 'Add line' }).click();
    const line = group(`Line ${index + 1}`);
    await choose(line, 'Account', account);
    await line.getByLabel(side).fill(amount);
  }
  await dialog().getByText('Balanced').waitFor();
  await dialog().getByRole('textbox', { name: 'Description' }).fill(description);
  await submit('Record');
  await title('Journal entry').waitFor();
}

async function fillLine(description: string, quantity: string, price: string): Promise<void> {
  const line = group('Line 1');
  await line.getByLabel('Description').fill(description);
  await line.getByLabel('Quantity').fill(quantity);
  await line.getByLabel('Net price').fill(price);
  await line.getByLabel('Tax, %').fill('19');
}

/** Checks the amounts in a row of a report, without the currency. */
async function rowShows(name: string, ...amounts: readonly string[]): Promise<void> {
  for (const amount of amounts) await row(name).getByText(amount, { exact: true }).first().waitFor();
}

test('The opening balances are one journal entry, and a customer begins with an amount owed', async () => {
  await visitor.signIn(shop.owner, '/accounts');
  await createAccount('Supplier', 'Paper Mill');
  await createAccount('Expense', 'Office supplies');
  await open('Transactions');
  await enterJournal('2026-03-01', 'Opening balances', [
    ['Bank', 'Debit', '5,000.00'],
    ['Cash', 'Debit', '200.00'],
    ['Opening balances', 'Credit', '5,200.00'],
  ]);
  await open('Customers');
  await button('Create a customer').click();
  await dialog().getByLabel('Name').fill('Ada Bakery');
  await dialog().getByLabel('Opening balance').fill('300.00');
  await dialog().getByLabel('Opening date').fill('2026-03-01');
  await submit('Create a customer');
  await title('Ada Bakery').waitFor();
  await page.getByText('owes us').first().waitFor();
  await rowShows('Opening balance', '300.00');
});

test('A sale on account, a sale paid in cash and a collection', async () => {
  await visitor.signIn(shop.owner, '/sales');
  await button('Record a sale').click();
  await dialog().getByLabel('Date').fill('2026-03-03');
  await choose(dialog(), 'Customer', 'Ada Bakery');
  await fillLine('Flour', '10', '100.00');
  await dialog().getByText('Total 1,190.00 EUR').waitFor();
  await submit('Record');
  await title('Sale S-000001').waitFor();

  await open('Sales');
  await button('Record a sale').click();
  await dialog().getByLabel('Date').fill('2026-03-05');
  await fillLine('Grinder', '2', '50.00');
  await dialog().getByRole('button', { name: 'Add payment' }).click();
  await group('Payment 1').getByLabel('Amount').fill('119.00');
  await submit('Record');
  await title('Sale S-000002').waitFor();

  await open('Customers');
  await open('Ada Bakery');
  await button('Record a transaction').click();
  await dialog().getByLabel('Date').fill('2026-03-12');
  await dialog().getByLabel('Amount').fill('900.00');
  await choose(dialog(), 'Into account', 'Bank');
  await dialog().getByLabel('Description').fill('Bank transfer of 12 March');
  await submit('Record');
  await title('Collection').waitFor();
});

test("A supplier's bill with its tax is a journal entry, and is paid from the bank", async () => {
  await visitor.signIn(shop.owner, '/transactions');
  await button('Journal entry').click();
  await dialog().getByLabel('Date').fill('2026-03-10');
  await dialog().getByLabel('Reference').fill('PM-77');
  await choose(group('Line 1'), 'Account', 'Office supplies');
  await group('Line 1').getByLabel('Debit').fill('238.00');
  await dialog().getByLabel('Tax rate, %').fill('19');
  await button('Split tax out of line 1').click();
  expect(await group('Line 2').getByLabel('Debit').inputValue()).toBe('38.00');
  await choose(group('Line 2'), 'Account', 'Tax payable');
  await choose(group('Line 3'), 'Account', 'Paper Mill');
  await group('Line 3').getByLabel('Credit').fill('238.00');
  await submit('Record');
  await title('Journal entry').waitFor();

  await open('Transactions');
  await button('Record a transaction').click();
  await choose(dialog(), 'Type', 'Payment');
  await dialog().getByLabel('Date').fill('2026-03-20');
  await dialog().getByLabel('Amount').fill('238.00');
  await choose(dialog(), 'From account', 'Bank');
  await choose(dialog(), 'To supplier or employee', 'Paper Mill');
  await submit('Record');
  await title('Payment').waitFor();
});

test('A refund begins with the lines and payments of its sale', async () => {
  await visitor.signIn(shop.owner, '/sales');
  await open('S-000002');
  await button('Record a return').click();
  expect(await dialog().getByLabel('Original sale number').inputValue()).toBe('S-000002');
  await dialog().getByLabel('Date').fill('2026-03-18');
  await group('Line 1').getByLabel('Quantity').fill('1');
  await group('Payment 1').getByLabel('Amount').fill('59.50');
  await dialog().getByText('Total 59.50 EUR').waitFor();
  await submit('Record');
  await title('Return S-000003').waitFor();
  await open('Original sale');
  await title('Sale S-000002').waitFor();
});

test('A mistyped collection is corrected, and the statement shows what the customer owes', async () => {
  await visitor.signIn(shop.owner, '/customers');
  await open('Ada Bakery');
  await region('Statement').getByText('Bank transfer of 12 March').first().waitFor();
  await row('Bank transfer of 12 March').getByRole('link').first().click();
  await title('Collection').waitFor();
  await button('Correct').click();
  await dialog().getByLabel('Reason').fill('The bank shows 990.00.');
  await dialog().getByLabel('Amount').fill('990.00');
  await submit('Book correction');
  await region('Related transactions').getByText('Replaces').waitFor();

  await open('Customers');
  await open('Ada Bakery');
  await page.getByText('Closing balance: owes us 500.00 EUR').waitFor();
  // Payments settle the oldest item first: the opening balance, then part of the sale.
  await region('Open items').getByText('S-000001').waitFor();
  const statement = page.getByRole('region', { name: 'Statement' }).first();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    statement.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(await readFile(await file.path(), 'utf8')).toContain('The bank shows 990.00.');
});

test('The reports of the month agree with the entries, and the month is closed', async () => {
  visitor.expects(/409/);
  const month = 'from=2026-03-01&to=2026-03-31';
  await visitor.signIn(shop.owner, `/reports/profit-and-loss?${month}`);
  await rowShows('Sales', '1,050.00');
  await rowShows('Office supplies', '200.00');
  await visitor.goTo(`/reports/trial-balance?${month}`);
  await rowShows('Bank', '5,752.00');
  await rowShows('Cash', '259.50');
  await rowShows('Ada Bakery', '500.00');
  await visitor.goTo(`/reports/tax?${month}`);
  await rowShows('19%', '199.50');
  await visitor.goTo('/reports/ageing?asOf=2026-03-31');
  await rowShows('Ada Bakery', '500.00');
  await visitor.goTo('/reports/balance-sheet?asOf=2026-03-31');
  await rowShows('Result for the year', '850.00');

  await open('Periods');
  await button('Close a period').click();
  await dialog().getByLabel('Close through').fill('2026-03-31');
  await dialog().getByLabel('Note').fill('March is filed.');
  // The dialog's header also contains a button named Close.
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
  await row('March is filed.').waitFor();

  await open('Transactions');
  await button('Record a transaction').click();
  await dialog().getByLabel('Date').fill('2026-03-31');
  await dialog().getByLabel('Amount').fill('1.00');
  await choose(dialog(), 'From customer', 'Ada Bakery');
  await choose(dialog(), 'Into account', 'Bank');
  await submit('Record');
  await dialog().getByRole('alert').getByText('31 Mar 2026').first().waitFor();
});
