import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { RecordedEvent } from '../../src/ports/event-store.js';
import { type ConsoleService, eventually, OPERATOR, type Shop } from '../support/console-service.js';
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

test('An operator starts a backup, watches it to its end and downloads it completely', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  await button('Run now: database-backup').click();
  await dialog().getByText('Writes the whole history').waitFor();
  await dialog().getByRole('button', { name: 'Run now' }).click();

  await page.waitForURL(/\/console\/jobs\/database-backup\?run=/);
  const log = page.getByRole('log', { name: 'Run log' });
  await log.getByText('Started').waitFor();
  // No reload is required, because the page updates the run's progress live.
  await page.getByRole('region', { name: 'Run', exact: true }).getByText('Succeeded').waitFor();
  await log.getByText('Succeeded').waitFor();

  const told = await page.getByRole('region', { name: 'File' }).innerText();
  const [, sha256] = /SHA-256\s+([0-9a-f]{64})/.exec(told) ?? [];
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download, .*: kontor/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.gz$/);
  const content = await readFile(await download.path());
  expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
});

test('The jobs page immediately shows jobs that others have started, and continues after a lost connection', async () => {
  visitor.expects(AWAY);
  const begin = async (): Promise<void> => {
    const token = await service.operator();
    await service.call('/api/platform/jobs/trigger', { token, body: { jobName: 'session-cleanup' } });
  };
  await visitor.signIn(OPERATOR, '/jobs');
  const live = page.getByRole('status').filter({ hasText: 'Live' });
  await live.waitFor();
  const job = page
    .getByRole('group', { name: 'Jobs', exact: true })
    .getByRole('row')
    .filter({ hasText: 'session-cleanup' });
  await job.getByText('Never run').waitFor();
  await begin();
  await job.getByText('Succeeded').waitFor();

  const runs = page.getByRole('group', { name: 'Job runs' }).getByRole('row').filter({ hasText: 'session-cleanup' });
  await eventually(async () => (await runs.count()) === 1);

  await service.halt();
  await page.getByRole('status').filter({ hasText: 'Connection lost' }).waitFor();
  await service.run();
  await live.waitFor();
  await begin();
  await eventually(async () => (await runs.count()) === 2);
});

test('A sale of an unknown branch stays parked, even after a replay, until the branch exists', async () => {
  await service.sell(shop, 'web-1', { branchCode: 'NORTH' });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  await visitor.signIn(OPERATOR, '/dead-letters?status=PARKED');
  await row('BRANCH_UNKNOWN').getByRole('link').click();
  await page.getByText('"externalId": "web-1"').waitFor();

  await button('Replay').click();
  await dialog().getByRole('button', { name: 'Replay' }).click();
  await dialog()
    .getByRole('status')
    .getByText(/Processing failed again/)
    .waitFor();
  await dialog().getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Parked').waitFor();

  await service.call('/api/branches', { token: shop.ownerToken, body: { code: 'NORTH', name: 'North' } });
  await service.saleIs(shop, 'web-1', 'BOOKED');
  await eventually(async () => {
    await page.reload();
    await page.getByText('BRANCH_UNKNOWN').first().waitFor();
    return page.getByText('Replayed', { exact: true }).isVisible();
  });
  await button('Replay').waitFor({ state: 'detached' });
});

