import { amountWords } from '../../console/src/parts/amount.js';
import { today } from '../../console/src/parts/zone-days.js';
import type { Page } from 'playwright-core';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

const anotherArrives = onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row, title } = handlesOf(() => page);
const mine = <T>(path: string, body?: unknown): Promise<T> =>
  service.call(path, { token: shop.ownerToken, ...(body !== undefined && { body }) });
type Answer<T> = { readonly data: T };

test('A statement opens at its latest lines with the balance brought forward, and so does each period', async () => {
  const year = new Date().getUTCFullYear();
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: 'Northwind Foods' });
  const { data: accounts } = await mine<Answer<{ id: string; name: string }[]>>('/api/accounts/lookup?search=Bank');
  const collect = (date: string, description: string): Promise<unknown> =>
    mine('/api/transactions', {
      ...{ type: 'COLLECTION', date, amount: '10.00', description },
      ...{ customerId: customer.id, accountId: accounts[0]?.id },
    });
  await collect(`${year - 3}-12-31`, 'Long ago');
  for (let number = 1; number <= 30; number += 1) await collect(`${year - 1}-06-01`, `Payment ${number}.`);
  await collect(`${year}-01-02`, 'The latest');
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await row('The latest').waitFor();
  expect(await row('Payment 1.').count()).toBe(0);
  // The opening balance includes lines dated before last year until the user requests those lines.
  const from = page.getByLabel('From');
  expect(await from.inputValue()).toBe(`${year - 1}-01-01`);
  await page.getByText('Opening balance: we owe 10.00 EUR').waitFor();
  // The first row of the page shows the balance after the last line of the page before it.
  const forward = row('Balance brought forward');
  await forward.getByText('−260.00').waitFor();
  expect(await forward.locator('xpath=preceding-sibling::tr').count()).toBe(0);
  await button('page 1').click();
  await row('Payment 1.').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('1');
  await page.reload();
  await row('Payment 1.').waitFor();
  expect(await forward.count()).toBe(0);
  expect(await row('Long ago').count()).toBe(0);
  // With a larger page size, the page still contains the line that was previously first.
  await page.getByLabel('Rows per page').selectOption('50');
  await row('The latest').waitFor();
  expect(await row('Payment 1.').count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('size')).toBe('50');
  await from.fill(`${year - 3}-01-01`);
  await row('Long ago').waitFor();
  await page.getByText('32 total').waitFor();
  // The period field that was changed still has the focus.
  expect(await page.evaluate('document.activeElement.type')).toBe('date');

  await visitor.goTo('/transactions');
  await page.getByLabel('Customer').first().click();
  await page.getByRole('option', { name: 'Northwind Foods' }).getByText('we owe 320.00 EUR').waitFor();

  // The general ledger uses the same pagination. Each collection has two postings.
  const postings = (): Promise<number> => page.locator('tbody tr').count();
  await visitor.goTo(`/reports/general-ledger?from=${year - 3}-01-01&to=${year}-12-31&page=3`);
  await page.getByText('64 total').waitFor();
  expect(await postings()).toBe(14);
  expect(await button('Clear filters').count()).toBe(1);
  // This listener runs after the page's own listeners, immediately before the browser would print.
  await page.evaluate(`addEventListener('beforeprint', () => {
    document.title = document.querySelectorAll('tbody tr').length + ' printed';
  })`);
  await page.pdf();
  expect(await page.title()).toBe('64 printed');
  await eventually(async () => (await postings()) === 14);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByLabel('Rows per page').isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  await page.getByLabel('Rows per page').selectOption('100');
  await eventually(async () => (await postings()) === 64);
  await visitor.goTo('/reports/general-ledger?size=50');
  await row('The latest').first().waitFor();
  expect(await button('Clear filters').count()).toBe(0);
});

/** Returns the label and the amount of the start page's tile for the debts of customers. */
const owed = (total: string): readonly [string, string] => {
  const isNegative = total.startsWith('-');
  const words = amountWords(isNegative ? total.slice(1) : total, 'en-GB');
  return [isNegative ? 'Owed to customers' : 'Owed by customers', `${words} EUR`];
};

