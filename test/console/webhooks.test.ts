import type { Page } from 'playwright-core';
import type { ConsoleService, Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;
let receiver: WebhookReceiver;
const anotherArrives = onStage(
  (stage) => {
    ({ service, shop, visitor, page } = stage);
  },
  () => Promise.resolve(),
  { WEBHOOK_ALLOW_PRIVATE: 'true' },
);
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.close());

const { button, dialog, row } = handlesOf(() => page);

test('A webhook is created with its secret shown once, is tested, and shows its deliveries', async () => {
  visitor.expects(/400/);
  await visitor.signIn(shop.owner, '/webhooks');
  await page.getByText('There are no webhooks yet.').waitFor();
  await button('Create a webhook').click();
  const events = dialog().getByLabel('Events');
  await events.fill('Nothing Like This');
  await dialog().getByLabel('Address').fill(receiver.urlOf('/shop'));
  await dialog().locator('button[type=submit]').click();
  await dialog().getByText('Nothing was saved.').waitFor();
  await events.fill('*');
  await dialog().getByLabel('Add an event type').first().click();
  await page.getByRole('option', { name: 'kontor.customer.created.v1' }).click();
  expect(await events.inputValue()).toBe('kontor.customer.created.v1');
  await dialog().locator('button[type=submit]').click();
  expect(await dialog().getByTestId('secret').innerText()).toMatch(/^whsec_/);
  await dialog().getByLabel('I have stored the secret in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: receiver.urlOf('/shop') }).click();
  await page.getByText('Nothing has been delivered yet.').waitFor();

  await button('Send a test').click();
  await dialog().locator('button[type=submit]').click();
  await dialog().getByText('The receiver accepted the message.').waitFor();
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();

  receiver.answer = () => ({ status: 500, body: 'no room' });
  await button('Send a test').click();
  await dialog().locator('button[type=submit]').click();
  await dialog().getByText('The receiver did not accept the message.').waitFor();
  await dialog().getByText('no room').waitFor();
  receiver.answer = () => ({ status: 204 });
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();

  await service.call('/api/customers', { token: shop.ownerToken, body: { name: 'Northwind Foods' } });
  const delivery = row('kontor.customer.created.v1');
  await delivery.getByText('Delivered').waitFor();
  await delivery.getByRole('button', { name: /^Resend/ }).click();
  await dialog().getByRole('button', { name: 'Resend' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await visitor.barriers()).toEqual([]);
});

test('A receiver that is gone is shown as disabled, with the reason and the next step; it is enabled and recovers', async () => {
  receiver.answer = (path) => ({ status: path === '/gone' ? 410 : 204 });
  const { data: hook } = await service.call<{ data: { id: string } }>('/api/webhooks', {
    token: shop.ownerToken,
    body: { url: receiver.urlOf('/gone'), types: ['kontor.customer.*'], description: 'Old shop' },
  });
  await service.call('/api/customers', { token: shop.ownerToken, body: { name: 'Southwind Foods' } });
  await visitor.signIn(shop.owner, '/webhooks');
  await row('Old shop').getByText('Disabled: gone').waitFor();
  await page.getByRole('link', { name: receiver.urlOf('/gone') }).click();
  await page.getByText('The receiver responded with 410 (Gone).').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  receiver.answer = () => ({ status: 204 });
  await button('Enable').click();
  await dialog().getByRole('button', { name: 'Enable' }).click();
  await button('Recover').click();
  await dialog().getByRole('button', { name: 'Recover' }).click();
  await dialog().waitFor({ state: 'detached' });
  await row('kontor.customer.created.v1').getByText('Delivered').first().waitFor();

  await button('Edit').click();
  await dialog().getByLabel('Description').fill('New shop');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'New shop' }).waitFor();
  await button('Rotate secret').click();
  await dialog().locator('button[type=submit]').click();
  expect(await dialog().getByTestId('secret').innerText()).toMatch(/^whsec_/);
  await dialog().getByLabel('I have stored the secret in a safe place').check();
  await dialog().getByRole('button', { name: 'Done' }).click();
  await anotherArrives({ width: 390, scheme: 'dark' });
  await visitor.signIn(shop.owner, `/webhooks/${hook.id}`);
  await page.getByText('kontor.customer.created.v1').first().waitFor();
  expect(await visitor.barriers()).toEqual([]);
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(overhang).toBe(0);
  await button('Delete').click();
  await dialog().getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

test('The delivery log names the reason if a receiver does not respond', async () => {
  const body = { url: 'http://127.0.0.1:9/', types: ['kontor.customer.*'] };
  const { data: hook } = await service.call<{ data: { id: string } }>('/api/webhooks', {
    token: shop.ownerToken,
    body,
  });
  await service.call('/api/customers', { token: shop.ownerToken, body: { name: 'Eastwind Foods' } });
  await visitor.signIn(shop.owner, `/webhooks/${hook.id}`);
  await row('kontor.customer.created.v1').getByText('The host refuses connections (ECONNREFUSED)').waitFor();
});

test('Roles have the same names everywhere, and settings and reports name what applies', async () => {
  await visitor.signIn(shop.owner, '/roles');
  await page.getByText('Administrator', { exact: true }).waitFor();
  expect(await page.getByText('ADMIN', { exact: true }).count()).toBe(0);
  await visitor.goTo('/settings');
  await button('Edit').click();
  const hint = dialog().getByText('Owners and administrators without a factor must add one');
  expect(await hint.count()).toBe(0);
  await dialog().getByLabel('Second factor').first().click();
  await page.getByRole('option', { name: 'Required for owners and administrators' }).click();
  await hint.waitFor();
  await page.keyboard.press('Escape');
  await visitor.goTo('/reports/profit-and-loss?from=2026-01-05&to=2026-01-06');
  const choice = (label: string) => page.getByRole('combobox', { name: label, exact: true }).first();
  await choice('Columns').waitFor();
  expect([await choice('Period').inputValue(), await choice('Columns').inputValue()]).toEqual(['Custom', 'None']);
});
