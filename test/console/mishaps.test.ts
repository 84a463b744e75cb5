import type { Page, Route } from 'playwright-core';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog } = handlesOf(() => page);
const title = (name: string, of = page) => of.getByRole('heading', { level: 1, name, exact: true });
const isVisible = (name: string) => dialog().getByRole('button', { name, exact: true }).isVisible();

type Person = { readonly fullName: string; readonly email: string; readonly password: string };
async function newOperator(name: string): Promise<Person> {
  const person = { fullName: `${name} Operator`, email: `${name}@kontor.example`, password: 'another secret' };
  await service.call('/api/platform/operators', { token: await service.operator(), body: person });
  return person;
}

/**
 * Changes the user's password, which ends all other sessions. Resolves when the service rejects the tokens of those
 * sessions.
 */
async function endSessionsOf({ email, password }: Person): Promise<void> {
  const [ended, token] = [await service.signIn(email, password), await service.signIn(email, password)];
  const body = { currentPassword: password, newPassword: 'quite another secret' };
  await service.call('/api/auth/change-password', { token, body });
  await eventually(() =>
    service.call('/api/auth/me', { token: ended }).then(
      () => false,
      () => true,
    ),
  );
}

/** Holds requests for a URL until they are released. */
async function hold(path: string, carryOn: (route: Route) => Promise<void>): Promise<{ letGo: () => void }> {
  let letGo: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(path, async (route) => {
    await released;
    await carryOn(route);
  });
  return { letGo };
}

/**
 * Simulates read models that lag behind a write. `position` modifies the position that the service reports for the
 * write.
 */
async function fallBehind(path: string, position: (told: string) => string): Promise<void> {
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    const told = response.headers();
    const headers = { 'x-read-model': 'behind', 'x-event-position': position(told['x-event-position'] ?? '') };
    await route.fulfill({ response, headers: { ...told, ...headers } });
  });
}

/** Expects the dialog to stay open while the request is in flight: Escape has no effect, and Cancel is disabled. */
async function mustStay(): Promise<void> {
  await page.keyboard.press('Escape');
  const cancel = dialog().getByRole('button', { name: 'Cancel' });
  await eventually(() => cancel.isDisabled());
  await page.keyboard.press('Escape');
  expect(await cancel.isDisabled()).toBe(true);
  expect(await isVisible('Close')).toBe(false);
}

describe('A dialog', () => {
  test('stays open until the service responds, so a secret is shown even if Escape was pressed in the meantime', async () => {
    await visitor.signIn(shop.owner, '/partner-keys');
    const { letGo } = await hold('**/api/integration-keys/*/rotate', (route) => route.continue());
    await button('Rotate: Web shop').click();
    await Promise.all([
      page.waitForRequest(/\/rotate$/),
      dialog().getByRole('button', { name: 'Rotate', exact: true }).click(),
    ]);
    await mustStay();
    letGo();
    await dialog().getByText('Shown only once').waitFor();
    await page.keyboard.press('Escape');
    const key = await dialog().getByTestId('secret').innerText();
    await eventually(() =>
      service.sell({ ...shop, key }, 'rotated-1').then(
        () => true,
        () => false,
      ),
    );
    await dialog().getByLabel('I have stored the key in a safe place').check();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
  });

  test('that changes a record also stays open while it is saved', async () => {
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
    await mustStay();
    letGo();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('Bergen').waitFor();
  });
});