test('The start page shows what customers owe today, like the report behind the figure', async () => {
  const future = `${new Date().getUTCFullYear() + 1}-12-31`;
  const openingBalance = { amount: '77.00', direction: 'OUT', date: future };
  await mine('/api/customers', { name: 'Later Ltd', openingBalance });
  const asOf = today('Europe/Berlin');
  const { data: ageing } = await mine<Answer<{ totals: { total: string } }>>(`/api/reports/ageing?asOf=${asOf}`);
  await visitor.signIn(shop.owner);
  const [label, amount] = owed(ageing.totals.total);
  await page.locator('.k-tile').filter({ hasText: label }).getByText(amount).click();
  await title('Ageing').waitFor();
  expect(await row('Later Ltd').count()).toBe(0);
});

test('The page of an account shows its statement with a running balance', async () => {
  const { data: bank } = await mine<Answer<{ id: string }>>('/api/accounts', { name: 'Savings', type: 'BANK' });
  const { data: fees } = await mine<Answer<{ id: string }>>('/api/accounts', { name: 'Fees', type: 'EXPENSE' });
  const date = `${new Date().getUTCFullYear()}-01-02`;
  const entry = { type: 'PAYMENT', date, accountId: bank.id, expenseItemId: fees.id };
  await mine('/api/transactions', { ...entry, amount: '12.90', description: 'Bank fee' });
  await mine('/api/transactions', { ...entry, amount: '7.10', description: 'Card fee' });
  await visitor.signIn(shop.owner, '/accounts');
  await row('Savings').getByRole('link', { name: 'Savings' }).click();
  await title('Savings').waitFor();
  await row('Bank fee').getByText('−12.90').waitFor();
  await row('Card fee').getByText('−20.00').waitFor();
  await page.getByText('Closing balance: −20.00 EUR').waitFor();
  await page.getByRole('link', { name: 'View transactions' }).click();
  await title('Transactions').waitFor();
  await row('Card fee').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'All accounts' }).click();
  await title('Accounts').waitFor();
});

test('Transactions are filtered by branch, amount and cancellation', async () => {
  const { data: branch } = await mine<Answer<{ id: string }>>('/api/branches', { code: 'SOUTH', name: 'South quay' });
  const { data: cash } = await mine<Answer<{ id: string }>>('/api/accounts', { name: 'Petty cash', type: 'CASH' });
  const date = `${new Date().getUTCFullYear()}-01-02`;
  const adjust = (amount: string, description: string, more = {}): Promise<Answer<{ id: string }>> =>
    mine('/api/transactions', {
      ...{ type: 'ADJUSTMENT', direction: 'IN', date, accountId: cash.id, amount, description },
      ...more,
    });
  await adjust('1250.00', 'Large one');
  await adjust('40.00', 'Small one', { branchId: branch.id });
  const { data: mistake } = await adjust('41.00', 'Mistaken one');
  await mine(`/api/transactions/${mistake.id}/cancel`, { reason: 'Booked twice.' });
  await visitor.signIn(shop.owner, `/transactions?accountId=${cash.id}`);
  await row('Small one').waitFor();
  await page.getByLabel('Amount from').fill('1,250');
  await row('Small one').waitFor({ state: 'detached' });
  await row('Large one').waitFor();
  expect(new URL(page.url()).searchParams.get('amountMin')).toBe('1250');
  await page.getByLabel('Amount from').fill('a lot');
  await page.getByText('Not an amount').waitFor();
  await page.getByLabel('Amount from').fill('');
  await page.getByLabel('Amount to').fill('40.5');
  await row('Large one').waitFor({ state: 'detached' });
  await row('Small one').waitFor();
  await button('Clear filters').click();
  await page.getByLabel('Status').first().click();
  await page.getByRole('option', { name: 'Cancelled', exact: true }).click();
  await row('Small one').waitFor({ state: 'detached' });
  await row('Mistaken one').first().waitFor();
  await button('Clear filters').click();
  await page.getByLabel('Branch').first().click();
  await page.getByRole('option', { name: 'South quay' }).click();
  await row('Large one').waitFor({ state: 'detached' });
  await row('Small one').waitFor();
});

