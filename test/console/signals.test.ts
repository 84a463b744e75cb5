// The look of a status, an error and an amount agrees with its meaning.
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

const { button, row } = handlesOf(() => page);
const mine = <T>(path: string, body?: unknown): Promise<T> =>
  service.call(path, { token: shop.ownerToken, ...(body !== undefined && { body }) });
type Made = { readonly data: { readonly id: string } };

type Color = { readonly red: number; readonly green: number; readonly blue: number };
type Pixel = { fillStyle: string; fillRect(...at: number[]): void; getImageData(...at: number[]): { data: number[] } };
type Browser = {
  getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
  readonly OffscreenCanvas: new (width: number, height: number) => { getContext(kind: '2d'): Pixel };
};
/** Returns the color of a CSS property. Paints a pixel, because browsers report colors in various notations. */
async function colorOf(what: Locator, property: string): Promise<Color> {
  const [red = 0, green = 0, blue = 0] = await what.evaluate((element, name) => {
    const browser = globalThis as unknown as Browser;
    const pixel = new browser.OffscreenCanvas(1, 1).getContext('2d');
    pixel.fillStyle = browser.getComputedStyle(element).getPropertyValue(name);
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  }, property);
  return { red, green, blue };
}
const isRed = ({ red, green, blue }: Color): boolean => red > green + 40 && red > blue + 40;
const isGreen = ({ red, green, blue }: Color): boolean => green > red + 20 && green > blue;

test('A status is a word with an icon, in the color of its meaning', async () => {
  await service.sell(shop, 'fine');
  await service.sell(shop, 'odd', { branchCode: 'NOWHERE' });
  await visitor.signIn(shop.owner, '/sales');
  for (const [words, isInColor] of [
    ['Booked', isGreen],
    ['Rejected', isRed],
  ] as const) {
    const status = page.locator('td .k-status').filter({ hasText: words }).first();
    await status.waitFor();
    expect([words, await status.locator('svg').count()]).toEqual([words, 1]);
    expect([words, isInColor(await colorOf(status.locator('svg'), 'color'))]).toEqual([words, true]);
  }
});

test('An error is red and offers the next step', async () => {
  visitor.expects(/503/);
  await visitor.signIn(shop.owner, '/');
  await page.route('**/api/customers?*', (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'Try again later.' } } }),
  );
  await page.getByRole('link', { name: 'Customers', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The service is unavailable' });
  await alert.waitFor();
  expect(isRed(await colorOf(alert, 'border-top-color'))).toBe(true);
  await page.unroute('**/api/customers?*');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No customers yet').or(page.getByRole('row')).first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('Money in and money out differ in sign and color', async () => {
  const { data: customer } = await mine<Made>('/api/customers', { name: 'Northwind Foods' });
  const { data: accounts } = await mine<{ data: { id: string }[] }>('/api/accounts/lookup?search=Bank');
  const date = new Date().toISOString().slice(0, 10);
  for (const [type, description] of [
    ['COLLECTION', 'Received'],
    ['PAYMENT', 'Spent'],
  ])
    await mine('/api/transactions', {
      ...{ type, date, amount: '10.00', description, customerId: customer.id, accountId: accounts[0]?.id },
    });
  await visitor.signIn(shop.owner, '/transactions');
  const [received, spent] = [row('Received').locator('.k-money'), row('Spent').locator('.k-money')];
  expect(await received.textContent()).toBe('+10.00 EUR');
  expect(await spent.textContent()).toBe('−10.00 EUR');
  expect(isGreen(await colorOf(received, 'color'))).toBe(true);
  expect(await colorOf(spent, 'color')).not.toEqual(await colorOf(received, 'color'));
});

test('The button that deletes a record is red, in contrast to the one that edits it', async () => {
  const { data: customer } = await mine<Made>('/api/customers', { name: 'Contoso' });
  await visitor.signIn(shop.owner, `/customers/${customer.id}`);
  await button('Edit').waitFor();
  expect(isRed(await colorOf(button('Delete'), 'color'))).toBe(true);
  expect(isRed(await colorOf(button('Edit'), 'color'))).toBe(false);
});
