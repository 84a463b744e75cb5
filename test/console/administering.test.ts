import type { Page } from 'playwright-core';
import { type ConsoleService, eventually, type Shop } from '../support/console-service.js';
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
type Answer<Data> = { readonly data: Data };
const mine = <Value>(path: string, body?: object): Promise<Answer<Value>> =>
  service.call<Answer<Value>>(path, { token: shop.ownerToken, ...(body !== undefined && { body }) });
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
const choose = async (label: string, option: string): Promise<void> => {
  await dialog().getByRole('combobox', { name: label }).or(dialog().getByLabel(label)).first().click();
  // The option for a record also shows the record's code.
  await page
    .getByRole('option')
    .filter({ has: page.getByText(option, { exact: true }) })
    .click();
};

test('A category is created below another one, renamed, archived and restored', async () => {
  await visitor.signIn(shop.owner);
  await page.getByRole('link', { name: 'Categories', exact: true }).click();
  await title('Categories').waitFor();
  await button('Create a category').click();
  await dialog().getByLabel('Name').fill('Harbour dues');
  await choose('Direction', 'Money out');
  await choose('Parent category', 'Taxes and duties');
  await inDialog('Create').click();
  await row('Harbour dues').getByText('Money out').waitFor();
  await row('Harbour dues').getByText('Taxes and duties').waitFor();

  await button('Edit: Harbour dues').click();
  await dialog().getByLabel('Name').fill('Port dues');
  await choose('Parent category', 'None');
  await inDialog('Save').click();
  await button('Archive: Port dues').click();
  await inDialog('Archive').click();
  await row('Port dues').getByText('Archived').waitFor();

  const kept = async () =>
    (await mine<{ name: string; parentId: string | null }[]>('/api/transaction-categories?includeArchived=true')).data
      .filter(({ name }) => name === 'Port dues')
      .map(({ parentId }) => parentId);
  expect(await kept()).toEqual([null]);
  await visitor.goTo('/categories?isArchived=true');
  await row('Port dues').waitFor();
  expect(await row('Taxes and duties').count()).toBe(0);
  await button('Restore: Port dues').click();
  await inDialog('Restore').click();
  await page.getByText('No categories match these filters.').waitFor();
  await visitor.goTo('/rules');
  await button('Create a rule').click();
  await choose('Category', 'Port dues');
});

test('Choosers of categories do not offer archived categories, but still name one that is selected', async () => {
  const create = (name: string) => mine<{ id: string }>('/api/transaction-categories', { name });
  const { data: archived } = await create('Wharf dues');
  await create('Wharf rent');
  await service.call(`/api/transaction-categories/${archived.id}`, { token: shop.ownerToken, method: 'DELETE' });
  await visitor.signIn(shop.owner, '/rules');
  await button('Create a rule').click();
  await dialog().getByRole('combobox', { name: 'Category' }).fill('Wharf');
  const options = page.getByRole('option').filter({ hasText: 'Wharf' });
  await options.filter({ hasText: 'Wharf rent' }).waitFor();
  expect(await options.count()).toBe(1);

  await visitor.goTo('/categories');
  await button('Create a category').click();
  await dialog().getByRole('combobox', { name: 'Parent category' }).or(dialog().getByLabel('Parent category')).click();
  await options.filter({ hasText: 'Wharf rent' }).waitFor();
  expect(await options.count()).toBe(1);

  await visitor.goTo(`/transactions?categoryId=${archived.id}`);
  const chooser = page.getByRole('combobox', { name: 'Category' });
  await eventually(async () => (await chooser.inputValue()) === 'Wharf dues');
});

test('A German viewer types the amounts of a rule with decimal commas, edits them, and tests them', async () => {
  const { data: categories } = await mine<{ id: string; name: string }[]>('/api/transaction-categories');
  const { id: categoryId = '' } = categories.find(({ name }) => name === 'Travel and lodging') ?? {};
  await mine('/api/transaction-categories/rules', { categoryId, keyword: 'ferry', amountMin: '12.50' });
  await anotherArrives({ language: 'de' });
  await visitor.goTo('/rules?search=ferry');
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await row('ferry')
    .getByRole('button', { name: new RegExp(`^${visitor.words('Edit')}`) })
    .click();
  const [from, to] = ['Amount from', 'Amount to'].map((label) => dialog().getByLabel(visitor.words(label)));
  expect(await from?.inputValue()).toBe('12,50');
  await to?.fill('1.250,75');
  await inDialog(visitor.words('Save')).click();
  await row('ferry').getByText('1.250,75').waitFor();

  await visitor.goTo('/rules/bench');
  await page.getByLabel(visitor.words('Description')).fill('Ferry to Bergen');
  await page.getByLabel(visitor.words('Amount'), { exact: true }).fill('99,50');
  await page.getByLabel(visitor.words('Direction')).first().click();
  await page.getByRole('option', { name: visitor.words('Money out') }).click();
  await button(visitor.words('Test')).click();
  await row('ferry').getByText(visitor.words('Chosen')).waitFor();
});

