// Users who navigate by keyboard, or who have scrolled, keep their place while the page changes.
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

const { button, dialog } = handlesOf(() => page);
const focused = (what: string): Promise<unknown> => page.evaluate(`document.activeElement.${what}`);

test('Signing in starts at the e-mail field', async () => {
  await visitor.goTo('/jobs');
  await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
  await eventually(async () => (await focused('type')) === 'email');
});

test('The slider keeps the focus while a history is stepped through by keyboard', async () => {
  const mine = { token: shop.ownerToken };
  const { data } = await service.call<{ data: { id: string } }>('/api/customers', { ...mine, body: { name: 'Brew' } });
  for (const city of ['Oslo', 'Bergen'])
    await service.call(`/api/customers/${data.id}`, { ...mine, method: 'PATCH', body: { city } });
  await visitor.signIn(OPERATOR, `/records/customer/${data.id}?tenantId=${shop.tenantId}&at=0`);
  await page.getByText('Revision 0 of 2').waitFor();
  const when = page.getByLabel('State at (local time)');
  const first = await when.inputValue();
  await page.getByRole('slider').focus();
  for (const revision of [1, 2]) {
    await page.keyboard.press('ArrowRight');
    await page.getByText(`Revision ${revision} of 2`).waitFor();
    expect(await focused('getAttribute("role")')).toBe('slider');
    expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(String(revision));
  }
  // The entered time is in the future, so the page shows the current state and the field keeps its value.
  await when.fill('2099-01-01T00:00:00');
  await when.press('Enter');
  await page.waitForURL(/at=2098-12-31|at=2099-01-01/);
  expect(await focused('type')).toBe('datetime-local');
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.getByText('Revision 0 of 2').waitFor();
  await eventually(async () => (await when.inputValue()) === first);
});

test('In a dialog "/" does not lead to the search behind it', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Run now: session-cleanup').click();
  await dialog().getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.press('/');
  expect(await focused('textContent')).toBe('Cancel');
});

test('Required fields are also announced to screen readers', async () => {
  await visitor.signIn(shop.owner, '/customers');
  await button('Create a customer').click();
  expect(await dialog().getByRole('textbox', { name: 'Name' }).getAttribute('required')).not.toBeNull();
  expect(await dialog().getByRole('textbox', { name: 'City' }).getAttribute('required')).toBeNull();
});

test('A search in the middle of a page stays on the screen while the user types', async () => {
  await anotherArrives({ width: 390, height: 700 });
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Run now: session-cleanup').waitFor();
  const search = page.getByRole('searchbox');
  await search.scrollIntoViewIfNeeded();
  await search.fill('nothing of the kind');
  await page.waitForURL(/search=nothing/);
  await page.getByText('No runs match this search.').waitFor();
  const { y } = (await search.boundingBox()) ?? { y: -1 };
  expect([y > 0, y < 700]).toEqual([true, true]);
});

test('The search field is not replaced while its page is painted, so no typed text is lost', async () => {
  const content = `window.removed = 0;
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ removedNodes }) => [...removedNodes]))
        if (node.className?.includes?.('k-search')) window.removed += 1;
    }).observe(document, { childList: true, subtree: true });`;
  await page.addInitScript({ content });
  await visitor.signIn(shop.owner, '/transactions');
  await page.getByRole('searchbox').waitFor();
  await page.getByRole('search').getByText('Status', { exact: true }).waitFor();
  expect(await page.evaluate('window.removed')).toBe(0);
});

test('A notification opened in another tab leaves this one unchanged', async () => {
  await service.call('/api/notifications/admin/send', {
    token: shop.ownerToken,
    body: { title: 'Stocktaking', body: 'Please look.', broadcast: true, link: '/console/transactions' },
  });
  await visitor.signIn(shop.owner, '/notifications');
  const link = page.getByRole('link', { name: 'Open', exact: true });
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['ControlOrMeta'] })]);
  await tab.waitForURL(/\/transactions$/);
  expect(page.url()).toContain('/notifications');
  await link.click();
  await page.waitForURL(/\/transactions$/);
});