describe('While read models lag', () => {
  test('the console waits for the latest write until it has been read once', async () => {
    await visitor.signIn(shop.owner, '/customers');
    let written = '';
    await fallBehind('**/api/customers', (told) => (written = told));
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (written !== '' && request.url().includes('/api/customers')) asked.push(request.headers()['x-min-position']);
    });
    await button('Create a customer').click();
    await dialog().getByLabel('Name').fill('Ada Bakery');
    await dialog().getByRole('button', { name: 'Create a customer' }).click();
    await title('Ada Bakery').waitFor();
    expect(written).toMatch(/^\d+$/);
    expect(asked[0]).toBe(written);
    const again = page.waitForRequest(/\/api\/transactions\?/);
    await page.getByRole('link', { name: 'Transactions', exact: true }).click();
    expect((await again).headers()['x-min-position']).toBeUndefined();
  });

  test('the console shows their current content once the service stops waiting', async () => {
    visitor.expects(/503/);
    await visitor.signIn(shop.owner, '/customers');
    await fallBehind('**/api/customers', (told) => `${Number(told) + 1_000_000_000}`);
    await button('Create a customer').click();
    await dialog().getByLabel('Name').fill('Brew & Co');
    await dialog().getByRole('button', { name: 'Create a customer' }).click();
    await title('Brew & Co').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

test('A transaction can also be recorded over plain HTTP', async () => {
  // Browsers disable many script APIs on insecure connections.
  visitor.expects(/Cross-Origin-Opener-Policy/);
  await page.goto(`http://books.example:${new URL(service.url).port}/console/transactions`);
  await visitor.fillIn(shop.owner.email, shop.owner.password);
  await title('Transactions').waitFor();
  expect(await page.evaluate('window.isSecureContext')).toBe(false);
  await button('Record a transaction').click();
  await dialog().getByLabel('Type').first().click();
  await page.getByRole('option', { name: 'Transfer', exact: true }).click();
  await dialog().getByLabel('Amount').fill('20.00');
  for (const [label, option] of [
    ['From account', 'Bank'],
    ['To account', 'Cash'],
  ] as const) {
    await dialog().getByLabel(label).first().click();
    await page.getByRole('option', { name: option }).click();
  }
  await dialog().getByRole('button', { name: 'Record', exact: true }).click();
  await title('Transfer').waitFor();
});

test('A request that hangs is reported, both on a page and while the session is being restored', async () => {
  visitor.expects(/ERR_/);
  await visitor.signIn(OPERATOR, '/jobs');
  await title('Jobs').waitFor();
  const other = await visitor.tab();
  await other.route('**/console/session/refresh', () => undefined);
  await page.route('**/api/platform/operators*', () => undefined);
  await page.getByRole('link', { name: 'Operators', exact: true }).click();
  await visitor.goTo('/jobs', other);
  const told = (of: Page) => of.getByRole('alert').getByText('The service did not respond in time.');
  await Promise.all([page, other].map((each) => told(each).waitFor({ timeout: 45_000 })));
  await page.unroute('**/api/platform/operators*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Olivia').or(page.getByText(OPERATOR.email)).first().waitFor();
});

describe('Another tab', () => {
  test('in which another user signs in switches this one, which discards all data of the previous user', async () => {
    visitor.expects(/401/);
    const otto = await newOperator('otto');
    await visitor.signIn(otto, '/operators');
    await page.getByRole('banner').getByText('otto Operator').waitFor();
    await endSessionsOf(otto);
    const other = await visitor.tab();
    await visitor.goTo('/', other);
    await other.getByRole('textbox', { name: 'E-mail' }).fill(shop.owner.email);
    await other.getByLabel(/^Password/).fill(shop.owner.password);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('banner').getByText('Olga Owner').waitFor();
    await page.getByRole('banner').getByText('Olga Owner').waitFor();
    await page.getByRole('alert').getByText('Access denied').waitFor();
    expect(await page.getByText(otto.email).count()).toBe(0);
  });

  test('that waits for a sign-in continues after the user signs in here', async () => {
    const other = await visitor.tab();
    await visitor.goTo('/queues', other);
    await title('Sign in', other).waitFor();
    await visitor.signIn(OPERATOR, '/jobs');
    await title('Cache and queues', other).waitFor();
  });
});

test('A job that has ended stays ended even if an older response arrives later', async () => {
  const path = '**/api/platform/jobs';
  let older: (() => Promise<void>) | undefined;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    // The page may have aborted the request by now.
    older ??= () => route.fulfill({ response }).catch(() => undefined);
  });
  await visitor.signIn(OPERATOR, '/jobs');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const job = page
    .getByRole('group', { name: 'Jobs', exact: true })
    .getByRole('row')
    .filter({ hasText: 'session-cleanup' });
  await job.getByText('Never run').waitFor();
  await eventually(() => Promise.resolve(older !== undefined));
  const token = await service.operator();
  await service.call('/api/platform/jobs/trigger', { token, body: { jobName: 'session-cleanup' } });
  await job.getByText('Succeeded').waitFor();
  await older?.();
  const later = page.waitForResponse(/\/api\/notifications/);
  await button('Notifications').click();
  await later;
  expect(await job.getByText('Succeeded').count()).toBe(1);
});