test('All customer data that can be entered can also be read', async () => {
  const { data: branch } = await mine<Answer<{ id: string }>>('/api/branches', { code: 'NORTH', name: 'North quay' });
  const body = { name: 'Ada Bakery', nationalId: '10000000146', branchId: branch.id };
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', body);
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await page.getByText('10000000146').waitFor();
  await page.getByText('North quay').waitFor();
});

test('Audit entries name the accounts, branches, categories, customers, users, roles and codes that were changed', async () => {
  const created = async (path: string, body: object): Promise<string> =>
    (await mine<Answer<{ id: string }>>(path, body)).data.id;
  const branchId = await created('/api/branches', { code: 'EAST', name: 'East quay' });
  const categoryId = await created('/api/transaction-categories', { name: 'Berth dues', direction: 'BOTH' });
  const customerId = await created('/api/customers', { name: 'Lighter Ltd' });
  const accounts = ['Harbour till', 'Harbour safe'].map((name) => created('/api/accounts', { name, type: 'CASH' }));
  const [till = '', safe = ''] = await Promise.all(accounts);
  const date = '2026-05-04';
  const lines = [
    { accountId: till, debit: '5.00' },
    { accountId: safe, credit: '5.00' },
  ];
  const journal = await created('/api/transactions', { type: 'JOURNAL', date, branchId, categoryId, lines });
  const sum = { type: 'COLLECTION', date, amount: '7.00', customerId, accountId: till };
  const payment = await created('/api/transactions', sum);
  const roleId = await created('/api/roles', { name: 'Lighterman', permissions: ['audit.read'] });
  const person = { fullName: 'Lena Lighter', email: `lena@${shop.tenantId}.example`, password: 'another long secret' };
  const user = await created('/api/users', { ...person, role: 'USER', roleIds: [roleId], branchIds: [branchId] });

  await visitor.signIn(shop.owner);
  const changed = async (entity: string, entityId: string, names: readonly string[]): Promise<void> => {
    await visitor.goTo(`/audit-log?entity=${entity}&entityId=${entityId}`);
    await page.getByRole('row').last().getByRole('link').click();
    const changes = page.getByRole('group', { name: 'Changes' });
    for (const name of names) await changes.getByText(name, { exact: true }).first().waitFor();
    expect(await changes.getByText(branchId).count()).toBe(0);
  };
  const asked: string[] = [];
  page.on('request', (request) => {
    // The start page also requests a few accounts.
    if (/\/api\/accounts(?:\/|.*pageSize=100)/.test(request.url())) asked.push(request.url());
  });
  await changed('transaction', journal, ['Harbour till', 'Harbour safe', 'East quay', 'Berth dues', 'Olga Owner']);
  expect(asked).toHaveLength(1);
  await changed('transaction', payment, ['Lighter Ltd', 'Collection', 'In']);
  await changed('user', user, ['Lighterman', 'East quay']);
  // Codes have the names that the lists show. Codes without a name stay as they are.
  await changed('account', till, ['Cash', 'EUR']);
  await changed('customer', customerId, ['Company', 'Active']);
  await changed('category', categoryId, ['In or out']);

  await mine(`/api/transactions/${payment}/cancel`, { reason: 'Paid twice.' });
  await visitor.goTo(`/audit-log?entity=transaction&entityId=${payment}`);
  await page.getByRole('link', { name: 'Transaction cancelled' }).click();
  await page.getByRole('row', { name: 'Cancelled − No + Yes', exact: true }).waitFor();
  const reversal = row('Reversed by › Transaction').getByRole('link', { name: 'Reversal (collection) 7.00 EUR' });
  await reversal.click();
  await title('Reversal (collection)').waitFor();
});

