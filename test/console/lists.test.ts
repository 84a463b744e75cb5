// Sort order, columns and page sizes of lists, and the saved views that store these choices.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

const MANY = 30;
const PASSWORD = 'a long enough password';

const anotherArrives = onStage(
  (stage) => {
    ({ service, shop, visitor, page } = stage);
  },
  async ({ service, shop }) => {
    const create = (path: string, body: object): Promise<unknown> =>
      service.call(path, { token: shop.ownerToken, body });
    for (let index = 0; index < MANY; index += 1)
      await create('/api/accounts', { name: `Expense ${index + 100}`, code: `X${index + 100}`, type: 'EXPENSE' });
    await create('/api/accounts', { name: 'Aardvark fund', code: 'Z9', type: 'EXPENSE' });
    for (let index = 0; index < MANY; index += 1) await create('/api/customers', { name: `Customer ${index + 100}` });
    await create('/api/customers', { name: 'Zebra', code: 'A-1' });
    await create('/api/customers', { name: 'aardvark', code: 'Z-1' });
    await create('/api/customers', { name: 'Middle' });
    await create('/api/branches', { name: 'Aardvark branch', code: 'ZOO' });
    await create('/api/branches', { name: 'Newest branch', code: 'AIR' });
    for (const fullName of ['Aaron Able', 'Zoe Zimmer'])
      await create('/api/users', {
        fullName,
        email: `${fullName.slice(0, 3)}@acme.example`,
        password: PASSWORD,
        role: 'USER',
      });
    await create('/api/roles', { name: 'Aardvark keeper', permissions: ['customers.read'] });
  },
);

const { button, dialog, row, title } = handlesOf(() => page);
const header = (name: string): Locator => page.getByRole('columnheader', { name, exact: true });
const firstRow = (): Locator => page.locator('tbody tr').first();
const headers = (): Promise<string[]> => page.getByRole('columnheader').allTextContents();
const isFirst = (text: string): Promise<void> =>
  eventually(async () => ((await firstRow().textContent()) ?? '').includes(text));
/** Returns the query parameters of a URL, sorted for comparison. */
const partsOf = (address: string): string =>
  [...new URL(address, 'http://x').searchParams].map(String).sort().join(' ');
/** Waits until the page's URL has the given query parameters. */
const isAt = (search: string): Promise<void> =>
  eventually(() => Promise.resolve(partsOf(page.url()) === partsOf(search)));

test('A click on a header sorts all pages of a list, not only the visible one', async () => {
  await visitor.signIn(shop.owner, '/accounts?type=EXPENSE');
  await title('Accounts').waitFor();
  await row('Expense 100').waitFor();
  expect(await header('Code').getAttribute('aria-sort')).toBe('ascending');
  expect(await header('Name').getAttribute('aria-sort')).toBe('none');
  expect(await row('Aardvark fund').count()).toBe(0);
  await header('Name').getByRole('button').click();
  await isFirst('Aardvark fund');
  expect(await header('Code').getAttribute('aria-sort')).toBe('none');
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  await isAt('?sort=name&type=EXPENSE');
  await page.reload();
  await isFirst('Aardvark fund');
  expect(await visitor.barriers()).toEqual([]);
});

test('Customers are sorted with the keyboard, and a second press restores the default order', async () => {
  await visitor.signIn(shop.owner, '/customers');
  await isFirst('Middle');
  expect(await row('aardvark').count()).toBe(1);
  await header('Name').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await isFirst('aardvark');
  await isAt('?sort=name');
  expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
  expect(await visitor.barriers()).toEqual([]);
  await page.goto(`${service.url}/console/customers?sort=code&columns=name,code,created`);
  await isFirst('Zebra');
  expect(await header('Code').getAttribute('aria-sort')).toBe('ascending');
  await header('Created').getByRole('button').click();
  await isFirst('Middle');
  await header('Code').getByRole('button').click();
  await isFirst('Zebra');
  await header('Code').getByRole('button').click();
  await isFirst('Middle');
  await isAt('?columns=name,code,created');
  expect(await header('Created').getAttribute('aria-sort')).toBe('descending');
});

