import type { Browser } from 'playwright-core';
import { ConsoleService, OPERATOR } from '../support/console-service.js';
import { eventually } from '../support/eventually.js';
import { launch, LOOKS, Visitor } from '../support/visitor.js';

let service: ConsoleService;
let browser: Browser;
let pages: readonly (readonly [path: string, shows: string])[];

beforeAll(async () => {
  service = await ConsoleService.start();
  const shop = await service.openShop();
  await service.sell(shop, 'web-1', { branchCode: 'NOWHERE' });
  await service.saleIs(shop, 'web-1', 'REJECTED');
  const token = await service.operator();
  const trigger = { token, body: { jobName: 'database-backup' } };
  const { data: run } = await service.call<{ data: { executionLogId: string } }>('/api/platform/jobs/trigger', trigger);
  // A sale is reported as rejected a moment before its dead letter exists.
  const letter = await eventually(async () => {
    const { items } = await service.call<{ items: { id: string }[] }>('/api/platform/dead-letters', { token });
    return items[0];
  }, 10_000);
  pages = [
    ['/', 'healthy'],
    ['/jobs', 'session-cleanup'],
    [`/jobs/database-backup?run=${run.executionLogId}`, 'SHA-256'],
    ['/dead-letters', 'BRANCH_UNKNOWN'],
    [`/dead-letters/${letter.id}`, '"externalId"'],
    ['/projections', 'generation 1'],
    ['/queues', 'Hit rate'],
    ['/no/such/page', 'Page not found'],
  ];
  browser = await launch();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await service.close();
});

test.each(LOOKS)(
  'No page has a serious accessibility violation: $scheme, $width px',
  async (look) => {
    const visitor = await Visitor.arrives(browser, service.url, look);
    await visitor.goTo('/');
    await visitor.page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    const found: [string, string[]][] = [['/sign-in', await visitor.barriers()]];
    await visitor.fillIn(OPERATOR.email, OPERATOR.password);
    await visitor.page.locator('#main').waitFor();
    for (const [path, shows] of pages) {
      await visitor.goTo(path);
      await visitor.page.getByText(shows).first().waitFor();
      found.push([path, await visitor.barriers()]);
    }
    await visitor.goTo('/jobs');
    await visitor.page.getByRole('button', { name: 'Run now: session-cleanup' }).click();
    await visitor.page.getByRole('dialog').getByRole('button', { name: 'Run now' }).waitFor();
    found.push(['a dialog', await visitor.barriers()]);
    await visitor.leave();
    expect(found.filter(([, barriers]) => barriers.length > 0)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  },
  240_000,
);