describe('The output of a run is complete, however late the page receives it:', () => {
  const HISTORY = '**/api/platform/streams/job/session-cleanup/events*';
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const told = () => page.getByRole('log', { name: 'Run log' }).getByText('Succeeded');

  /** Starts a run of the job, waits until it ends, and returns its id. */
  async function runOnce(): Promise<string> {
    const token = await service.operator();
    const body = { jobName: 'session-cleanup' };
    const { data } = await service.call<{ data: { executionLogId: string } }>('/api/platform/jobs/trigger', {
      token,
      body,
    });
    type Runs = { readonly items: readonly { readonly id: string; readonly status: string }[] };
    await eventually(async () => {
      const path = '/api/platform/jobs/logs?pageNumber=1&pageSize=100&search=session-cleanup';
      const { items } = await service.call<Runs>(path, { token });
      return items.some(({ id, status }) => id === data.executionLogId && status === 'SUCCEEDED');
    });
    return data.executionLogId;
  }

  test('it ends while the first response is pending', async () => {
    await runOnce();
    let answer: (() => Promise<void>) | undefined;
    await page.route(HISTORY, async (route) => {
      if (answer) return route.continue();
      const response = await route.fetch();
      // The page may have aborted the request by now.
      answer = () => route.fulfill({ response }).catch(() => undefined);
    });
    await visitor.signIn(OPERATOR, '/jobs/session-cleanup');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await eventually(() => Promise.resolve(answer !== undefined));
    const run = await runOnce();
    await region('Run').getByText(run).waitFor();
    await region('Run').getByText('Succeeded').waitFor();
    await answer?.();
    await told().waitFor();
  });

  test('it ends before the page receives any event', async () => {
    await runOnce();
    const { letGo } = await hold('**/api/platform/jobs/stream', (route) => route.continue());
    const first = page.waitForResponse(HISTORY);
    await visitor.signIn(OPERATOR, '/jobs/session-cleanup');
    await first;
    await told().waitFor();
    const run = await runOnce();
    letGo();
    await region('Run').getByText(run).waitFor();
    await told().waitFor();
  });
});

test('Signing out works even if the session has already ended', async () => {
  visitor.expects(/401/);
  const ute = await newOperator('ute');
  await visitor.signIn(ute, '/operators');
  await page.getByRole('cell', { name: ute.email }).waitFor();
  await endSessionsOf(ute);
  await button('Sign out').click();
  await title('Sign in').waitFor();
});

test('Signed-in users can change their password; errors appear at the field', async () => {
  visitor.expects(/400/);
  const pia = await newOperator('pia');
  await visitor.signIn(pia, '/operators');
  await button('Change password').click();
  await dialog().getByLabel('Current password').fill('not this one');
  await dialog().getByLabel('New password').fill('a third secret');
  const send = dialog().getByRole('button', { name: 'Change password' });
  const isMarked = async (label: string) => (await dialog().getByLabel(label).getAttribute('aria-invalid')) === 'true';
  await send.click();
  await eventually(() => isMarked('Current password'));
  await dialog().getByLabel('Current password').fill(pia.password);
  await dialog().getByLabel('New password').fill('short');
  await send.click();
  await eventually(() => isMarked('New password'));
  await dialog().getByLabel('New password').fill('a third secret');
  await send.click();
  await dialog().getByRole('status').getByText('Your password has been changed.').waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.reload();
  await title('Operators').waitFor();
  await service.signIn(pia.email, 'a third secret');
  await expect(service.signIn(pia.email, pia.password)).rejects.toThrow('401');
});