test('Users and branches are sorted by their headers', async () => {
  await visitor.signIn(shop.owner, '/users');
  await isFirst('Zoe Zimmer');
  await header('Name').getByRole('button').click();
  await isFirst('Aaron Able');
  await isAt('?sort=name');
  await page.goto(`${service.url}/console/branches`);
  await isFirst('Newest branch');
  await header('Name').getByRole('button').click();
  await isFirst('Aardvark branch');
  await header('Code').getByRole('button').click();
  await isFirst('AIR');
  await isAt('?sort=code');
  expect(await header('Code').getAttribute('aria-sort')).toBe('ascending');
  expect(await visitor.barriers()).toEqual([]);
});

test('Parameters that a list does not know are removed from its address, and so are malformed ones', async () => {
  await visitor.signIn(shop.owner, '/accounts?type=EXPENSE&from=2026-01-01&isActive=perhaps');
  await row('Expense 100').waitFor();
  await isAt('?type=EXPENSE');
});

test('A list without pages is sorted in both directions', async () => {
  await visitor.signIn(shop.owner, '/roles?sort=name');
  await isFirst('Aardvark keeper');
  await header('Name').getByRole('button').click();
  await eventually(async () => (await header('Name').getAttribute('aria-sort')) === 'descending');
  expect(await page.locator('tbody tr').last().textContent()).toContain('Aardvark keeper');
});

test('Jobs are sorted by name and by their last run; jobs that have never run are last in both directions', async () => {
  const token = await service.operator();
  await service.call('/api/platform/jobs/trigger', { token, body: { jobName: 'session-cleanup' } });
  await visitor.signIn(OPERATOR, '/jobs?sort=name');
  const jobs = page.getByRole('table').first().locator('tbody tr');
  const names = async (): Promise<string[]> =>
    (await jobs.locator('td:first-child a').allTextContents()).map((name) => name.trim());
  await jobs.filter({ hasText: 'session-cleanup' }).waitFor();
  const sorted = await names();
  expect(sorted).toEqual(sorted.toSorted());
  await header('Job').first().getByRole('button').click();
  await isAt('?sort=-name');
  expect(await names()).toEqual(sorted.toReversed());
  for (const sort of ['last', '-last']) {
    await header('Last run').getByRole('button').click();
    await isAt(`?sort=${sort}`);
    await eventually(async () => (await names())[0] === 'session-cleanup');
  }
});

test('The page size and the columns are part of the address, and survive a change of the filters', async () => {
  await visitor.signIn(shop.owner, '/accounts?type=EXPENSE&page=2');
  await row('Aardvark fund').waitFor();
  await page.getByLabel('Rows per page').selectOption('50');
  await row('Expense 100').waitFor();
  await row('Aardvark fund').waitFor();
  await isAt('?size=50&type=EXPENSE');

  await button('Columns').focus();
  await page.keyboard.press('Enter');
  await dialog().getByLabel('Created').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  expect(await dialog().getByLabel('Code').isDisabled()).toBe(true);
  await dialog().getByLabel('Created').focus();
  await page.keyboard.press('Space');
  await header('Created').waitFor();
  await dialog().getByLabel('Type').uncheck();
  await header('Type').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(await headers()).toEqual(['Code', 'Name', 'Status', 'Created', 'Balance', 'Actions']);

  await page.getByRole('searchbox').fill('aardvark');
  await row('Expense 100').waitFor({ state: 'detached' });
  expect(await headers()).toContain('Created');
  await button('Clear filters').click();
  await row('Expense 100').waitFor();
  await isAt('?size=50&columns=code%2Cname%2Cstatus%2Ccreated%2Cbalance%2Cactions');
  await button('Columns').click();
  await dialog().getByRole('button', { name: 'Default columns' }).click();
  await header('Type').waitFor();
  await isAt('/accounts?size=50');
});

const downloaded = async (): Promise<readonly [name: string, content: string]> => {
  const [file] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()]);
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
};

