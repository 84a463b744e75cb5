// Accounting periods, reports, application of rules to past transactions, and the audit log.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { today } from '../../console/src/parts/zone-days.js';
import type { Page } from 'playwright-core';
import type { RecordedEvent } from '../../src/ports/event-store.js';
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
const mine = <T>(path: string, body?: unknown): Promise<T> =>
  service.call(path, { token: shop.ownerToken, ...(body !== undefined && { body }) });
type Answer<T> = { readonly data: T };

async function collect(date: string, amount: string, description: string): Promise<void> {
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: `Payer of ${description}` });
  const { data: accounts } = await mine<Answer<{ id: string }[]>>('/api/accounts/lookup?search=Bank');
  const parties = { customerId: customer.id, accountId: accounts[0]?.id };
  await mine('/api/transactions', { type: 'COLLECTION', date, amount, description, ...parties });
}

test('Closing warns about sales that are not booked, and reopening requires a reason', async () => {
  await service.sell(shop, 'web-1', { branchCode: 'NORTH', occurredAt: '2026-03-04T10:00:00Z' });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  await visitor.signIn(shop.owner, '/periods');
  await page.getByText('No period is closed').waitFor();
  await button('Close a period').click();
  await dialog().getByLabel('Close through').fill('2026-02-28');
  await dialog().getByLabel('Note').fill('February is filed.');
  await dialog().getByLabel('Close through').fill('2026-03-31');
  await dialog().getByText('1 sale is not booked').waitFor();
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
  await row('February is filed.').getByText('Closed through 31 Mar 2026').waitFor();
  await page.getByText('1 Apr 2026').waitFor();

  await button('Reopen').click();
  expect(await dialog().getByLabel('Keep closed through').inputValue()).toBe('2026-02-28');
  await dialog().getByLabel('Reason').fill('A bill was missing.');
  await dialog().getByRole('button', { name: 'Reopen' }).click();
  await row('A bill was missing.').getByText('closed through 28 Feb 2026').waitFor();
});

test('An entry that arrives in a closed period is shown until its period is reopened, which requires a proof of identity', async () => {
  await collect('2026-03-10', '40.00', 'paid in March');
  await mine('/api/periods/close', { through: '2026-03-31' });
  // Simulates a transaction that another replica recorded while the period was being closed.
  await service.rewrite(async (history) => {
    const filter = { on: 'type', prefixes: ['TransactionRecorded'] } as const;
    const [last] = await history.readAll({ direction: 'backwards', filter, maxCount: 1 });
    const { stream, data, ...event } = last as RecordedEvent;
    const { transaction } = data as { transaction: { id: string } };
    const late = { ...transaction, id: randomUUID() };
    await history.append({
      stream: stream.replace(transaction.id, late.id),
      expected: 'no_stream',
      events: [{ ...event, id: randomUUID(), data: { ...data, transaction: late } }],
    });
  });
  await visitor.signIn(shop.owner, '/periods');
  const entry = row('paid in March');
  await entry.getByText('40.00').waitFor();
  await entry.getByText('31 Mar 2026').waitFor();

  visitor.expects(/403 .*periods.reopen/);
  let isFirst = true;
  const refusal = { statusCode: 403, code: 'STEP_UP_REQUIRED', message: 'Prove again who you are.', requestId: 'r' };
  await page.route('**/api/periods/reopen', async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return route.fulfill({ status: 403, json: refusal });
  });
  await button('Reopen').click();
  await dialog().getByLabel('Keep closed through').fill('2026-02-28');
  await dialog().getByLabel('Reason').fill('A late payment.');
  await dialog().getByRole('button', { name: 'Reopen' }).click();
  const question = page.getByRole('dialog', { name: 'Confirm your identity' });
  await question.getByLabel(/^Password/).fill(shop.owner.password);
  await question.getByRole('button', { name: 'Continue' }).click();
  await row('A late payment.').getByText('closed through 28 Feb 2026').waitFor();
  await entry.waitFor({ state: 'detached' });
});

