import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { onStage } from '../support/console-stage.js';
import { AWAY, type Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

const anotherArrives = onStage(
  (stage) => {
    ({ service, shop, visitor, page } = stage);
  },
  async ({ service, shop }) => {
    await service.sell(shop, 'web-1', { branchCode: 'NOWHERE' });
    await service.saleIs(shop, 'web-1', 'REJECTED');
  },
);

const title = (name: string, of = page) => of.getByRole('heading', { level: 1, name, exact: true });

describe('Signing in', () => {
  test('leads to the requested page; a wrong password is reported and leads nowhere', async () => {
    visitor.expects(/401/);
    await visitor.goTo('/projections');
    await visitor.fillIn(OPERATOR.email, 'a wrong password');
    await page.getByRole('alert').getByText('The e-mail address or password is incorrect').waitFor();
    await visitor.fillIn(OPERATOR.email, OPERATOR.password);
    await title('Projections').waitFor();
    expect(page.url()).toBe(`${service.url}/console/projections`);
  });

  test('survives a reload and applies to other tabs, although scripts cannot read it', async () => {
    await visitor.signIn(OPERATOR, '/jobs');
    await page.reload();
    await title('Jobs').waitFor();
    // All tabs load at once. Each tab sends the cookie, whose token can be used only once.
    const tabs = await Promise.all(Array.from({ length: 4 }, () => visitor.tab()));
    await Promise.all(tabs.map((tab) => visitor.goTo('/queues', tab)));
    await Promise.all(tabs.map((tab) => title('Cache and queues', tab).waitFor()));
    const readable = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(readable).not.toMatch(/eyJ|kontor-console/);
    expect(await visitor.cookies()).toEqual([
      expect.objectContaining({ path: '/console/session', httpOnly: true, sameSite: 'Strict' }),
    ]);
  });

  test('ends in every tab when the user signs out in one', async () => {
    // The other tab may request something at that moment.
    visitor.expects(/401/);
    await visitor.signIn(OPERATOR, '/jobs');
    const other = await visitor.tab();
    await visitor.goTo('/jobs', other);
    await title('Jobs', other).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await title('Sign in').waitFor();
    await title('Sign in', other).waitFor();
    await page.reload();
    await title('Sign in').waitFor();
    expect(await visitor.cookies()).toEqual([]);
  });

  test('shows no platform data to a user of a tenant, and does not even request it', async () => {
    await visitor.signIn(shop.owner);
    await title('Acme Trading').waitFor();
    expect(await page.getByRole('link', { name: 'Projections' }).count()).toBe(0);
    // The page must not send the request. If it did, the visitor would record the rejection as a complaint.
    await visitor.goTo('/projections');
    await page.getByRole('alert').getByText('Access denied').waitFor();
  });

  test('again, after the session was ended elsewhere, leads back to the same page', async () => {
    visitor.expects(/401/);
    const operator = { fullName: 'Otto Operator', email: 'otto@kontor.example', password: 'another secret' };
    await service.call('/api/platform/operators', { token: await service.operator(), body: operator });
    await visitor.signIn(operator, '/dead-letters?status=PARKED');
    await page.getByRole('row').filter({ hasText: 'BRANCH_UNKNOWN' }).waitFor();
    const token = await service.signIn(operator.email, operator.password);
    const body = { currentPassword: operator.password, newPassword: 'quite another secret' };
    await service.call('/api/auth/change-password', { token, body });
    await page.getByText('Your session has ended.').waitFor();
    await visitor.fillIn(operator.email, body.newPassword);
    await page.getByRole('row').filter({ hasText: 'BRANCH_UNKNOWN' }).waitFor();
    expect(page.url()).toBe(`${service.url}/console/dead-letters?status=PARKED`);
  });

  test('again, after the session ended in the middle of a form, leads back to the form and its input', async () => {
    visitor.expects(/401/);
    const operator = { fullName: 'Oda Operator', email: 'oda@kontor.example', password: 'another secret' };
    await service.call('/api/platform/operators', { token: await service.operator(), body: operator });
    const token = await service.signIn(operator.email, operator.password);
    await visitor.signIn(operator, '/tenants');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create a tenant' }).click();
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Fjord Trading');
    const body = { currentPassword: operator.password, newPassword: 'quite another secret' };
    await service.call('/api/auth/change-password', { token, body });
    await visitor.submitInVain();
    await visitor.fillIn(operator.email, body.newPassword);
    expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Fjord Trading');
    // Input that the user has discarded must not reappear.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Jobs' }).click();
    await title('Jobs').waitFor();
    await page.getByRole('link', { name: 'Tenants' }).click();
    await title('Tenants').waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

test('An unavailable service is reported; when it is back, the page recovers automatically', async () => {
  visitor.expects(AWAY);
  await visitor.signIn(OPERATOR, '/dead-letters');
  // Shortly after the first page, the console loads the code of all other pages, but only the strings in its own
  // language.
  const parts = (await readdir(join(import.meta.dirname, '../../dist/console/assets'))).filter(
    (name) => name.endsWith('.js') && !name.startsWith('de-'),
  );
  const loaded = (): Promise<number> =>
    page.evaluate(
      'new Set(performance.getEntriesByType("resource").map((each) => each.name).filter((name) => name.endsWith(".js"))).size',
    );
  await eventually(async () => (await loaded()) === parts.length);
  const letter = page.getByRole('row').filter({ hasText: 'BRANCH_UNKNOWN' }).getByRole('link');
  await letter.waitFor();
  await service.halt();
  try {
    await letter.click();
    await page.getByRole('alert').getByText('The service is not responding.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('The service is not responding.').waitFor();
  } finally {
    await service.run();
  }
  await page.getByText('"externalId": "web-1"').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('A list that fails in red while the service is down shows its rows once the service is back', async () => {
  visitor.expects(AWAY);
  await visitor.signIn(OPERATOR, '/dead-letters');
  const letter = page.getByRole('row').filter({ hasText: 'BRANCH_UNKNOWN' });
  await letter.waitFor();
  await service.halt();
  try {
    await page.getByRole('searchbox').fill('web-1');
    await page.getByRole('alert').getByText('The service is not responding.').waitFor();
    const color = await page.evaluate<string>(
      'getComputedStyle(document.querySelector("[role=alert]")).borderTopColor',
    );
    const [red = 0, green = 0, blue = 0] = color.match(/\d+/g)?.map(Number) ?? [];
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));
  } finally {
    await service.run();
  }
  await eventually(async () => (await page.getByRole('alert').count()) === 0);
  await letter.waitFor();
});

test('The keyboard alone leads past the navigation, into a dialog that keeps the focus, and back to where it was opened', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await title('Jobs').waitFor();
  const opener = page.getByRole('button', { name: 'Run now: session-cleanup' });
  await opener.waitFor();
  await page.evaluate('document.activeElement.blur(); window.getSelection().removeAllRanges()');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await eventually(async () => (await page.evaluate('document.activeElement.id')) === 'main');
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const isInDialog = (): Promise<boolean> => page.evaluate('document.activeElement.closest("[role=dialog]") !== null');
  // A dialog receives the focus shortly after it appears.
  await eventually(isInDialog);
  for (let presses = 0; presses < 8; presses += 1) {
    await page.keyboard.press('Tab');
    expect(await isInDialog()).toBe(true);
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const focused = (): Promise<string | null> => page.evaluate('document.activeElement.getAttribute("aria-label")');
  await eventually(async () => (await focused()) === 'Run now: session-cleanup');
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
});

test('On a phone the navigation opens and closes, and no page is wider than the screen', async () => {
  await anotherArrives({ width: 390, height: 844 });
  await visitor.signIn(OPERATOR, '/jobs');
  for (const name of ['Overview', 'Dead letters', 'Projections', 'Cache and queues']) {
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('link', { name, exact: true }).click();
    await title(name).waitFor();
    await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
    const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
    expect([name, overhang]).toEqual([name, 0]);
  }
});

test('An unknown address of the console is reported as such', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await visitor.goTo('/no/such/page');
  await page.getByText('Page not found').waitFor();
});

test('The page of the API document begins with its introduction and the partner intake, whose sale has an example', async () => {
  await page.goto(`${service.url}/docs`);
  // Each tab takes about 4 s of CPU time to render the document, and several times as long on a slow, busy machine.
  await page.getByRole('heading', { name: 'Start here' }).waitFor({ timeout: 120_000 });
  const groups = page.locator('.opblock-tag');
  expect(await groups.first().innerText()).toContain('Partner Intake');
  const tab = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'push a sale' }).click();
  const operation = (await tab).locator('.opblock.is-open');
  await operation.getByText('Push a sale, return or cancellation').waitFor({ timeout: 120_000 });
  await operation.getByText('"order-4711"').first().waitFor();
  await operation.getByText('IDEMPOTENCY_CONFLICT').first().waitFor({ state: 'attached' });
});
