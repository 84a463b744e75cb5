import type { Page } from 'playwright-core';
import { eventually, OPERATOR } from '../support/console-service.js';
import { handlesOf, onStage } from '../support/console-stage.js';
import type { Visitor } from '../support/visitor.js';

let visitor: Visitor;
let page: Page;
const anotherArrives = onStage(
  (stage) => {
    ({ visitor, page } = stage);
  },
  async ({ service, shop }) => {
    const branches = ['WEST', 'NORTH', 'NORTH', 'NORTH', 'NORTH', 'NORTH'];
    for (const [sale, branchCode] of branches.entries()) await service.sell(shop, `web-${sale + 1}`, { branchCode });
    await service.sell(shop, 'web-7', { payments: [{ method: 'CARD', amount: '119.00', accountCode: 'NONE' }] });
    for (let sale = 1; sale <= 7; sale += 1) await service.saleIs(shop, `web-${sale}`, 'REJECTED');
    const token = await service.operator();
    // A sale is reported as rejected a moment before its dead letter exists.
    await eventually(async () => {
      const { totalCount } = await service.call<{ totalCount: number }>('/api/platform/dead-letters', { token });
      return totalCount === 7;
    });
  },
  { BACKUP_DIR: '/dev/null/backups' },
);

const { button, dialog, row, title } = handlesOf(() => page);

/** Opens the bulk replay dialog, and expects the number of dead letters that match. */
async function counts(expected: string): Promise<void> {
  await button('Replay all').click();
  await dialog().getByRole('button', { name: 'Count' }).click();
  await dialog().getByText(expected).waitFor();
}

/** Expects that a bulk action can be focused but not started, and that its description says why. */
async function isUnavailable(name: string, why: string): Promise<void> {
  expect(await button(name).getAttribute('aria-disabled')).toBe('true');
  expect(await button(name).getAttribute('title')).toBe(why);
  await button(name).focus();
  await button(name).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  expect(await dialog().count()).toBe(0);
}

test('Jobs on dead letters are started from the list, where their filter is chosen', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Run now: session-cleanup').waitFor();
  for (const job of ['dead-letter-replay', 'dead-letter-discard'])
    await isUnavailable(`Run now: ${job}`, 'Start this job from the list of dead letters.');
});

test('A failed backup is an error that tells why, and leads to its run', async () => {
  await visitor.signIn(OPERATOR, '/jobs');
  await button('Run now: database-backup').click();
  await dialog().getByRole('button', { name: 'Run now' }).click();
  const details = page.getByRole('region', { name: 'Run', exact: true });
  await details.getByText('Failed', { exact: true }).waitFor();
  const run = new URL(page.url()).searchParams.get('run');
  await visitor.goTo('/errors');
  await page.getByRole('link', { name: /database-backup: a job failed.* cannot be written to/ }).click();
  await page.getByRole('link', { name: 'Run of database-backup' }).click();
  await details.getByText('Failed', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('run')).toBe(run);
});

test('Dead letters are discarded in bulk with a reason; the filter limits them', async () => {
  await visitor.signIn(OPERATOR, '/dead-letters?status=PARKED');
  await page.getByRole('searchbox').fill('west');
  await page.waitForURL(/search=west/);
  await button('Discard all').click();
  await dialog().getByLabel('Reason').fill('The partner sent these sales twice.');
  await dialog().getByRole('button', { name: 'Count' }).click();
  await dialog().getByText('1 dead letter will be discarded. This cannot be undone.').waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await dialog().getByRole('button', { name: 'Discard 1 dead letter' }).click();
  await title('dead-letter-discard').waitFor();
  await page.getByRole('region', { name: 'Run', exact: true }).getByText('Succeeded').waitFor();
});

test('Dead letters are filtered by event type and reason code, including for a bulk replay', async () => {
  await visitor.signIn(OPERATOR, '/dead-letters?status=PARKED');
  await row('BRANCH_UNKNOWN').first().waitFor();
  await page.getByLabel('Reason code').fill('ACCOUNT_UNKNOWN');
  await page.waitForURL(/code=ACCOUNT_UNKNOWN/);
  await row('BRANCH_UNKNOWN').first().waitFor({ state: 'detached' });
  await counts('1 dead letter will be replayed.');
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await page.getByLabel('Reason code').fill('BRANCH_UNKNOWN');
  await row('BRANCH_UNKNOWN').first().waitFor();
  await page.getByLabel('Event type').fill('SaleBooked');
  await page.waitForURL(/eventType=SaleBooked/);
  await page.getByText('No dead letters match these filters.').waitFor();
});

test('Bulk actions on an empty list of dead letters are unavailable, and say why', async () => {
  await visitor.signIn(OPERATOR, '/dead-letters?code=NONE');
  const why = 'No dead letters match these filters.';
  await page.getByText(why).waitFor();
  await isUnavailable('Replay all', why);
  await isUnavailable('Discard all', why);
  expect(await visitor.barriers()).toEqual([]);
  await visitor.goTo('/dead-letters?status=DISCARDED');
  await row('BRANCH_UNKNOWN').first().waitFor();
  await counts('No parked dead letters match the filters.');
});