test('A list is downloaded with all pages and with the current filters', async () => {
  await visitor.signIn(shop.owner, '/accounts?type=EXPENSE');
  await row('Expense 100').waitFor();
  const [name, expenses] = await downloaded();
  expect(name).toMatch(/^shop-\w+-accounts-\d{4}-\d\d-\d\d\.csv$/);
  for (const each of ['Expense 100', 'Expense 129', 'Aardvark fund']) expect(expenses).toContain(each);
  expect(expenses).not.toContain('Bank');
  await visitor.goTo('/accounts');
  await row('Bank').waitFor();
  const [, accounts] = await downloaded();
  for (const each of ['Bank', 'Expense 129']) expect(accounts).toContain(each);
  const lists = [
    ...['customers', 'transactions', 'sales', 'users', 'branches'].map((name) => [name, name] as const),
    ...[['audit-log', 'audit-logs'] as const, ['categories', 'transaction-categories'] as const],
    ...[['rules', 'transaction-categories-rules'] as const, ['partner-keys', 'integration-keys'] as const],
  ];
  for (const [path, list] of lists) {
    await visitor.goTo(`/${path}`);
    const [fileName, content] = await downloaded();
    expect(fileName).toMatch(new RegExp(`^shop-\\w+-${list}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(content).toMatch(/^id,/);
  }
});

test.each([
  ['/branches?sort=name', ['Aardvark branch', 'Newest branch']],
  ['/users?sort=name', ['Aaron Able', 'Zoe Zimmer']],
])('The list %s is downloaded in its order', async (path, names) => {
  await visitor.signIn(shop.owner, path);
  await row(names[0] ?? '').waitFor();
  const [, content] = await downloaded();
  const places = names.map((name) => content.indexOf(name));
  expect([places.includes(-1), places]).toEqual([false, places.toSorted((a, b) => a - b)]);
});

test('A record leads back to its list with the filters and the page that the user has left', async () => {
  await visitor.signIn(shop.owner, '/audit-log?entity=account&page=2');
  await page.locator('tbody tr a').first().click();
  await page.getByRole('link', { name: 'All audit log entries' }).click();
  await isAt('/audit-log?entity=account&page=2');
  await page.locator('tbody tr a').first().waitFor();
});

test('A view is saved under a name, opened again and deleted, and belongs to its user', async () => {
  await visitor.signIn(shop.owner, '/accounts?type=EXPENSE&sort=name&page=2');
  await row('Expense 129').waitFor();
  await button('Views').click();
  await dialog().getByLabel('View name').fill('Expenses by name');
  expect(await visitor.barriers()).toEqual([]);
  await page.keyboard.press('Enter');
  await button('Views: Expenses by name').waitFor();

  await button('Views: Expenses by name').click();
  await dialog().getByRole('link', { name: 'Default view' }).click();
  await isAt('/accounts');
  await button('Views').click();
  await dialog().getByRole('link', { name: 'Expenses by name' }).click();
  await isFirst('Aardvark fund');
  await isAt('?sort=name&type=EXPENSE');

  await page.getByRole('link', { name: 'Customers', exact: true }).first().click();
  await title('Customers').waitFor();
  await button('Views').click();
  await dialog().getByLabel('View name').waitFor();
  expect(await dialog().getByRole('link').allTextContents()).toEqual(['Default view']);
  await page.keyboard.press('Escape');

  const colleague = { fullName: 'Carl Colleague', email: 'carl@acme.example', password: 'a long enough password' };
  await service.call('/api/users', { token: shop.ownerToken, body: { ...colleague, role: 'ADMIN' } });
  await button('Sign out').click();
  await title('Sign in').waitFor();
  await visitor.signIn(colleague, '/accounts');
  await button('Views').click();
  await dialog().getByLabel('View name').waitFor();
  expect(await dialog().getByRole('link').allTextContents()).toEqual(['Default view']);
  await page.keyboard.press('Escape');
  await button('Sign out').click();
  await title('Sign in').waitFor();

  await visitor.signIn(shop.owner, '/accounts');
  await button('Views').click();
  await dialog().getByRole('button', { name: 'Delete the view Expenses by name' }).click();
  await dialog().getByRole('link', { name: 'Expenses by name' }).waitFor({ state: 'detached' });
});

test('On a phone the names of the sortable columns stay visible, and the choices fit the screen', async () => {
  await anotherArrives({ width: 390, height: 844, scheme: 'dark' });
  await visitor.signIn(shop.owner, '/accounts');
  await header('Name').getByRole('button').click();
  await isFirst('Aardvark fund');
  for (const name of ['Columns', 'Views']) {
    await button(name).click();
    await dialog().waitFor();
    expect(await visitor.barriers()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  }
});

test('On a very wide screen, no text is cut while the columns next to it have free room', async () => {
  await anotherArrives({ width: 1920 });
  await visitor.signIn(OPERATOR, '/jobs');
  await row('projection-verify').waitFor();
  const cut = `[...document.querySelectorAll('.k-table tbody .k-cell')]
    .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`;
  expect(await page.evaluate(cut)).toEqual([]);
});
