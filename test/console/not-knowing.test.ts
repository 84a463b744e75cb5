// While data is missing, the console must never claim that all is well, that nothing exists, or that nothing was found.
import type { Page } from 'playwright-core';
import { type ConsoleService, OPERATOR, type Shop } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import { AWAY, type Visitor } from '../support/visitor.js';

let service: ConsoleService;
let shop: Shop;
let visitor: Visitor;
let page: Page;

onStage((stage) => {
  ({ service, shop, visitor, page } = stage);
});

const { button, dialog, row } = handlesOf(() => page);

test('An empty list is not shown as good news once it can no longer be loaded', async () => {
  visitor.expects(AWAY);
  await visitor.signIn(OPERATOR, '/dead-letters');
  await page.getByText('There are no dead letters').waitFor();
  await service.halt();
  try {
    await page.getByRole('alert').getByText('This data may be out of date').waitFor();
  } finally {
    await service.run();
  }
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('A page past the last one leads back to the first', async () => {
  await visitor.signIn(shop.owner, '/customers?page=9');
  await page.getByText('This page does not exist.').waitFor();
  await button('Go to the first page').click();
  await row('for sales without a customer').waitFor();
});

test('The overview does not claim that nothing is waiting while it has no data', async () => {
  visitor.expects(AWAY);
  await visitor.signIn();
  const tile = (name: string) => page.locator('.k-tile').filter({ hasText: name });
  await tile('Parked dead letters').getByText('no action needed').waitFor();
  await tile('Open errors').getByText('all resolved').waitFor();
  await tile('Open errors').getByRole('link').waitFor();
  await service.halt();
  try {
    for (const name of ['Service', 'Parked dead letters', 'Open errors', 'Jobs'])
      await tile(name).getByText('currently unknown').waitFor();
    expect(
      await page
        .getByText(/no action needed|all resolved|the latest run of each job succeeded|no job has run yet/)
        .count(),
    ).toBe(0);
  } finally {
    await service.run();
  }
});

test('The home page of a tenant does not claim that all is well while it has no data', async () => {
  visitor.expects(/ERR_FAILED/);
  const needed = /\/api\/(?:sales|accounts|reports)/;
  await page.route(needed, (route) => route.abort());
  await visitor.signIn(shop.owner);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('Not yet known').waitFor();
  await page.getByRole('alert').getByText('The service is not responding.').waitFor();
  expect(await attention.getByText('Nothing needs attention').count()).toBe(0);
  await page.unroute(needed);
  await attention.getByText('Nothing needs attention').waitFor();
  for (const name of ['Bank', 'Owed by customers', 'Profit or loss this month'])
    await page.locator('.k-tile').filter({ hasText: name }).waitFor();
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

test('The closing of a period warns if it is not known whether all sales are booked', async () => {
  visitor.expects(/ERR_FAILED/);
  await page.route(/\/api\/sales/, (route) => route.abort());
  await visitor.signIn(shop.owner, '/periods');
  await button('Close a period').click();
  const unknown = dialog().getByText('Could not check whether all sales in the period have been booked');
  await unknown.waitFor();
  await page.unroute(/\/api\/sales/);
  await page.route(/\/api\/sales\?.*status=ACCEPTED/, (route) =>
    route.fulfill({ json: { items: [], totalCount: 2, pageNumber: 1, pageSize: 1 } }),
  );
  await dialog().getByRole('button', { name: 'Try again' }).click();
  await dialog().getByText('2 sales are not booked').waitFor();
  expect(await unknown.count()).toBe(0);
  expect(await dialog().getByRole('link', { name: 'Open the rejected sales' }).count()).toBe(0);
  const link = dialog().getByRole('link', { name: 'Open the waiting sales' });
  expect(await link.getAttribute('href')).toContain('status=ACCEPTED');
});

test('Queues without a worker are not drawn as up to date', async () => {
  await page.route('**/api/platform/redis/queues', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: { queues: { kind: string; lag: number | null }[] } };
    const queues = data.queues.map((queue) => (queue.kind === 'policy' ? { ...queue, lag: null } : queue));
    await route.fulfill({ response, json: { data: { ...data, queues } } });
  });
  await visitor.signIn();
  await row('No worker').first().waitFor();
  await page.getByRole('img', { name: /^Largest lag now: projections \d+, policies unknown/ }).waitFor();
});

test('A field that cannot load its options says so instead of showing none', async () => {
  visitor.expects(AWAY);
  await visitor.signIn(shop.owner, '/customers');
  await button('Create a customer').click();
  const branch = dialog().getByLabel('Branch').first();
  await branch.waitFor();
  await service.halt();
  try {
    await branch.fill('North');
    await dialog().getByText('The service is not responding.').waitFor();
    expect(await branch.getAttribute('aria-invalid')).toBe('true');
  } finally {
    await service.run();
  }
  await branch.fill('Main');
  await page.getByRole('option').first().waitFor();
  expect(await branch.getAttribute('aria-invalid')).not.toBe('true');
});

test('A job whose runs cannot be loaded is not shown as never run', async () => {
  visitor.expects(/ERR_FAILED/);
  await service.call('/api/platform/jobs/trigger', {
    token: await service.operator(),
    body: { jobName: 'session-cleanup' },
  });
  await visitor.signIn(OPERATOR, '/jobs');
  const ways = ['**/api/platform/jobs', '**/api/platform/jobs/*'];
  for (const way of ways) await page.route(way, (route) => route.abort());
  await visitor.goTo('/jobs/session-cleanup');
  await page.getByRole('alert').waitFor();
  expect(await page.getByText('has not run yet').count()).toBe(0);
  for (const way of ways) await page.unroute(way);
  await page.getByRole('region', { name: 'Run', exact: true }).waitFor();
  await page.getByText('All jobs').waitFor();
});

test('An empty list of read notifications does not claim that there are no notifications', async () => {
  await service.call('/api/notifications/admin/send', {
    token: shop.ownerToken,
    body: { title: 'Stocktaking on Friday', body: 'Please book everything.', broadcast: true },
  });
  await visitor.signIn(shop.owner, '/notifications?isRead=true');
  await page.getByText('You have no read notifications.').waitFor();
});

test('A value that the browser refuses to copy is not reported as copied', async () => {
  const devtools = await page.context().newCDPSession(page);
  const { targetInfo } = await devtools.send('Target.getTargetInfo');
  await devtools.send('Browser.setPermission', {
    permission: { name: 'clipboard-write' },
    setting: 'denied',
    browserContextId: targetInfo.browserContextId ?? '',
  });
  await visitor.signIn(shop.owner, '/partner-keys');
  await button('Copy the example').click();
  await button('The example could not be copied').waitFor();
});

test('Settings, checkpoints and the cache are shown as loading until they arrive', async () => {
  const showsLoading = async (data: string, path: string, panel: string): Promise<void> => {
    await page.route(data, () => undefined);
    await visitor.goTo(path);
    await page.locator(panel).locator('.mantine-Skeleton-root').first().waitFor();
  };
  await visitor.signIn(shop.owner, '/branches');
  await showsLoading('**/api/settings', '/settings', '#main');
  await button('Sign out').click();
  await visitor.signIn(OPERATOR, '/jobs');
  await showsLoading('**/api/platform/integrity/checkpoint', '/integrity', '[aria-label="Last checkpoint"]');
  await showsLoading('**/api/platform/redis/status', '/queues', '[aria-label="Cache"]');
});