test('Reports link each figure to a statement or to postings, and the names of downloaded files describe their scope', async () => {
  await service.sell(shop, 'web-2', { occurredAt: '2026-05-04T10:00:00Z' });
  await service.saleIs(shop, 'web-2', 'BOOKED');
  await visitor.signIn(shop.owner, '/reports/profit-and-loss?from=2026-05-01&to=2026-05-31');
  await row('Total income').getByText('100.00').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()]);
  expect(download.suggestedFilename()).toMatch(/^shop-\w+-profit-and-loss-2026-05-01-2026-05-31\.csv$/);
  const sales = row('Sales').getByRole('link', { name: 'Sales' });
  await sales.click();
  await title('Sales').waitFor();
  await row('Invoice').getByText('100.00').first().waitFor();
  const [from, to] = ['From', 'To'].map((label) => page.getByLabel(label, { exact: true }).inputValue());
  expect([await from, await to]).toEqual(['2026-05-01', '2026-05-31']);
  await visitor.goTo('/reports/balance-sheet?asOf=2026-05-31');
  const tax = row('Tax payable').getByRole('link', { name: 'Tax payable' });
  await tax.click();
  await title('Tax payable').waitFor();
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2026-05-31');
  await page.getByText('Closing balance: −19.00').waitFor();
  await visitor.goTo(`/reports/balance-sheet?asOf=2026-05-31&knownAt=${new Date().toISOString()}`);
  await tax.click();
  await title('General ledger').waitFor();
  expect(page.url()).toContain('knownAt=');
  await visitor.goTo('/reports/trial-balance?from=2026-05-01&to=2026-05-31');
  await sales.click();
  await title('General ledger').waitFor();
  await row('Invoice').getByText('100.00').waitFor();
  expect(page.url()).toContain('accountId=');
  const [ledger] = await Promise.all([page.waitForEvent('download'), button('Download Beancount').click()]);
  expect(ledger.suggestedFilename()).toMatch(/general-ledger-2026-05-01-2026-05-31\.beancount$/);
  expect(await readFile(await ledger.path(), 'utf8')).toContain('2026-05-04 *');
  await page.getByRole('link', { name: 'Balance sheet' }).click();
  await page.getByText('Liabilities and equity', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Tax', exact: true }).click();
  await row('19%').getByText('19.00').first().waitFor();
});

test('Reports show their amounts as bars, and their rows can be sorted', async () => {
  await service.sell(shop, 'chart-1', { occurredAt: '2026-10-04T10:00:00Z' });
  await service.saleIs(shop, 'chart-1', 'BOOKED');
  await visitor.signIn(shop.owner, '/reports/profit-and-loss?from=2026-09-01&to=2026-11-30');
  const chart = page.getByRole('img', { name: /^Income and expenses\. Income: .*Oct 100\.00, Nov 0\.00; Expenses: / });
  await chart.waitFor();
  await chart.locator('[title="Oct, Income: 100.00"]').waitFor();
  await visitor.goTo('/reports/profit-and-loss?from=2025-10-01&to=2026-12-31&by=quarter');
  await page.getByRole('img', { name: /Q4 2025 0\.00.*Q4 2026 100\.00/ }).waitFor();

  await visitor.goTo('/reports/trial-balance?from=2026-10-01&to=2026-10-31');
  const closing = page.getByRole('columnheader', { name: 'Closing' });
  const first = (): Promise<string> => page.locator('tbody tr').first().innerText();
  await closing.getByRole('button').click();
  expect(await closing.getAttribute('aria-sort')).toBe('ascending');
  expect(await first()).toContain('−');
  await closing.getByRole('button').click();
  expect(await first()).not.toContain('−');
});

test('A report shows the books as they were known at an earlier time', async () => {
  await collect('2026-06-01', '10.00', 'first');
  const instant = new Date().toISOString();
  await collect('2026-06-01', '5.00', 'second');
  const period = 'from=2026-06-01&to=2026-06-30';
  await visitor.signIn(shop.owner, `/reports/trial-balance?${period}`);
  await row('Bank').getByText('15.00').first().waitFor();
  await visitor.goTo(`/reports/trial-balance?${period}&knownAt=${instant}`);
  await row('Bank').getByText('10.00').first().waitFor();
  await page.getByText('2026, as recorded up to').waitFor();
});

test('Only the report is printed', async () => {
  await visitor.signIn(shop.owner, '/reports/balance-sheet');
  await page.getByText('Liabilities and equity', { exact: true }).waitFor();
  const tenant = page.getByText('Acme Trading · Printed on');
  expect(await tenant.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await tenant.isVisible()).toBe(true);
  expect(await tenant.locator('time').getAttribute('datetime')).toBe(today('Europe/Berlin'));
  expect(await page.getByText(/^As of /).isVisible()).toBe(true);
  for (const hidden of ['Print', 'Download CSV']) expect(await button(hidden).isVisible()).toBe(false);
  expect(await page.getByRole('link', { name: 'Customers' }).isVisible()).toBe(false);
  expect(await page.getByLabel('As of').isVisible()).toBe(false);
  expect(await title('Balance sheet').isVisible()).toBe(true);

  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: 'Printed Ltd' });
  await visitor.goTo(`/customers/${customer.id}?beginDate=2026-01-01&endDate=2026-03-31`);
  await page.getByText('Nothing was posted in this period.').waitFor();
  expect(await title('Printed Ltd').isVisible()).toBe(true);
  expect(await tenant.isVisible()).toBe(true);
  const period = page.getByText('From 1 Jan 2026 to 31 Mar 2026');
  expect(await period.isVisible()).toBe(true);
  expect(await page.getByLabel('From', { exact: true }).isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });
  expect([await period.isVisible(), await tenant.isVisible()]).toEqual([false, false]);
});