test('A role is renamed, and permissions that cannot be loaded are not shown as none', async () => {
  visitor.expects(/ERR_FAILED/);
  await mine('/api/roles', { name: 'Packer', permissions: ['customers.read'] });
  await page.route('**/api/permissions', (route) => route.abort());
  await visitor.signIn(shop.owner, '/roles');
  await button('Permissions: Packer').click();
  await dialog().getByRole('alert').waitFor();
  await page.unroute('**/api/permissions');
  await inDialog('Try again').click();
  await dialog().getByRole('checkbox', { checked: true }).waitFor();
  await dialog().getByRole('checkbox', { name: 'Create, change and remove accounts' }).check();
  await inDialog('Save').click();
  await row('Packer').getByRole('cell', { name: '2', exact: true }).waitFor();
  await button('Edit: Packer').click();
  await dialog().getByLabel('Name').fill('Loader');
  await inDialog('Save').click();
  await row('Loader').getByRole('cell', { name: '2', exact: true }).waitFor();
});

test('Permissions are not saved over the changes of another administrator', async () => {
  visitor.expects(/409/);
  const { data: role } = await mine<{ id: string }>('/api/roles', { name: 'Porter', permissions: ['customers.read'] });
  await visitor.signIn(shop.owner, '/roles');
  await button('Permissions: Porter').click();
  await dialog().getByRole('checkbox', { name: 'Create, change and remove accounts' }).check();
  const body = { permissions: ['branches.read'] };
  await service.call(`/api/roles/${role.id}/permissions`, { method: 'PATCH', token: shop.ownerToken, body });
  await inDialog('Save').click();
  await dialog().getByRole('alert').waitFor();
  const { data: kept } = await mine<{ permissions: string[] }>(`/api/roles/${role.id}`);
  expect(kept.permissions).toEqual(body.permissions);
});

test('A user gets branches, a new password and a one-time code, and is deleted', async () => {
  for (const name of ['North quay', 'South quay']) await mine('/api/branches', { code: name.slice(0, 5), name });
  const email = `lena@${shop.owner.email.split('@')[1] ?? ''}`;
  const body = { fullName: 'Lena Loader', email, password: 'quite another secret', role: 'USER' };
  const { data: user } = await mine<{ id: string }>('/api/users', body);
  await visitor.signIn(shop.owner, '/users');
  await button('Edit: Lena Loader').click();
  await choose('Branch', 'North quay');
  await dialog().getByRole('checkbox', { name: 'South quay' }).check();
  await inDialog('Save').click();
  await dialog().waitFor({ state: 'detached' });
  const { data: kept } = await mine<{ branchId: string | null; branchIds: string[] }>(`/api/users/${user.id}`);
  expect([typeof kept.branchId, kept.branchIds.length]).toEqual(['string', 1]);

  await button('Reset password: Lena Loader').click();
  await dialog().getByLabel('New password').fill('still another secret');
  await inDialog('Reset password').click();
  await dialog().getByText('The password for Lena Loader has been reset.').waitFor();
  await inDialog('Close').last().click();
  await button('Create an OpenID code: Lena Loader').click();
  await inDialog('Create an OpenID code').click();
  expect(await dialog().getByTestId('secret').innerText()).toContain(user.id);
  await dialog().getByRole('checkbox').check();
  await inDialog('Done').click();

  await button('Delete: Lena Loader').click();
  await inDialog('Delete').click();
  await row('Lena Loader').waitFor({ state: 'detached' });
  await service.signIn(email, 'still another secret').then(
    () => {
      throw new Error('A deleted user can sign in.');
    },
    () => undefined,
  );
});

test('An account without postings is deleted, and users change their own names', async () => {
  await mine('/api/accounts', { name: 'Old till', type: 'CASH', code: '199' });
  await visitor.signIn(shop.owner, '/accounts');
  await button('Delete: Old till').click();
  await inDialog('Delete').click();
  await row('Old till').waitFor({ state: 'detached' });

  await visitor.goTo('/account');
  await button('Edit profile').click();
  await dialog().getByLabel('Name').fill('Olga Owner-Smith');
  await dialog().getByLabel('Phone').fill('+47 22 00 00 01');
  await inDialog('Save').click();
  await page.getByText('Olga Owner-Smith').first().waitFor();
  const { data: me } = await mine<{ user: { fullName: string; phone: string } }>('/api/auth/me');
  expect([me.user.fullName, me.user.phone]).toEqual(['Olga Owner-Smith', '+47 22 00 00 01']);
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await button('Edit: Olga Owner-Smith').click();
  await dialog().getByLabel('Name').fill('Olga Owner');
  await inDialog('Save').click();
  await page.getByText('Olga Owner-Smith').first().waitFor({ state: 'detached' });
  expect(await page.getByText('Olga Owner-Smith').count()).toBe(0);
});