test('The timeline of a transaction without entries of its own shows who caused it, when and why', async () => {
  const openingBalance = { amount: '77.00', direction: 'OUT', date: '2026-01-01' };
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', {
    name: 'Barge Ltd',
    openingBalance,
  });
  const { data: till } = await mine<Answer<{ id: string }>>('/api/accounts', { name: 'Barge till', type: 'CASH' });
  const sum = { type: 'ADJUSTMENT', direction: 'IN', date: '2026-05-04', accountId: till.id, amount: '31.00' };
  const { data: mistake } = await mine<Answer<{ id: string }>>('/api/transactions', sum);
  const correction = { reason: 'Miscounted.', replacement: { ...sum, amount: '13.00' } };
  await mine(`/api/transactions/${mistake.id}/correct`, correction);
  await service.sell(shop, 'web-71');
  await service.saleIs(shop, 'web-71', 'BOOKED');
  const timeline = page.getByRole('region', { name: 'Timeline' }).last();
  const link = (name: string | RegExp) => timeline.getByRole('link', { name });

  await visitor.signIn(shop.owner, `/transactions/${mistake.id}`);
  await timeline.getByText('Reason: Miscounted.').waitFor();
  await link('Adjustment 13.00 EUR').waitFor();
  await link('Reversal (adjustment) 31.00 EUR').click();
  await title('Reversal (adjustment)').waitFor();
  await timeline.getByText('Reason: Miscounted.').waitFor();
  await timeline.getByText('Olga Owner').waitFor();
  await link('Adjustment 31.00 EUR').waitFor();

  await visitor.goTo(`/transactions?customerId=${customer.id}`);
  await row('Opening balance').getByRole('link').first().click();
  await link('Customer "Barge Ltd" created').waitFor();
  await timeline.getByText('Olga Owner').waitFor();
  await link(/^Barge Ltd$/).waitFor();

  await visitor.goTo('/transactions?search=web-71');
  await row('Invoice').getByRole('link').first().click();
  await link('Sale booked').waitFor();
  await link('Sale web-71').first().click();
  await title('Sale web-71').waitFor();
});

test('An emptied priority is not the lowest one: a new rule gets the default, and a change is rejected', async () => {
  visitor.expects(/400/);
  await visitor.signIn(shop.owner, '/rules');
  await button('Create a rule').click();
  await dialog().getByLabel('Category').first().click();
  await page.getByRole('option').nth(1).click();
  await dialog().getByLabel('Keyword').fill('quay rent');
  await dialog().getByLabel('Priority').fill('');
  await dialog().getByRole('button', { name: 'Create a rule' }).click();
  await row('quay rent').getByRole('cell', { name: '100', exact: true }).waitFor();
  await row('quay rent').getByRole('button', { name: /^Edit/ }).click();
  await dialog().getByLabel('Priority').fill('');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Correct the marked field.').waitFor();
  expect(await dialog().getByLabel('Priority').getAttribute('aria-invalid')).toBe('true');
});

test('When a draft rule is tested, an error of the transaction appears only at the transaction', async () => {
  visitor.expects(/400/);
  await visitor.signIn(shop.owner, '/rules/bench');
  await page.getByRole('switch').click();
  const draft = page.getByRole('group', { name: 'New rule' });
  await page.getByLabel("Customer's name").fill('x'.repeat(201));
  await button('Test').click();
  await page.getByRole('alert').first().waitFor();
  expect(await page.getByLabel("Customer's name").getAttribute('aria-invalid')).toBe('true');
  expect(await draft.getByLabel('Merchant').getAttribute('aria-invalid')).not.toBe('true');
});

test('Operators find the dead letters of the platform itself, and see tenants by their names', async () => {
  await service.sell(shop, 'web-1', { branchCode: 'NOWHERE' });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  await service.knockInVain(shop);
  await visitor.signIn(OPERATOR, '/dead-letters');
  await row('BRANCH_UNKNOWN').getByText('Acme Trading').waitFor();
  await page.getByLabel('Tenant').first().click();
  await page.getByRole('option', { name: 'The platform', exact: true }).click();
  await page.waitForURL(/tenantId=platform/);
  await page.getByText('No dead letters match these filters.').waitFor();
  await visitor.goTo('/errors');
  await page.getByRole('link', { name: /rejected repeatedly/ }).click();
  await page.getByRole('link', { name: 'Acme Trading' }).waitFor();
});