test('A dead letter can be discarded only with a reason, and shows it', async () => {
  await service.sell(shop, 'web-2', { branchCode: 'NOWHERE' });
  await service.saleIs(shop, 'web-2', 'REJECTED');
  await visitor.signIn(OPERATOR, '/dead-letters?status=PARKED');
  await row('BRANCH_UNKNOWN').getByRole('link').click();
  await button('Discard').click();
  expect(await dialog().getByRole('button', { name: 'Discard' }).isDisabled()).toBe(true);
  await dialog().getByLabel('Reason').fill('The partner sent it again under another number.');
  await dialog().getByRole('button', { name: 'Discard' }).click();
  await dialog().getByText('The dead letter was discarded.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('The partner sent it again under another number.').waitFor();
  await page.getByText('Discarded', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Operator', exact: true }).waitFor();
});

test('The filters of a list are kept in its address, and lead back to the same list', async () => {
  await visitor.signIn(OPERATOR, '/dead-letters');
  await page.getByRole('combobox', { name: 'Status' }).or(page.getByLabel('Status')).first().click();
  await page.getByRole('option', { name: 'Discarded' }).click();
  await page.waitForURL(/status=DISCARDED/);
  await page.getByRole('searchbox').fill('branch');
  await page.waitForURL(/search=branch/);
  await row('BRANCH_UNKNOWN').waitFor();
  await page.reload();
  await row('BRANCH_UNKNOWN').waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('branch');
  await button('Clear filters').click();
  await page.waitForURL(/\/dead-letters$/);
});

test('A read model is rebuilt alongside the live one and found equal to it', async () => {
  await visitor.signIn(OPERATOR, '/projections?columns=name,status,generation,rebuild,action');
  const customers = page.getByRole('row').filter({ has: page.getByText('customers', { exact: true }) });
  const generation = customers.locator('[data-label=Generation]');
  await generation.getByText('1', { exact: true }).waitFor();
  await button('Rebuild: customers').click();
  await dialog().getByRole('button', { name: 'Rebuild' }).click();
  await dialog().waitFor({ state: 'detached' });
  await generation.getByText('2', { exact: true }).waitFor();
  await customers.getByText('identical to the previous version').waitFor();
});

test('The overview shows what needs attention, folds healthy queues, and charts their lag as it changes', async () => {
  await service.sell(shop, 'web-4', { branchCode: 'NOWHERE' });
  await service.saleIs(shop, 'web-4', 'REJECTED');
  await visitor.signIn();
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText(/parked dead letters?/).waitFor();
  await page.getByText(/^\d+ healthy$/).waitFor();
  await page.getByRole('button', { name: /^Show all \d+ queues$/ }).click();
  const undrawn = page.getByText('Waiting for more data…');
  await page.getByText('Up', { exact: true }).first().waitFor();
  const head = async (): Promise<number> => {
    const tile = await page.locator('.k-tile').filter({ hasText: 'Event head' }).locator('dd').innerText();
    return Number(tile.split('\n')[0]?.replaceAll(/\D/g, ''));
  };
  await eventually(async () => (await head()) > 0);
  const before = await head();
  await service.sell(shop, 'web-3');
  await eventually(async () => (await head()) > before);
  expect(await page.getByRole('img', { name: /^Lag of \w+/ }).count()).toBeGreaterThan(20);
  await page.getByRole('img', { name: /^Events appended per second: now \d/ }).waitFor();
  await page.getByRole('img', { name: /^Largest lag now: projections \d/ }).waitFor();
  await eventually(async () => (await undrawn.count()) === 0);
});

test('The period of the charts is kept in the address', async () => {
  await visitor.signIn(OPERATOR);
  const period = page.getByRole('combobox', { name: 'Period of the charts' });
  await period.click();
  await page.getByRole('option', { name: 'Charts of the last 24 hours' }).click();
  await page.waitForURL(/\/console\/\?period=day$/);
  await page.reload();
  expect(await period.inputValue()).toBe('Charts of the last 24 hours');
  expect(
    await page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
      document.querySelector('.k-page-header input'))`),
  ).toBe(0);
  await page.getByRole('img', { name: /^Largest lag now: projections \d/ }).waitFor();
  await period.click();
  await page.getByRole('option', { name: 'Charts of the last hour' }).click();
  await page.waitForURL(/\/console\/$/);
});

test('Cache entries are cleared by a pattern, and the dialog shows how many', async () => {
  await visitor.signIn(OPERATOR, '/queues');
  await page.getByText("in this process's memory").waitFor();
  await button('Clear entries').click();
  await dialog().getByLabel('Pattern').fill('nothing:*');
  await dialog().getByRole('button', { name: 'Clear entries' }).click();
  await dialog().getByText('0 entries were removed.').waitFor();
});

test('The projections page counts the documents that lack an event, although their read model is live', async () => {
  await service.call('/api/branches', { token: shop.ownerToken, body: { code: 'FUTURE', name: 'Future' } });
  // Simulates an event that a newer release has written.
  await service.rewrite(async (history) => {
    const filter = { on: 'type', prefixes: ['BranchCreated'] } as const;
    const [last] = await history.readAll({ direction: 'backwards', filter, maxCount: 1 });
    const { stream, revision: expected, metadata } = last as RecordedEvent;
    const event = { id: randomUUID(), type: 'BranchTeleported', data: {}, metadata };
    await history.append({ stream, expected, events: [event] });
  });
  await visitor.signIn(OPERATOR, '/projections');
  const branches = page.getByRole('row').filter({ has: page.getByText('branches', { exact: true }) });
  await branches.getByText('1 incomplete document').waitFor();
  await branches.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'branches' }).getByText('lack events').waitFor();
});
