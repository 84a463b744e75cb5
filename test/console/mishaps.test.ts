import type { Page, Route } from 'playwright-core';
import { type ConsoleService, eventually, type Shop } from '../support/console-service.js';
import { onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const isVisible = (name: string) => dialog().getByRole('button', { name, exact: true }).isVisible();

/** Keeps what is asked for at an address waiting until it is let go. */
async function hold(path: string, carryOn: (route: Route) => Promise<void>): Promise<{ letGo: () => void }> {
  let letGo: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(path, async (route) => {
    await released;
    await carryOn(route);
  });
  return { letGo };
}

describe('A dialog', () => {
  test('stays while the service works, so that a secret is shown, though Escape was pressed meanwhile', async () => {
    await visitor.signIn(shop.owner, '/partner-keys');
    const { letGo } = await hold('**/api/integration-keys/*/rotate', (route) => route.continue());
    await button('Rotate: Web shop').click();
    await Promise.all([
      page.waitForRequest(/\/rotate$/),
      dialog().getByRole('button', { name: 'Rotate', exact: true }).click(),
    ]);
    await page.keyboard.press('Escape');
    expect(await dialog().getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    expect(await isVisible('Close')).toBe(false);
    letGo();
    await dialog().getByText('It is shown this once').waitFor();
    await page.keyboard.press('Escape');
    const key = await dialog().getByTestId('secret').innerText();
    await eventually(() =>
      service.sell({ ...shop, key }, 'rotated-1').then(
        () => true,
        () => false,
      ),
    );
    await dialog().getByLabel('I have stored it').check();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
  }, 60_000);

  test('that changes a record stays while it is saved, too', async () => {
    const { data: customer } = await service.call<{ data: { id: string } }>('/api/customers', {
      token: shop.ownerToken,
      body: { name: 'Northwind Foods' },
    });
    await visitor.signIn(shop.owner, `/customers/${customer.id}`);
    const { letGo } = await hold('**/api/customers/*', (route) => route.continue());
    await button('Edit').click();
    await dialog().getByLabel('City').fill('Bergen');
    await Promise.all([
      page.waitForRequest((request) => request.method() === 'PATCH'),
      dialog().getByRole('button', { name: 'Save' }).click(),
    ]);
    await page.keyboard.press('Escape');
    expect(await dialog().getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    expect(await isVisible('Close')).toBe(false);
    letGo();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('Bergen').waitFor();
  }, 60_000);
});