test('A statement shows the descriptions of journal entry lines', async () => {
  const accountNamed = async (name: string) =>
    (await mine<Answer<{ id: string }[]>>(`/api/accounts/lookup?search=${name}`)).data[0]?.id ?? '';
  const [bank, cash] = [await accountNamed('Bank'), await accountNamed('Cash')];
  const lines = [
    { accountId: cash, debit: '70.00', description: 'Float for the fair' },
    { accountId: bank, credit: '70.00' },
  ];
  const date = `${new Date().getUTCFullYear()}-01-03`;
  await mine('/api/transactions', { type: 'JOURNAL', date, description: 'Till floats', lines });
  await visitor.signIn(shop.owner, `/accounts/${cash}`);
  await row('Journal entry').getByText('Till floats · Float for the fair').waitFor();
});

test('The start page shows what is owed to customers, and amounts with the decimals of their currency', async () => {
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: 'Overpaid Ltd' });
  const { data: bank } = await mine<Answer<{ id: string }>>('/api/accounts', { name: 'Vault', type: 'BANK' });
  const asOf = today('Europe/Berlin');
  const entry = { type: 'COLLECTION', date: asOf, customerId: customer.id, accountId: bank.id };
  await mine('/api/transactions', { ...entry, amount: '100000.00' });
  const { data: ageing } = await mine<Answer<{ totals: { total: string } }>>(`/api/reports/ageing?asOf=${asOf}`);
  expect(ageing.totals.total).toMatch(/^-/);
  await visitor.signIn(shop.owner);
  const tile = (name: string) => page.locator('.k-tile').filter({ has: page.getByText(name, { exact: true }) });
  const [label, amount] = owed(ageing.totals.total);
  await tile(label).getByText(amount, { exact: true }).waitFor();
  const tiles = page.locator('.k-tile');
  await tiles.getByText('0.00 EUR', { exact: true }).first().waitFor();
  expect(await tiles.getByText('0 EUR', { exact: true }).count()).toBe(0);
});

test.each([390, 820, 1280])('On the start page, an amount and its currency share a line: %i px', async (width) => {
  const { data: depot } = await mine<Answer<{ id: string }>>('/api/accounts', { name: `Depot ${width}`, type: 'BANK' });
  const date = today('Europe/Berlin');
  const sum = { type: 'ADJUSTMENT', direction: 'OUT', date, accountId: depot.id, amount: '83158828.07' };
  await mine('/api/transactions', sum);
  await anotherArrives({ width });
  await visitor.signIn(shop.owner);
  const amounts = page.locator('.k-tile .k-money');
  await amounts.filter({ hasText: '−83,158,828.07 EUR' }).first().waitFor();
  const broken = `[...document.querySelectorAll('.k-tile .k-money')]
    .filter((amount) => amount.getClientRects().length > 1).map((amount) => amount.textContent)`;
  expect(await page.evaluate(broken)).toEqual([]);
});

test.each([390, 820, 1280])('The figures of a report are in the same column in all rows: %i px', async (width) => {
  const owing = (date: string) => ({ amount: '1250.00', direction: 'OUT', date });
  for (const date of ['2026-01-01', '2026-10-20'])
    await mine('/api/customers', { name: `Owing ${width} ${date}`, openingBalance: owing(date) });
  await anotherArrives({ width });
  await visitor.signIn(shop.owner);
  // Where the text of the figures under a label ends, measured from the table's right edge.
  const columns = `Object.entries(Object.groupBy(
    [...document.querySelectorAll('.k-table tbody td.k-numeric > .k-cell')].filter((cell) => cell.checkVisibility()),
    (cell) => cell.dataset.label,
  )).map(([label, cells]) => [label, cells.length, new Set(cells.map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return Math.round(text.getBoundingClientRect().right);
  })).size])`;
  for (const path of ['/reports/ageing?asOf=2026-12-01', '/reports/trial-balance?from=2026-01-01&to=2026-12-31']) {
    await visitor.goTo(path);
    await row(path.includes('ageing') ? `Owing ${width} 2026-10-20` : 'Opening balances').waitFor();
    const rows = await page.locator('tbody tr').count();
    const found = await page.evaluate<[string, number, number][]>(columns);
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(found).toEqual(found.map(([label]) => [label, rows, 1]));
  }
});
