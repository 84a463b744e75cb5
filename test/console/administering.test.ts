import type { Page } from 'playwright-core';
import type { ConsoleService, Shop } from '../support/console-service.js';
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
  await page.getByRole('option', { name: option, exact: true }).click();
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
  await page.getByText('No categories have this status.').waitFor();
  await visitor.goTo('/rules');
  await button('Create a rule').click();
  await choose('Category', 'Port dues');
}, 60_000);

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
}, 60_000);