test('A run in bulk is paused, resumed and cancelled on its page', async () => {
  await visitor.signIn(OPERATOR, '/dead-letters?status=PARKED');
  await button('Replay all').click();
  await dialog().getByLabel('Dead letters per second').fill('1');
  await dialog().getByRole('button', { name: 'Count' }).click();
  await dialog()
    .getByRole('button', { name: /^Replay \d+ dead letters$/ })
    .click();
  await title('dead-letter-replay').waitFor();
  const run = page.getByRole('region', { name: 'Run', exact: true });
  await run.getByRole('button', { name: 'Pause' }).click();
  await dialog().getByRole('button', { name: 'Pause' }).click();
  await run.getByText(/^Paused at \d+%$/).waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await run.getByRole('button', { name: 'Resume' }).click();
  await dialog().getByRole('button', { name: 'Resume' }).click();
  await run.getByText(/^Running/).waitFor();
  await run.getByRole('button', { name: 'Cancel run' }).click();
  await dialog().getByRole('button', { name: 'Cancel run' }).click();
  await run.getByText('Cancelled').waitFor();
});

test.each([
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 390 },
] as const)('The events of one sale are followed from its first to its last: $scheme, $width px', async (look) => {
  await anotherArrives(look);
  // When replayed, the sales are rejected again, for a different reason.
  await visitor.signIn(OPERATOR, '/events?entity=sale&type=SaleAccepted');
  await page.getByText('SaleAccepted', { exact: true }).first().waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await page.getByRole('link', { name: 'Related' }).first().click();
  await page.waitForURL(/correlationId=/);
  await page.getByText('SaleRejected', { exact: true }).first().waitFor();
  await page.getByText('SaleAccepted', { exact: true }).first().waitFor();
  await page.getByText('SaleAccepted', { exact: true }).first().click();
  await page.getByRole('region', { name: 'Metadata as JSON' }).first().waitFor();
  expect(await visitor.barriers()).toEqual([]);
  const overhang = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(overhang).toBe(0);
});

test('A policy is paused, which the overview shows as needing attention, and resumed', async () => {
  await visitor.signIn(OPERATOR, '/queues');
  await page.getByRole('button', { name: /^Show all \d+ queues$/ }).click();
  // An action has the same icon for policies as for the forwarder.
  await button('Pause').waitFor();
  const pauses = await page
    .getByRole('button', { name: /^Pause/ })
    .locator('path')
    .all();
  const icons = await Promise.all(pauses.map((icon) => icon.getAttribute('d')));
  expect([icons.length > 1, new Set(icons).size]).toEqual([true, 1]);
  const name = await page
    .getByRole('button', { name: /^Pause: / })
    .first()
    .getAttribute('aria-label');
  const policy = name?.replace('Pause: ', '') ?? '';
  await button(`Pause: ${policy}`).click();
  await dialog().getByRole('button', { name: 'Pause' }).click();
  await page.getByText('1 paused').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText(`${policy} is paused`).waitFor();
  await attention.getByRole('link', { name: 'Resume it' }).click();
  await button(`Resume: ${policy}`).click();
  await dialog().getByRole('button', { name: 'Resume' }).click();
  await page.getByText('1 paused').waitFor({ state: 'detached' });
});

test('A rewind republishes the chosen messages of one tenant', async () => {
  await visitor.signIn(OPERATOR, '/queues');
  await button('Rewind').click();
  await dialog().getByLabel('Position').fill('0');
  await dialog().getByLabel("Only this tenant's events").fill('Acme');
  await page.getByRole('option', { name: 'Acme Trading' }).click();
  await dialog().getByLabel('Only these messages').fill('kontor.sale.accepted.v1');
  expect(await visitor.barriers()).toEqual([]);
  await dialog().getByRole('button', { name: 'Rewind' }).click();
  await page.getByText(/Last rewind, for Acme Trading, only kontor\.sale\.accepted\.v1/).waitFor();
});

test('Date filters are days in the time zone of the displayed times', async () => {
  const day = 'dateFrom=2026-03-04&dateTo=2026-03-04';
  const [dateFrom, dateTo] = ['2026-03-03T23:00:00.000Z', '2026-03-04T22:59:59.999Z'];
  await visitor.signIn(OPERATOR, '/jobs');
  for (const path of ['/audit', '/errors', '/events', '/dead-letters']) {
    const asked = page.waitForRequest(/\/api\/.*2026-03/);
    await visitor.goTo(`${path}?${day}`);
    const parameters = [...new URL((await asked).url()).searchParams.values()];
    expect(parameters).toEqual(expect.arrayContaining([dateFrom, dateTo]));
  }
  await page.getByText('No dead letters match these filters.').waitFor();
});