test('A rule is tested on the past before it is applied, and its run can be undone', async () => {
  const { data: categories } =
    await mine<Answer<{ id: string; name: string; direction: string }[]>>('/api/transaction-categories');
  const incoming = categories.find(({ direction }) => direction === 'IN');
  for (const number of [1, 2, 3]) await collect('2026-07-01', '10.00', `quay bonus ${number}`);
  await mine('/api/transaction-categories/rules', { categoryId: incoming?.id, keyword: 'quay bonus' });
  await visitor.signIn(shop.owner, '/rules?search=quay');
  await row('quay bonus')
    .getByRole('button', { name: /^Apply to past transactions/ })
    .click();
  await dialog().getByRole('button', { name: 'Preview' }).click();
  await dialog().getByText('The category of 3 transactions would change').waitFor();
  await dialog().getByText('quay bonus 2', { exact: true }).waitFor();
  await dialog().getByRole('button', { name: 'Apply', exact: true }).click();
  await title('Applied rules').waitFor();
  await row(incoming?.name ?? '')
    .getByText('Done')
    .waitFor();
  await page.getByRole('button', { name: /^Undo/ }).click();
  await dialog().getByRole('button', { name: 'Undo' }).click();
  await dialog().getByText('Restored 3 transactions.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).last().click();
  await row(incoming?.name ?? '')
    .getByText('Undone')
    .waitFor();
});

test('Home lists what needs attention, and the audit log shows who did what', async () => {
  await service.sell(shop, 'web-9', { branchCode: 'NOWHERE' });
  await service.saleIs(shop, 'web-9', 'REJECTED');
  const { data: customer } = await mine<Answer<{ id: string }>>('/api/customers', { name: 'Ada Bakery' });
  await visitor.signIn(shop.owner);
  await title('Acme Trading').waitFor();
  const rejected = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  await rejected.filter({ hasText: 'rejected' }).getByRole('link', { name: 'Review and fix' }).click();
  await row('web-9').waitFor();
  await visitor.goTo(`/customers/${customer.id}`);
  await page.getByRole('region', { name: 'Timeline' }).first().getByText('Olga Owner').waitFor();
  await page.getByRole('link', { name: 'All changes' }).click();
  await title('Audit log').waitFor();
  await row('Ada Bakery').getByRole('link').click();
  await page.getByRole('region', { name: 'Changes' }).first().getByText('Ada Bakery').first().waitFor();

  await collect('2026-11-02', '1200.50', 'an old debt');
  await visitor.goTo('/audit-log');
  const recorded = /^Transaction "Collection 1,200\.50 EUR" recorded/;
  await page.getByRole('link', { name: recorded }).click();
  await page.getByRole('heading', { level: 1, name: recorded }).waitFor();
});

test('A role adds a permission to a user, who still sees only the permitted pages', async () => {
  await visitor.signIn(shop.owner, '/roles');
  await button('Create a role').click();
  await dialog().getByLabel('Name').fill('Cashier');
  await dialog().getByRole('checkbox', { name: 'Create, change and remove accounts' }).check();
  await dialog().getByRole('button', { name: 'Create a role' }).click();
  await row('Cashier').waitFor();
  await page.getByRole('link', { name: 'Users' }).first().click();
  await button('Create a user').click();
  await dialog().getByLabel('Name').fill('Carla Cashier');
  const carla = { email: `carla@${shop.owner.email.split('@')[1] ?? ''}`, password: 'quite another secret' };
  await dialog().getByLabel('E-mail').fill(carla.email);
  await dialog().getByLabel('Password').fill(carla.password);
  await dialog().getByRole('checkbox', { name: 'Cashier' }).check();
  await dialog().getByRole('button', { name: 'Create a user' }).click();
  await row('Carla Cashier').getByText('Cashier').last().waitFor();
  await button('Sign out').click();
  await title('Sign in').waitFor();
  await visitor.signIn(carla, '/accounts');
  await button('Create an account').waitFor();
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  await visitor.goTo('/users');
  await page.getByRole('alert').getByText('Access denied').waitFor();
});

test('A correction is dated like its transaction or, if that date is closed, today', async () => {
  await collect('2026-07-12', '50.00', 'booked in July');
  const list = '/api/transactions?pageNumber=1&pageSize=1&search=booked%20in%20July';
  const { items } = await mine<{ items: { id: string }[] }>(list);
  const dates = async (): Promise<readonly string[]> => {
    const periods = page.waitForResponse(/\/api\/periods$/);
    await visitor.goTo(`/transactions/${items[0]?.id ?? ''}`);
    await periods;
    await button('Correct').click();
    const [reversal, replacement] = [0, 1].map((at) => dialog().locator('input[type="date"]').nth(at).inputValue());
    return [(await reversal) ?? '', (await replacement) ?? ''];
  };
  await visitor.signIn(shop.owner);
  expect(await dates()).toEqual(['2026-07-12', '2026-07-12']);
  await mine('/api/periods/close', { through: '2026-07-31' });
  const day = today('Europe/Berlin');
  expect(await dates()).toEqual([day, day]);
});
